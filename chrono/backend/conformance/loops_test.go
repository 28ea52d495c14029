package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

const batch, hidden = 3, 4

// cells is every cell of chrono/cell, with inputs narrower than the state and as wide as it, where a cell may work
// another way.
var cells = []struct {
	cell   cell.Cell
	inputs int
}{
	{cell.RNN{Hidden: hidden}, 2},
	{cell.Leaky{Hidden: hidden}, 2},
	{cell.Gated{Hidden: hidden}, hidden + 1},
	{cell.GlobalGated{Hidden: hidden}, 2},
	{cell.NetworkGated{Hidden: hidden, Network: 5}, 2},
	{cell.LSTM{Hidden: hidden}, 2},
	{cell.LSTM{Hidden: hidden}, hidden + 1},
	{cell.TiedLSTM{Hidden: hidden}, hidden + 1},
	{cell.GRU{Hidden: hidden}, hidden + 1},
	{cell.GRU{Hidden: hidden, ResetAfter: true}, 2},
	{fastWeights, 2},
	{cell.FastWeights{Hidden: hidden, Decay: 0.9, Rate: 0.5, Inner: 2, Preliminary: true, Activation: cell.TanH{},
		Norm: cell.Normalization{Epsilon: 0.1}}, hidden + 1},
	{cell.RHN{Hidden: hidden, Depth: 3}, 2},
	{cell.RHN{Hidden: hidden, Depth: 2}, hidden + 1},
	{batchNormalized, 2},
	{cell.MinGRU{Hidden: hidden}, 2},
	{cell.RGLRU{Hidden: hidden}, hidden + 1},
	{cell.Selective{Hidden: hidden, States: 2}, 2},
	{cell.LRU{Hidden: hidden}, 2},
}

var batchNormalized = cell.BNLSTM{Hidden: hidden, Gain: 0.1, Epsilon: 1e-2}

var fastWeights = cell.FastWeights{Hidden: hidden, Decay: 0.9, Rate: 0.5, Inner: 1, Activation: cell.ReLU{},
	Norm: cell.Normalization{Epsilon: 1e-2, Learned: true}}

// nearZero draws from U(−1e-3, 1e-3).
type nearZero struct{}

func (nearZero) Draw(rng *rand.Rand, _ cell.Role, rows, columns int) []float64 {
	values := make([]float64, rows*columns)
	for i := range values {
		values[i] = 1e-3 * (2*rng.Float64() - 1)
	}
	return values
}

// classify returns the losses of an LSTM, and their gradients with respect to its weights. It is to tell a class at
// every step, always the same, and says nearly the same at each, as at the start of training: sums of gradients over
// steps and sequences have nearly equal terms, whose roundings do not cancel.
func classify(b compute.Backend, dtype dtypes.DType, steps, sequences int) [][]float64 {
	x := Random[float32](rand.New(rand.NewPCG(1, 2)), steps, 1, sequences, 2)
	return xslices.Map(model.MustCallOnceN(b, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
		h := cell.New(s.In("lstm"), cell.LSTM{Hidden: hidden}, ConvertDType(x, dtype)).Seeds(1).Outputs()
		logits := cell.Dense(s.In("read-out"), h, classes, nearZero{})
		labels := Zeros(x.Graph(), shapes.Make(dtypes.Int32, steps, 1, sequences))
		losses := trial.CrossEntropy(labels, logits)
		return append(s.BuildTrainableVariablesGradientsGraph(ReduceAllSum(losses)), losses)
	}, x), numeric.Of)
}

// Bounds on losses and gradients over as many steps and sequences as package backend names.
func TestLongLoops(t *testing.T) {
	reference := Start(t, "go")
	for _, steps := range []int{784, 2000} {
		want := classify(reference, dtypes.Float64, steps, 128)
		OnEach(t, func(t *testing.T, name string, b compute.Backend) {
			for dtype, allowed := range tolerance {
				if name == "go" {
					if dtype == dtypes.Float64 {
						continue // the reference
					}
					allowed = 5e-3 // it adds one number after the other
				}
				check.Close(t, classify(b, dtype, steps, 128), want, allowed, "T = %d, %s", steps, dtype)
			}
		})
	}
}

// exact are the engines that promise bits on any number of threads.
var exact = []string{"simd", "go"}

// tolerance is how far an engine may be off, as a part of the largest element: sums are taken in another order.
var tolerance = map[dtypes.DType]float64{dtypes.Float32: 2e-5, dtypes.Float64: 1e-11}
