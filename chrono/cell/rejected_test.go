package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// weighing is a cell with other weights than its equations have.
type weighing struct {
	cell.RNN
	change func(weights []cell.Weight)
}

func (w weighing) Weights(inputs int) []cell.Weight {
	weights := w.RNN.Weights(inputs)
	w.change(weights)
	return weights
}

// stateless is a cell without a state.
type stateless struct{ cell.RNN }

func (stateless) StateDims() [][]int { return nil }

// summing is a cell whose output is of all sequences.
type summing struct{ cell.RNN }

func (c summing) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	nextCarry, y = c.RNN.Step(s, carry, x, weights)
	return nextCarry, []*Node{ReduceSum(y[0], 1, 2)}
}

// nilState is an initial state of one node, which is nil.
type nilState struct{}

func (nilState) Build(*model.Scope, *Graph, []shapes.Shape, []uint64, []*Node) []*Node {
	return []*Node{nil}
}

// misuse is a graph that cannot be built, for x [T, R, B, I] = [2, 2, 1, 3] in float64.
type misuse struct {
	what     string
	build    func(s *model.Scope, x *Node)
	mentions string // words that the error has, in this order, separated by "…"
}

// settings are cells and initial states with one impossible setting, by what the error says of it.
func settings() (all []misuse) {
	nan, inf := math.NaN(), math.Inf(1)
	add := func(mentions string, build func(s *model.Scope, x *Node)) {
		all = append(all, misuse{fmt.Sprint(mentions, len(all)), build, mentions})
	}
	for _, h := range []int{0, -1} {
		for _, c := range []cell.Cell{cell.RNN{Hidden: h}, cell.Leaky{Hidden: h}, cell.Gated{Hidden: h},
			cell.GlobalGated{Hidden: h}, cell.MinGRU{Hidden: h}, cell.RGLRU{Hidden: h}, cell.LRU{Hidden: h},
			cell.Selective{Hidden: h, States: 1}, cell.NetworkGated{Hidden: h, Network: 1}, cell.LSTM{Hidden: h},
			cell.TiedLSTM{Hidden: h},
			cell.GRU{Hidden: h}, cell.FastWeights{Hidden: h}, cell.RHN{Hidden: h, Depth: 1}, cell.BNLSTM{Hidden: h}} {
			add(fmt.Sprintf("%#v…Hidden", c), func(s *model.Scope, x *Node) { cell.New(s, c, x) })
		}
	}
	fast := func(change func(f *cell.FastWeights)) cell.Cell {
		f := finalFast
		change(&f)
		return f
	}
	for _, c := range []struct {
		mentions string
		cell     cell.Cell
	}{
		{"Network", cell.NetworkGated{Hidden: 4}}, {"States", cell.Selective{Hidden: 4}},
		{"Decay", fast(func(f *cell.FastWeights) { f.Decay = 1.1 })},
		{"Decay", fast(func(f *cell.FastWeights) { f.Decay = nan })},
		{"Rate", fast(func(f *cell.FastWeights) { f.Rate = -1 })},
		{"Inner", fast(func(f *cell.FastWeights) { f.Inner = 0 })},
		{"Activation", fast(func(f *cell.FastWeights) { f.Activation = nil })},
		{"Norm.Epsilon", fast(func(f *cell.FastWeights) { f.Norm.Epsilon = 0 })},
		{"Depth", cell.RHN{Hidden: 4}},
		{"Spread", cell.RHN{Hidden: 4, Depth: 1, Spread: -1}},
		{"Spread", cell.RHN{Hidden: 4, Depth: 1, Spread: nan}},
		{"Spread", cell.RHN{Hidden: 4, Depth: 1, Spread: inf}},
		{"Gain", cell.BNLSTM{Hidden: 4, Epsilon: 1}},
		{"Gain", cell.BNLSTM{Hidden: 4, Gain: nan, Epsilon: 1}},
		{"Gain", cell.BNLSTM{Hidden: 4, Gain: -inf, Epsilon: 1}},
		{"Epsilon", cell.BNLSTM{Hidden: 4, Gain: 0.1}},
		{"Epsilon", cell.BNLSTM{Hidden: 4, Gain: 1, Epsilon: inf}},
	} {
		add("want…"+c.mentions, func(s *model.Scope, x *Node) { cell.New(s, c.cell, x) })
	}
	zeros := func(x *Node, n int) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), 2, 1, n)) }
	for _, c := range []struct {
		mentions string
		state    cell.InitialState
	}{
		{"3 values…2 trials", cell.Constant{Values: []float64{1, 2, 3}}},
		{"0 values", cell.Constant{}},
		{"NaN…finite", cell.Constant{Values: []float64{nan}}},
		{"-1…noise", cell.Learned{Noise: -1}},
		{"hidden layer 1…0 units", cell.Contextual{Hidden: []int{3, 0}, Activation: cell.ReLU{}, Output: cell.Linear{},
			WeightInit: cell.He{}}},
		{"activation", cell.Contextual{Hidden: []int{3}, Output: cell.Linear{}, WeightInit: cell.He{}}},
		{"activation", cell.Contextual{Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}},
		{"want Output", cell.Contextual{WeightInit: cell.He{}}},
		{"want Output…WeightInit", cell.Contextual{Output: cell.Linear{}}},
		{"Limit:+Inf…finite Limit", cell.Contextual{Output: cell.Linear{}, WeightInit: cell.UniformWithin{Limit: inf}}},
		{"mean", cell.NormalState{Deviation: 1}},
		{"without noise", cell.NormalState{Mean: cell.NormalState{Mean: cell.Zero{}, Deviation: 1}, Deviation: 1}},
		{"without noise", cell.NormalState{Mean: cell.Learned{Noise: 1}, Deviation: 1}},
		{"deviation above 0", cell.NormalState{Mean: cell.Zero{}}},
		{"deviation above 0", cell.NormalState{Mean: cell.Zero{}, Deviation: nan}},
		{"nilState…1 initial states…2", cell.NormalState{Mean: nilState{}, Deviation: 1}},
		{"1 parts…2 states", cell.Parts{Of: []cell.InitialState{cell.Zero{}}}},
		{"part 1 is nil", cell.Parts{Of: []cell.InitialState{cell.Zero{}, nil}}},
		{"nilState…nil", cell.Parts{Of: []cell.InitialState{cell.Zero{}, nilState{}}}},
		{"initial state…nil", nil},
	} {
		add(c.mentions, func(s *model.Scope, x *Node) {
			cell.New(s, cell.LSTM{Hidden: 4}, x).InitialState(c.state, zeros(x, 8)).Done()
		})
	}
	for mentions, init := range map[string]cell.WeightInit{
		"NaN…finite Limit": cell.UniformWithin{Limit: nan}, "-1…finite Limit": cell.UniformWithin{Limit: -1},
		"Deviation:0…above 0": cell.NormalInputs{Others: cell.He{}}, "nil…Others": cell.NormalInputs{Deviation: 1},
		"no JointWeightInit": cell.NormalInputs{Deviation: 1, Others: cell.JointOrthogonal{}},
		"+Inf…finite Scale":  cell.ScaledIdentity{Scale: inf}, "nil": nil,
	} {
		add("RNN…weight initialization…"+mentions, func(s *model.Scope, x *Node) {
			cell.New(s, cell.RNN{Hidden: 4}, x).WeightInit(init)
		})
		add("Dense…"+mentions, func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, init) })
	}
	return all
}

