package trial

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// engines are the backends that are present.
func engines() []string {
	var names []string
	for _, engine := range backend.List() {
		if engine.Missing == "" {
			names = append(names, engine.Name)
		}
	}
	return names
}

// methods are all methods, with their definitions in plain Go: what the rate is multiplied with for gradient g at
// update n, given the moments, which it changes.
var methods = []struct {
	method Method
	step   func(moments *[2]float64, g float64, n int) float64
}{
	{RMSprop{Alpha: 0.9, Epsilon: 1e-8}, func(moments *[2]float64, g float64, _ int) float64 {
		moments[0] = 0.9*moments[0] + 0.1*g*g
		return g / (math.Sqrt(moments[0]) + 1e-8)
	}},
	{RMSprop{Alpha: 0, Epsilon: 0.01}, func(_ *[2]float64, g float64, _ int) float64 {
		return g / (math.Abs(g) + 0.01)
	}},
	{Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, func(moments *[2]float64, g float64, n int) float64 {
		moments[0] = 0.9*moments[0] + 0.1*g
		moments[1] = 0.999*moments[1] + 0.001*g*g
		m, v := moments[0]/(1-math.Pow(0.9, float64(n))), moments[1]/(1-math.Pow(0.999, float64(n)))
		return m / (math.Sqrt(v) + 1e-8)
	}},
	{Adam{Beta1: 0.5, Beta2: 0.6, Epsilon: 0.1}, func(moments *[2]float64, g float64, n int) float64 {
		moments[0] = 0.5*moments[0] + 0.5*g
		moments[1] = 0.6*moments[1] + 0.4*g*g
		m, v := moments[0]/(1-math.Pow(0.5, float64(n))), moments[1]/(1-math.Pow(0.6, float64(n)))
		return m / (math.Sqrt(v) + 0.1)
	}},
	{Adam{Beta1: 0, Beta2: 0.9, Epsilon: 0.1}, func(moments *[2]float64, g float64, n int) float64 {
		moments[1] = 0.9*moments[1] + 0.1*g*g
		return g / (math.Sqrt(moments[1]/(1-math.Pow(0.9, float64(n)))) + 0.1)
	}},
	{Adam{Beta1: 0.5, Beta2: 0, Epsilon: 0.1}, func(moments *[2]float64, g float64, n int) float64 {
		moments[0] = 0.5*moments[0] + 0.5*g
		return moments[0] / (1 - math.Pow(0.5, float64(n))) / (math.Abs(g) + 0.1)
	}},
	{SGD{}, func(_ *[2]float64, g float64, _ int) float64 { return g }},
}

// optimizers are all methods, each with and without clipping and decay, for three trials.
func optimizers() []Optimizer {
	var all []Optimizer
	for _, m := range methods {
		for _, rates := range [][]float64{{0.01}, {1e-3, 0.02, 0.1}} {
			for _, clip := range []float64{0, 1.5} { // the trials' norms below are 0.7 to 13 at first
				for _, decay := range []float64{0, 0.3} {
					all = append(all, Optimizer{m.method, rates, clip, decay})
				}
			}
		}
	}
	return all
}

// descent is a training of R trials with five numbers each, two in one variable [R, 2], three in another [R, 3, 1],
// on the losses Σ a·θ⁴/4 + c·θ, whose gradients are a·θ³ + c.
type descent[F float32 | float64] struct {
	store *model.Store
	exec  *model.Exec
	theta [][5]F // after the last update
}

// begin makes a training from theta; variables that are already in the store stay as they are.
func begin[F float32 | float64](t *testing.T, engine string, store *model.Store, o optimizer.Interface,
	theta [][5]F) *descent[F] {
	t.Helper()
	var u [][]F
	var w [][][]F
	for _, x := range theta {
		u, w = append(u, x[:2]), append(w, [][]F{{x[2]}, {x[3]}, {x[4]}})
	}
	b := conformance.Start(t, engine)
	exec := model.MustNewExec(b, store, func(scope *model.Scope, a, c *graph.Node) []*graph.Node {
		u := scope.In("cell").VariableWithValue("w", u)
		w := scope.In("readout").VariableWithValue("w", w)
		theta := func() *graph.Node {
			return graph.Concatenate([]*graph.Node{u.NodeValue(a), graph.Squeeze(w.NodeValue(a), -1)}, 1)
		}
		before := theta()
		quarter := graph.MulScalar(graph.Mul(a, graph.Square(graph.Square(before))), 0.25)
		losses := graph.ReduceSum(graph.Add(quarter, graph.Mul(c, before)), 1)
		o.UpdateGraph(scope, a.Graph(), Total(losses))
		return []*graph.Node{losses, theta()}
	})
	return &descent[F]{store, exec, slices.Clone(theta)}
}

