package cell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/internal/check"
)

// While its inputs are zero, a unit forgets with the time scale that was drawn for it.
func TestTimeScalesOfToday(t *testing.T) {
	const hidden = 40
	d := cell.Draws{Seed: 6, WeightInit: cell.Orthogonal{}, GateInit: chrono.Scales{K: 1, Min: 3, Max: 300}}
	for c, step := range map[cell.Cell]step{
		cell.MinGRU{Hidden: hidden}: minGRUStep, cell.RGLRU{Hidden: hidden}: rglruStep,
		cell.Selective{Hidden: hidden, States: 1}: selectiveStep, cell.LRU{Hidden: hidden}: lruStep,
	} {
		state := slices.Repeat([]row{slices.Repeat(row{1}, hidden)}, len(layerOf(c, 1).StateDims))
		_, left := step(make(row, hidden), state, d.All(layerOf(c, hidden).Weights))
		scales := make(row, hidden)
		for u := range scales {
			kept := left[0][u]
			if len(left) == 2 { // Re h and Im h
				kept = math.Hypot(kept, left[1][u]) / math.Sqrt2
			}
			scales[u] = 1 / (1 - kept)
		}
		low, high := floats.Min(scales), floats.Max(scales)
		check.That(t, low >= 2.99 && low <= 4 && high <= 301 && high >= 150,
			"%#v: time scales from %g to %g, want about 3 to 300", c, low, high)
	}
}

// endless draws time scales that are beyond every type of floats.
type endless struct{ chrono.UnknownScale }

func (endless) Draw(_ *rand.Rand, units int) chrono.Biases {
	return chrono.Biases{Forget: slices.Repeat(row{1e4}, units), Input: slices.Repeat(row{-1e4}, units)}
}

// Units whose time scale is beyond float32 or float64, as chrono.UnknownScale draws some, have weights and gradients
// that are numbers.
func TestEndlessTimeScales(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{0.5, -1, 2, 0.1, -0.7, 3}, 1, 3, 2)
	for _, init := range []chrono.GateInit{chrono.Range{Min: 1e300, Max: 1e300}, endless{}} {
		for _, c := range []cell.Cell{
			cell.MinGRU{Hidden: 2}, cell.RGLRU{Hidden: 2}, cell.Selective{Hidden: 2, States: 2}, cell.LRU{Hidden: 2},
		} {
			store := model.NewStore()
			out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
				h := cell.New(s, c, x).GateInit(init).Outputs()
				return append(s.BuildTrainableVariablesGradientsGraph(ReduceAllSum(h)), h)
			}, x)
			for v := range store.IterVariables() {
				out = append(out, v.MustValue())
			}
			for i, values := range out {
				sum := floats.Sum(numeric.Of(values))
				check.That(t, !math.IsNaN(sum) && !math.IsInf(sum, 0), "%#v, %#v: the sum of result %d is %g", c, init,
					i, sum)
			}
		}
	}
}

// A convolution sees no later step, and its weights are those of the steps before.
func TestConvolution(t *testing.T) {
	const steps, trials, batch, features = 5, 2, 2, 3
	rng := rand.New(rand.NewPCG(7, 7))
	x := random(rng, steps, trials, batch, features)
	for _, width := range []int{1, 2, 4, 9} {
		store, got := shuffled(t, rng, func(s *model.Scope, nodes []*Node) []*Node {
			return []*Node{cell.Convolution(s, nodes[0], width, 1, 2)}
		}, x)
		of := func(name string, place int) row {
			return trialOf(flat(t, store.GetVariable(name).MustValue()), trials, place/batch)
		}
		for place := range trials * batch {
			in, w := rows(x, trials*batch, place), blocks(of("/weights", place), width)
			for step, y := range rows(got[0], trials*batch, place) {
				want := of("/bias", place)
				for k := range min(width, step+1) {
					want = add(want, mul(w[k], in[step-k]))
				}
				check.Near(t, y, want, 1e-12, "width %d, step %d", width, step)
			}
		}
	}
	check.Panics(t, "no inputs", func() { cell.Convolution(nil, nil, 0) }, "width is 0, want")
}
