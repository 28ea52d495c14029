package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// GoMLX's Go backend, and the one that most runs use. (The former's default configuration can deadlock on two cores; running
// one op after the other does not.)
var (
	goBackend   = must(gobackend.New("ops_sequential"))
	simdBackend = must(simd.New(""))
	backends    = []compute.Backend{goBackend, simdBackend}
)

func must(b compute.Backend, err error) compute.Backend {
	if err != nil {
		panic(err)
	}
	return b
}

// cells is every cell under test; inputs is chosen on both sides of H where that changes how a cell works.
var cells = []struct {
	name      string
	cell      cell.Cell
	inputs    int
	reference reference
}{
	{"lstm/inputs in the loop", cell.LSTM{Hidden: 4}, 2, lstmReference},
	{"lstm/inputs before the loop", cell.LSTM{Hidden: 3}, 5, lstmReference},
	{"rnn/inputs in the loop", cell.RNN{Hidden: 4}, 2, rnnReference},
	{"rnn/inputs before the loop", cell.RNN{Hidden: 3}, 3, rnnReference},
	{"leaky/inputs in the loop", cell.Leaky{Hidden: 4}, 2, leakyReference},
	{"leaky/inputs before the loop", cell.Leaky{Hidden: 3}, 4, leakyReference},
	{"gated/inputs in the loop", cell.Gated{Hidden: 4}, 2, gatedReference},
	{"gated/inputs before the loop", cell.Gated{Hidden: 3}, 4, gatedReference},
	{"global gate/inputs in the loop", cell.GlobalGated{Hidden: 4}, 2, globalGatedReference},
	{"global gate/inputs before the loop", cell.GlobalGated{Hidden: 3}, 4, globalGatedReference},
	{"gru/inputs in the loop", cell.GRU{Hidden: 4}, 2, gruReference},
	{"gru/inputs before the loop", cell.GRU{Hidden: 3}, 4, gruReference},
}

// reference computes the outputs h [T][H] of one sequence in plain Go, from the paper's equations.
type reference func(hidden int, x [][]float64, weights [][]float64) [][]float64

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// affine is x·input + h·recurrent + bias for one unit, where row i of input and recurrent begins at i·width.
func affine(x, h, input, bias, recurrent []float64, width, unit int) float64 {
	sum := bias[unit]
	for i, v := range x {
		sum += v * input[i*width+unit]
	}
	for i, v := range h {
		sum += v * recurrent[i*width+unit]
	}
	return sum
}

func lstmReference(hidden int, x [][]float64, weights [][]float64) [][]float64 {
	h, c := make([]float64, hidden), make([]float64, hidden)
	var out [][]float64
	for _, row := range x {
		next := make([]float64, hidden)
		for u := range hidden {
			z := func(gate int) float64 {
				return affine(row, h, weights[0], weights[1], weights[2], 4*hidden, gate*hidden+u)
			}
			c[u] = sigmoid(z(1))*c[u] + sigmoid(z(0))*math.Tanh(z(2))
			next[u] = sigmoid(z(3)) * math.Tanh(c[u])
		}
		h = next
		out = append(out, h)
	}
	return out
}

// leakyStates runs h ← g·tanh(candidate) + (1 − g)·h with the gate and the candidate's argument as functions of x and h.
func leakyStates(hidden int, x [][]float64, gate, argument func(x, h []float64, unit int) float64) [][]float64 {
	h := make([]float64, hidden)
	var out [][]float64
	for _, row := range x {
		next := make([]float64, hidden)
		for u := range hidden {
			g := gate(row, h, u)
			next[u] = g*math.Tanh(argument(row, h, u)) + (1-g)*h[u]
		}
		h = next
		out = append(out, h)
	}
	return out
}

func rnnReference(hidden int, x [][]float64, w [][]float64) [][]float64 {
	return leakyStates(hidden, x,
		func(_, _ []float64, _ int) float64 { return 1 },
		func(x, h []float64, u int) float64 { return affine(x, h, w[0], w[1], w[2], hidden, u) })
}