func (d *descent[F]) update(a, c [][5]F) {
	rows := func(x [][5]F) (rows [][]F) {
		for r := range x {
			rows = append(rows, x[r][:])
		}
		return rows
	}
	theta := d.exec.MustCall(rows(a), rows(c))[1]
	flat := tensors.MustCopyFlatData[F](theta)
	for r := range d.theta {
		copy(d.theta[r][:], flat[5*r:])
	}
}

// Three trials to descend from. The gradients of the first are small, those of the third large.
var (
	theta0 = [][5]float64{{0.5, -0.2, 0.1, 0.3, -0.4}, {1, -1, 0.5, 0.7, 2}, {-1.5, 1.1, 1.2, -0.3, 0.1}}
	coefA  = [][5]float64{{1, 0.5, 2, 0.1, 0}, {2, 0.1, 1, 1, 0.2}, {3, 4, 0.5, 0, 2}}
	coefC  = [][5]float64{{0.1, 0, -0.3, 0.5, 0.2}, {-1, 2, 0.5, 0, 0}, {0, -0.3, 0.1, 4, -0.2}}
)

const updates = 20

func TestOptimizersEqualTheirDefinitions(t *testing.T) {
	step := map[Method]func(moments *[2]float64, g float64, n int) float64{}
	for _, m := range methods {
		step[m.method] = m.step
	}
	for _, engine := range engines() {
		for _, o := range optimizers() {
			d := begin(t, engine, model.NewStore(), o, theta0)
			theta, moments := slices.Clone(theta0), [3][5][2]float64{}
			for n := 1; n <= updates; n++ {
				d.update(coefA, coefC)
				for r := range theta {
					var g [5]float64
					squares := 0.0
					for i, x := range theta[r] {
						g[i] = coefA[r][i]*x*x*x + coefC[r][i] + o.Decay*x
						squares += g[i] * g[i]
					}
					for i := range g {
						if o.Clip > 0 {
							g[i] *= min(1, o.Clip/math.Sqrt(squares))
						}
						theta[r][i] -= o.Rates[min(r, len(o.Rates)-1)] * step[o.Method](&moments[r][i], g[i], n)
						if e := math.Abs(d.theta[r][i] - theta[r][i]); !(e < 1e-12) {
							t.Fatalf("%s, %+v, update %d, trial %d, weight %d: %g, want %g",
								engine, o, n, r, i, d.theta[r][i], theta[r][i])
						}
					}
				}
			}
			check.Equal(t, optimizer.GetGlobalStep(d.store), updates, "%s, %+v: global step", engine, o)
		}
	}
}

func single(values [][5]float64) [][5]float32 {
	out := make([][5]float32, len(values))
	for r := range values {
		for i, v := range values[r] {
			out[r][i] = float32(v)
		}
	}
	return out
}

// What is in the store is all that there is: copied into a new one, the training goes on bit for bit.
func TestOptimizersResume(t *testing.T) {
	theta, a, c := single(theta0), single(coefA), single(coefC)
	for _, o := range optimizers() {
		const at = 7
		whole := begin(t, "go", model.NewStore(), o, theta)
		copied := model.NewStore()
		for n := range updates {
			if n == at {
				for v := range whole.store.IterVariables() {
					value, err := v.MustValue().LocalClone()
					check.OK(t, err)
					if _, err := copied.CreateVariable(v.Path(), value); err != nil {
						t.Fatal(err)
					}
				}
			}
			whole.update(a, c)
			if n == 4 { // so that the rates are no longer those of Rates
				check.OK(t, o.Multiply(whole.store, []float64{0.5, 1. / 3, 2}))
			}
		}
		resumed := begin(t, "go", copied, o, theta)
		for range updates - at {
			resumed.update(a, c)
		}
		check.Equal(t, resumed.theta, whole.theta, "%+v: resumed", o)
		if theirs, ours := copied.NumVariables(), whole.store.NumVariables(); theirs != ours {
			t.Errorf("%+v: %d variables after resuming, %d without", o, theirs, ours)
		}
		for _, d := range []*descent[float32]{whole, resumed} {
			for v := range d.store.IterVariables() {
				if v.Trainable != (v.Name() == "w" && !strings.HasPrefix(v.Path(), optimizerScope)) {
					t.Errorf("%+v: variable %s is trainable: %v", o, v.Path(), v.Trainable)
				}
			}
		}
	}
}

