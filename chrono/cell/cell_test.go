package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// goBackend is GoMLX's Go backend. Package conformance tests that the others compute the same.
var goBackend = must(backend.New("go"))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// cells is every cell under test; inputs is chosen on both sides of H where that changes how a cell works.
var cells = []struct {
	name      string
	cell      cell.Cell
	inputs    int
	reference reference // nil if a test of its own has the equations
	gates     []string
}{
	{"lstm/inputs in the loop", cell.LSTM{Hidden: 4}, 2, lstmReference, []string{"input", "forget"}},
	{"lstm/inputs before the loop", cell.LSTM{Hidden: 3}, 5, lstmReference, []string{"input", "forget"}},
	{"tied lstm/inputs in the loop", cell.TiedLSTM{Hidden: 4}, 2, tiedReference, []string{"input"}},
	{"tied lstm/inputs before the loop", cell.TiedLSTM{Hidden: 3}, 5, tiedReference, []string{"input"}},
	{"rnn/inputs in the loop", cell.RNN{Hidden: 4}, 2, rnnReference, nil},
	{"rnn/inputs before the loop", cell.RNN{Hidden: 3}, 3, rnnReference, nil},
	{"leaky/inputs in the loop", cell.Leaky{Hidden: 4}, 2, leakyReference, []string{"leak"}},
	{"leaky/inputs before the loop", cell.Leaky{Hidden: 3}, 4, leakyReference, []string{"leak"}},
	{"gated/inputs in the loop", cell.Gated{Hidden: 4}, 2, gatedReference, []string{"gate"}},
	{"gated/inputs before the loop", cell.Gated{Hidden: 3}, 4, gatedReference, []string{"gate"}},
	{"global gate/inputs in the loop", cell.GlobalGated{Hidden: 4}, 2, globalGatedReference, []string{"gate"}},
	{"global gate/inputs before the loop", cell.GlobalGated{Hidden: 3}, 4, globalGatedReference, []string{"gate"}},
	{"network gate/inputs in the loop", cell.NetworkGated{Hidden: 4, Network: 3}, 2, networkGatedReference, nil},
	{"network gate/inputs before the loop", cell.NetworkGated{Hidden: 3, Network: 4}, 4, networkGatedReference, nil},
	{"gru/inputs in the loop", cell.GRU{Hidden: 4}, 2, gruReference, []string{"update"}},
	{"gru/inputs before the loop", cell.GRU{Hidden: 3}, 4, gruReference, []string{"update"}},
	{"gru, reset after/inputs before the loop", cell.GRU{Hidden: 4, ResetAfter: true}, 2, resetAfterReference,
		[]string{"update"}},
	{"fast weights/inputs in the loop", finalFast, 2, fastReference(finalFast), nil},
	{"fast weights, from preliminary states/inputs before the loop", preliminaryFast, 4,
		fastReference(preliminaryFast), nil},
	{"rhn/inputs in the loop", cell.RHN{Hidden: 4, Depth: 3}, 2, rhnReference(3),
		[]string{"transform 1", "transform 2", "transform 3"}},
	{"rhn, masked/inputs before the loop", masked{cell.RHN{Hidden: 3, Depth: 2}}, 4, maskedReference(rhnReference(2)),
		[]string{"transform 1", "transform 2"}},
	{"lstm, masked/inputs in the loop", masked{cell.LSTM{Hidden: 3}}, 2, maskedReference(lstmReference),
		[]string{"input", "forget"}},
	{"tied lstm, masked/inputs before the loop", masked{cell.TiedLSTM{Hidden: 3}}, 4, maskedReference(tiedReference),
		[]string{"input"}},
	{"rnn, masked/inputs in the loop", masked{cell.RNN{Hidden: 3}}, 2, maskedReference(rnnReference), nil},
	{"leaky, masked/inputs in the loop", masked{cell.Leaky{Hidden: 3}}, 2, maskedReference(leakyReference),
		[]string{"leak"}},
	{"global gate, masked/inputs in the loop", masked{cell.GlobalGated{Hidden: 3}}, 2,
		maskedReference(globalGatedReference), []string{"gate"}},
	{"gru, masked/inputs in the loop", masked{cell.GRU{Hidden: 3}}, 2, maskedReference(gruReference),
		[]string{"update"}},
	{"gru, reset after, masked/inputs before the loop", masked{cell.GRU{Hidden: 3, ResetAfter: true}}, 4,
		maskedReference(resetAfterReference), []string{"update"}},
	{"normalized lstm", cell.Normalized(cell.LSTM{Hidden: 3}), 2, nil, nil},
	{"normalized gru", cell.Normalized(cell.GRU{Hidden: 3}), 4, nil, nil},
	{"normalized gru, reset after", cell.Normalized(cell.GRU{Hidden: 4, ResetAfter: true}), 2, nil, nil},
	{"minimal gru", cell.MinGRU{Hidden: 3}, 2, minGRUReference, []string{"gate"}},
	{"rg-lru", cell.RGLRU{Hidden: 3}, 2, rglruReference, nil},
	{"selective", cell.Selective{Hidden: 3, States: 2}, 4, selectiveReference, nil},
	{"lru", cell.LRU{Hidden: 3}, 2, lruReference, nil},
	{"bn-lstm", bnLSTM, 2, nil, []string{"input", "forget"}},
	{"bn-lstm, given statistics", givenBNLSTM{cell.BNLSTM{Hidden: 3, Gain: 0.1, Epsilon: bnLSTM.Epsilon}}, 4,
		givenReference, []string{"input", "forget"}},
}