func leakyReference(hidden int, x [][]float64, w [][]float64) [][]float64 {
	return leakyStates(hidden, x,
		func(_, _ []float64, u int) float64 { return sigmoid(w[3][u]) },
		func(x, h []float64, u int) float64 { return affine(x, h, w[0], w[1], w[2], hidden, u) })
}

func gatedReference(hidden int, x [][]float64, w [][]float64) [][]float64 {
	return leakyStates(hidden, x,
		func(x, h []float64, u int) float64 {
			return sigmoid(affine(x, h, w[0], w[1], w[2], 2*hidden, hidden+u))
		},
		func(x, h []float64, u int) float64 { return affine(x, h, w[0], w[1], w[2], 2*hidden, u) })
}

func globalGatedReference(hidden int, x [][]float64, w [][]float64) [][]float64 {
	return leakyStates(hidden, x,
		func(x, h []float64, _ int) float64 { return sigmoid(affine(x, h, w[3], w[4], w[5], 1, 0)) },
		func(x, h []float64, u int) float64 { return affine(x, h, w[0], w[1], w[2], hidden, u) })
}

func gruReference(hidden int, x [][]float64, w [][]float64) [][]float64 {
	return leakyStates(hidden, x,
		func(x, h []float64, u int) float64 {
			return sigmoid(affine(x, h, w[0], w[1], w[2], 2*hidden, hidden+u))
		},
		func(x, h []float64, u int) float64 {
			kept := make([]float64, hidden)
			for k := range kept {
				kept[k] = h[k] * sigmoid(affine(x, h, w[0], w[1], w[2], 2*hidden, k))
			}
			return affine(x, kept, w[3], w[4], w[5], hidden, u)
		})
}

func random(rng *rand.Rand, dims ...int) *tensors.Tensor {
	size := 1
	for _, d := range dims {
		size *= d
	}
	flat := make([]float64, size)
	for i := range flat {
		flat[i] = rng.NormFloat64()
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

func chronoInit(t testing.TB, tmax float64) chrono.Init {
	init, err := chrono.Chrono(tmax)
	if err != nil {
		t.Fatal(err)
	}
	return init
}

// newStore makes a store with a cell's variables as one trial or several would have them.
func newStore(t testing.TB, backend compute.Backend, c cell.Cell, inputs int, seeds []uint64) *model.Store {
	store := model.NewStore()
	x := tensors.FromFlatDataAndDimensions(make([]float64, len(seeds)*inputs), 1, len(seeds), 1, inputs)
	model.MustCallOnce(backend, store, func(s *model.Scope, x *Node) *Node {
		ys, _ := cell.New(s, c, x).Seeds(seeds...).Init(chronoInit(t, 9)).Done()
		return ys[0]
	}, x)
	return store
}

func flat(t testing.TB, x *tensors.Tensor) []float64 {
	t.Helper()
	return tensors.MustCopyFlatData[float64](x)
}

// The cell computes the paper's equations, written once more in plain Go.
func TestEquations(t *testing.T) {
	for _, test := range cells {
		t.Run(test.name, func(t *testing.T) {
			const steps = 7
			store := newStore(t, goBackend, test.cell, test.inputs, []uint64{5})
			xs := random(rand.New(rand.NewPCG(1, 1)), steps, 1, 1, test.inputs)
			h := model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
				ys, _ := cell.New(s, test.cell, x).Done()
				return ys[0]
			}, xs)
			var weights [][]float64
			for _, w := range test.cell.Weights(test.inputs) {
				weights = append(weights, flat(t, store.RootScope().GetVariable(w.Name).MustValue()))
			}
			rows := make([][]float64, steps)
			for i := range rows {
				rows[i] = flat(t, xs)[i*test.inputs : (i+1)*test.inputs]
			}
			hidden := test.cell.State()[0][0]
			got := flat(t, h)
			for i, row := range test.reference(hidden, rows, weights) {
				for u, want := range row {
					if math.Abs(got[i*hidden+u]-want) > 1e-12 {
						t.Fatalf("step %d, unit %d: got %g, want %g", i, u, got[i*hidden+u], want)
					}
				}
			}
		})
	}
}

