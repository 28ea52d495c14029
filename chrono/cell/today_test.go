package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// An associative scan computes the states and gradients of the loop, for lengths that are powers of two and others.
func TestAssociative(t *testing.T) {
	for _, c := range []cell.Cell{cell.MinGRU{Hidden: 3}, cell.RGLRU{Hidden: 3}, cell.LRU{Hidden: 3}} {
		for _, steps := range []int{1, 2, 3, 7, 8, 13} {
			rng, layer := rand.New(rand.NewPCG(5, 5)), layerOf(c, 3)
			args := []*tensors.Tensor{random(rng, steps, 2, 2, 3)}
			for _, w := range layer.Weights {
				args = append(args, random(rng, append([]int{2}, w.Dims...)...))
			}
			out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
				xs, weights := layer.Prepare(nodes[:1], cell.ByName(layer.Weights, nodes[1:]))
				zeros := slices.Repeat([]*Node{Zeros(nodes[0].Graph(), shapes.Make(dtypes.Float64, 2, 2, 3))},
					len(layer.StateDims))
				ys, _ := scan.New(layer.Step).Done(zeros, xs, weights)
				var all []*Node
				if len(zeros) == 1 {
					all = scan.Associative(scan.Affine, xs...)[1:]
				} else {
					lambda := make([]*Node, 2)
					for i, w := range weights {
						lambda[i] = BroadcastToShape(InsertAxes(w, 0), xs[0].Shape())
					}
					all = scan.Associative(scan.Turning, lambda[0], lambda[1], xs[0], xs[1])[2:]
				}
				results := []*Node{ys[0], Concatenate(all, -1)}
				for _, h := range []*Node{results[0], results[1]} {
					loss := conformance.Weighted([]*Node{h})
					results = append(results, Gradient(loss, nodes...)...)
				}
				return results
			}, anys(args)...)
			gradients := (len(out) - 2) / 2
			compare(t, "states", flat(t, out[1]), flat(t, out[0]), 1e-12)
			for i := range gradients {
				compare(t, "gradient", flat(t, out[2+gradients+i]), flat(t, out[2+i]), 1e-11)
			}
		}
	}
}

// While its inputs are zero, a unit forgets with the time scale that was drawn for it.
func TestTimeScalesOfToday(t *testing.T) {
	const hidden = 40
	d := cell.Draws{Seed: 6, WeightInit: cell.Orthogonal{}, GateInit: chrono.Scales{K: 1, Min: 3, Max: 300}}
	for c, step := range map[cell.Cell]step{
		cell.MinGRU{Hidden: hidden}: minGRUStep, cell.RGLRU{Hidden: hidden}: rglruStep,
		cell.Selective{Hidden: hidden, States: 1}: selectiveStep, cell.LRU{Hidden: hidden}: lruStep,
	} {
		state := slices.Repeat([]row{slices.Repeat(row{1}, hidden)}, len(cell.StateDims(c)))
		_, left := step(make(row, hidden), state, d.All(layerOf(c, hidden).Weights))
		scales := make(row, hidden)
		for u := range scales {
			kept := left[0][u]
			if len(left) == 2 { // Re h and Im h
				kept = math.Hypot(kept, left[1][u]) / math.Sqrt2
			}
			scales[u] = 1 / (1 - kept)
		}
		if low, high := floats.Min(scales), floats.Max(scales); low < 2.99 || low > 4 || high > 301 || high < 150 {
			t.Errorf("%#v: time scales from %g to %g, want about 3 to 300", c, low, high)
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
				compare(t, fmt.Sprintf("width %d, step %d", width, step), y, want, 1e-12)
			}
		}
	}
	err := exceptions.TryCatch[error](func() { cell.Convolution(nil, nil, 0) })
	check.Rejected(t, "no inputs", err, "width is 0, want")
}