// coupled tells whether sequences of a batch may depend on each other.
func coupled(c cell.Cell) bool {
	switch c.(type) {
	case cell.BNLSTM, givenBNLSTM:
		return true
	}
	return false
}

// layerOf is a cell's layer.
func layerOf(c cell.Cell, inputs int) cell.Layer { return must(c.Layer(inputs)) }

// reference computes one sequence x [T][I] in plain Go, from the papers' equations and the states before the first
// step: the outputs h [T][H], and the gates of the cell's Gates, each [T][H].
type reference func(hidden int, x [][]float64, weights map[string][]float64, first [][]float64) (
	h [][]float64, gates [][][]float64)

// term is a number that follows from the step t, the inputs x, the state h and the weights, for one unit.
type term func(hidden, t int, x, h []float64, w map[string][]float64, unit int) float64

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// affine is x·input + h·recurrent + bias for one unit, where the weights' names have that prefix, and row i of a
// matrix begins at i·width.
func affine(x, h []float64, w map[string][]float64, prefix string, width, unit int) float64 {
	sum := w[prefix+"bias"][unit]
	for i, v := range x {
		sum += v * w[prefix+"input"][i*width+unit]
	}
	for i, v := range h {
		sum += v * w[prefix+"recurrent"][i*width+unit]
	}
	return sum
}

func lstmReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
	out [][]float64, gates [][][]float64) {
	h, c := first[0], slices.Clone(first[1])
	gates = make([][][]float64, 2)
	for _, row := range x {
		next, in, forget := make([]float64, hidden), make([]float64, hidden), make([]float64, hidden)
		for u := range hidden {
			z := func(gate int) float64 { return affine(row, h, w, "", 4*hidden, gate*hidden+u) }
			in[u], forget[u] = sigmoid(z(0)), sigmoid(z(1))
			c[u] = forget[u]*c[u] + in[u]*math.Tanh(z(2))
			next[u] = sigmoid(z(3)) * math.Tanh(c[u])
		}
		h = next
		out, gates[0], gates[1] = append(out, h), append(gates[0], in), append(gates[1], forget)
	}
	return out, gates
}

func tiedReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
	out [][]float64, gates [][][]float64) {
	h, c := first[0], slices.Clone(first[1])
	gates = make([][][]float64, 1)
	for _, row := range x {
		next, in := make([]float64, hidden), make([]float64, hidden)
		for u := range hidden {
			z := func(gate int) float64 { return affine(row, h, w, "", 3*hidden, gate*hidden+u) }
			in[u] = sigmoid(z(0))
			c[u] = in[u]*math.Tanh(z(1)) + (1-in[u])*c[u]
			next[u] = sigmoid(z(2)) * math.Tanh(c[u])
		}
		h = next
		out, gates[0] = append(out, h), append(gates[0], in)
	}
	return out, gates
}