// arguments of a run as a function of float64 nodes only: x, the states, the weights.
func arguments(rng *rand.Rand, c cell.Cell, inputs, steps, trials, batch int) []*tensors.Tensor {
	out := []*tensors.Tensor{random(rng, steps, trials, batch, inputs)}
	for _, dims := range c.State() {
		out = append(out, random(rng, append([]int{trials, batch}, dims...)...))
	}
	for _, w := range c.Weights(inputs) {
		out = append(out, random(rng, append([]int{trials}, w.Dims...)...))
	}
	return out
}

type loopFn func(step scan.Step, init, xs, weights []*Node) (final, ys []*Node)

func looped(unroll int) loopFn {
	return func(step scan.Step, init, xs, weights []*Node) (final, ys []*Node) {
		return scan.New(step).Unroll(unroll).Done(init, xs, weights)
	}
}

// lossAndGradients runs the cell and returns a loss of all results and its gradients for all arguments.
func lossAndGradients(backend compute.Backend, c cell.Cell, loop loopFn, arguments []*tensors.Tensor) [][]float64 {
	states := len(c.State())
	values := make([]any, len(arguments))
	for i, tensor := range arguments {
		values[i] = tensor
	}
	out := MustExecOnceN(backend, func(nodes []*Node) []*Node {
		xs, weights := c.Prepare(nodes[:1], nodes[1+states:])
		final, ys := loop(c.Step, nodes[1:1+states], xs, weights)
		var loss *Node
		for i, result := range append(append([]*Node{}, final...), ys...) {
			term := ReduceAllSum(Mul(Sin(AddScalar(IotaFull(result.Graph(), result.Shape()), float64(i))), result))
			if loss == nil {
				loss = term
			} else {
				loss = Add(loss, term)
			}
		}
		return append([]*Node{loss}, Gradient(loss, nodes...)...)
	}, values...)
	all := make([][]float64, len(out))
	for i, tensor := range out {
		all[i] = tensors.MustCopyFlatData[float64](tensor)
	}
	return all
}

// Value and gradients equal those of the unrolled graph, T = 6, to a relative error of 1e-9.
func TestEqualsUnrolled(t *testing.T) {
	for _, test := range cells {
		t.Run(test.name, func(t *testing.T) {
			draw := func() []*tensors.Tensor {
				return arguments(rand.New(rand.NewPCG(2, 2)), test.cell, test.inputs, 6, 2, 3)
			}
			want := lossAndGradients(goBackend, test.cell, scan.Unrolled, draw())
			for i, unroll := range []int{1, 4, 6, 1, 4, 6} {
				got := lossAndGradients(backends[i/3], test.cell, looped(unroll), draw())
				for i := range want {
					scale := 1e-12
					for _, v := range want[i] {
						scale = max(scale, math.Abs(v))
					}
					for j := range want[i] {
						if d := math.Abs(got[i][j]-want[i][j]) / scale; !(d < 1e-9) {
							t.Fatalf("unroll %d, result %d, element %d: got %g, want %g", unroll, i, j, got[i][j], want[i][j])
						}
					}
				}
			}
		})
	}
}

