package trial

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/internal/check"
)

// defined is a method with its definition in plain Go: what the rate is multiplied with for gradient g at update n,
// given the moments, which it changes.
type defined struct {
	method Method
	step   func(moments *[2]float64, g float64, n int) float64
}

func rmsprop(alpha, epsilon float64) defined {
	return defined{RMSprop{alpha, epsilon}, func(moments *[2]float64, g float64, _ int) float64 {
		moments[0] = alpha*moments[0] + (1-alpha)*g*g
		return g / (math.Sqrt(moments[0]) + epsilon)
	}}
}

func adam(beta1, beta2, epsilon float64) defined {
	return defined{Adam{beta1, beta2, epsilon}, func(moments *[2]float64, g float64, n int) float64 {
		moments[0] = beta1*moments[0] + (1-beta1)*g
		moments[1] = beta2*moments[1] + (1-beta2)*g*g
		m, v := moments[0]/(1-math.Pow(beta1, float64(n))), moments[1]/(1-math.Pow(beta2, float64(n)))
		return m / (math.Sqrt(v) + epsilon)
	}}
}

// methods are all methods.
var methods = []defined{
	rmsprop(0.9, 1e-8), rmsprop(0, 0.01), adam(0.9, 0.999, 1e-8), adam(0.5, 0.6, 0.1), adam(0, 0.9, 0.1),
	adam(0.5, 0, 0.1), {SGD{}, func(_ *[2]float64, g float64, _ int) float64 { return g }},
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
			return graph.Concatenate([]*graph.Node{Weight(u, a), graph.Squeeze(Weight(w, a), -1)}, 1)
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

// Every method, clipped and decayed or not, moves weights as its definition says, keeps the norms of the last two
// updates' gradients, and takes the factors of schedules. What is in the store is all that there is: copied into a new
// one halfway, the training goes on.
func TestOptimizersEqualTheirDefinitions(t *testing.T) {
	step := map[Method]func(moments *[2]float64, g float64, n int) float64{}
	for _, m := range methods {
		step[m.method] = m.step
	}
	conformance.OnEach(t, func(t *testing.T, engine string, _ compute.Backend) {
		for _, o := range optimizers() {
			d := begin(t, engine, model.NewStore(), o, theta0)
			theta, moments := slices.Clone(theta0), [3][5][2]float64{}
			norms := [2][]float64{{math.NaN(), math.NaN(), math.NaN()}}
			rates := slices.Repeat(o.Rates, 3/len(o.Rates))
			check.That(t, o.GradientNorms(d.store) == nil && o.LearningRates(d.store) == nil,
				"there are norms or rates before the first update")
			for n := 1; n <= updates; n++ {
				if n == updates/2 {
					d = begin(t, engine, copied(t, d.store), o, theta0)
				}
				d.update(coefA, coefC)
				norms[1] = nil
				for r := range theta {
					var g [5]float64
					squares := 0.0
					for i, x := range theta[r] {
						g[i] = coefA[r][i]*x*x*x + coefC[r][i] + o.Decay*x
						squares += g[i] * g[i]
					}
					norms[1] = append(norms[1], math.Sqrt(squares))
					for i := range g {
						if o.Clip > 0 {
							g[i] *= min(1, o.Clip/math.Sqrt(squares))
						}
						theta[r][i] -= rates[r] * step[o.Method](&moments[r][i], g[i], n)
					}
					check.Near(t, d.theta[r][:], theta[r][:], 1e-12, "%+v, update %d, trial %d: weights", o, n, r)
				}
				for i, got := range o.GradientNorms(d.store).MustValue().Value().([][]float64) {
					check.Near(t, got, norms[i], 1e-12, "%+v, update %d: norms %d", o, n, i)
				}
				norms[0] = norms[1]
				if factors := map[int][]float64{5: {0.5, 1, 2}, 9: {1. / 3}}[n]; factors != nil {
					check.OK(t, o.Multiply(d.store, factors))
					for r := range rates {
						rates[r] *= factors[min(r, len(factors)-1)]
					}
				}
			}
			check.Equal(t, optimizer.GetGlobalStep(d.store), updates, "%+v: global step", o)
			check.Equal(t, o.LearningRates(d.store).MustValue().Value().([]float64), rates, "%+v: rates", o)
			for v := range d.store.IterVariables() {
				check.That(t, v.Trainable == (v.Name() == "w" && !strings.HasPrefix(v.Path(), optimizerScope)),
					"%+v: variable %s is trainable: %v", o, v.Path(), v.Trainable)
			}
		}
	})
}

// copied is a new store with the same variables.
func copied(t *testing.T, store *model.Store) *model.Store {
	t.Helper()
	to := model.NewStore()
	for v := range store.IterVariables() {
		value, err := v.MustValue().LocalClone()
		check.OK(t, err)
		_, err = to.CreateVariable(v.Path(), value)
		check.OK(t, err)
	}
	return to
}

// saved is a new store that begins with what a checkpoint of another has.
func saved(t *testing.T, store *model.Store) *model.Store {
	t.Helper()
	dir, to := t.TempDir(), model.NewStore()
	handler, err := checkpoint.Build(store).Dir(dir).Done()
	check.OK(t, err)
	check.OK(t, handler.Save())
	_, err = checkpoint.Load(to).Dir(dir).Done()
	check.OK(t, err)
	return to
}

// After Clear, training begins with the given rates and the first update, also where a checkpoint has others that no
// graph has asked for; and so does what is saved then.
func TestClearCheckpoint(t *testing.T) {
	o := Optimizer{Method: Adam{}, Rates: []float64{0.5}}
	d := begin(t, "go", model.NewStore(), o, theta0)
	for range 3 {
		d.update(coefA, coefC)
	}
	store, fresh := saved(t, d.store), copied(t, d.store)
	o.Rates = []float64{0.25}
	for _, store := range []*model.Store{store, fresh} {
		check.OK(t, o.Clear(store.RootScope()))
	}
	for range 2 {
		got, want := begin(t, "go", store, o, theta0), begin(t, "go", fresh, o, theta0)
		got.update(coefA, coefC)
		want.update(coefA, coefC)
		check.Equal(t, got.theta, want.theta, "weights")
		store, fresh = saved(t, store), copied(t, fresh)
	}
}

// On a constant gradient c, m̂ is c and v̂ is c², so that every step is one rate long, whatever the gradient's size:
// from the first update on, where 1−β₂ is 1e-3, in float32 and in half floats, in which v of this gradient and ε are 0.
func TestAdamFirstSteps(t *testing.T) {
	conformance.OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		for _, c := range []struct {
			dtype     dtypes.DType
			gradients []float64
			within    float64
		}{
			{dtypes.Float32, []float64{1e-3, -1e3, 1, -1, 7}, 2e-6}, // a few roundings, of 2e-7 each at 2
			{dtypes.Float16, []float64{1e-3}, 1e-2}, {dtypes.BFloat16, []float64{1e-3}, 1e-2},
		} {
			store := model.NewStore()
			o := Optimizer{Method: Adam{0.9, 0.999, 1e-14}, Rates: []float64{0.5}, Clip: 1}
			for n := 1.; n <= 4; n++ {
				got := model.MustCallOnce(b, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
					shape := shapes.Make(c.dtype, len(c.gradients))
					w := scope.WithInitializer(initializer.Zero).VariableWithShape("w", shape)
					loss := graph.ReduceAllSum(graph.Mul(w.NodeValue(x), graph.ConvertDType(x, c.dtype)))
					o.UpdateGraph(scope, x.Graph(), loss)
					return graph.ConvertDType(w.NodeValue(x), dtypes.Float64)
				}, c.gradients)
				want := xslices.Map(c.gradients, func(g float64) float64 { return math.Copysign(0.5*n, -g) })
				check.Near(t, numeric.Of(got), want, c.within, "%s, update %g", c.dtype, n)
			}
		}
	})
}