// oneGate runs h ← g·tanh(argument) + (1 − g)·h with g and the argument as functions of the step, x and h.
func oneGate(gate, argument term) reference {
	return func(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
		out [][]float64, gates [][][]float64) {
		h := first[0]
		gates = make([][][]float64, 1)
		for t, row := range x {
			next, g := make([]float64, hidden), make([]float64, hidden)
			for u := range hidden {
				g[u] = gate(hidden, t, row, h, w, u)
				next[u] = g[u]*math.Tanh(argument(hidden, t, row, h, w, u)) + (1-g[u])*h[u]
			}
			h = next
			out, gates[0] = append(out, h), append(gates[0], g)
		}
		return out, gates
	}
}

// block is one of several blocks of Wx·x + Wh·h + b, that many side by side.
func block(prefix string, blocks, place int) term {
	return func(hidden, _ int, x, h []float64, w map[string][]float64, u int) float64 {
		return affine(x, h, w, prefix, blocks*hidden, place*hidden+u)
	}
}

// squashed is σ of that.
func squashed(of term) term {
	return func(hidden, t int, x, h []float64, w map[string][]float64, u int) float64 {
		return sigmoid(of(hidden, t, x, h, w, u))
	}
}

var (
	always term = func(int, int, []float64, []float64, map[string][]float64, int) float64 { return 1 }

	rnnReference   = oneGate(always, block("", 1, 0))
	leakyReference = oneGate(func(_, _ int, _, _ []float64, w map[string][]float64, u int) float64 {
		return sigmoid(w["leak"][u])
	}, block("", 1, 0))
	gatedReference       = oneGate(squashed(block("", 2, 1)), block("", 2, 0))
	globalGatedReference = oneGate(func(_, _ int, x, h []float64, w map[string][]float64, _ int) float64 {
		return sigmoid(affine(x, h, w, "gate ", 1, 0))
	}, block("", 1, 0))
	gruReference = oneGate(squashed(block("gate ", 2, 1)),
		func(hidden, _ int, x, h []float64, w map[string][]float64, u int) float64 {
			kept := make([]float64, hidden)
			for k := range kept {
				kept[k] = h[k] * sigmoid(affine(x, h, w, "gate ", 2*hidden, k))
			}
			return affine(x, kept, w, "", hidden, u)
		})
)

// resetAfterReference is the GRU of PyTorch, in which r comes after the product.
var resetAfterReference = oneGate(squashed(block("gate ", 2, 1)),
	func(hidden, _ int, x, h []float64, w map[string][]float64, u int) float64 {
		recurrent := map[string][]float64{"bias": w["recurrent bias"], "recurrent": w["recurrent"]}
		r := sigmoid(affine(x, h, w, "gate ", 2*hidden, u))
		return affine(x, nil, w, "", hidden, u) + r*affine(nil, h, recurrent, "", hidden, u)
	})

func networkGatedReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
	[][]float64, [][][]float64) {
	network := map[string][]float64{
		"input": w["network input"], "bias": w["network bias"], "recurrent": w["network recurrent"],
	}
	k, _ := rnnReference(len(network["bias"]), x, network, first[1:])
	k = append(first[1:2:2], k...) // k[t] is what step t begins with
	out, _ := oneGate(func(hidden, t int, x, _ []float64, w map[string][]float64, u int) float64 {
		return sigmoid(affine(x, k[t], w, "gate ", hidden, u))
	}, block("", 1, 0))(hidden, x, w, first)
	return out, nil
}

func elements(dims []int) int {
	size := 1
	for _, d := range dims {
		size *= d
	}
	return size
}

