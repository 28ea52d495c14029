package trial

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/internal/check"
)

// wide is a regression of another width.
type wide struct {
	task.Adding
	features int
}

func (w wide) Features() int { return w.features }

// instant is a task that takes no time.
type instant struct{ task.Adding }

func (instant) Steps() int { return 0 }

// another reads images that are not as numbered says.
type another struct {
	numbered
	change func(images *dataset.Images)
}

func (a another) Read() (*dataset.LabelledImages, error) {
	all, err := a.numbered.Read()
	a.change(&all.Train)
	return all, err
}

// fixed is a text of an alphabet of four symbols.
type fixed []int32

func (fixed) Alphabet() int { return 4 }

func (f fixed) Symbols(string) ([]int32, error) { return f, nil }

func changed[T any](of T, change func(*T)) T {
	change(&of)
	return of
}

// Impossible data are rejected when they are opened, with what was given and what is wanted; those that are so whatever
// the seeds and files, by Shape.
func TestDataReject(t *testing.T) {
	copies, long, adding := task.Copy{T: 5}, task.Copy{T: task.MaxSteps}, task.Adding{T: 5}
	symbols := func(tasks ...task.Symbols) Data { return Sampled[task.Symbols]{tasks, "train", 1, 0} }
	numbers := func(tasks ...task.Regression) Data { return Sampled[task.Regression]{tasks, "train", 1, 0} }
	sized := func(t task.Symbols, batch, sequences int) Sampled[task.Symbols] {
		return Sampled[task.Symbols]{[]task.Symbols{t}, "train", batch, sequences}
	}
	text := scattered{"train": 100}
	windows := Windows{Of: text, Split: "train", Length: 5, Batch: 1}
	streams := Streams{Of: text, Split: "train", Batch: 2, Steps: 5}
	noise := Noise{Of: sized(copies, 4, 0), Width: 3, Split: "train"}
	pixels := Pixels{Of: numbered{}, Split: "train", Batch: 1}
	images := func(change func(*dataset.Images)) Data {
		return changed(pixels, func(p *Pixels) { p.Of = another{change: change} })
	}
	for i, c := range []struct {
		words string
		data  Data
		seeds int
		valid bool // it is Open that rejects it
	}{
		{"no seeds", symbols(copies), 0, true},
		{"no tasks", symbols(), 1, false},
		{"2 tasks…3 trials", symbols(copies, copies), 3, true},
		{"-5", symbols(copies, task.Copy{T: -5}), 2, false},
		{"0 and 1", symbols(copies, task.VariableCopy{T: 5}), 2, false},
		{"0 and 1", numbers(adding, wide{adding, 3}), 2, false},
		{"0 and 1…alphabet", symbols(copies, spikes{}), 2, false},
		{"task 1 is nil", symbols(copies, nil), 2, false},
		{"[5 1 0]", numbers(wide{adding, 0}), 1, false},
		{"0 steps…1 or more", numbers(instant{adding}), 1, false},
		{"split", changed(sized(copies, 1, 0), func(s *Sampled[task.Symbols]) { s.Split = "" }), 1, false},
		{"Batch is 0…1 or more", sized(copies, 0, 0), 1, false},
		{"Sequences is -1…0 or more", sized(copies, 1, -1), 1, false},
		{"1099511627776", sized(copies, 1, 1<<40), 1, false},
		{"4611686018427387904", sized(long, 1<<62, 0), 1, false},
		{"[1048596 100 10]", sized(long, 100, 0), 10, true},

		{"without a text", changed(windows, func(w *Windows) { w.Of = nil }), 1, false},
		{"Length is 1…2 or more", changed(windows, func(w *Windows) { w.Length = 1 }), 1, false},
		{"Batch is 0…1 or more", changed(windows, func(w *Windows) { w.Batch = 0 }), 1, false},
		{"101 symbols…100", changed(windows, func(w *Windows) { w.Length = 101 }), 1, true},
		{"51 symbols…100", changed(windows, func(w *Windows) { w.Length, w.Shuffled = 51, true }), 1, true},
		{"no such split", changed(windows, func(w *Windows) { w.Split = "other" }), 1, true},
		{"[4 536870912]", changed(windows, func(w *Windows) { w.Batch = 1 << 29 }), 1, false},
		{"symbol -1 at position 2…0 to 3", Windows{fixed{0, 1, -1, 3, 0}, "train", 2, 1, false}, 1, true},
		{"Steps is 0…1 or more", changed(streams, func(s *Streams) { s.Steps = 0 }), 1, false},
		{"10 streams of 10 steps…100", changed(streams, func(s *Streams) { s.Batch, s.Steps = 10, 10 }), 1, true},
		{"symbol 7 at position 4…0 to 3", Streams{fixed{0, 1, 2, 3, 7}, "train", 1, 3}, 1, true},

		{"split", changed(noise, func(n *Noise) { n.Split = "" }), 1, false},
		{"without data", changed(noise, func(n *Noise) { n.Of = nil }), 1, false},
		{"Width is 0…1 or more", changed(noise, func(n *Noise) { n.Width = 0 }), 1, false},
		{"[134217728 4 2]", changed(noise, func(n *Noise) { n.Width = maxElements / 4 }), 2, true},
		{"no tasks", changed(noise, func(n *Noise) { n.Of = Sampled[task.Symbols]{} }), 1, false},
		{"Zero", changed(noise, func(n *Noise) { n.Zero = true }), 1, false},

		{"no images", changed(pixels, func(p *Pixels) { p.Of = nil }), 1, false},
		{`"training"`, changed(pixels, func(p *Pixels) { p.Split = "training" }), 1, false},
		{"0…1 to 7", changed(pixels, func(p *Pixels) { p.Batch = 0 }), 1, false},
		{"8…1 to 7", changed(pixels, func(p *Pixels) { p.Batch = 8 }), 1, false},
		{"divided", changed(pixels, func(p *Pixels) { p.Of = dataset.Shrunk{Of: numbered{}, By: 2} }), 1, false},
		{"no file", changed(pixels, func(p *Pixels) { p.Of = numbered{errors.New("no file")} }), 1, true},
		{"0 labels and 42 pixels", images(func(i *dataset.Images) { i.Labels = nil }), 1, true},
		{"7 labels and 41 pixels", images(func(i *dataset.Images) { i.Pixels = i.Pixels[1:] }), 1, true},
		{"1×3", images(func(i *dataset.Images) { i.Rows = 1 }), 1, true},
		{"label 10…below 10", images(func(i *dataset.Images) { i.Labels[6] = 10 }), 1, true},
	} {
		_, err := c.data.Open(make([]uint64, c.seeds))
		check.Rejected(t, fmt.Sprintf("%d, %T", i, c.data), err, c.words)
		_, _, err = c.data.Shape()
		check.Equal(t, err == nil, c.valid, "%d, %T: what Shape says", i, c.data)
	}
	for _, data := range []Data{symbols(copies), windows, streams, noise, pixels} {
		_, err := data.Open(nil)
		check.Rejected(t, fmt.Sprintf("%T", data), err, "no seeds")
	}
	_, _, err := open(t, noise, 1, 2, 3).Batch(-1)
	check.Rejected(t, "a number", err, "-1")
	for words, of := range map[string]spikes{
		"from 0 to 2, want 0 to 1": {2, 1}, "from -1 to 0, want 0 to 1": {-1, 1}, "label 2…below 2": {1, 2},
	} {
		_, _, err := open(t, symbols(spikes{1, 1}, of), 1, 2).Batch(0)
		check.Rejected(t, of, err, words)
	}
	// The least text that is enough.
	open(t, Windows{Of: text, Split: "train", Length: 50, Batch: 1, Shuffled: true}, 1)
	open(t, Streams{Of: text, Split: "train", Batch: 10, Steps: 9}, 1)
}