func TestOptimizersReject(t *testing.T) {
	ok := Optimizer{Method: SGD{}, Rates: []float64{1, 2}}
	change := func(f func(o *Optimizer)) Optimizer {
		o := ok
		o.Rates = slices.Clone(ok.Rates)
		f(&o)
		return o
	}
	nan, inf := math.NaN(), math.Inf(1)
	wrong := []Optimizer{
		{},
		change(func(o *Optimizer) { o.Method = nil }),
		change(func(o *Optimizer) { o.Rates = nil }),
		change(func(o *Optimizer) { o.Rates = []float64{1, 2, 3} }),
	}
	for _, x := range []float64{0, -1, nan, inf} {
		wrong = append(wrong, change(func(o *Optimizer) { o.Rates[1] = x }))
	}
	for _, x := range []float64{-1, nan, inf} {
		wrong = append(wrong, change(func(o *Optimizer) { o.Clip = x }), change(func(o *Optimizer) { o.Decay = x }))
	}
	for _, x := range []float64{-1, -0.1, 1, 2, nan, inf} {
		wrong = append(wrong, change(func(o *Optimizer) { o.Method = RMSprop{x, 1e-8} }),
			change(func(o *Optimizer) { o.Method = Adam{x, 0.9, 1e-8} }),
			change(func(o *Optimizer) { o.Method = Adam{0.9, x, 1e-8} }))
	}
	for _, x := range []float64{0, -1e-8, nan} {
		wrong = append(wrong, change(func(o *Optimizer) { o.Method = RMSprop{0.9, x} }),
			change(func(o *Optimizer) { o.Method = Adam{0.9, 0.999, x} }))
	}
	for _, o := range wrong {
		check.Rejected(t, fmt.Sprintf("%+v", o), o.Validate(2), "trial: ")
	}
	for _, o := range optimizers() {
		if err := o.Validate(3); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := ok.Validate(3); err == nil {
		t.Error("two rates for three trials are accepted")
	}
}

func TestOptimizerRejectsWeightsWithoutTrials(t *testing.T) {
	one, three, three32 := []float64{1}, []float64{1, 1, 1}, []float32{1, 2, 3}
	for name, c := range map[string]struct {
		o       Optimizer
		weights []any
		want    string
	}{
		"a scalar": {Optimizer{SGD{}, one, 0, 0}, []any{float32(1)}, "weight /w0 has shape"},
		"other trials": {Optimizer{SGD{}, three, 0, 0}, []any{three32, []float32{1, 2}},
			"weights /w0, (Float32)[3], and /w1, (Float32)[2], differ"},
		"two numbers": {Optimizer{SGD{}, one, 0, 0}, []any{[]float32{1, 2}, three32},
			"weights /w0, (Float32)[2], and /w1, (Float32)[3], differ"},
		"wrong settings":    {Optimizer{SGD{}, []float64{-1}, 0, 0}, []any{three32}, "learning rate 0 is -1"},
		"other rates":       {Optimizer{SGD{}, []float64{1, 1}, 0, 0}, []any{three32}, "2 learning rates for 3"},
		"no weights at all": {Optimizer{SGD{}, one, 1, 0}, nil, "no weights"},
		"no method":         {Optimizer{nil, one, 1, 0}, []any{three32}, "without a method"},
	} {
		var err error
		build := func(scope *model.Scope, loss *graph.Node) *graph.Node {
			for i, w := range c.weights {
				variable := scope.VariableWithValue(fmt.Sprint("w", i), w)
				loss = graph.Add(loss, graph.ReduceAllSum(variable.NodeValue(loss)))
			}
			err = exceptions.TryCatch[error](func() { c.o.UpdateGraph(scope, loss.Graph(), loss) })
			return loss
		}
		model.MustNewExec(conformance.Start(t, "go"), model.NewStore(), build).MustCall(float32(0))
		check.Rejected(t, name, err, c.want)
	}
}

// A weight of GoMLX's layers that by chance is as long as there are trials is not mistaken for one of theirs.
func TestOptimizerRejectsSharedWeights(t *testing.T) {
	const trials = 3
	descent := Optimizer{Method: SGD{}, Rates: []float64{0.1}}
	for name, c := range map[string]struct {
		layer func(scope *model.Scope, x *graph.Node) *graph.Node // of x [R, B, R]
		want  string
	}{
		"an embedding": {func(scope *model.Scope, x *graph.Node) *graph.Node {
			symbols := graph.ConvertDType(graph.SliceAxis(x, -1, graph.AxisRange(0, 1)), dtypes.Int32) // [R, B, 1]
			return layers.Embedding(scope, symbols, dtypes.Float32, trials, 4)
		}, "weight /embeddings, (Float32)[3, 4], is a table"},
		"an embedding of each": {func(scope *model.Scope, x *graph.Node) *graph.Node { // by pairs (r, symbol)
			table := scope.VariableWithShape("own", shapes.Make(dtypes.Float32, trials, 5, 4)).NodeValue(x)
			pair := graph.ConvertDType(graph.SliceAxis(x, -1, graph.AxisRange(0, 2)), dtypes.Int32)
			return graph.Gather(table, pair)
		}, ""},
		"a dense layer": {func(scope *model.Scope, x *graph.Node) *graph.Node {
			return layers.Dense(scope, x, false, 4)
		}, "weight /dense/weights, (Float32)[3, 4], is"},
		"a dense layer of each": {func(scope *model.Scope, x *graph.Node) *graph.Node {
			w := scope.VariableWithShape("own", shapes.Make(dtypes.Float32, trials, trials, 4)).NodeValue(x)
			return graph.DotGeneral(x, []int{2}, []int{0}, w, []int{1}, []int{0})
		}, ""},
		"inputs that all share": {func(scope *model.Scope, x *graph.Node) *graph.Node { // with weights of each
			w := scope.VariableWithShape("own", shapes.Make(dtypes.Float32, trials, trials, 4)).NodeValue(x)
			one := graph.Squeeze(graph.SliceAxis(x, 0, graph.AxisRange(0, 1)), 0)                          // [B, R]
			return graph.TransposeAllAxes(graph.DotGeneral(one, []int{1}, nil, w, []int{1}, nil), 1, 0, 2) // [R, B, 4]
		}, ""},
		"a convolution": {func(scope *model.Scope, x *graph.Node) *graph.Node {
			return layers.Convolution(scope, x).Channels(4).KernelSize(trials).UseBias(false).PadSame().Done()
		}, "weight /conv/weights, (Float32)[3, 3, 4], is a convolution's"},
	} {
		for _, engine := range engines() {
			var err error
			build := func(scope *model.Scope, x *graph.Node) *graph.Node {
				losses := graph.ReduceSum(graph.Square(c.layer(scope, x)), 1, 2) // [R]
				err = exceptions.TryCatch[error](func() { descent.UpdateGraph(scope, x.Graph(), Total(losses)) })
				return losses
			}
			x := [][][]float32{{{0, 1, 2}, {1, 0, 2}}, {{1, 1, 1}, {2, 2, 2}}, {{0, 0, 0}, {1, 2, 0}}}
			model.MustNewExec(conformance.Start(t, engine), model.NewStore(), build).MustCall(x)
			if c.want != "" {
				check.Rejected(t, name, err, c.want)
			} else if err != nil {
				t.Errorf("%s on %s: %v", name, engine, err)
			}
		}
	}
}

// One trial shares its weights with no other, however the graph uses them.
func TestOptimizerAcceptsWeightsOfOneTrial(t *testing.T) {
	for _, engine := range engines() {
		build := func(scope *model.Scope, x *graph.Node) *graph.Node { // x [B, 1]
			w := scope.VariableWithValue("w", [][]float32{{2}}).NodeValue(x) // [R, 1]
			losses := graph.ReduceSum(graph.Square(graph.Einsum("bi,ri->rb", x, w)), 1)
			Optimizer{Method: SGD{}, Rates: []float64{0.5}}.UpdateGraph(scope, x.Graph(), Total(losses))
			return losses
		}
		store := model.NewStore()
		model.MustNewExec(conformance.Start(t, engine), store, build).MustCall([][]float32{{0.5}, {0.5}})
		// 2 − 0.5·(2·0.5²·2 + 2·0.5²·2)
		w := store.GetVariable("/w").MustValue().Value().([][]float32)
		check.Equal(t, w, [][]float32{{1}}, "w after an update on %s", engine)
	}
}

// Joined, weights of any shapes are clipped by the norm over all of them: here (3, 4, 12), whose norm is 13, to 1.
func TestJoined(t *testing.T) {
	for _, engine := range engines() {
		store := model.NewStore()
		o := Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: 1}
		started := conformance.Start(t, engine)
		model.MustCallOnce(started, store, func(scope *model.Scope, slope *graph.Node) *graph.Node {
			a := scope.VariableWithValue("a", float32(0)).NodeValue(slope)
			b := scope.VariableWithValue("b", []float32{0, 0}).NodeValue(slope)
			loss := graph.Add(graph.MulScalar(a, 3), graph.ReduceAllSum(graph.Mul(b, slope)))
			o.Joined().UpdateGraph(scope, slope.Graph(), loss)
			return loss
		}, []float32{4, 12})
		b := store.GetVariable("/b").MustValue().Value().([]float32)
		got := []float32{store.GetVariable("/a").MustValue().Value().(float32), b[0], b[1]}
		for i, want := range []float32{-3. / 13, -4. / 13, -12. / 13} {
			if math.Abs(float64(got[i]-want)) > 1e-6 {
				t.Errorf("%s: weight %d is %g, want %g", engine, i, got[i], want)
			}
		}
		n := o.GradientNorms(store).MustValue().Value().([][]float64)[1]
		if len(n) != 1 || math.Abs(n[0]-13) > 1e-6 {
			t.Errorf("%s: norms %g, want 13", engine, n)
		}
	}
	two := Optimizer{Method: SGD{}, Rates: []float64{1, 2}}
	store := model.NewStore()
	_, err := model.CallOnce(conformance.Start(t, "go"), store, func(scope *model.Scope, x *graph.Node) *graph.Node {
		loss := graph.Mul(x, scope.VariableWithValue("a", float32(0)).NodeValue(x))
		two.Joined().UpdateGraph(scope, x.Graph(), loss)
		return loss
	}, float32(1))
	check.Rejected(t, "two rates for one model", err, "2 learning rates for 1 trials")
}

