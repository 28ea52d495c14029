package cell_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// trace is your own cell: units that remember their inputs, each for a time of its own, and do nothing else,
//
//	h ← f·h + (1 − f)·Wx·x,   f = σ(b)
type trace struct{ Hidden int }

// Layer has Wx and b, with the initial values of one trial, and computes before the loop, for all steps at once, what
// needs no past: Wx·x, and f.
func (c trace) Layer(inputs int) (cell.Layer, error) {
	if c.Hidden < 1 {
		return cell.Layer{}, fmt.Errorf("trace: %d units, want 1 or more", c.Hidden)
	}
	return cell.Layer{
		Weights: []cell.Weight{
			{Name: "input", Dims: []int{inputs, c.Hidden}, Init: func(d cell.Draws) []float64 {
				return d.WeightInit.Draw(d.RNG(), cell.Input, inputs, c.Hidden)
			}},
			{Name: "forget", Dims: []int{c.Hidden}, Init: func(d cell.Draws) []float64 {
				return d.GateBiases(c.Hidden).Forget
			}},
		},
		StateDims: [][]int{{c.Hidden}},
		// Inside of a cell, there is an axis of R trials, 1 for one model, and time comes first.
		Prepare: func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
			seen := Einsum("trbi,rih->trbh", xs[0], weights["input"])
			return []*Node{seen}, []*Node{ExpandAxes(Sigmoid(weights["forget"]), 1)} // f [R, 1, H]
		},
		Step: func(_ *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
			h, seen, f := carry[0], x[0], weights[0]
			h = Add(seen, Mul(f, Sub(h, seen)))
			return []*Node{h}, []*Node{h}
		},
	}, nil
}

// Your own cell runs like those of the package: with gradients, lengths, initial states, and over trials.
func Example_ownCell() {
	engine := must(backend.New(""))
	run := func(scope *model.Scope, x *Node) *Node {
		return cell.New(scope, trace{Hidden: 3}, x).GateInit(chrono.Range{Min: 10, Max: 10}).Outputs()
	}
	const steps = 10
	pulse := make([]float64, steps)
	pulse[0] = 1
	h := model.MustCallOnce(engine, model.NewStore(), run, tensors.FromFlatDataAndDimensions(pulse, 1, steps, 1))
	values := h.Value().([][][]float64)[0] // [T, H]
	fmt.Printf("after %d steps %.2f is left, and 0.9^%d = 0.39\n", steps-1, values[steps-1][0]/values[0][0], steps-1)
	// Output: after 9 steps 0.39 is left, and 0.9^9 = 0.39
}