// Impossible settings of optimizers.
func TestSettingsRejected(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := Optimizer{Method: SGD{}, Rates: []float64{1, 2}}
	wrong := []Optimizer{{}, {Rates: two.Rates}, {Method: SGD{}}, {Method: SGD{}, Rates: []float64{1, 2, 3}}}
	for _, x := range []float64{0, -1, nan, inf} {
		wrong = append(wrong, Optimizer{Method: SGD{}, Rates: []float64{1, x}})
	}
	for _, x := range []float64{-1, nan, inf} {
		wrong = append(wrong, Optimizer{SGD{}, two.Rates, x, 0}, Optimizer{SGD{}, two.Rates, 0, x})
	}
	for _, x := range []float64{0, -1, nan, inf} {
		for _, m := range []Method{RMSprop{0.9, x}, Adam{0.9, 0.9, x}} {
			wrong = append(wrong, Optimizer{Method: m, Rates: two.Rates})
		}
	}
	for _, x := range []float64{-0.1, 1, nan, inf} {
		for _, m := range []Method{RMSprop{x, 1}, Adam{x, 0.9, 1}, Adam{0.9, x, 1}} {
			wrong = append(wrong, Optimizer{Method: m, Rates: two.Rates})
		}
	}
	for _, o := range wrong {
		check.Rejected(t, fmt.Sprintf("%+v", o), o.Validate(2), "trial: ")
	}
}