// A store has one optimizer.
func TestSecondOptimizer(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{0.1}}
	backend, store := conformance.Start(t, "go"), model.NewStore()
	update := func(name string, trials int) error {
		_, err := model.CallOnce(backend, store, func(s *model.Scope, x *graph.Node) *graph.Node {
			s = s.In("%s", name)
			w := s.WithInitializer(initializer.Zero).
				VariableWithShape("w", shapes.Make(dtypes.Float32, trials)).NodeValue(x)
			losses := graph.Mul(x, w)
			o.UpdateGraph(s, x.Graph(), Total(losses))
			return losses
		}, make([]float32, trials))
		return err
	}
	check.OK(t, update("first", 2))
	check.Rejected(t, "a second", update("second", 3), "an optimizer of 2 trials")
	check.OK(t, o.Clear(store.RootScope()))
	check.OK(t, update("second", 3))
}

// descend is one update of the store's one weight by 1 times the learning rate, or several in one graph.
func descend(b compute.Backend, store *model.Store, optimizers ...Optimizer) error {
	_, err := model.CallOnce(b, store, func(s *model.Scope, x *graph.Node) *graph.Node {
		w := s.VariableWithValue("w", []float64{0, 0}).NodeValue(x)
		for _, o := range optimizers {
			o.UpdateGraph(s, x.Graph(), graph.ReduceAllSum(w))
		}
		return x
	}, 1.)
	return err
}

