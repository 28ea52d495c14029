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
	"github.com/warptime/warptime/chrono/scan"
)

// badDraw is a cell whose start values are not those of its weights.
type badDraw struct {
	cell.RNN
	Count, Size int
}

func (b badDraw) Draw(cell.Draws, int) [][]float64 {
	out := make([][]float64, b.Count)
	for i := range out {
		out[i] = make([]float64, b.Size)
	}
	return out
}

// stateless is a cell that remembers nothing.
type stateless struct{ cell.RNN }

func (stateless) StateDims() [][]int { return nil }

// nameless is a cell whose weights have no names.
type nameless struct{ cell.RNN }

func (n nameless) Weights(inputs int) []cell.Weight {
	weights := n.RNN.Weights(inputs)
	for i := range weights {
		weights[i].Name = ""
	}
	return weights
}

// masked is a cell that has a use for a second input, a mask [T, R, B, H]: where it is zero, h is.
type masked struct{ cell.RNN }

func (m masked) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, stepWeights = m.RNN.Prepare(xs, weights)
	return append(stepXs, xs[1]), stepWeights
}

func (m masked) Step(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	last := len(x) - 1
	_, y = m.RNN.Step(c, carry, x[:last], weights)
	h := Mul(y[0], x[last])
	return []*Node{h}, []*Node{h}
}

// nilState is a first state of one node, which is nil.
type nilState struct{}

func (nilState) Build(*model.Scope, *Graph, []shapes.Shape, []uint64, []*Node) []*Node {
	return []*Node{nil}
}