// Two graphs update different weights in turn, as those of two networks that train against each other do. The steps of
// each weight are as long as if it were alone, also of one that both graphs update, and after training is resumed.
func TestAdamOfSeveralGraphs(t *testing.T) {
	o, gradients := Optimizer{Method: Adam{0.9, 0.999, 1e-12}, Rates: []float64{0.5}}, []float64{1, -3, 2, 0.5}
	store, alone, b := model.NewStore(), model.NewStore(), conformance.Start(t, "go")
	update := func(store *model.Store, gradient float64, names ...string) {
		model.MustCallOnce(b, store, func(scope *model.Scope, c *graph.Node) *graph.Node {
			loss := graph.ZerosLike(c)
			for _, name := range names {
				loss = graph.Add(loss, graph.Mul(scope.VariableWithValue(name, 0.).NodeValue(c), c))
			}
			o.UpdateGraph(scope, c.Graph(), loss)
			return loss
		}, gradient)
	}
	for _, c := range gradients {
		update(store, c, "first", "both")
		update(store, c, "first", "both")
		update(store, c, "second", "both")
		store = copied(t, store)
	}
	for name, times := range map[string]int{"first": 2, "second": 1, "both": 3} {
		for _, c := range gradients {
			for range times {
				update(alone, c, name)
			}
		}
		got := numeric.Of(store.GetVariable(name).MustValue())
		check.Near(t, got, numeric.Of(alone.GetVariable(name).MustValue()), 1e-12, "weight %s", name)
	}
}

