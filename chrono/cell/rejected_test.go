package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// changed is a cell with another layer than its own.
type changed struct {
	cell.RNN
	change func(l *cell.Layer)
}

func (c changed) Layer(inputs int) (cell.Layer, error) {
	layer, err := c.RNN.Layer(inputs)
	c.change(&layer)
	return layer, err
}

// embedding is a cell of one's own, which may have another step than the one in it.
type embedding struct{ cell.LSTM }

// undrawn is an initialization that draws nothing.
type undrawn struct{}

func (undrawn) Draw(*rand.Rand, cell.Role, int, int) []float64 { return nil }

// panics are a user's own parts that panic with a string; GoMLX would wait for ever.
type panics struct{ chrono.Standard }

func (panics) Layer(int) (cell.Layer, error)                  { panic("own words") }
func (panics) Draw(*rand.Rand, cell.Role, int, int) []float64 { panic("own words") }

// uneven draws one bias too many for forget gates, and one too few for input gates.
type uneven struct{ chrono.Standard }

func (uneven) Draw(_ *rand.Rand, units int) chrono.Biases {
	return chrono.Biases{Forget: make([]float64, units+1), Input: make([]float64, units-1)}
}

type panickingGates struct{ chrono.Standard }

func (panickingGates) Validate() error { panic("own words") }

// misuse is a graph that cannot be built.
type misuse struct {
	words string // what the error has, in this order, separated by "…": the numbers that are given and wanted
	build func(s *model.Scope, x *Node)
}

// settings are cells, initial states and initial weights with one impossible setting.
func settings() (all []misuse) {
	nan, inf := math.NaN(), math.Inf(1)
	impossible := func(wants string, cells ...cell.Cell) {
		for _, c := range cells {
			words := fmt.Sprintf("%#v…want…%s", c, wants)
			all = append(all, misuse{words, func(s *model.Scope, x *Node) { cell.New(s, c, x) }})
		}
	}
	fast := func(change func(f *cell.FastWeights)) cell.Cell {
		f := finalFast
		change(&f)
		return f
	}
	for _, h := range []int{0, -1} {
		impossible("Hidden of 1", cell.RNN{Hidden: h}, cell.Leaky{Hidden: h}, cell.Gated{Hidden: h},
			cell.GlobalGated{Hidden: h}, cell.MinGRU{Hidden: h}, cell.RGLRU{Hidden: h}, cell.LRU{Hidden: h},
			cell.Selective{Hidden: h, States: 1}, cell.NetworkGated{Hidden: h, Network: 1}, cell.LSTM{Hidden: h},
			cell.TiedLSTM{Hidden: h}, cell.GRU{Hidden: h}, fast(func(f *cell.FastWeights) { f.Hidden = h }),
			cell.RHN{Hidden: h, Depth: 1}, cell.BNLSTM{Hidden: h, Gain: 1, Epsilon: 1})
	}
	impossible("Network of 1", cell.NetworkGated{Hidden: 4})
	impossible("States of 1", cell.Selective{Hidden: 4})
	impossible("Decay from 0 to 1", fast(func(f *cell.FastWeights) { f.Decay = 1.1 }))
	impossible("Rate of 0", fast(func(f *cell.FastWeights) { f.Rate = -1 }))
	impossible("Inner of 1", fast(func(f *cell.FastWeights) { f.Inner = 0 }))
	impossible("Activation", fast(func(f *cell.FastWeights) { f.Activation = nil }))
	impossible("Norm.Epsilon above 0", fast(func(f *cell.FastWeights) { f.Norm.Epsilon = 0 }))
	impossible("Depth of 1", cell.RHN{Hidden: 4})
	impossible("Spread of 0", cell.RHN{Hidden: 4, Depth: 1, Spread: -1})
	impossible("Gain", cell.BNLSTM{Hidden: 4, Epsilon: 1}, cell.BNLSTM{Hidden: 4, Gain: nan, Epsilon: 1})
	impossible("Epsilon above 0", cell.BNLSTM{Hidden: 4, Gain: 0.1}, cell.BNLSTM{Hidden: 4, Gain: 1, Epsilon: inf})
	// A forget bias but 0 and the default, 1, which would change nothing.
	for _, c := range []cell.Cell{cell.GRU{Hidden: 2}, cell.TiedLSTM{Hidden: 2}, cell.Leaky{Hidden: 2},
		cell.Gated{Hidden: 2}, cell.MinGRU{Hidden: 2}, cell.RGLRU{Hidden: 2}, cell.LRU{Hidden: 2},
		cell.Selective{Hidden: 2, States: 1}} {
		for _, init := range []chrono.GateInit{chrono.Standard{Forget: 9}, &chrono.Standard{Forget: 9}} {
			all = append(all, misuse{"no forget gate…Forget:9", func(s *model.Scope, x *Node) {
				cell.New(s.In("none"), c, x).GateInit(chrono.Standard{}).Done()
				cell.New(s, c, x).GateInit(init).Done()
			}})
		}
	}
	contextual := func(change func(c *cell.Contextual)) cell.InitialState {
		c := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
		change(&c)
		return c
	}
	for _, c := range []struct {
		words string
		state cell.InitialState
	}{
		{"-1…not negative", cell.Learned{Noise: -1}},
		{"activation", contextual(func(c *cell.Contextual) { c.Activation = cell.ReLU{} })},
		{"+Inf…finite", contextual(func(c *cell.Contextual) { c.WeightInit = cell.ScaledIdentity{Scale: inf} })},
		{"above 0", cell.NormalState{Mean: cell.Zero{}}},
	} {
		all = append(all, misuse{c.words, func(s *model.Scope, x *Node) {
			cell.New(s, cell.LSTM{Hidden: 4}, x).InitialState(c.state, zeros(x, 2, 1, 8)).Done()
		}})
	}
	for words, init := range map[string]cell.WeightInit{"+Inf…finite": cell.ScaledIdentity{Scale: inf}, "nil": nil} {
		all = append(all, misuse{words, func(s *model.Scope, x *Node) {
			cell.New(s, cell.RNN{Hidden: 4}, x).WeightInit(init).Done()
		}}, misuse{words, func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, init) }})
	}
	for _, init := range []cell.WeightInit{cell.Uniform{}, cell.He{}} {
		all = append(all, misuse{"want", func(*model.Scope, *Node) { init.Draw(nil, cell.Output, 2, 3) }})
	}
	return all
}

