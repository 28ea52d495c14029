package cell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// W says below (10) that it closely resembles the cell units of LSTMs and the hidden units of GRUs. These tests say in
// what they are the same.

// open is the bias of a gate whose σ is 1 to the last bit.
const open = 40

// withWeights runs a cell of one trial with these weights, over x [T, 1, B, I] and from these states [1, B, H], and
// returns h [T, 1, B, H].
func withWeights(c cell.Cell, weights [][]float64, x *tensors.Tensor, states ...*tensors.Tensor) *tensors.Tensor {
	inputs := x.Shape().Dimensions[3]
	store := model.NewStore()
	for i, w := range c.Weights(inputs) {
		value := tensors.FromFlatDataAndDimensions(weights[i], append([]int{1}, w.Dims...)...)
		store.RootScope().VariableWithValue(w.Name, value)
	}
	args := []any{x}
	for _, state := range states {
		args = append(args, state)
	}
	return model.MustCallOnceN(goBackend, store, func(s *model.Scope, nodes []*Node) []*Node {
		ys, _ := cell.New(s, c, nodes[0]).From(nodes[1:]...).Done()
		return ys[:1]
	}, args...)[0]
}

// drawn are weights at random for the inputs, biases and recurrent weights of that many blocks.
func drawn(rng *rand.Rand, inputs, hidden, blocks int) (input, bias, recurrent [][]float64) {
	normal := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = rng.NormFloat64()
		}
		return out
	}
	for range blocks {
		input, bias = append(input, normal(inputs*hidden)), append(bias, normal(hidden))
		recurrent = append(recurrent, normal(hidden*hidden))
	}
	return input, bias, recurrent
}

// sideBySide joins matrices of that many columns.
func sideBySide(columns int, matrices ...[]float64) []float64 {
	var out []float64
	for begin := 0; begin < len(matrices[0]); begin += columns {
		for _, m := range matrices {
			out = append(out, m[begin:begin+columns]...)
		}
	}
	return out
}

func negative(values []float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}

const gatedInputs, gatedHidden, gatedSteps, gatedBatch = 3, 5, 20, 2

// A GRU whose reset gate is open is (10).
func TestGRUWithResetOpenIsGated(t *testing.T) {
	const n = gatedHidden
	rng := rand.New(rand.NewPCG(7, 1))
	x, h0 := random(rng, gatedSteps, 1, gatedBatch, gatedInputs), random(rng, 1, gatedBatch, n)
	in, bias, rec := drawn(rng, gatedInputs, n, 2) // candidate, gate
	zeros, opened := make([]float64, gatedInputs*n), slices.Repeat([]float64{open}, n)
	gru := withWeights(cell.GRU{Hidden: n}, [][]float64{
		sideBySide(n, zeros, in[1]), slices.Concat(opened, bias[1]), sideBySide(n, make([]float64, n*n), rec[1]),
		in[0], bias[0], rec[0],
	}, x, h0)
	gated := withWeights(cell.Gated{Hidden: n}, [][]float64{
		sideBySide(n, in...), slices.Concat(bias...), sideBySide(n, rec...),
	}, x, h0)
	compare(t, "h", flat(t, gru), flat(t, gated), 1e-12)
}

// An LSTM with i = 1 − f and an open output gate: c obeys (10), with tanh(c) fed back in the place of c.
func TestTiedLSTMIsGated(t *testing.T) {
	const n = gatedHidden
	rng := rand.New(rand.NewPCG(7, 2))
	x, c0 := random(rng, gatedSteps, 1, gatedBatch, gatedInputs), random(rng, 1, gatedBatch, n)
	in, bias, rec := drawn(rng, gatedInputs, n, 2) // candidate, gate
	zeros, opened := make([]float64, gatedInputs*n), slices.Repeat([]float64{open}, n)
	fed := func(c []float64) []float64 {
		out := slices.Clone(c)
		for u := range out {
			out[u] = math.Tanh(c[u])
		}
		return out
	}
	h0 := tensors.FromFlatDataAndDimensions(fed(flat(t, c0)), 1, gatedBatch, n)
	lstm := withWeights(cell.LSTM{Hidden: n}, [][]float64{
		sideBySide(n, in[1], negative(in[1]), in[0], zeros), // i, f, c, o
		slices.Concat(bias[1], negative(bias[1]), bias[0], opened),
		sideBySide(n, rec[1], negative(rec[1]), rec[0], make([]float64, n*n)),
	}, x, h0, c0)
	for b := range gatedBatch {
		first := [][]float64{flat(t, c0)[b*n : (b+1)*n]}
		c, _ := oneGate(n, sequence(x, 0, b), first,
			func(x, c []float64, u int) float64 { return sigmoid(affine(x, fed(c), in[1], bias[1], rec[1], n, u)) },
			func(x, c []float64, u int) float64 { return affine(x, fed(c), in[0], bias[0], rec[0], n, u) })
		for step, h := range sequence(lstm, 0, b) {
			compare(t, "h", h, fed(c[step]), 1e-12)
		}
	}
}

