package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// A network is a small one with its task, drawn at random.
type network struct {
	cell                        cell.Cell
	steps, batch, inputs, units int
	classes                     bool // a class at every step, rather than a number
	last                        bool // only the last step counts
	optimizer                   trial.Optimizer
}

func drawNetwork(rng *rand.Rand) network {
	hidden := []int{1, 1, 2, 3, 8, 17}[rng.IntN(6)]
	n := network{steps: 1 + rng.IntN(6), batch: []int{1, 1, 2, 3, 8}[rng.IntN(5)], inputs: 1 + rng.IntN(3),
		units: 1 + rng.IntN(3), classes: rng.IntN(2) == 0, last: rng.IntN(2) == 0}
	n.cell = []cell.Cell{cell.RNN{Hidden: hidden}, cell.Leaky{Hidden: hidden}, cell.Gated{Hidden: hidden},
		cell.LSTM{Hidden: hidden}, cell.GRU{Hidden: hidden}, cell.RHN{Hidden: hidden, Depth: 2},
		cell.BNLSTM{Hidden: hidden, Gain: 0.1, Epsilon: 1e-2},
		cell.FastWeights{Hidden: hidden, Decay: 0.9, Rate: 0.5, Inner: 1, Activation: cell.TanH{},
			Norm: cell.Normalization{Epsilon: 1e-2, Learned: true}}}[rng.IntN(8)]
	if _, ok := n.cell.(cell.BNLSTM); ok {
		n.batch++ // it has no statistics of one sequence
	}
	if n.classes {
		n.units++
	} else {
		n.units = 1
	}
	methods := []trial.Method{trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, trial.SGD{},
		trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-4}}
	n.optimizer = trial.Optimizer{Method: methods[rng.IntN(3)], Rates: []float64{0.1}, Clip: float64(rng.IntN(2))}
	return n
}

// train returns the losses of two updates and the weights after them, of each trial.
func (n network) train(b compute.Backend, seeds []uint64) [][]float32 {
	store := model.NewStore()
	update := model.MustNewExec(b, store, func(scope *model.Scope, x, labels *Node) *Node {
		ys, _ := cell.New(scope.In("cell"), n.cell, StopGradient(x)).Seeds(seeds...).Done()
		y := cell.Dense(scope.In("read-out"), ys[0], n.units, cell.Orthogonal{}, seeds...)
		if n.last {
			y = Squeeze(Slice(y, AxisElem(-1)), 0)
			labels = Squeeze(Slice(labels, AxisElem(-1)), 0)
		}
		var losses *Node
		if n.classes {
			losses = trial.CrossEntropy{}.Losses(labels, y)
		} else {
			losses = trial.SquaredError{}.Losses(ConvertDType(labels, dtypes.Float32), Squeeze(y, -1))
		}
		n.optimizer.UpdateGraph(scope, x.Graph(), trial.Total(losses))
		return losses
	})
	out := make([][]float32, len(seeds))
	split := func(v *tensors.Tensor) {
		flat := tensors.MustCopyFlatData[float32](v)
		for r := range seeds {
			size := len(flat) / len(seeds)
			out[r] = append(out[r], flat[r*size:(r+1)*size]...)
		}
	}
	for u := range 2 {
		x := make([]float32, n.steps*len(seeds)*n.batch*n.inputs)
		labels := make([]int32, n.steps*len(seeds)*n.batch)
		for r, seed := range seeds {
			rng := chrono.RNG(seed, fmt.Sprint(u))
			for t := range n.steps {
				for b := range n.batch {
					at := (t*len(seeds)+r)*n.batch + b
					labels[at] = rng.Int32N(int32(max(2, n.units)))
					for i := range n.inputs {
						x[at*n.inputs+i] = float32(rng.NormFloat64())
					}
				}
			}
		}
		split(update.MustCall(tensors.FromFlatDataAndDimensions(x, n.steps, len(seeds), n.batch, n.inputs),
			tensors.FromFlatDataAndDimensions(labels, n.steps, len(seeds), n.batch))[0])
	}
	var weights []*model.Variable
	for v := range store.IterVariables() {
		if v.Trainable {
			weights = append(weights, v)
		}
	}
	slices.SortFunc(weights, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	for _, v := range weights {
		split(v.MustValue())
	}
	return out
}

// A trial is the same, bit for bit, alone and among others: of random networks, one sequence, one unit and one step
// among them.
func TestAloneAsAmongOthers(t *testing.T) {
	b := newBackend(t, "simd:threads=2")
	differ := 0
	const networks = 80
	for seed := range uint64(networks) {
		n := drawNetwork(rand.New(rand.NewPCG(seed, 7)))
		among := n.train(b, []uint64{11, 12, 13})
		alone := n.train(b, []uint64{12})[0]
		if i := firstDifference(alone, among[1]); i >= 0 {
			differ++
			t.Errorf("network %d: number %d is %g alone, %g among others: %+v", seed, i, alone[i], among[1][i], n)
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d networks differ", differ, networks)
	}
}

// firstDifference is where two lists differ in their bits, or −1.
func firstDifference(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}