// Every misuse is rejected with one line that says what is wrong and what is wanted.
func TestRejected(t *testing.T) {
	rnn, lstm, rhn := cell.RNN{Hidden: 4}, cell.LSTM{Hidden: 4}, cell.RHN{Hidden: 4, Depth: 2}
	zeros := func(x *Node, dims ...int) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), dims...)) }
	single := func(x *Node) *Node { return ConvertDType(x, dtypes.Float32) }
	run := func(s *model.Scope, c cell.Cell, xs ...*Node) { cell.New(s, c, xs...).Done() }
	dense := func(s *model.Scope, x *Node, units int, seeds ...uint64) {
		cell.Dense(s, x, units, cell.Orthogonal{}, seeds...)
	}
	begin := func(s *model.Scope, x *Node, state cell.InitialState, context ...*Node) {
		cell.New(s, lstm, x).InitialState(state, context...).Done()
	}
	layer := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
	normal := cell.NormalState{Mean: layer, Deviation: 1}
	weights := func(change func(weights []cell.Weight)) func(s *model.Scope, x *Node) {
		return func(s *model.Scope, x *Node) { run(s, weighing{rnn, change}, x) }
	}
	gates := func(h func(b *cell.Builder) *Node) func(s *model.Scope, x *Node) {
		return func(s *model.Scope, x *Node) {
			b := cell.New(s, lstm, x)
			b.Gates(h(b))
		}
	}
	for _, row := range append(settings(), []misuse{
		// New
		{"nil cell", func(s *model.Scope, x *Node) { cell.New(s, nil, x) }, "cell is nil"},
		{"nil scope", func(s *model.Scope, x *Node) { cell.New(nil, rnn, x) }, "RNN…scope is nil"},
		{"no inputs", func(s *model.Scope, x *Node) { cell.New(s, rnn) }, "no inputs"},
		{"nil input", func(s *model.Scope, x *Node) { cell.New(s, rnn, x, nil) }, "input 1 is nil"},
		{"rank", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, zeros(x, 2, 1, 3))
		}, "[2, 1, 3]…[T, R, B, I]…Sequences makes it of [B, T, I]: apply it before Embedding or Dense"},
		{"integers", func(s *model.Scope, x *Node) { cell.New(s, rnn, ConvertDType(x, dtypes.Int32)) }, "Int32"},
		{"half floats", func(s *model.Scope, x *Node) { cell.New(s, rnn, ConvertDType(x, dtypes.Float16)) }, "float32"},
		{"no steps", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 0, 2, 1, 3)) }, "[0, 2, 1, 3]…empty"},
		{"no features", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 2, 2, 1, 0)) }, "[2, 2, 1, 0]…empty"},

		// The builder's settings
		{"seeds", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Seeds(1, 2, 3) }, "3 seeds…2 trials"},
		{"no gates' biases", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).GateInit() }, "0 init…2 trials"},
		{"nil gates' biases", func(s *model.Scope, x *Node) {
			cell.New(s, lstm, x).GateInit(chrono.Standard{}, nil)
		}, "1 of its gates is nil"},
		{"impossible biases", func(s *model.Scope, x *Node) {
			cell.New(s, lstm, x).GateInit(chrono.Chrono{Tmax: 1})
		}, "LSTM…Chrono{Tmax:1}"},
		{"biases without gates", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).GateInit(chrono.Chrono{Tmax: 9}).Done()
		}, "no gates…ignored"},
		{"unroll", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Unroll(0).Done() }, "Unroll(0)"},
		{"nil lengths", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Lengths(nil) }, "lengths 0 is nil"},
		{"lengths of floats", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).Lengths(zeros(x, 2, 1))
		}, "Float64…want integers [2 1]"},
		{"lengths of batches first", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).Lengths(ConvertDType(zeros(x, 1, 2), dtypes.Int32))
		}, "[1, 2]…want integers [2 1]…[T, R, B, I]"},
		{"lengths where sequences meet", func(s *model.Scope, x *Node) {
			lengths := ConvertDType(zeros(x, 2, 1), dtypes.Int32)
			cell.New(s, cell.BNLSTM{Hidden: 4, Gain: 1, Epsilon: 1}, x).Lengths(lengths)
		}, "BNLSTM…depend on each other"},
		{"lengths where an output is of no sequence", func(s *model.Scope, x *Node) {
			cell.New(s, summing{rnn}, x).Lengths(ConvertDType(zeros(x, 2, 1), dtypes.Int32)).Done()
		}, "output 0…want [T, R, B, …]"},
		{"nil continues", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Carry(nil) }, "continues 0 is nil"},
		{"continues of another shape", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).Carry(zeros(x, 3))
		}, "[3]…want a scalar, or [2 1]"},
		{"Carry twice with shared weights", func(s *model.Scope, x *Node) {
			cell.New(s.In("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
			cell.New(s.Shared("rnn"), rnn, x).Carry(Const(x.Graph(), true)).Done()
		}, "RNN…scope /rnn has two runs with Carry, want one"},
		{"Carry in reverse", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).Reverse().Carry(Const(x.Graph(), true)).Done()
		}, "RNN…Carry and Reverse…want one"},

		// Embedding and Sequences
		{"embedding without a scope", func(s *model.Scope, x *Node) {
			cell.Embedding(nil, x, 3, 2, cell.He{})
		}, "Embedding…nil"},
		{"embedding of floats", func(s *model.Scope, x *Node) {
			cell.Embedding(s, x, 3, 2, cell.He{})
		}, "Float64…want integers [T, R, B]"},
		{"embedding of no symbols", func(s *model.Scope, x *Node) {
			cell.Embedding(s, x, 0, 2, cell.He{})
		}, "0 symbols"},
		{"embedding drawn impossibly", func(s *model.Scope, x *Node) {
			cell.Embedding(s, x, 3, 2, cell.UniformWithin{Limit: -1})
		}, "Embedding…Limit"},
		{"embedding's seeds", func(s *model.Scope, x *Node) {
			cell.Embedding(s, ConvertDType(zeros(x, 2, 1), dtypes.Int32), 3, 2, cell.He{}, 1)
		}, "1 seeds…2 trials"},
		{"sequences without steps", func(_ *model.Scope, x *Node) {
			cell.Sequences(zeros(x, 2), 1)
		}, "want [B, T, …]"},
		{"sequences of no trials", func(s *model.Scope, x *Node) { cell.Sequences(x, 0) }, "0 trials"},

		// Initial states and their context
		{"nil context", func(s *model.Scope, x *Node) { begin(s, x, cell.Zero{}, nil) }, "context 0 is nil"},
		{"context of no use", func(s *model.Scope, x *Node) { begin(s, x, cell.Learned{}, x) }, "context 0…ignored"},
		{"set twice", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).InitialState(cell.Zero{}).From(zeros(x, 2, 1, 4)).Done()
		}, "set twice"},
		{"too few states", func(s *model.Scope, x *Node) {
			cell.New(s, lstm, x).From(zeros(x, 2, 1, 4)).Done()
		}, "1 initial states…2"},
		{"nil state", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).From(nil).Done() }, "state 0 is nil"},
		{"size of a state", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).From(zeros(x, 2, 1, 5)).Done()
		}, "[2, 1, 5]…[2, 1, 4]"},
		{"type of a state", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).From(single(zeros(x, 2, 1, 4))).Done()
		}, "Float32…Float64"},
		{"no noise", func(s *model.Scope, x *Node) { begin(s, x, cell.Learned{Noise: 1}) }, "noise…[2, 1, 8]"},
		{"size of noise", func(s *model.Scope, x *Node) {
			begin(s, x, cell.Learned{Noise: 1}, zeros(x, 2, 1, 4))
		}, "[2, 1, 4]…noise…[2, 1, 8]"},
		{"no context", func(s *model.Scope, x *Node) { begin(s, x, layer) }, "Contextual…no context"},
		{"context of every step", func(s *model.Scope, x *Node) { begin(s, x, layer, x) }, "[2, 2, 1, 3]…[2, 1, F]"},
		{"type of context", func(s *model.Scope, x *Node) {
			begin(s, x, layer, zeros(x, 2, 1, 3), single(zeros(x, 2, 1, 3)))
		}, "context 1…Float32…Float64"},
		{"context's trials", func(s *model.Scope, x *Node) { begin(s, x, layer, zeros(x, 1, 1, 3)) }, "[1, 1, 3]"},
		{"context's sequences", func(s *model.Scope, x *Node) { begin(s, x, layer, zeros(x, 2, 2, 3)) }, "[2, 2, 3]"},
		{"empty context", func(s *model.Scope, x *Node) { begin(s, x, layer, zeros(x, 2, 1, 0)) }, "[2, 1, 0]"},
		{"noise before context", func(s *model.Scope, x *Node) {
			begin(s, x, normal, zeros(x, 2, 1, 8), zeros(x, 2, 1, 3))
		}, "last context…[2, 1, 3]…noise"},
		{"another context for the same g", func(s *model.Scope, x *Node) {
			begin(s, x, layer, zeros(x, 2, 1, 3))
			begin(s.ResetVisited(), x, layer, zeros(x, 2, 1, 4))
		}, "/first state/state 0/weights…[2, 3, 4]…[2, 4, 4]"},

		// Further inputs
		{"a mask of which the input is made", func(s *model.Scope, x *Node) {
			mask := OnesLike(x)
			run(s, rnn, Mul(x, mask), mask)
		}, "input 1…ignored"},
		{"a mask for every step", func(s *model.Scope, x *Node) {
			run(s, rhn, x, zeros(x, 2, 2, 1, 4))
		}, "[2, 2, 1, 4]…mask…[2, 1, 4]"},
		{"two masks", func(s *model.Scope, x *Node) {
			run(s, rhn, x, zeros(x, 2, 1, 4), zeros(x, 2, 1, 4))
		}, "input 2…ignored"},
		{"a batch of one", func(s *model.Scope, x *Node) { run(s, bnLSTM, x) }, "batch of 1"},
		{"statistics of other steps", func(s *model.Scope, x *Node) {
			run(s, bnLSTM, x, zeros(x, 3, 2, 2, 36))
		}, "[3, 2, 2, 36]…statistics…[2, 2, 2, 36]"},

		// Variables that exist already
		{"other units", func(s *model.Scope, x *Node) {
			run(s, lstm, x)
			run(s.ResetVisited(), cell.LSTM{Hidden: 5}, x)
		}, "/input…[2, 3, 16]…[2, 3, 20]"},
		{"another type", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s.ResetVisited(), rnn, single(x))
		}, "/input…Float64…Float32"},
		{"another cell", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, cell.Leaky{Hidden: 4}, x)
		}, `"recurrent"…"leak"`},
		{"a read-out in a cell's scope", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			dense(s, x, 4)
		}, `"bias"…"weights"`},

		// Custom cells
		{"values of another size", weights(func(w []cell.Weight) {
			w[0].Init = func(cell.Draws) []float64 { return make([]float64, 11) }
		}), `"input"…11 values…12`},
		{"no name", weights(func(w []cell.Weight) { w[0].Name = "" }), `weight 0…""`},
		{"one name twice", weights(func(w []cell.Weight) { w[2].Name = "bias" }), `weight 2…"bias"`},
		{"no states", func(s *model.Scope, x *Node) { run(s, stateless{rnn}, x) }, "stateless…no states"},

		// Gates
		{"gates before the run", gates(func(b *cell.Builder) *Node { return nil }), "before Done"},
		{"gates of a state", gates(func(b *cell.Builder) *Node {
			_, final := b.Done()
			return final[0]
		}), "[2, 1, 4]…[2, 2, 1, 4]"},
		{"gates of nothing", gates(func(b *cell.Builder) *Node {
			b.Done()
			return nil
		}), "nil…[2, 2, 1, 4]"},

		// Dense
		{"rank of a read-out", func(s *model.Scope, x *Node) { dense(s, ReduceAllSum(x), 2) }, "Dense…[T, R, B, H]"},
		{"read-out of integers", func(s *model.Scope, x *Node) { dense(s, ConvertDType(x, dtypes.Int32), 2) }, "Int32"},
		{"no outputs", func(s *model.Scope, x *Node) { dense(s, x, 0) }, "0 units"},
		{"read-out's seeds", func(s *model.Scope, x *Node) { dense(s, x, 2, 1, 2, 3) }, "3 seeds…2 trials"},
		{"read-out of nil", func(s *model.Scope, x *Node) { dense(s, nil, 2) }, "nil"},
		{"read-out nowhere", func(s *model.Scope, x *Node) { dense(nil, x, 2) }, "nil"},
	}...) {
		t.Run(row.what, func(t *testing.T) { rejected(t, row) })
	}
	for _, test := range cells { // whatever the cell, it has no use for this, or it is of another shape
		t.Run("second input/"+test.name, func(t *testing.T) {
			rejected(t, misuse{"", func(s *model.Scope, x *Node) {
				run(s, test.cell, x, zeros(x, 2, 2, 1, 4))
			}, fmt.Sprintf("%#v…input 1…[2, 2, 1, 4]", test.cell)})
		})
	}
}

