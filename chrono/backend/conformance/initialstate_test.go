package conformance

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// A beginning is an initial state with its context.
type beginning struct {
	initial  cell.InitialState
	features []int // of each context
	noisy    bool  // noise of the states' size is the last
}

var learned = beginning{initial: cell.Learned{}}

var (
	rectified = cell.Contextual{
		Hidden: []int{5}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{},
	}
	oneLayer = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Uniform{}}
)

// beginnings is every initial state of chrono/cell, for cells of two states.
var beginnings = []beginning{
	{cell.Zero{}, nil, false},
	{cell.Constant{Values: []float64{0.1, 0.2, 0.3}}, nil, false},
	learned,
	{cell.Learned{Noise: 0.5}, nil, true},
	{rectified, []int{2, 3}, false},
	{cell.Parts{Of: []cell.InitialState{oneLayer, cell.Zero{}}}, []int{2}, false},
	{cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true},
}

// context is that of one update for a batch of a cell and the trials with those seeds.
func (b beginning) context(update int, c cell.Cell, batch int, seeds []uint64) (out []any) {
	features := append([]int{}, b.features...)
	if b.noisy {
		features = append(features, cell.StateSize(c))
	}
	for i, n := range features {
		var flat []float32
		for _, seed := range seeds {
			rng := chrono.RNG(seed, "context", i, update)
			for range batch * n {
				flat = append(flat, float32(rng.NormFloat64()))
			}
		}
		out = append(out, tensors.FromFlatDataAndDimensions(flat, len(seeds), batch, n))
	}
	return out
}

// normal is the one that needs most of an engine.
var normal = beginnings[len(beginnings)-1]

// evaluate returns the initial states of a cell, and the gradients of a loss of all of them for the context and for all
// that is learned.
func (b beginning) evaluate(engine compute.Backend, dtype dtypes.DType, c cell.Cell, seeds []uint64) (out [][]float64) {
	args := append([]any{float32(0)}, b.context(0, c, batch, seeds)...) // the number is for those without a context
	for _, tensor := range model.MustCallOnceN(engine, model.NewStore(), func(s *model.Scope, nodes []*Node) []*Node {
		for i := range nodes {
			nodes[i] = ConvertDType(nodes[i], dtype)
		}
		var want []shapes.Shape
		for _, dims := range cell.StateDims(c) {
			want = append(want, shapes.Make(dtype, append([]int{len(seeds), batch}, dims...)...))
		}
		state := b.initial.Build(s, nodes[0].Graph(), want, seeds, nodes[1:])
		loss := Add(nodes[0], Weighted(state))
		for v := range s.IterVariables() {
			nodes = append(nodes, v.NodeValue(loss.Graph()))
		}
		return append(state, Gradient(loss, nodes...)...)
	}, args...) {
		out = append(out, numbers(tensor))
	}
	return out
}

// Initial states and their gradients are the same on every engine; so is a training that begins in the one that needs
// most.
func TestInitialStates(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	reference := Start(t, "go")
	o := trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0.1}}
	network := usual(fastWeights, normal, o)
	trained := network.train(reference, dtypes.Float64, seeds)
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		for _, dtype := range floats(b) {
			for _, from := range beginnings {
				for _, c := range []cell.Cell{cell.LSTM{Hidden: hidden}, fastWeights} {
					t.Run(fmt.Sprintf("%+v, %T/%s", from, c, dtype), func(t *testing.T) {
						want := from.evaluate(reference, dtypes.Float64, c, seeds)
						got := from.evaluate(b, dtype, c, seeds)
						compare(t, "state or gradient", got, want, tolerance[dtype])
					})
				}
			}
			t.Run(fmt.Sprintf("training/%s", dtype), func(t *testing.T) {
				got := network.train(b, dtype, seeds)
				compare(t, "loss or weights", got, trained, 10*tolerance[dtype])
			})
		}
	})
}