func random(rng *rand.Rand, dims ...int) *tensors.Tensor {
	flat := make([]float64, elements(dims))
	for i := range flat {
		flat[i] = rng.NormFloat64()
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

func flat(t testing.TB, x *tensors.Tensor) []float64 {
	t.Helper()
	return tensors.MustCopyFlatData[float64](x)
}

// stored makes a store that holds the variables which a model makes for inputs of that shape.
func stored(backend compute.Backend, x *tensors.Tensor, build modelFn) *model.Store {
	store := model.NewStore()
	model.MustCallOnceN(backend, store, func(s *model.Scope, x *Node) []*Node { return build(s, x) }, x)
	return store
}

// modelFn is a model: its variables stand under s, its inputs are x.
type modelFn = func(s *model.Scope, x *Node) []*Node

// shuffled gives every variable of a store new values at random, so that no bias is zero.
func shuffled(t testing.TB, rng *rand.Rand, store *model.Store) {
	t.Helper()
	for v := range store.IterVariables() {
		set(t, v, random(rng, v.Shape().Dimensions...))
	}
}

func set(t testing.TB, v *model.Variable, value *tensors.Tensor) {
	t.Helper()
	check.OK(t, v.SetValue(value))
}

// sequence is the sequence b of trial r in values [T, R, B, n]: [T][n].
func sequence(values *tensors.Tensor, r, b int) [][]float64 {
	dims := values.Shape().Dimensions
	trials, batch, n := dims[1], dims[2], dims[3]
	flat := tensors.MustCopyFlatData[float64](values)
	rows := make([][]float64, dims[0])
	for t := range rows {
		begin := ((t*trials+r)*batch + b) * n
		rows[t] = flat[begin : begin+n]
	}
	return rows
}

// trialOf is trial r's part of values [R, …].
func trialOf(flat []float64, trials, r int) []float64 {
	size := len(flat) / trials
	return flat[r*size : (r+1)*size]
}

func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tolerance }) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// The cell computes the papers' equations, written once more in plain Go; and so do its gates. In both directions, for
// every trial and sequence, with biases and initial states that are not zero.
func TestEquations(t *testing.T) {
	const steps, trials, batch, tolerance = 7, 2, 3, 1e-12
	for i := range 2 * len(cells) {
		test, reverse := cells[i/2], i%2 == 1
		if test.reference == nil {
			continue
		}
		t.Run(fmt.Sprintf("%s/reverse=%v", test.name, reverse), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			x := random(rng, steps, trials, batch, test.inputs)
			first := make([]*tensors.Tensor, len(cell.StateDims(test.cell))) // [1, R, B, H] each
			args := []any{x}
			for i := range first {
				first[i] = random(rng, 1, trials, batch, elements(cell.StateDims(test.cell)[i]))
				args = append(args, first[i])
			}
			var names []string
			run := func(s *model.Scope, nodes []*Node) []*Node {
				var state []*Node
				for i, node := range nodes[1:] {
					dims := append([]int{trials, batch}, cell.StateDims(test.cell)[i]...)
					state = append(state, Reshape(node, dims...))
				}
				b := cell.New(s, test.cell, nodes[0]).Seeds(1, 2).From(state...)
				if reverse {
					b.Reverse()
				}
				ys, _ := b.Done()
				out := ys[:1]
				names = nil
				for _, gate := range b.Gates(ys[0]) {
					names, out = append(names, gate.Name), append(out, gate.Values)
				}
				return out
			}
			store := model.NewStore()
			model.MustCallOnceN(goBackend, store, run, args...)
			shuffled(t, rng, store)
			out := model.MustCallOnceN(goBackend, store, run, args...) // h, then the gates
			if !slices.Equal(names, test.gates) {
				t.Fatalf("gates %q, want %q", names, test.gates)
			}

			for i := range trials * batch {
				r, b := i/batch, i%batch
				xs := sequence(x, r, b)
				if reverse {
					slices.Reverse(xs)
				}
				var before [][]float64
				for _, state := range first {
					before = append(before, sequence(state, r, b)...)
				}
				weights := weightsOf(test.cell, test.inputs, store, r)
				first := cell.StateDims(test.cell)[0]
				h, gates := test.reference(first[len(first)-1], xs, weights, before)
				for i, want := range append([][][]float64{h}, gates[:len(test.gates)]...) {
					got := sequence(out[i], r, b)
					if reverse {
						slices.Reverse(got)
					}
					what := fmt.Sprintf("result %d, trial %d, sequence %d", i, r, b)
					compare(t, what, slices.Concat(got...), slices.Concat(want...), tolerance)
				}
			}
		})
	}
}