func zeros(x *Node, dims ...int) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), dims...)) }

func integers(x *Node, dims ...int) *Node { return ConvertDType(zeros(x, dims...), dtypes.Int32) }

// Every misuse is rejected with one line that has what is given and what is wanted. x is [T, R, B, I] = [2, 2, 1, 3] in
// float64.
func TestRejected(t *testing.T) {
	rnn, lstm, rhn := cell.RNN{Hidden: 4}, cell.LSTM{Hidden: 4}, cell.RHN{Hidden: 4, Depth: 2}
	run := func(s *model.Scope, c cell.Cell, xs ...*Node) { cell.New(s, c, xs...).Done() }
	of := func(c cell.Cell, set func(b *cell.Builder, x *Node)) func(s *model.Scope, x *Node) {
		return func(s *model.Scope, x *Node) {
			b := cell.New(s, c, x)
			set(b, x)
			b.Done()
		}
	}
	inputs := func(c cell.Cell, xs func(x *Node) []*Node) func(s *model.Scope, x *Node) {
		return func(s *model.Scope, x *Node) { run(s, c, xs(x)...) }
	}
	with := func(state cell.InitialState, dims ...[]int) func(s *model.Scope, x *Node) {
		return of(lstm, func(b *cell.Builder, x *Node) {
			b.InitialState(state, xslices.Map(dims, func(d []int) *Node { return zeros(x, d...) })...)
		})
	}
	dense := func(x func(x *Node) *Node, units int) func(s *model.Scope, x *Node) {
		return func(s *model.Scope, node *Node) { cell.Dense(s, x(node), units, cell.Orthogonal{}) }
	}
	change := func(change func(l *cell.Layer)) cell.Cell { return changed{rnn, change} }
	all := append(settings(), []misuse{
		// New
		{"RNN…scope is nil", func(s *model.Scope, x *Node) { cell.New(nil, rnn, x) }},
		{"one model…R = 2 trials", inputs(rnn, func(x *Node) []*Node { return []*Node{zeros(x, 2, 1, 3)} })},
		{"input 1…ignored", inputs(cell.MinGRU{Hidden: 4}, func(x *Node) []*Node {
			return []*Node{Mul(x, OnesLike(x)), OnesLike(x)}
		})},
		{"batch of 1…2", inputs(bnLSTM, func(x *Node) []*Node { return []*Node{x} })},

		// The builder's settings
		{"3…2", of(rnn, func(b *cell.Builder, _ *Node) { b.Seeds(1, 2, 3) })},
		{"0…2", of(lstm, func(b *cell.Builder, _ *Node) { b.GateInit() })},
		{"Tmax:1", of(lstm, func(b *cell.Builder, _ *Node) { b.GateInit(chrono.Chrono{Tmax: 1}) })},
		{"no gates", of(rnn, func(b *cell.Builder, _ *Node) { b.GateInit(chrono.Chrono{Tmax: 9}) })},
		{`"bias": 3 biases…4`, of(lstm, func(b *cell.Builder, _ *Node) { b.GateInit(uneven{}) })},
		{"undrawn…0 values…12", of(lstm, func(b *cell.Builder, _ *Node) { b.WeightInit(undrawn{}) })},
		{"Float64…integers [2 1]", of(rnn, func(b *cell.Builder, x *Node) { b.Lengths(zeros(x, 2, 1)) })},
		{"BNLSTM", of(bnLSTM, func(b *cell.Builder, x *Node) { b.Lengths(integers(x, 2, 1)) })},
		{"16777217 steps…float64", func(s *model.Scope, _ *Node) {
			x := Parameter(NewGraph(goBackend, "long"), "x", shapes.Make(dtypes.Float32, 2, 1<<24+1, 1))
			cell.New(s, rnn, x).Lengths(integers(x, 2))
		}},
		{"nil", of(rnn, func(b *cell.Builder, _ *Node) { b.Carry(nil) })},
		{"/rnn…two runs…one", func(s *model.Scope, x *Node) {
			cell.New(s.In("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
			cell.New(s.Shared("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
		}},
		{"[2, 1, 4]…[2, 2, 4]", func(s *model.Scope, x *Node) {
			cell.New(s.In("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
			x = Parameter(NewGraph(goBackend, "another"), "x", shapes.Make(dtypes.Float64, 2, 2, 2, 3))
			cell.New(s.Shared("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
		}},
		{"Carry with Reverse…one", of(rnn, func(b *cell.Builder, x *Node) { b.Reverse().Carry(zeros(x)) })},
		{"Reverse…one", of(rnn, func(b *cell.Builder, _ *Node) { b.Reverse().Bidirectional() })},
		{"Bidirectional…one", of(rnn, func(b *cell.Builder, _ *Node) { b.Bidirectional().Reverse() })},
		{"Bidirectional…one", of(rnn, func(b *cell.Builder, x *Node) {
			b.Bidirectional().From(zeros(x, 2, 1, 4), zeros(x, 2, 1, 4))
		})},
		{"0 layers…1", of(rnn, func(b *cell.Builder, _ *Node) { b.Layers(0) })},
		{"1…below 1", of(rnn, func(b *cell.Builder, _ *Node) { b.Layers(2).Dropout(1) })},
		{"NaN…below 1", of(rnn, func(b *cell.Builder, _ *Node) { b.RecurrentDropout(math.NaN()) })},
		{"Layers(2)", of(rnn, func(b *cell.Builder, _ *Node) { b.Dropout(0.5) })},
		{"MinGRU…LSTM", of(cell.MinGRU{Hidden: 4}, func(b *cell.Builder, _ *Node) { b.RecurrentDropout(0.5) })},
		{"RNN…LSTM", of(rnn, func(b *cell.Builder, _ *Node) { b.LayerNorm() })},
		{"embedding…LSTM", of(embedding{lstm}, func(b *cell.Builder, _ *Node) { b.LayerNorm() })},
		{"2 inputs…one", func(s *model.Scope, x *Node) { cell.New(s, rhn, x, zeros(x, 2, 1, 4)).Layers(2).Done() }},
		{"noise", of(lstm, func(b *cell.Builder, x *Node) {
			b.Layers(2).InitialState(cell.Learned{Noise: 1}, zeros(x, 2, 1, 8))
		})},
		{"no Last", func(s *model.Scope, x *Node) { cell.New(s, cell.LRU{Hidden: 4}, x).Last() }},

		// Initial states and their context
		{"context 0…ignored", with(cell.Learned{}, []int{2, 1, 3})},

		// Variables that exist already
		{"/input…[2, 3, 16]…[2, 3, 20]", func(s *model.Scope, x *Node) {
			run(s, lstm, x)
			run(s.ResetVisited(), cell.LSTM{Hidden: 5}, x)
		}},
		{`"recurrent"…"leak"`, func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, cell.Leaky{Hidden: 4}, x)
		}},
		{"built already…one call", func(s *model.Scope, x *Node) {
			b := cell.New(s, lstm, x).GateInit(chrono.Standard{Forget: 9}) // it has a forget gate
			b.Done()
			b.Last()
		}},
		{"built already…one call", of(change(func(l *cell.Layer) { // though it has no weights that it would share
			l.Weights = nil
			l.Prepare = func(xs []*Node, _ map[string]*Node) (stepXs, stepWeights []*Node) { return xs, nil }
			l.Step = func(_ *scan.Ctx, carry, _, _ []*Node) (nextCarry, y []*Node) { return carry, carry }
		}), func(b *cell.Builder, _ *Node) { b.Done() })},
		{"l1_regularization 0.1…l2_regularization", func(s *model.Scope, x *Node) {
			s.Store().RootScope().SetParam("l1_regularization", 0.1)
			run(s, rnn, x)
		}},
		{"l2_regularization NaN…finite", func(s *model.Scope, x *Node) {
			s.Store().RootScope().SetParam("l2_regularization", math.NaN())
			run(s, rnn, x)
		}},

		// Cells and other parts of one's own
		{`"input"…11…12`, inputs(change(func(l *cell.Layer) {
			l.Weights[0].Init = func(cell.Draws) []float64 { return make([]float64, 11) }
		}), func(x *Node) []*Node { return []*Node{x} })},
		{`weight 2…"bias"`, of(change(func(l *cell.Layer) {
			l.Weights[2].Name = "bias"
		}), func(*cell.Builder, *Node) {})},
		{"own words", func(s *model.Scope, x *Node) { cell.New(s, panics{}, x) }},
		{"own words", of(change(func(l *cell.Layer) {
			l.Prepare = func([]*Node, map[string]*Node) (stepXs, stepWeights []*Node) { panic("own words") }
		}), func(*cell.Builder, *Node) {})},
		{"own words", of(rnn, func(b *cell.Builder, _ *Node) { b.WeightInit(panics{}) })},
		{"own words", func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, panics{}) }},
		{"own words", of(lstm, func(b *cell.Builder, _ *Node) { b.GateInit(panickingGates{}) })},

		// Gates
		{"before Done", of(lstm, func(b *cell.Builder, _ *Node) { b.Gates() })},

		// Dense, Embedding, Repeat and what cells are made of
		{"0…1 or more", dense(func(x *Node) *Node { return x }, 0)},
		{"NaN…finite", func(s *model.Scope, x *Node) {
			cell.Embedding(s, integers(x, 2, 1), 3, 2, cell.ScaledIdentity{Scale: math.NaN()})
		}},
		{"1…2", func(s *model.Scope, x *Node) { cell.Embedding(s, integers(x, 2, 1), 3, 2, cell.He{}, 1) }},
		{"0…1 trial", func(_ *model.Scope, x *Node) { trial.Repeat(x, 0) }},
	}...)
	for _, test := range cells { // whatever the cell, it has no use for this, or it is of another shape
		all = append(all, misuse{"input 1…[2, 2, 1, 4]", inputs(test.cell,
			func(x *Node) []*Node { return []*Node{x, zeros(x, 2, 2, 1, 4)} })})
	}
	gru, after := cell.GRU{Hidden: 4}, cell.GRU{Hidden: 4, ResetAfter: true}
	fixed := finalFast
	fixed.Norm.Learned = false
	for _, c := range []struct {
		made, run cell.Cell // the weights of the first are those of the second and more
		words     string
	}{
		{cell.Leaky{Hidden: 4}, rnn, `"leak"`}, {cell.GlobalGated{Hidden: 4}, rnn, `"gate input"`},
		{finalFast, rnn, `"gain"`}, {finalFast, fixed, `"gain"`}, {cell.Leaky{Hidden: fixed.Hidden}, fixed, `"leak"`},
		{cell.RGLRU{Hidden: 2}, cell.MinGRU{Hidden: 3}, `"decay"`},
		{cell.RHN{Hidden: 4, Depth: 3}, rhn, `"recurrent 3"`}, {rhn, cell.Gated{Hidden: 4}, `"recurrent 2"`},
		{cell.Gated{Hidden: 4}, cell.MinGRU{Hidden: 4}, `"recurrent"`},
		{cell.Selective{Hidden: 4, States: 1}, cell.MinGRU{Hidden: 4}, `"in"`},
		{cell.Normalized(lstm), lstm, `"cell gain"`}, {cell.Normalized(gru), gru, `"input gain"`},
		{after, gru, `"recurrent bias"`},
	} {
		all = append(all, misuse{c.words, func(s *model.Scope, x *Node) {
			run(s, c.made, x)
			run(s.ResetVisited(), c.run, x)
		}})
	}
	for i, m := range all {
		g := NewGraph(goBackend, "rejected")
		x := Parameter(g, "x", shapes.Make(dtypes.Float64, 2, 2, 1, 3))
		axis.Agree(g, 2, "the test")
		check.Panics(t, i, func() { m.build(model.NewStore().RootScope(), x) }, m.words)
		g.Finalize()
	}
}

func gruOf(layers int) func(s *model.Scope, x *Node, seeds ...uint64) *Node {
	return func(s *model.Scope, x *Node, seeds ...uint64) *Node {
		b := cell.New(s, cell.GRU{Hidden: 4}, x).Layers(layers).InitialState(cell.Learned{})
		if len(seeds) > 0 {
			b.Seeds(seeds...)
		}
		return b.Outputs()
	}
}

// users are layers that take the trials of x [B, T, I] or [T, R, B, I], or of seeds if there are any.
var users = map[string]func(s *model.Scope, x *Node, seeds ...uint64) *Node{
	"gru": gruOf(1), "stack": gruOf(2),
	"dense": func(s *model.Scope, x *Node, seeds ...uint64) *Node {
		return cell.Dense(s, x, 5, cell.He{}, seeds...)
	},
	"embedding": func(s *model.Scope, x *Node, seeds ...uint64) *Node {
		return cell.Embedding(s, symbolsOf(x), 10, 4, cell.He{}, seeds...)
	},
}

func symbolsOf(x *Node) *Node { return ConvertDType(ReduceMax(x, -1), dtypes.Int32) }

// A graph is of one model or of R trials. Where its parts disagree, building it fails with one line that names both.
func TestOneOrTrials(t *testing.T) {
	run := func(s *model.Scope, x *Node) *Node { return users["gru"](s.In("gru"), x) }
	all := []misuse{
		{"GRU…/gru…[8, 6, 1, 3]…6 trials", func(s *model.Scope, x *Node) { run(s, InsertAxes(x, 2)) }},
		{"Dense…/d…6 trials", func(s *model.Scope, x *Node) { users["dense"](s.In("d"), InsertAxes(x, 2)) }},
		{"/own…8…Repeat…1", func(s *model.Scope, x *Node) {
			trial.Repeat(x, 1)
			cell.Variables(s.In("own"), x.Graph(), nil, dtypes.Float32, make([]uint64, 8))
		}},
		{"weights…3…Repeat…2", func(s *model.Scope, x *Node) {
			w := s.VariableWithValue("w", make([]float32, 3)).NodeValue(x.Graph()) // one for each input
			losses := ReduceMean(Mul(trial.Repeat(x, 2), Reshape(w, 1, 1, 1, 3)), 0, 2, 3)
			trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1}}.UpdateGraph(s, x.Graph(), trial.Total(losses))
		}},
		{"8…/gru…one model", func(s *model.Scope, x *Node) { trial.CrossEntropy(symbolsOf(x), run(s, x)) }},
		{"8…/gru…one model", func(s *model.Scope, x *Node) {
			y := ReduceMean(run(s, x), -1)
			trial.SquaredError(y, y)
		}},
		{"8…/gru…one model", func(s *model.Scope, x *Node) { trial.Total(ReduceMean(run(s, x), 1, 2)) }},
		{"2 learning rates for 1", func(s *model.Scope, x *Node) {
			loss := ReduceAllMean(run(s, x))
			trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1, 2}}.UpdateGraph(s, x.Graph(), loss)
		}},
	}
	for name, use := range users {
		all = append(all,
			misuse{"/" + name + "…Repeat…2", func(s *model.Scope, x *Node) {
				trial.Repeat(x, 2)
				use(s.In("%s", name), x)
			}},
			misuse{"2…/" + name + "…one model", func(s *model.Scope, x *Node) {
				trial.Repeat(use(s.In("%s", name), x), 2)
			}},
			misuse{"2 seeds…1", func(s *model.Scope, x *Node) {
				run(s, x)
				use(s.In("two"), x, 1, 2)
			}})
	}
	for i, m := range all {
		g := NewGraph(goBackend, "layouts")
		x := Parameter(g, "x", shapes.Make(dtypes.Float32, 8, 6, 3))
		check.Panics(t, i, func() { m.build(model.NewStore().RootScope(), x) }, m.words)
		g.Finalize()
	}
}