// (10) with the same gate for every unit is (8); and a gate from a network that says nothing is one from x alone.
func TestKindsOfGatesMeet(t *testing.T) {
	const n, network = gatedHidden, 3
	rng := rand.New(rand.NewPCG(7, 3))
	x, h0 := random(rng, gatedSteps, 1, gatedBatch, gatedInputs), random(rng, 1, gatedBatch, n)
	in, bias, rec := drawn(rng, gatedInputs, n, 2)
	for row := range gatedInputs { // all columns of the gate alike
		copy(in[1][row*n:], slices.Repeat(in[1][row*n:row*n+1], n))
	}
	copy(bias[1], slices.Repeat(bias[1][:1], n))
	column := func(matrix []float64) (first []float64) {
		for begin := 0; begin < len(matrix); begin += n {
			first = append(first, matrix[begin])
		}
		return first
	}
	for row := range n {
		copy(rec[1][row*n:], slices.Repeat(rec[1][row*n:row*n+1], n))
	}
	gated := func(rec [][]float64) []float64 {
		return flat(t, withWeights(cell.Gated{Hidden: n}, [][]float64{
			sideBySide(n, in...), slices.Concat(bias...), sideBySide(n, rec...),
		}, x, h0))
	}
	global := withWeights(cell.GlobalGated{Hidden: n},
		[][]float64{in[0], bias[0], rec[0], column(in[1]), bias[1][:1], column(rec[1])}, x, h0)
	compare(t, "one gate", flat(t, global), gated(rec), 1e-12)

	k0 := random(rng, 1, gatedBatch, network)
	kIn, kBias, kRec := drawn(rng, gatedInputs, network, 1)
	silent := withWeights(cell.NetworkGated{Hidden: n, Network: network}, [][]float64{
		in[0], bias[0], rec[0], kIn[0], kBias[0], kRec[0], in[1], bias[1], make([]float64, network*n),
	}, x, h0, k0)
	compare(t, "a silent network", flat(t, silent), gated([][]float64{rec[0], make([]float64, n*n)}), 1e-12)
}

// W footnote 5: what a cell and its gates do at a step depends on the inputs up to that step, and h does depend on
// these.
func TestCausal(t *testing.T) {
	const steps, trials, batch, changed = 6, 2, 2, 3
	for i := range 2 * len(cells) {
		test, reverse := cells[i/2], i%2 == 1
		rng := rand.New(rand.NewPCG(8, 8))
		x := random(rng, steps, trials, batch, test.inputs)
		store := model.NewStore()
		run := func() [][]float64 {
			out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
				b := cell.New(s, test.cell, x)
				if reverse {
					b.Reverse()
				}
				ys, _ := b.Done()
				out := ys[:1]
				for _, gate := range b.Gates(ys[0]) {
					out = append(out, gate.Values)
				}
				return out
			}, x)
			var all [][]float64
			for _, values := range out {
				all = append(all, flat(t, values))
			}
			return all
		}
		before := run()
		size := x.Size() / steps
		tensors.MustMutableFlatData(x, func(x []float64) {
			for i := range x[changed*size : (changed+1)*size] {
				x[changed*size+i] = rng.NormFloat64()
			}
		})
		for result, after := range run() {
			for step := range steps {
				width := len(after) / steps
				same := slices.Equal(before[result][step*width:(step+1)*width], after[step*width:(step+1)*width])
				early := step < changed != reverse && step != changed
				if early && !same || !early && same && result == 0 { // a leak depends on no input
					t.Errorf("%s, reverse %v: x changes at step %d, result %d of step %d is the same: %v",
						test.name, reverse, changed, result, step, same)
				}
			}
		}
	}
}

// W Section 2: while inputs and states are centred over time, g takes values centred around σ(bg). Untrained, and with
// inputs of mean 0 and variance 1.
func TestGatesAreCentred(t *testing.T) {
	const steps, hidden, inputs = 400, 64, 10
	for _, c := range []cell.Cell{cell.Gated{Hidden: hidden}, cell.GRU{Hidden: hidden}, cell.LSTM{Hidden: hidden}} {
		x := random(rand.New(rand.NewPCG(9, 9)), steps, 1, 4, inputs)
		out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
			b := cell.New(s, c, x).GateInit(chrono.Chrono{Tmax: 100})
			ys, _ := b.Done()
			var out []*Node
			for _, gate := range b.Gates(ys[0]) {
				out = append(out, Squeeze(ReduceMean(gate.Values, 0, 2)), Squeeze(Sigmoid(gate.Bias)))
			}
			return out
		}, x)
		for i := 0; i < len(out); i += 2 {
			mean, at := flat(t, out[i]), flat(t, out[i+1])
			for u := range mean {
				if d := math.Abs(mean[u] - at[u]); !(d <= 0.05) {
					t.Errorf("%T, gate %d, unit %d: mean %.3f, σ(b) %.3f", c, i/2, u, mean[u], at[u])
				}
			}
		}
	}
}
