package show

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// What the notebook of the derivation measures of untrained cells, with all their random weights.

// GateRatios are, for each gate of a cell with these biases and each unit, its mean over x [T, 1, B, I] divided by
// σ(b). Of a forget gate f they are those of 1 − f, which is the reciprocal of its time scale as the others' values are
// of theirs.
func GateRatios(c cell.Cell, init chrono.GateInit, x *tensors.Tensor) [][]float32 {
	ratios := func(scope *model.Scope, x *graph.Node) *graph.Node {
		b := cell.New(scope, c, x).GateInit(init)
		ys, _ := b.Done()
		var all []*graph.Node
		for _, gate := range b.Gates(ys[0]) { // [T, 1, B, H]
			values, bias := gate.Values, gate.Bias
			if gate.Name == "forget" {
				values, bias = graph.OneMinus(values), graph.Neg(bias)
			}
			all = append(all, graph.Div(graph.ReduceMean(values, 0, 2), graph.Sigmoid(bias)))
		}
		return graph.Concatenate(all, 0)
	}
	return model.MustCallOnce(Engine(), model.NewStore(), ratios, x).Value().([][]float32)
}

// The sizes of Pulses: steps, sequences with a pulse, and inputs.
const pulseSteps, pulseBatch, pulseInputs = 500, 16, 10

// Pulses are inputs [T, 2, 2B, I] for Remembered: for both of its trials B sequences with a pulse at step 0, and the
// same B without, each with noise of the given size.
func Pulses(noise float32) *tensors.Tensor {
	const T, B, I = pulseSteps, pulseBatch, pulseInputs
	rng := chrono.RNG(1, "pulses")
	xs := make([]float32, T*2*2*B*I)
	for t := range T {
		for b := range B {
			for f := range I {
				pulse, rest := float32(0), noise*float32(rng.NormFloat64())
				if t == 0 {
					pulse = float32(rng.NormFloat64())
				}
				for trial := range 2 {
					with := ((t*2+trial)*2*B + b) * I
					xs[with+f], xs[with+B*I+f] = rest+pulse, rest
				}
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(xs, T, 2, 2*B, I)
}

// Remembered is, for each of two initializations and each step, the distance between the states with and without the
// pulse, averaged over sequences, relative to its largest value.
func Remembered(c cell.Cell, inits [2]chrono.GateInit, xs *tensors.Tensor) (out [2][]float64) {
	apart := func(scope *model.Scope, xs *graph.Node) *graph.Node {
		ys, _ := cell.New(scope, c, xs).GateInit(inits[:]...).Seeds(1, 1).Done() // h [T, 2, 2B, H]
		halves := graph.Split(ys[0], 2, 2)                                       // with the pulse, and without
		return graph.ReduceMean(graph.L2Norm(graph.Sub(halves[0], halves[1]), -1), -1, -2)
	}
	distance := model.MustCallOnce(Engine(), model.NewStore(), apart, xs).Value().([][]float32)
	for init := range out {
		for t := range distance {
			out[init] = append(out[init], float64(distance[t][init]))
		}
		out[init] = Scaled(1/slices.Max(out[init]), out[init])
	}
	return out
}

// Tenth is the number of steps until less than a tenth is left for good.
func Tenth(remembered []float64) int {
	last := 0
	for t, r := range remembered {
		if r >= 0.1 {
			last = t + 1
		}
	}
	return last
}

// GradientsEvery and gradientsBack are the steps between the states that Gradients looks at, and in all.
const GradientsEvery, gradientsBack = 10, 200

// Gradients are the sizes of ∂(v·h_T)/∂(states at T − k) for k = 0, 10, 20 … and each of the biases, over noise, with v
// random and of length 1: the root mean square over sequences, [k/10][R].
func Gradients(c cell.Cell, inits ...chrono.GateInit) [][]float32 {
	const batch, inputs = 32, 10
	trials := max(1, len(inits))
	sizes := func(scope *model.Scope, x, v *graph.Node) *graph.Node {
		var all, states []*graph.Node // all: of all parts
		for t := 0; t < gradientsBack; t += GradientsEvery {
			part := cell.New(scope.ResetVisited(), c, graph.Slice(x, graph.AxisRange(t, t+GradientsEvery)))
			part.Seeds(slices.Repeat([]uint64{1}, trials)...)
			if len(inits) > 0 {
				part.GateInit(inits...)
			}
			if states != nil {
				part.From(states...)
			}
			_, states = part.Done()
			all = append(all, states...)
		}
		gradients := graph.Gradient(graph.ReduceAllSum(graph.Mul(states[0], v)), all...)
		return perPart(gradients, len(states))
	}
	rng, hidden := chrono.RNG(1, "gradients"), c.StateDims()[0][0]
	x := normal(rng, 1, gradientsBack, trials, batch, inputs)
	v := normal(rng, 1/math.Sqrt(float64(hidden)), trials, batch, hidden)
	return model.MustCallOnce(Engine(), model.NewStore(), sizes, x, v).Value().([][]float32)
}

// perPart are the gradients' sizes [parts, R], the last part first; each part has as many states.
func perPart(gradients []*graph.Node, states int) *graph.Node {
	var sizes []*graph.Node
	for end := len(gradients); end > 0; end -= states {
		var square *graph.Node
		for _, g := range gradients[end-states : end] { // [R, B, H]
			of := graph.ReduceMean(graph.ReduceSum(graph.Square(g), -1), -1)
			if square == nil {
				square = of
			} else {
				square = graph.Add(square, of)
			}
		}
		sizes = append(sizes, graph.Sqrt(square))
	}
	return graph.Stack(sizes, 0)
}

func normal(rng *rand.Rand, size float64, dims ...int) *tensors.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(size * rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// OrMore writes a number of steps, or that it is not known because the run has ended.
func OrMore(steps, end int) string {
	if steps >= end {
		return fmt.Sprintf("≥ %d", end)
	}
	return fmt.Sprint(steps)
}