// Every wrong use is refused with one line that says what is wrong and what is wanted. x is [T, R, B, I] =
// [2, 2, 1, 3].
func TestRefused(t *testing.T) {
	rnn, lstm := cell.RNN{Hidden: 4}, cell.LSTM{Hidden: 4}
	rhn := cell.RHN{Hidden: 4, Depth: 2}
	nan, inf := math.NaN(), math.Inf(1)
	zeros := func(x *Node, dims ...int) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), dims...)) }
	run := func(s *model.Scope, c cell.Cell, xs ...*Node) { cell.New(s, c, xs...).Done() }
	dense := func(s *model.Scope, x *Node, units int, seeds ...uint64) {
		cell.Dense(s, x, units, cell.Orthogonal{}, seeds...)
	}
	first := func(s *model.Scope, x *Node, state cell.InitialState, context ...*Node) {
		cell.New(s, lstm, x).InitialState(state, context...).Done()
	}
	layer := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
	contextual := "cell.Contextual{Hidden:[]int(nil), Activation:cell.Activation(nil), Output:cell.Linear{}, " +
		"WeightInit:cell.He{}}: "
	fast := func(change func(f *cell.FastWeights)) cell.Cell {
		f := finalFast
		change(&f)
		return f
	}
	for _, row := range []struct {
		misuse string
		build  func(s *model.Scope, x *Node)
		want   string
	}{
		// New
		{"nil cell", func(s *model.Scope, x *Node) { cell.New(s, nil, x) },
			"cell: the cell is nil, want one such as cell.LSTM{Hidden: 128}"},
		{"nil scope", func(s *model.Scope, x *Node) { cell.New(nil, rnn, x) },
			"cell.RNN{Hidden:4}: the scope is nil, want one for its variables"},
		{"no units", func(s *model.Scope, x *Node) { cell.New(s, cell.LSTM{}, x) },
			"cell.LSTM{Hidden:0}: want Hidden of 1 or more"},
		{"no inputs", func(s *model.Scope, x *Node) { cell.New(s, rnn) },
			"cell.RNN{Hidden:4}: no inputs, want at least one"},
		{"nil input", func(s *model.Scope, x *Node) { cell.New(s, rnn, nil) },
			"cell.RNN{Hidden:4}: input 0 is nil, want a node"},
		{"nil second input", func(s *model.Scope, x *Node) { cell.New(s, rnn, x, nil) },
			"cell.RNN{Hidden:4}: input 1 is nil, want a node"},
		{"no axis of trials", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 2, 1, 3)) },
			"cell.RNN{Hidden:4}: inputs are (Float64)[2, 1, 3], want float32 or float64 [T, R, B, I] (steps, trials, " +
				"batch, features), no axis empty"},
		{"integers", func(s *model.Scope, x *Node) { cell.New(s, rnn, ConvertDType(x, dtypes.Int32)) },
			"inputs are (Int32)[2, 2, 1, 3], want float32 or float64 [T, R, B, I]"},
		{"half precision", func(s *model.Scope, x *Node) { cell.New(s, rnn, ConvertDType(x, dtypes.Float16)) },
			"inputs are (Float16)[2, 2, 1, 3], want float32 or float64 [T, R, B, I]"},
		{"brain floats", func(s *model.Scope, x *Node) { cell.New(s, rnn, ConvertDType(x, dtypes.BFloat16)) },
			"inputs are (BFloat16)[2, 2, 1, 3], want float32 or float64 [T, R, B, I]"},
		{"no steps", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 0, 2, 1, 3)) },
			"inputs are (Float64)[0, 2, 1, 3], want"},
		{"no trials", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 2, 0, 1, 3)) },
			"inputs are (Float64)[2, 0, 1, 3], want"},
		{"no sequences", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 2, 2, 0, 3)) },
			"inputs are (Float64)[2, 2, 0, 3], want"},
		{"no features", func(s *model.Scope, x *Node) { cell.New(s, rnn, zeros(x, 2, 2, 1, 0)) },
			"inputs are (Float64)[2, 2, 1, 0], want"},

		// The builder's settings
		{"too many seeds", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Seeds(1, 2, 3) },
			"cell.RNN{Hidden:4}: 3 seeds, want one for each of 2 trials"},
		{"no seeds", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Seeds() },
			"cell.RNN{Hidden:4}: 0 seeds, want one for each of 2 trials"},
		{"no biases", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).GateInit() },
			"cell.LSTM{Hidden:4}: 0 initializations of its gates, want one, or one for each of 2 trials"},
		{"too many biases", func(s *model.Scope, x *Node) {
			cell.New(s, lstm, x).GateInit(chrono.Standard{}, chrono.Standard{}, chrono.Standard{})
		}, "cell.LSTM{Hidden:4}: 3 initializations of its gates, want one, or one for each of 2 trials"},
		{"nil biases", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).GateInit(chrono.Standard{}, nil) },
			"cell.LSTM{Hidden:4}: initialization 1 of its gates is nil, want a chrono.GateInit"},
		{"impossible biases", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).GateInit(chrono.Chrono{Tmax: 1}) },
			"cell.LSTM{Hidden:4}: initialization 0 of its gates: chrono.Chrono{Tmax:1}: want a longest time scale"},
		{"biases without gates", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).GateInit(chrono.Chrono{Tmax: 9}).Done()
		}, "cell.RNN{Hidden:4}: it has no gates, so Biases(chrono.Chrono{Tmax:9}) would be ignored, want none"},
		{"nil start", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).WeightInit(nil) },
			"cell.RNN{Hidden:4}: the start of its matrices is nil, want one such as cell.Orthogonal{}"},
		{"a start that is no number", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).WeightInit(cell.UniformWithin{Limit: nan})
		}, "cell.RNN{Hidden:4}: the start of its matrices: cell.UniformWithin{Limit:NaN}: want a finite Limit of 0 or " +
			"more"},
		{"a negative start", func(s *model.Scope,
			x *Node) {
			cell.New(s, rnn, x).WeightInit(cell.UniformWithin{Limit: -1})
		},
			"cell.UniformWithin{Limit:-1}: want a finite Limit of 0 or more"},
		{"an infinite start", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).WeightInit(cell.ScaledIdentity{Scale: inf})
		}, "cell.RNN{Hidden:4}: the start of its matrices: cell.ScaledIdentity{Scale:+Inf}: want a finite Scale"},
		{"no steps at once", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).Unroll(0).Done() },
			"cell.RNN{Hidden:4}: Unroll(0): at least one step per iteration is needed"},

		// First states
		{"nil first state", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).InitialState(nil) },
			"cell.RNN{Hidden:4}: the first state is nil, want one such as cell.Zero{}"},
		{"nil context", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).InitialState(cell.Zero{}, nil) },
			"cell.RNN{Hidden:4}: context 0 is nil, want a node"},
		{"context of no use", func(s *model.Scope,
			x *Node) {
			cell.New(s, rnn, x).InitialState(cell.Learned{}, x).Done()
		},
			"cell.RNN{Hidden:4}: context 0, (Float64)[2, 2, 1, 3], would be ignored by the first state " +
				"cell.Learned{Noise:0}"},
		{"too many constants", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).InitialState(cell.Constant{Values: []float64{1, 2, 3}}).Done()
		}, "cell.Constant{Values:[]float64{1, 2, 3}}: 3 values, want one, or one for each of 2 trials"},
		{"no constant", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).InitialState(cell.Constant{}).Done() },
			"cell.Constant{Values:[]float64(nil)}: 0 values, want one, or one for each of 2 trials"},
		{"no number", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).InitialState(cell.Constant{Values: []float64{nan}}).Done()
		}, "cell.Constant{Values:[]float64{NaN}}: want finite values"},
		{"a first state that gives nil", func(s *model.Scope,
			x *Node) {
			cell.New(s, rnn, x).InitialState(nilState{}).Done()
		},
			"cell.RNN{Hidden:4}: first state 0 is nil, want a node"},
		{"first state and state", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).InitialState(cell.Zero{}).From(zeros(x, 2, 1, 4)).Done()
		}, "cell.RNN{Hidden:4}: the first state is set twice, want one First or State"},
		{"too few states", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).From(zeros(x, 2, 1, 4)).Done() },
			"cell.LSTM{Hidden:4}: 1 first states, want 2: [(Float64)[2, 1, 4] (Float64)[2, 1, 4]]"},
		{"no state", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).From().Done() },
			"cell.RNN{Hidden:4}: 0 first states, want 1: [(Float64)[2, 1, 4]]"},
		{"nil state", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).From(nil).Done() },
			"cell.RNN{Hidden:4}: first state 0 is nil, want a node"},
		{"state of another size", func(s *model.Scope, x *Node) { cell.New(s, rnn, x).From(zeros(x, 2, 1, 5)).Done() },
			"cell.RNN{Hidden:4}: first state 0 is (Float64)[2, 1, 5], want (Float64)[2, 1, 4]"},
		{"state of another type", func(s *model.Scope, x *Node) {
			cell.New(s, rnn, x).From(ConvertDType(zeros(x, 2, 1, 4), dtypes.Float32)).Done()
		}, "cell.RNN{Hidden:4}: first state 0 is (Float32)[2, 1, 4], want (Float64)[2, 1, 4]"},
		{"noise that is negative", func(s *model.Scope, x *Node) { first(s, x, cell.Learned{Noise: -1}) },
			"cell.Learned{Noise:-1}: want noise of a finite standard deviation, not negative"},
		{"no noise for copies", func(s *model.Scope, x *Node) { first(s, x, cell.Learned{Noise: 1}) },
			"cell.Learned{Noise:1}: no context, want noise of shape (Float64)[2, 1, 8] as the last"},
		{"noise for one state of two", func(s *model.Scope, x *Node) {
			first(s, x, cell.Learned{Noise: 1}, zeros(x, 2, 1, 4))
		}, "cell.Learned{Noise:1}: the last context is (Float64)[2, 1, 4], want noise of shape (Float64)[2, 1, 8]"},
		{"noise of another type", func(s *model.Scope, x *Node) {
			first(s, x, cell.Learned{Noise: 1}, ConvertDType(zeros(x, 2, 1, 8), dtypes.Float32))
		}, "cell.Learned{Noise:1}: the last context is (Float32)[2, 1, 8], want noise of shape (Float64)[2, 1, 8]"},
		{"no context", func(s *model.Scope, x *Node) { first(s, x, layer) },
			contextual + "no context, want one or more of Float64 [2, 1, F]"},
		{"context of every step", func(s *model.Scope, x *Node) { first(s, x, layer, x) },
			contextual + "context 0 is (Float64)[2, 2, 1, 3], want Float64 [2, 1, F], F of 1 or more"},
		{"context of another type", func(s *model.Scope, x *Node) {
			first(s, x, layer, zeros(x, 2, 1, 3), ConvertDType(zeros(x, 2, 1, 3), dtypes.Float32))
		}, contextual + "context 1 is (Float32)[2, 1, 3], want Float64 [2, 1, F], F of 1 or more"},
		{"context of other trials", func(s *model.Scope, x *Node) { first(s, x, layer, zeros(x, 1, 1, 3)) },
			contextual + "context 0 is (Float64)[1, 1, 3], want"},
		{"context of other sequences", func(s *model.Scope, x *Node) { first(s, x, layer, zeros(x, 2, 2, 3)) },
			contextual + "context 0 is (Float64)[2, 2, 3], want"},
		{"context of nothing", func(s *model.Scope, x *Node) { first(s, x, layer, zeros(x, 2, 1, 0)) },
			contextual + "context 0 is (Float64)[2, 1, 0], want"},
		{"layer without units", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{Hidden: []int{3, 0}, Activation: cell.ReLU{}, Output: cell.Linear{},
				WeightInit: cell.He{}}, zeros(x, 2, 1, 3))
		}, "hidden layer 1 has 0 units, want 1 or more"},
		{"layer without activation", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{Hidden: []int{3}, Output: cell.Linear{}, WeightInit: cell.He{}},
				zeros(x, 2, 1, 3))
		}, "want an activation if there are hidden layers, and only then"},
		{"activation without layers", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}},
				zeros(x, 2, 1, 3))
		}, "want an activation if there are hidden layers, and only then"},
		{"no output", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{WeightInit: cell.He{}}, zeros(x, 2, 1, 3))
		}, "want Output and Start, such as cell.Linear{} and cell.He{}"},
		{"no start of g", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{Output: cell.Linear{}}, zeros(x, 2, 1, 3))
		}, "want Output and Start, such as cell.Linear{} and cell.He{}"},
		{"impossible start of g", func(s *model.Scope, x *Node) {
			first(s, x, cell.Contextual{Output: cell.Linear{}, WeightInit: cell.UniformWithin{Limit: inf}},
				zeros(x, 2, 1, 3))
		}, "WeightInit:cell.UniformWithin{Limit:+Inf}}: cell.UniformWithin{Limit:+Inf}: want a finite Limit of 0 or more"},
		{"no mean", func(s *model.Scope, x *Node) { first(s, x, cell.Normal{Deviation: 1}, zeros(x, 2, 1, 8)) },
			"cell.Normal{Mean:cell.InitialState(nil), Deviation:1}: want a mean, such as cell.Contextual{…}"},
		{"no deviation", func(s *model.Scope, x *Node) {
			first(s, x, cell.Normal{Mean: cell.Zero{}}, zeros(x, 2, 1, 8))
		}, "cell.Normal{Mean:cell.Zero{}, Deviation:0}: want a standard deviation above 0, finite"},
		{"deviation that is no number", func(s *model.Scope, x *Node) {
			first(s, x, cell.Normal{Mean: cell.Zero{}, Deviation: nan}, zeros(x, 2, 1, 8))
		}, "want a standard deviation above 0, finite"},
		{"no noise", func(s *model.Scope, x *Node) { first(s, x, cell.Normal{Mean: cell.Zero{}, Deviation: 1}) },
			"cell.Normal{Mean:cell.Zero{}, Deviation:1}: no context, want noise of shape (Float64)[2, 1, 8] as the " +
				"last"},
		{"noise before context", func(s *model.Scope, x *Node) {
			first(s, x, cell.Normal{Mean: layer, Deviation: 1}, zeros(x, 2, 1, 8), zeros(x, 2, 1, 3))
		}, "the last context is (Float64)[2, 1, 3], want noise of shape (Float64)[2, 1, 8]"},
		{"context that the mean does not use", func(s *model.Scope, x *Node) {
			first(s, x, cell.Normal{Mean: cell.Zero{}, Deviation: 1}, zeros(x, 2, 1, 3), zeros(x, 2, 1, 8))
		}, "context 0, (Float64)[2, 1, 3], would be ignored by the first state cell.Normal{"},
		{"a mean of nil", func(s *model.Scope, x *Node) {
			first(s, x, cell.Normal{Mean: nilState{}, Deviation: 1}, zeros(x, 2, 1, 8))
		}, "cell_test.nilState{}: 1 first states, want 2: [(Float64)[2, 1, 4] (Float64)[2, 1, 4]]"},
		{"too few parts", func(s *model.Scope,
			x *Node) {
			first(s, x, cell.Parts{Of: []cell.InitialState{cell.Zero{}}})
		},
			"cell.Parts{Of:[]cell.InitialState{cell.Zero{}}}: 1 parts, want one for each of 2 states: " +
				"[(Float64)[2, 1, 4] (Float64)[2, 1, 4]]"},
		{"no part", func(s *model.Scope, x *Node) {
			first(s, x, cell.Parts{Of: []cell.InitialState{cell.Zero{}, nil}})
		}, "cell.Parts{Of:[]cell.InitialState{cell.Zero{}, cell.InitialState(nil)}}: part 1 is nil, want one such as " +
			"cell.Zero{}"},
		{"a part of nil", func(s *model.Scope, x *Node) {
			first(s, x, cell.Parts{Of: []cell.InitialState{cell.Zero{}, nilState{}}})
		}, "cell_test.nilState{}: first state 0 is nil, want a node"},
		{"context of another size for the same g", func(s *model.Scope, x *Node) {
			first(s, x, layer, zeros(x, 2, 1, 3))
			first(s, x, layer, zeros(x, 2, 1, 4))
		}, "cell: variable /first state/state 0/weights is (Float64)[2, 3, 4], want (Float64)[2, 4, 4] (trials first)"},

		// Fast weights
		{"decay above 1", func(s *model.Scope, x *Node) {
			run(s, fast(func(f *cell.FastWeights) { f.Decay = 1.1 }), x)
		}, "Activation:cell.ReLU{}, Norm:cell.LayerNorm{Epsilon:1e-05, Learned:true}}: want Decay from 0 to 1"},
		{"decay that is no number", func(s *model.Scope, x *Node) {
			run(s, fast(func(f *cell.FastWeights) { f.Decay = nan }), x)
		}, "want Decay from 0 to 1"},
		{"negative rate", func(s *model.Scope, x *Node) { run(s, fast(func(f *cell.FastWeights) { f.Rate = -1 }), x) },
			"want a finite Rate of 0 or more"},
		{"no inner step", func(s *model.Scope, x *Node) { run(s, fast(func(f *cell.FastWeights) { f.Inner = 0 }), x) },
			"want Inner of 1 or more"},
		{"no activation", func(s *model.Scope, x *Node) {
			run(s, fast(func(f *cell.FastWeights) { f.Activation = nil }), x)
		}, "want an Activation, such as cell.ReLU{}"},
		{"no epsilon", func(s *model.Scope, x *Node) {
			run(s, fast(func(f *cell.FastWeights) { f.Norm.Epsilon = 0 }), x)
		}, "want a finite Norm.Epsilon above 0"},

		// Inputs that a cell does not use
		{"a mask of which the input is made", func(s *model.Scope, x *Node) {
			mask := OnesLike(x)
			run(s, rnn, Mul(x, mask), mask)
		}, "cell.RNN{Hidden:4}: input 1, (Float64)[2, 2, 1, 3], would be ignored, want only inputs that the cell uses"},
		{"a third input", func(s *model.Scope, x *Node) { run(s, masked{rnn}, x, zeros(x, 2, 2, 1, 4), OnesLike(x)) },
			"input 2, (Float64)[2, 2, 1, 3], would be ignored, want only inputs that the cell uses"},

		{"no network for the gates", func(s *model.Scope, x *Node) { run(s, cell.NetworkGated{Hidden: 4}, x) },
			"cell.NetworkGated{Hidden:4, Network:0}: want Network of 1 or more"},

		// Recurrent highway networks and batch normalization
		{"no layers", func(s *model.Scope, x *Node) { run(s, cell.RHN{Hidden: 4}, x) },
			"cell.RHN{Hidden:4, Depth:0, Spread:0}: want Depth of 1 or more"},
		{"negative spread", func(s *model.Scope, x *Node) { run(s, cell.RHN{Hidden: 4, Depth: 1, Spread: -1}, x) },
			"cell.RHN{Hidden:4, Depth:1, Spread:-1}: want a finite Spread of 0 or more"},
		{"spread that is none", func(s *model.Scope, x *Node) { run(s, cell.RHN{Hidden: 4, Depth: 1, Spread: nan}, x) },
			"want a finite Spread of 0 or more"},
		{"infinite spread", func(s *model.Scope, x *Node) { run(s, cell.RHN{Hidden: 4, Depth: 1, Spread: inf}, x) },
			"want a finite Spread of 0 or more"},
		{"a mask for every step", func(s *model.Scope, x *Node) { run(s, rhn, x, zeros(x, 2, 2, 1, 4)) },
			fmt.Sprintf("%#v: input 1, (Float64)[2, 2, 1, 4], is no mask: want (Float64)[2, 1, 4]", rhn)},
		{"a mask of another type", func(s *model.Scope, x *Node) {
			run(s, rhn, x, ConvertDType(zeros(x, 2, 1, 4), dtypes.Float32))
		}, "input 1, (Float32)[2, 1, 4], is no mask: want (Float64)[2, 1, 4]"},
		{"two masks", func(s *model.Scope, x *Node) { run(s, rhn, x, zeros(x, 2, 1, 4), zeros(x, 2, 1, 4)) },
			"input 2, (Float64)[2, 1, 4], would be ignored"},
		{"no gain", func(s *model.Scope, x *Node) { run(s, cell.BNLSTM{Hidden: 4, Epsilon: 1}, x) },
			"cell.BNLSTM{Hidden:4, Gain:0, Epsilon:1}: want a finite Gain that is not 0"},
		{"gain of NaN", func(s *model.Scope, x *Node) { run(s, cell.BNLSTM{Hidden: 4, Gain: nan, Epsilon: 1}, x) },
			"want a finite Gain that is not 0"},
		{"infinite gain", func(s *model.Scope, x *Node) { run(s, cell.BNLSTM{Hidden: 4, Gain: -inf, Epsilon: 1}, x) },
			"want a finite Gain that is not 0"},
		{"epsilon of zero", func(s *model.Scope, x *Node) { run(s, cell.BNLSTM{Hidden: 4, Gain: 0.1}, x) },
			"cell.BNLSTM{Hidden:4, Gain:0.1, Epsilon:0}: want a finite Epsilon above 0"},
		{"infinite epsilon", func(s *model.Scope, x *Node) { run(s, cell.BNLSTM{Hidden: 4, Gain: 1, Epsilon: inf}, x) },
			"want a finite Epsilon above 0"},
		{"a batch of one", func(s *model.Scope, x *Node) { run(s, bnLSTM, x) },
			fmt.Sprintf("%#v: a batch of 1 sequence, want 2 or more, or statistics as input 1", bnLSTM)},
		{"statistics of other steps", func(s *model.Scope, x *Node) { run(s, bnLSTM, x, zeros(x, 3, 2, 2, 36)) },
			"input 1, (Float64)[3, 2, 2, 36], is no statistics: want (Float64)[2, 2, 2, 36]"},
		{"two statistics", func(s *model.Scope, x *Node) {
			run(s, bnLSTM, x, zeros(x, 2, 2, 2, 36), zeros(x, 2, 2, 2, 36))
		}, "input 2, (Float64)[2, 2, 2, 36], would be ignored"},

		// Variables that are there already
		{"other units", func(s *model.Scope, x *Node) {
			run(s, lstm, x)
			run(s, cell.LSTM{Hidden: 5}, x)
		}, "cell: variable /input is (Float64)[2, 3, 16], want (Float64)[2, 3, 20] (trials first)"},
		{"other features", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, rnn, Concatenate([]*Node{x, x}, -1))
		}, "cell: variable /input is (Float64)[2, 3, 4], want (Float64)[2, 6, 4] (trials first)"},
		{"other trials", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, rnn, Slice(x, AxisRange(), AxisRange(0, 1)))
		}, "cell: variable /input is (Float64)[2, 3, 4], want (Float64)[1, 3, 4] (trials first)"},
		{"another type", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, rnn, ConvertDType(x, dtypes.Float32))
		}, "cell: variable /input is (Float64)[2, 3, 4], want (Float32)[2, 3, 4]"},
		{"another cell", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			run(s, cell.Leaky{Hidden: 4}, x)
		}, `cell: scope / holds "recurrent" but not "leak", want both or neither: it belongs to another cell`},
		{"a read-out in a cell's scope", func(s *model.Scope, x *Node) {
			run(s, rnn, x)
			dense(s, x, 4)
		}, `cell: scope / holds "bias" but not "weights", want both or neither: it belongs to another cell`},
		{"another free state", func(s *model.Scope, x *Node) {
			cell.New(s.In("a"), rnn, x).InitialState(cell.Learned{}).Done()
			s.VariableWithValue("first state 0", []float64{1})
			cell.New(s, rnn, x).InitialState(cell.Learned{}).Done()
		}, "cell: variable /first state 0 is (Float64)[1], want (Float64)[2, 4] (trials first)"},

		// Cells of one's own
		{"too few start values", func(s *model.Scope, x *Node) { run(s, badDraw{rnn, 2, 12}, x) },
			"cell: scope /: start values for 2 variables are drawn, want 3"},
		{"start values of another size", func(s *model.Scope, x *Node) { run(s, badDraw{rnn, 3, 11}, x) },
			`cell: scope /, variable "input": 11 start values are drawn, want 12 for [3 4]`},
		{"no states", func(s *model.Scope, x *Node) { run(s, stateless{rnn}, x) },
			"cell_test.stateless{RNN:cell.RNN{Hidden:4}}: it has no states, want one or more, the first of which is"},
		{"a weight without a name", func(s *model.Scope, x *Node) { run(s, nameless{rnn}, x) },
			"cell: scope /: weight 0 has no name"},

		// Gates
		{"gates before the run", func(s *model.Scope, x *Node) { cell.New(s, lstm, x).Gates(zeros(x, 2, 2, 1, 4)) },
			"cell.LSTM{Hidden:4}: Gates is called before Done, want it after"},
		{"gates of a state", func(s *model.Scope, x *Node) {
			b := cell.New(s, lstm, x)
			_, final := b.Done()
			b.Gates(final[0])
		}, "cell.LSTM{Hidden:4}: Gates is given (Float64)[2, 1, 4], want Done's first output, (Float64)[2, 2, 1, 4]"},
		{"gates of nothing", func(s *model.Scope, x *Node) {
			b := cell.New(s, lstm, x)
			b.Done()
			b.Gates(nil)
		}, "cell.LSTM{Hidden:4}: Gates is given nil, want Done's first output, (Float64)[2, 2, 1, 4]"},

		// Dense
		{"read-out of a number", func(s *model.Scope, x *Node) { dense(s, ReduceAllSum(x), 2) },
			"cell.Dense: inputs are (Float64), want float32 or float64 [T, R, B, H] or [R, B, H], no axis empty"},
		{"read-out of integers", func(s *model.Scope, x *Node) { dense(s, ConvertDType(x, dtypes.Int32), 2) },
			"cell.Dense: inputs are (Int32)[2, 2, 1, 3], want float32 or float64 [T, R, B, H] or [R, B, H]"},
		{"read-out of no sequences", func(s *model.Scope, x *Node) { dense(s, zeros(x, 2, 0, 3), 2) },
			"cell.Dense: inputs are (Float64)[2, 0, 3], want"},
		{"no outputs", func(s *model.Scope, x *Node) { dense(s, x, 0) }, "cell.Dense: 0 units, want 1 or more"},
		{"read-out's seeds", func(s *model.Scope, x *Node) { dense(s, x, 2, 1, 2, 3) },
			"cell.Dense: 3 seeds, want one for each of 2 trials"},
		{"read-out's start", func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, nil) },
			"cell.Dense: scope, x or start is nil, want all three"},
		{"read-out's impossible start", func(s *model.Scope, x *Node) {
			cell.Dense(s, x, 2, cell.UniformWithin{Limit: nan})
		}, "cell.Dense: cell.UniformWithin{Limit:NaN}: want a finite Limit of 0 or more"},
		{"read-out of nil", func(s *model.Scope, x *Node) { dense(s, nil, 2) },
			"cell.Dense: scope, x or start is nil, want all three"},
		{"read-out nowhere", func(s *model.Scope, x *Node) { dense(nil, x, 2) },
			"cell.Dense: scope, x or start is nil, want all three"},
		{"read-out of other units", func(s *model.Scope, x *Node) {
			dense(s, x, 2)
			dense(s, x, 3)
		}, "cell: variable /weights is (Float64)[2, 3, 2], want (Float64)[2, 3, 3] (trials first)"},
	} {
		t.Run(row.misuse, func(t *testing.T) { refused(t, row.build, row.want) })
	}

	// Whatever the cell.
	for _, test := range cells {
		t.Run("second input/"+test.name, func(t *testing.T) {
			refused(t, func(s *model.Scope, x *Node) { run(s, test.cell, x, zeros(x, 2, 2, 1, 4)) },
				fmt.Sprintf("%#v: input 1, (Float64)[2, 2, 1, 4], ", test.cell)) // is of no use, or of another shape
		})
	}
	for _, h := range []int{0, -1} {
		for _, c := range []cell.Cell{cell.RNN{Hidden: h}, cell.Leaky{Hidden: h}, cell.Gated{Hidden: h},
			cell.GlobalGated{Hidden: h}, cell.NetworkGated{Hidden: h, Network: 1}, cell.LSTM{Hidden: h},
			cell.GRU{Hidden: h},
			cell.FastWeights{Hidden: h}, cell.RHN{Hidden: h, Depth: 1}, cell.BNLSTM{Hidden: h}} {
			want := fmt.Sprintf("%#v: want Hidden of 1 or more", c)
			t.Run(want, func(t *testing.T) { refused(t, func(s *model.Scope, x *Node) { run(s, c, x) }, want) })
		}
	}
}