// rejected builds a misuse's graph, which must panic with a one-line error that has the words.
func rejected(t *testing.T, m misuse) {
	t.Helper()
	g := NewGraph(goBackend, "rejected")
	defer g.Finalize()
	x := Parameter(g, "x", shapes.Make(dtypes.Float64, 2, 2, 1, 3))
	axis.Agree(g, 2, "the test")
	err := exceptions.TryCatch[error](func() { m.build(model.NewStore().RootScope(), x) })
	check.Rejected(t, m.what, err, m.mentions)
}

// Variables that were saved come back for as many trials, and are rejected for others.
func TestLoaded(t *testing.T) {
	dir := t.TempDir()
	run := func(store *model.Store, seeds ...uint64) ([]*tensors.Tensor, error) {
		x := random(rand.New(rand.NewPCG(1, 1)), 2, len(seeds), 1, 3)
		return model.CallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
			ys, _ := cell.New(s, cell.GRU{Hidden: 4}, x).Seeds(seeds...).InitialState(cell.Learned{}).Done()
			return ys
		}, x)
	}
	store := model.NewStore()
	saved := checkpoint.Build(store).Dir(dir).MustDone()
	want, err := run(store, 1, 2, 3)
	check.OK(t, err)
	check.OK(t, saved.Save())
	for _, seeds := range [][]uint64{{4, 5, 6}, {1}} { // nothing is drawn from them
		store := model.NewStore()
		checkpoint.Build(store).Dir(dir).MustDone()
		got, err := run(store, seeds...)
		if len(seeds) == 3 && err == nil {
			compare(t, "h", flat(t, got[0]), flat(t, want[0]), 0)
		} else if len(seeds) == 3 || err == nil || !strings.Contains(err.Error(), "(trials first)") {
			t.Errorf("%d trials of three saved ones: %v", len(seeds), err)
		}
	}
}