// With SGD at rate 1 the first step from zero is the clipped gradient of each trial, whatever becomes of the others:
// below the bound not one bit changes. Norms are those before. A NaN stays where it arose; an infinite gradient becomes
// one.
func TestClip(t *testing.T) {
	const bound = 2
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := [][5]float32{
		{0.1, 0.2, -0.3, 0.4, 0.5}, // norm 0.74
		{0, 0, 0, 2, 0},            // the bound
		{3, 0, 0, -4, 0},           // norm 5, of which no weight alone has as much
		{1e30, -1e30, 0, 0, 3e38},  // the squares overflow
		{nan, 3, 0, 0, 0},          // the losses of these are not finite: Total leaves 0 of them, and that times an
		{1, 0, 0, inf, 0},          // infinite slope is NaN
	}
	zero, store := make([][5]float32, len(c)), model.NewStore()
	o := Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: bound}
	d := begin(t, "go", store, o, zero)
	d.update(zero, c)
	norms := o.GradientNorms(store).MustValue().Value().([][]float64)
	for r := range c {
		want, squares := make([]float64, 5), 0.
		for i, x := range c[r] {
			want[i] = -float64(x)
			squares += want[i] * want[i]
		}
		norm, within := math.Sqrt(squares), 0.
		if r < 4 && norm > bound {
			within = 1e-6
		}
		for i := range want {
			if want[i] *= min(1, bound/norm); r >= 4 {
				want[i] = 0 * float64(c[r][i])
			}
		}
		got := xslices.Map(d.theta[r][:], func(x float32) float64 { return float64(x) })
		check.Near(t, got, want, within, "trial %d: step", r)
		check.Near(t, []float64{norms[0][r], norms[1][r] / norm}, []float64{math.NaN(), norm / norm}, 1e-6, // 1, or NaN
			"trial %d: norms before the last update and at it", r)
	}
}

// Weights that are given to Weight are of trials, each with a norm of its own, also if Total does not add up losses.
func TestClipWithoutTotal(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: 1}
	got := model.MustCallOnce(conformance.Start(t, "go"), model.NewStore(),
		func(s *model.Scope, slopes *graph.Node) *graph.Node {
			w := s.VariableWithValue("w", [][]float64{{0, 0}, {0, 0}})
			o.UpdateGraph(s, slopes.Graph(), graph.ReduceAllSum(graph.Mul(Weight(w, slopes), slopes)))
			return w.NodeValue(slopes)
		}, [][]float64{{0.25, 0.5}, {300, 400}})
	check.Near(t, numeric.Of(got), []float64{-0.25, -0.5, -0.6, -0.8}, 1e-12, "weights")
}