// sameStep moves all elements of a weight alike, which the interface does not allow.
type sameStep struct{}

func (sameStep) Moments() ([]string, error) { return nil, nil }
func (sameStep) Step(gradient *graph.Node, _ []*graph.Node, _ *graph.Node) (step *graph.Node, next []*graph.Node) {
	return graph.ReduceAllSum(gradient), nil
}

// Graphs that cannot be built: what is nil, has another shape, or weights that are not the trials' own. GoMLX's layers
// share their weights, also those that by chance are as long as there are trials.
func TestGraphsRejected(t *testing.T) {
	const trials = 3
	b := conformance.Start(t, "go")
	one := Optimizer{Method: SGD{}, Rates: []float64{1}}
	rates := func(rates ...float64) Optimizer { return Optimizer{Method: SGD{}, Rates: rates} }
	variable := func(s *model.Scope, x *graph.Node, value any) *graph.Node {
		return graph.ReduceAllSum(Weight(s.VariableWithValue(fmt.Sprint("w", s.Store().NumVariables()), value), x))
	}
	train := func(o Optimizer, weights ...any) func(s *model.Scope, x *graph.Node) {
		return func(s *model.Scope, x *graph.Node) {
			loss := graph.ScalarZero(x.Graph(), dtypes.Float32)
			for _, w := range weights {
				loss = graph.Add(loss, variable(s, x, w))
			}
			o.UpdateGraph(s, x.Graph(), loss)
		}
	}
	layer := func(layer func(s *model.Scope, x *graph.Node) *graph.Node) func(s *model.Scope, x *graph.Node) {
		return func(s *model.Scope, x *graph.Node) {
			one.UpdateGraph(s, x.Graph(), Total(graph.ReduceSum(graph.Square(layer(s, x)), 1, 2)))
		}
	}
	own := func(s *model.Scope) *model.Variable { return s.VariableWithValue("own", make([]float32, trials)) }
	symbols := func(x *graph.Node, n int) *graph.Node {
		return graph.ConvertDType(graph.SliceAxis(x, -1, graph.AxisRange(0, n)), dtypes.Int32)
	}
	metric := func(value func(labels, _ *graph.Node) *graph.Node) func(s *model.Scope, x *graph.Node) {
		return func(s *model.Scope, x *graph.Node) {
			Metric("error", value).UpdateGraph(s, []*graph.Node{x}, []*graph.Node{x})
		}
	}
	for i, c := range []struct {
		words string // "" if it is right
		build func(s *model.Scope, x *graph.Node)
	}{
		{"want", func(*model.Scope, *graph.Node) { Metric("none", nil) }},
		{"want", func(*model.Scope, *graph.Node) { one.LearningRates(nil) }},
		{"want", func(_ *model.Scope, x *graph.Node) { one.UpdateGraph(nil, x.Graph(), x) }},
		{"want", func(s *model.Scope, x *graph.Node) { one.UpdateGraph(s, nil, x) }},

		{"logits…of floats", func(_ *model.Scope, x *graph.Node) {
			Accuracy(graph.Squeeze(symbols(x, 1), -1), symbols(x, 3))
		}},
		{"squared error…of floats", func(_ *model.Scope, x *graph.Node) { SquaredError(x, symbols(x, 3)) }},

		{"losses (Float32), want…3 trials", func(_ *model.Scope, x *graph.Node) {
			SumOverSteps(func(labels, _ *graph.Node) *graph.Node { return graph.ReduceAllSum(labels) })(
				graph.Transpose(x, 0, 1), x)
		}},

		{"(Int32)[3]", metric(func(x, _ *graph.Node) *graph.Node { return graph.ReduceMax(symbols(x, 1), 1, 2) })},

		{"/w0, (Float32)[3]…/w1, (Float32)[2]", train(rates(1, 1, 1), []float32{1, 2, 3}, []float32{1, 2})},
		{"-1", train(rates(-1), []float32{1, 2, 3})},
		{"2…3", train(rates(1, 1), []float32{1, 2, 3})},
		{"/w…trials", func(s *model.Scope, x *graph.Node) {
			rates(1, 2).UpdateGraph(s, x.Graph(), variable(s, x, float32(1)))
		}},
		{"method", train(Optimizer{Rates: one.Rates}, []float32{1})},
		{"/w0, trial.sameStep…(Float32)…(Float32)[3]", train(Optimizer{Method: sameStep{}, Rates: one.Rates},
			[]float32{1, 2, 3})},

		{"/dense/weights, (Float32)[3, 4]", layer(func(s *model.Scope, x *graph.Node) *graph.Node {
			return layers.Dense(s, x, false, 4)
		})},
		{"/own, (Float32)[3]…trial.Weight", layer(func(s *model.Scope, x *graph.Node) *graph.Node { // of all trials
			return graph.Add(x, graph.Reshape(own(s).NodeValue(x), 1, 1, trials))
		})},
		{"", layer(func(s *model.Scope, x *graph.Node) *graph.Node { // of each
			return graph.Add(x, graph.Reshape(Weight(own(s), x), trials, 1, 1))
		})},
	} {
		var err error
		_, failed := model.CallOnce(b, model.NewStore(), func(s *model.Scope, x *graph.Node) *graph.Node {
			err = exceptions.TryCatch[error](func() { c.build(s, x) })
			return x
		}, tensors.FromShape(shapes.Make(dtypes.Float32, trials, 2, trials))) // [R, B, R]
		if c.words != "" {
			check.Rejected(t, i, err, c.words)
		} else if err != nil || failed != nil {
			t.Errorf("graph %d: %v, %v", i, err, failed)
		}
	}
	_, err := Take(nil, 0)
	for _, err := range []error{err, one.Multiply(nil, []float64{1}), one.Clear(nil)} {
		check.Rejected(t, "a nil store", err, "want")
	}
}