// refused builds a graph for x [2, 2, 1, 3] in float64, which must panic with one line that contains want.
func refused(t *testing.T, build func(s *model.Scope, x *Node), want string) {
	t.Helper()
	g := NewGraph(goBackend, "refused")
	defer g.Finalize()
	x := Parameter(g, "x", shapes.Make(dtypes.Float64, 2, 2, 1, 3))
	err := exceptions.TryCatch[error](func() { build(model.NewStore().RootScope(), x) })
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant one line with %q", err, want)
	}
}

// Variables that were saved come back for as many trials, and are refused for others.
func TestLoaded(t *testing.T) {
	gru, dir := cell.GRU{Hidden: 4}, t.TempDir()
	run := func(store *model.Store, seeds ...uint64) ([]*tensors.Tensor, error) {
		x := random(rand.New(rand.NewPCG(1, 1)), 2, len(seeds), 1, 3)
		return model.CallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
			ys, _ := cell.New(s.In("gru"), gru, x).Seeds(seeds...).InitialState(cell.Learned{}).Done()
			return ys
		}, x)
	}
	open := func() (*model.Store, *checkpoint.Handler) {
		store := model.NewStore()
		return store, checkpoint.Build(store).Dir(dir).MustDone()
	}
	store, saved := open()
	want, err := run(store, 1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Save(); err != nil {
		t.Fatal(err)
	}
	store, _ = open()
	got, err := run(store, 4, 5, 6) // which nothing is drawn from
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "h", flat(t, got[0]), flat(t, want[0]), 0)
	store, _ = open()
	refusal := "cell: variable /gru/gate input is (Float64)[3, 3, 8], want (Float64)[1, 3, 8] (trials first)"
	if _, err := run(store, 1); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("one trial of three saved ones: %v, want %s", err, refusal)
	}
}

// A cell that uses its second input is given it.
func TestSecondInput(t *testing.T) {
	x := firstInputs(3)
	c := masked{cell.RNN{Hidden: 4}}
	out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
		mask := Zeros(x.Graph(), shapes.Make(x.DType(), firstSteps, firstTrials, firstBatch, c.Hidden))
		hidden, _ := cell.New(s, c, x, mask).Done()
		shown, _ := cell.New(s, c, x, OnesLike(mask)).Done()
		plain, _ := cell.New(s, c.RNN, x).Done()
		return []*Node{ReduceAllMax(Abs(hidden[0])), shown[0], plain[0]}
	}, x)
	if flat(t, out[0])[0] != 0 {
		t.Error("h is not zero where the mask is")
	}
	compare(t, "a mask of ones", flat(t, out[1]), flat(t, out[2]), 0)
}