// Gradients agree with central differences for elements of every argument.
func TestFiniteDifferences(t *testing.T) {
	for _, test := range cells {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 3))
			args := arguments(rng, test.cell, test.inputs, 5, 1, 2)
			gradients := lossAndGradients(goBackend, test.cell, looped(2), args)[1:]
			for i, argument := range args {
				for range 3 {
					j := rng.IntN(argument.Size())
					const eps = 1e-5 // Error of order eps² and rounding of order 1e-16/eps.
					value := func(d float64) float64 {
						tensors.MustMutableFlatData(argument, func(flat []float64) { flat[j] += d })
						loss := lossAndGradients(goBackend, test.cell, looped(2), args)[0][0]
						tensors.MustMutableFlatData(argument, func(flat []float64) { flat[j] -= d })
						return loss
					}
					want := (value(eps) - value(-eps)) / (2 * eps)
					if got := gradients[i][j]; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
						t.Errorf("argument %d, element %d: gradient %g, central difference %g", i, j, got, want)
					}
				}
			}
		})
	}
}

// Trial r of R gives the same bits as that trial alone: start values, outputs and gradients.
func TestTrialsAreIndependent(t *testing.T) {
	const steps, batch = 6, 3
	seeds := []uint64{11, 12, 13}
	run := func(t *testing.T, backend compute.Backend, c cell.Cell, inputs int, seeds []uint64, xs *tensors.Tensor) (out [][]float64) {
		store := newStore(t, backend, c, inputs, seeds)
		results := model.MustCallOnceN(backend, store, func(s *model.Scope, x *Node) []*Node {
			ys, _ := cell.New(s, c, x).Unroll(4).Done()
			logits := cell.Dense(s.In("read-out"), ys[0], 2, seeds...)
			loss := ReduceAllSum(Square(logits))
			gradients := s.BuildTrainableVariablesGradientsGraph(loss)
			return append([]*Node{TransposeAllAxes(logits, 1, 0, 2, 3)}, gradients...)
		}, xs)
		for _, tensor := range results {
			out = append(out, flat(t, tensor))
		}
		return out
	}
	for i := range 2 * len(cells) {
		test, backend := cells[i/2], backends[i%2]
		t.Run(test.name+"/"+backend.String(), func(t *testing.T) {
			xs := random(rand.New(rand.NewPCG(4, 4)), steps, len(seeds), batch, test.inputs)
			together := run(t, backend, test.cell, test.inputs, seeds, xs)
			for r, seed := range seeds {
				var own []float64
				width := batch * test.inputs
				for step := range steps {
					begin := (step*len(seeds) + r) * width
					own = append(own, flat(t, xs)[begin:begin+width]...)
				}
				alone := run(t, backend, test.cell, test.inputs, []uint64{seed},
					tensors.FromFlatDataAndDimensions(own, steps, 1, batch, test.inputs))
				for i, want := range alone {
					got := together[i][r*len(want) : (r+1)*len(want)]
					for j := range want {
						if got[j] != want[j] {
							t.Fatalf("trial %d, result %d, element %d: %v among %d trials, %v alone", r, i, j, got[j], len(seeds), want[j])
						}
					}
				}
			}
		})
	}
}

func TestLSTMInit(t *testing.T) {
	const hidden, inputs = 6, 3
	l := cell.LSTM{Hidden: hidden}
	weights := l.Init(chrono.RNG(1), inputs, chronoInit(t, 100))
	bias, recurrent := weights[1], weights[2]
	for u := range hidden {
		if bias[u] != -bias[hidden+u] || bias[hidden+u] < 0 || bias[hidden+u] > math.Log(99) {
			t.Errorf("unit %d: input bias %g, forget bias %g, want b_i = −b_f and 0 ≤ b_f ≤ log 99", u, bias[u], bias[hidden+u])
		}
		if bias[2*hidden+u] != 0 || bias[3*hidden+u] != 0 {
			t.Errorf("unit %d: cell and output bias %g, %g, want 0", u, bias[2*hidden+u], bias[3*hidden+u])
		}
	}
	limit := math.Sqrt(6.0 / (inputs + hidden))
	for i, v := range weights[0] {
		if math.Abs(v) > limit {
			t.Errorf("input weight %d is %g, beyond Glorot's limit %g", i, v, limit)
		}
	}
	// Each gate's block times its transpose is the identity.
	for gate := range 4 {
		for a := range hidden {
			for b := range hidden {
				var sum, want float64
				for u := range hidden {
					sum += recurrent[a*4*hidden+gate*hidden+u] * recurrent[b*4*hidden+gate*hidden+u]
				}
				if a == b {
					want = 1
				}
				if math.Abs(sum-want) > 1e-12 {
					t.Fatalf("gate %d: rows %d and %d have product %g, want %g", gate, a, b, sum, want)
				}
			}
		}
	}
}