// Without seeds, a layer draws with those of an earlier one; without these with those from the store's initial seed on.
// Trials that are asked for once need no seeds elsewhere, and the trials of variables that are there already none.
func TestDefaultSeeds(t *testing.T) {
	one, two := []uint64{5}, []uint64{5, 5}
	drawn := func(seed any, gru, dense []uint64, trials int) (all []float64) {
		store := model.NewStore()
		if seed != nil {
			store.SetParam(model.ParamInitialSeed, seed)
		}
		run := func(asks bool, gru, dense []uint64) {
			model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node { // [B, T, I], or [T, B, I]
				if asks {
					x = trial.Repeat(x, trials)
				} else if trials > 1 {
					x = BroadcastToDims(InsertAxes(x, 1), 1, trials, 2, 2)
				}
				h := users["gru"](s.In("gru"), x, gru...)
				return []*Node{users["embedding"](s.In("embedding"), x), users["dense"](s.In("dense"), h, dense...)}
			}, [][][]float64{{{1, 2}, {3, 4}}})
		}
		run(trials > 1 && gru == nil, gru, dense)
		run(false, nil, nil)
		for _, path := range []string{"/gru/input", "/embedding/table", "/dense/weights"} {
			all = append(all, numeric.Of(store.GetVariable(path).MustValue())...)
		}
		return all
	}
	for name, c := range map[string]struct {
		seed               any
		gru, dense         []uint64 // given
		wantGRU, wantDense []uint64
	}{
		"none, one model":         {nil, nil, nil, []uint64{1}, []uint64{1}},
		"none":                    {nil, nil, nil, []uint64{1, 2}, []uint64{1, 2}},
		"of the store, one model": {int64(7), nil, nil, []uint64{7}, []uint64{7}},
		"of the store":            {int64(7), nil, nil, []uint64{7, 8}, []uint64{7, 8}},
		"of the cell, one model":  {int64(7), one, nil, one, one},
		"of the cell":             {int64(7), two, nil, two, two},
		"of each":                 {int64(7), two, []uint64{1, 2}, two, []uint64{1, 2}},
		"of the second":           {nil, nil, two, []uint64{1, 2}, two},
	} {
		trials := len(c.wantGRU)
		check.Near(t, drawn(c.seed, c.gru, c.dense, trials), drawn(nil, c.wantGRU, c.wantDense, trials), 0, "%s", name)
	}
}