// A store has one optimizer, and a graph one update, until Clear; a new process may resume with other settings, but
// then has one optimizer, too, and the moments of one method are none of another's. Factors that are rejected leave the
// rates as they are.
func TestSecondOptimizer(t *testing.T) {
	b, store := conformance.Start(t, "go"), model.NewStore()
	half := Optimizer{Method: SGD{}, Rates: []float64{0.5}}
	update := func(store *model.Store, trials int, optimizers ...Optimizer) error {
		_, err := model.CallOnce(b, store, func(s *model.Scope, x *graph.Node) *graph.Node {
			s = s.At("%d", trials)
			w := Weight(s.VariableWithValue("w", make([]float64, trials)), x)
			for _, o := range optimizers {
				o.UpdateGraph(s, x.Graph(), Total(w))
			}
			return x
		}, 1.)
		return err
	}
	check.Rejected(t, "before the first update", half.Multiply(store, []float64{1}), "first update")
	check.Rejected(t, "two in one graph", update(model.NewStore(), 2, half, half), "second update")
	for _, same := range []Optimizer{half, {Method: SGD{}, Rates: []float64{0.5, 0.5}}, {SGD{}, half.Rates, 1, 0.1}} {
		check.OK(t, update(store, 2, same))
	}
	check.OK(t, half.Multiply(store, []float64{0.5}))
	for words, bad := range map[string][]float64{"3 factors for 2": {1, 1, 1}, "by -1": {1, -1},
		"by NaN": {1, math.NaN()}, "by +Inf": {1, math.Inf(1)}} {
		check.Rejected(t, bad, half.Multiply(store, bad), words)
	}
	check.Equal(t, half.LearningRates(store).MustValue().Value().([]float64), []float64{0.25, 0.25}, "halved rates")
	check.OK(t, update(store, 2, half))
	adam := Optimizer{Method: Adam{}, Rates: half.Rates}
	for _, other := range []Optimizer{adam, {Method: SGD{}, Rates: []float64{0.25}},
		{Method: SGD{}, Rates: []float64{0.5, 0.25}}, {Method: RMSprop{}, Rates: half.Rates}} {
		check.Rejected(t, fmt.Sprint(other), update(store, 2, other), fmt.Sprintf("now %#v with Rates", other.Method))
	}
	check.Rejected(t, "other trials", update(store, 3, half), "2 trials…3")
	check.OK(t, half.Clear(store.RootScope()))
	check.Equal(t, store.NumVariables(), 3, "variables after Clear: both weights, and the global step")
	check.OK(t, update(store, 3, adam))
	check.Rejected(t, "the first after Clear", update(store, 3, half), "Adam…SGD")
	rates := adam.LearningRates(store).MustValue().Value().([]float64)
	check.Equal(t, rates, []float64{0.5, 0.5, 0.5}, "rates after Clear")
	rms := Optimizer{Method: RMSprop{}, Rates: half.Rates}
	check.Rejected(t, "a checkpoint of Adam", update(saved(t, store), 3, rms), "/w")
	check.OK(t, update(saved(t, store), 3, adam))
	check.OK(t, rms.Clear(store.RootScope()))
	check.OK(t, update(store, 3, rms))
	check.Rejected(t, "a checkpoint of RMSprop", update(saved(t, store), 3, adam), "/w")
}