// While inputs and states are zero, a gate is σ of what is told as its bias, here a chrono initialization's.
func TestGatesAtRest(t *testing.T) {
	for _, test := range cells {
		t.Run(test.name, func(t *testing.T) {
			const trials, batch = 2, 2
			zeros := make([]float64, trials*batch*test.inputs)
			run := func(s *model.Scope, x *Node) []*Node {
				b := cell.New(s, test.cell, x).Seeds(1, 2)
				if test.gates != nil {
					b.GateInit(chrono.Chrono{Tmax: 50})
				}
				ys, _ := b.Done()
				out := ys[:1]
				for _, gate := range b.Gates(ys[0]) {
					bias := InsertAxes(gate.Bias, 0, 1) // [1, R, 1, H]
					out = append(out, gate.Values, BroadcastToShape(Sigmoid(bias), gate.Values.Shape()))
				}
				return out
			}
			out := model.MustCallOnceN(goBackend, model.NewStore(), run,
				tensors.FromFlatDataAndDimensions(zeros, 1, trials, batch, test.inputs))
			for i := 1; i < len(out); i += 2 {
				compare(t, test.gates[i/2], flat(t, out[i]), flat(t, out[i+1]), 1e-15)
				if slices.Contains(flat(t, out[i]), 0.5) {
					t.Errorf("%s is 1/2: its bias was not drawn", test.gates[i/2])
				}
			}
		})
	}
}

// weightsOf are trial r's weights in a store, by name.
func weightsOf(c cell.Cell, inputs int, store *model.Store, r int) map[string][]float64 {
	weights := make(map[string][]float64)
	for _, w := range layerOf(c, inputs).Weights {
		value := store.RootScope().GetVariable(w.Name).MustValue()
		weights[w.Name] = trialOf(tensors.MustCopyFlatData[float64](value), value.Shape().Dimensions[0], r)
	}
	return weights
}

// arguments of a run as a function of float64 nodes only: x, the states, the weights.
func arguments(rng *rand.Rand, c cell.Cell, inputs, steps, trials, batch int) []*tensors.Tensor {
	out := []*tensors.Tensor{random(rng, steps, trials, batch, inputs)}
	for _, dims := range cell.StateDims(c) {
		out = append(out, random(rng, append([]int{trials, batch}, dims...)...))
	}
	for _, w := range layerOf(c, inputs).Weights {
		out = append(out, random(rng, append([]int{trials}, w.Dims...)...))
	}
	return out
}

// Gradients agree with central differences for elements of every argument. (Package conformance compares them with
// those of the unrolled graph, on every engine.)
func TestFiniteDifferences(t *testing.T) {
	for _, test := range cells {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 3))
			args := arguments(rng, test.cell, test.inputs, 5, 1, 2)
			layer := layerOf(test.cell, test.inputs)
			states := len(layer.StateDims)
			run := MustNewExec(goBackend, func(nodes []*Node) []*Node {
				xs, stepWeights := layer.Prepare(nodes[:1], cell.ByName(layer.Weights, nodes[1+states:]))
				ys, final := scan.New(layer.Step).Unroll(2).Done(nodes[1:1+states], xs, stepWeights)
				loss := conformance.Weighted(slices.Concat(final, ys))
				return append([]*Node{loss}, Gradient(loss, nodes...)...)
			})
			gradients := run.MustCall(anys(args)...)[1:]
			for i, argument := range args {
				for range 3 {
					j := rng.IntN(argument.Size())
					const eps = 1e-5 // Error of order eps² and rounding of order 1e-16/eps.
					value := func(d float64) float64 {
						tensors.MustMutableFlatData(argument, func(flat []float64) { flat[j] += d })
						loss := run.MustCall(anys(args)...)[0].Value().(float64)
						tensors.MustMutableFlatData(argument, func(flat []float64) { flat[j] -= d })
						return loss
					}
					want := (value(eps) - value(-eps)) / (2 * eps)
					if got := flat(t, gradients[i])[j]; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
						t.Errorf("argument %d, element %d: gradient %g, central difference %g", i, j, got, want)
					}
				}
			}
		})
	}
}

// A second run that shares the scope uses the variables of the first, whatever its seeds: the weights, and those of an
// initial state.
func TestSharedVariables(t *testing.T) {
	x, context := firstInputs(2), random(rand.New(rand.NewPCG(34, 34)), firstTrials, firstBatch, 3)
	out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x, context *Node) []*Node {
		once, _ := cell.New(s.In("lstm"), cell.LSTM{Hidden: 3}, x).Seeds(1, 2).InitialState(deep, context).Done()
		again, _ := cell.New(s.Shared("lstm"), cell.LSTM{Hidden: 3}, x).Seeds(8, 9).InitialState(deep, context).Done()
		return []*Node{once[0], again[0]}
	}, x, context)
	compare(t, "h", flat(t, out[1]), flat(t, out[0]), 0)
}