// Its method and first rates are those of all updates, in whichever graph, and a graph has one update.
func TestSecondOptimizerOfOtherSettings(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{0.5}}
	b, store := conformance.Start(t, "go"), model.NewStore()
	check.Rejected(t, "two in one graph", descend(b, model.NewStore(), o, o), "a second update in one graph")
	for _, same := range []Optimizer{o, {Method: SGD{}, Rates: []float64{0.5, 0.5}}, {SGD{}, o.Rates, 1, 0.1}} {
		check.OK(t, descend(b, store, same))
	}
	check.OK(t, o.Multiply(store, []float64{0.5}))
	check.OK(t, descend(b, store, o))
	for words, other := range map[string]Optimizer{
		"SGD{} with Rates [0.5], now trial.SGD{} with Rates [0.25]":      {Method: SGD{}, Rates: []float64{0.25}},
		"SGD{} with Rates [0.5], now trial.SGD{} with Rates [0.5 0.25]":  {Method: SGD{}, Rates: []float64{0.5, 0.25}},
		"SGD{} with Rates [0.5], now trial.Adam{…Multiply…Clear…a store": {Method: DefaultAdam(), Rates: o.Rates},
		"now trial.RMSprop{Alpha:0.99, Epsilon:1e-08} with Rates [0.5]":  {Method: DefaultRMSprop(), Rates: o.Rates},
	} {
		check.Rejected(t, words, descend(b, store, other), words)
	}
	other := Optimizer{Method: DefaultAdam(), Rates: []float64{0.25}}
	check.OK(t, o.Clear(store.RootScope()))
	check.OK(t, descend(b, store, other))
	check.Rejected(t, "the first after Clear", descend(b, store, o), "Adam…now trial.SGD")
}