func TestSharedVariables(t *testing.T) {
	store := newStore(t, goBackend, cell.LSTM{Hidden: 3}, 2, []uint64{1})
	before := fmt.Sprint(store.RootScope().GetVariable("recurrent").MustValue())
	x := random(rand.New(rand.NewPCG(6, 6)), 2, 1, 1, 2)
	model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
		first, _ := cell.New(s, cell.LSTM{Hidden: 3}, x).Seeds(99).Done()
		return first[0]
	}, x)
	if after := fmt.Sprint(store.RootScope().GetVariable("recurrent").MustValue()); after != before {
		t.Error("a second run under the same scope drew its weights anew")
	}
}

func TestRefused(t *testing.T) {
	x := random(rand.New(rand.NewPCG(7, 7)), 2, 2, 1, 3)
	for name, build := range map[string]func(s *model.Scope, x *Node){
		"seeds": func(s *model.Scope, x *Node) { cell.New(s, cell.LSTM{Hidden: 3}, x).Seeds(1, 2, 3).Done() },
		"inputs": func(s *model.Scope, x *Node) {
			cell.New(s, cell.LSTM{Hidden: 3}, Squeeze(Slice(x, AxisRange(0, 1)), 0))
		},
		"rank":       func(s *model.Scope, x *Node) { cell.Dense(s, ReduceAllSum(x), 2) },
		"dense seed": func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, 1, 2, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := model.CallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
				build(s, x)
				return []*Node{x}
			}, x)
			if err == nil {
				t.Error("no error")
			}
		})
	}
}

// Every gate that the papers initialize starts with the biases of the initialization, and every other bias at zero.
func TestGateBiases(t *testing.T) {
	const hidden, inputs = 4, 2
	init := func(_ *rand.Rand, units int) chrono.Biases {
		b := chrono.Biases{}
		for u := range units {
			b.Forget, b.Input = append(b.Forget, float64(10+u)), append(b.Input, -float64(20+u))
		}
		return b
	}
	zero, input, forget := []float64{0, 0, 0, 0}, []float64{-20, -21, -22, -23}, []float64{10, 11, 12, 13}
	for _, test := range []struct {
		cell   cell.Cell
		weight string
		want   []float64
	}{
		{cell.LSTM{Hidden: hidden}, "bias", slices.Concat(input, forget, zero, zero)},
		{cell.RNN{Hidden: hidden}, "bias", zero},
		{cell.Leaky{Hidden: hidden}, "bias", zero},
		{cell.Leaky{Hidden: hidden}, "leak", input},
		{cell.Gated{Hidden: hidden}, "bias", slices.Concat(zero, input)},
		{cell.GlobalGated{Hidden: hidden}, "bias", zero},
		{cell.GlobalGated{Hidden: hidden}, "gate bias", input[:1]},
		{cell.GRU{Hidden: hidden}, "gate bias", slices.Concat(zero, input)},
		{cell.GRU{Hidden: hidden}, "bias", zero},
	} {
		drawn := test.cell.Init(chrono.RNG(1), inputs, init)
		i := slices.IndexFunc(test.cell.Weights(inputs), func(w cell.Weight) bool { return w.Name == test.weight })
		if got := drawn[i]; !slices.Equal(got, test.want) {
			t.Errorf("%T: %s starts as %v, want %v", test.cell, test.weight, got, test.want)
		}
	}
}