// A scope used twice in a graph is rejected, as by GoMLX's layers, unless sharing is asked for; another graph may use
// the scope, too.
func TestScopesUsedTwice(t *testing.T) {
	for name, layer := range users {
		build := func(s *model.Scope, scopes ...*model.Scope) error {
			g := NewGraph(goBackend, name)
			defer g.Finalize()
			x := Parameter(g, "x", shapes.Make(dtypes.Float32, 6, 1, 3, 1))
			return exceptions.TryCatch[error](func() {
				for _, scope := range append(scopes, s) {
					layer(scope, x)
				}
			})
		}
		root := model.NewStore().RootScope()
		scope := root.In("a")
		for range 2 { // two graphs
			check.OK(t, build(scope, root.Shared("a"), root.At("a"), scope.ResetVisited()))
		}
		const want = "cell: scope /a is used twice…ResetVisited"
		check.Rejected(t, name, build(scope, scope), want)
		check.Rejected(t, name+", another initializer", build(scope.WithInitializer(initializer.Zero), scope), want)
	}
	model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, x *Node) *Node { // names that layers have
		y := cell.Dense(s, Reshape(x, 1, 1, 1), 2, cell.He{})
		return cell.Dense(s.In("weights"), y, 2, cell.He{})
	}, float32(1))
}