// A checkpoint holds no settings: a new process may resume with what it likes, and then has one optimizer, too.
func TestSettingsAreNotInCheckpoints(t *testing.T) {
	o, dir := Optimizer{Method: SGD{}, Rates: []float64{0.5}}, t.TempDir()
	b, store := conformance.Start(t, "go"), model.NewStore()
	saved := checkpoint.Build(store).Dir(dir).MustDone()
	check.OK(t, descend(b, store, o))
	check.OK(t, saved.Save())
	for _, rate := range []float64{0.5, 0.25} {
		store := model.NewStore()
		checkpoint.Build(store).Dir(dir).MustDone()
		first := Optimizer{Method: SGD{}, Rates: []float64{rate}}
		check.OK(t, descend(b, store, first))
		check.Equal(t, store.GetVariable("/w").MustValue().Value().([]float64), []float64{-1, -1}, "weights")
		check.Rejected(t, "another", descend(b, store, Optimizer{Method: SGD{}, Rates: []float64{1}}), "want one only")
	}
}

// The losses of the trials are no scalar.
func TestLossOfEachTrial(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{0.5}}
	for name, optimizer := range map[string]optimizer.Interface{"trials": o, "joined": o.Joined()} {
		_, err := model.CallOnce(conformance.Start(t, "go"), model.NewStore(),
			func(s *model.Scope, x *graph.Node) *graph.Node {
				optimizer.UpdateGraph(s, x.Graph(), s.VariableWithValue("w", []float32{0, 0}).NodeValue(x))
				return x
			}, 1.)
		check.Rejected(t, name, err, "trial: the loss is (Float32)[2], want a scalar: trial.Total(losses)")
	}
}

func TestLearningRatesLiveInTheirVariable(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{0.5}}
	store := model.NewStore()
	if o.LearningRates(store) != nil {
		t.Error("there are learning rates before the first update")
	}
	check.Rejected(t, "factors before the first update", o.Multiply(store, []float64{1}), "first update")

	zero := make([][5]float64, 3)
	slope := [][5]float64{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}
	d := begin(t, "go", store, o, zero)
	at := 0.0
	for _, factors := range [][]float64{{1}, {0.5, 1, 2}, {1. / 3}} {
		d.update(zero, slope)
		check.OK(t, o.Multiply(store, factors))
		at++
	}
	rates := o.LearningRates(store).MustValue().Value().([]float64)
	for r, want := range []float64{0.25 / 3, 0.5 / 3, 1. / 3} {
		if math.Abs(rates[r]-want) > 1e-16 {
			t.Errorf("rate %d is %g, want %g", r, rates[r], want)
		}
	}
	d.update(zero, slope)
	for r, want := range []float64{-0.5 - 0.5 - 0.25 - 0.25/3, -0.5 - 0.5 - 0.5 - 0.5/3, -0.5 - 0.5 - 1 - 1./3} {
		if math.Abs(d.theta[r][0]-want) > 1e-15 {
			t.Errorf("trial %d is at %g, want %g", r, d.theta[r][0], want)
		}
	}
	check.Rejected(t, "two factors for three trials", o.Multiply(store, []float64{1, 1}), "2 factors for 3")
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		check.Rejected(t, fmt.Sprintf("a factor of %g", bad), o.Multiply(store, []float64{1, bad, 1}), "multiplied by")
	}
	if after := o.LearningRates(store).MustValue().Value().([]float64); !slices.Equal(after, rates) {
		t.Errorf("rates %v after factors that were rejected, want %v", after, rates)
	}
	if err := o.Clear(store.RootScope()); err != nil || store.NumVariables() != 3 { // both w and the global step
		t.Errorf("after Clear: %v, %d variables, want 3", err, store.NumVariables())
	}
}
