package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
)

var (
	oneLayer = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Orthogonal{}}
	deep     = cell.Contextual{
		Hidden: []int{5, 4}, Activation: cell.TanH{}, Output: cell.Linear{}, WeightInit: cell.He{},
	}
	rectified = cell.Contextual{
		Hidden: []int{6}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{},
	}
)

// learnedInitial is every initial state that learns, or has noise, and what it is in plain Go for one sequence: from
// what it learned for the sequence's trial, by path, and from its context and noise, of the states' sizes.
var learnedInitial = []struct {
	name     string
	initial  cell.InitialState
	features []int // of its context, without the noise
	noisy    bool
	want     func(v variablesOf, context, noise []float64, sizes []int) [][]float64
}{
	{"contextual, one layer", oneLayer, []int{3}, false,
		func(v variablesOf, context, _ []float64, sizes []int) [][]float64 {
			return contextualReference(v, "/first state/", oneLayer, context, sizes)
		}},
	{"contextual, of two nodes through two layers", deep, []int{2, 1}, false,
		func(v variablesOf, context, _ []float64, sizes []int) [][]float64 {
			return contextualReference(v, "/first state/", deep, context, sizes)
		}},
	{"learned", cell.Learned{}, nil, false,
		func(v variablesOf, _, _ []float64, sizes []int) (want [][]float64) {
			for i := range sizes {
				want = append(want, v(fmt.Sprint("/first state ", i)))
			}
			return want
		}},
	{"noisy copies", cell.Learned{Noise: 0.3}, nil, true,
		func(v variablesOf, _, noise []float64, sizes []int) (want [][]float64) {
			for i := range sizes {
				want = append(want, slices.Clone(v(fmt.Sprint("/first state ", i))))
				for u := range want[i] {
					want[i][u] += 0.3 * noise[0]
					noise = noise[1:]
				}
			}
			return want
		}},
	{"normal about a contextual", cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true,
		func(v variablesOf, context, noise []float64, sizes []int) [][]float64 {
			want := contextualReference(v, "/first state/", rectified, context, sizes)
			for i := range want {
				for u, sigma := range v(fmt.Sprint("/first deviation ", i)) {
					want[i][u] += math.Log1p(math.Exp(sigma)) * noise[0] // C(4)
					noise = noise[1:]
				}
			}
			return want
		}},
	{"h from context, the others zero", parts{rectified, cell.Zero{}}, []int{2}, false,
		func(v variablesOf, context, _ []float64, sizes []int) [][]float64 {
			want := contextualReference(v, "/part 0/first state/", rectified, context, sizes[:1])
			for _, size := range sizes[1:] {
				want = append(want, make([]float64, size))
			}
			return want
		}},
	{"noise for every state", parts{cell.Learned{Noise: 0.5},
		cell.NormalState{Mean: cell.Learned{}, Deviation: 0.25}}, nil, true,
		func(v variablesOf, _, noise []float64, sizes []int) (want [][]float64) {
			for i, size := range sizes {
				deviation := slices.Repeat([]float64{0.5}, size)
				if i > 0 {
					for u, sigma := range v(fmt.Sprintf("/part %d/first deviation 0", i)) {
						deviation[u] = math.Log1p(math.Exp(sigma))
					}
				}
				want = append(want, slices.Clone(v(fmt.Sprintf("/part %d/first state 0", i))))
				for u := range size {
					want[i][u] += deviation[u] * noise[u]
				}
				noise = noise[size:]
			}
			return want
		}},
	{"noise for h, the others from context", parts{cell.NormalState{Mean: rectified, Deviation: 0.25}, rectified},
		[]int{2}, true, func(v variablesOf, context, noise []float64, sizes []int) (want [][]float64) {
			for i := range sizes {
				scope := fmt.Sprintf("/part %d/first state/", i)
				want = append(want, contextualReference(v, scope, rectified, context, sizes[i:i+1])...)
			}
			for u, sigma := range v("/part 0/first deviation 0") {
				want[0][u] += math.Log1p(math.Exp(sigma)) * noise[u]
			}
			return want
		}},
}

// parts is cell.Parts for cells of any number of states: one part for h, and one for all others.
type parts struct{ first, others cell.InitialState }

func (p parts) Build(s *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	of := append([]cell.InitialState{p.first}, slices.Repeat([]cell.InitialState{p.others}, len(want)-1)...)
	return cell.Parts{Of: of}.Build(s, g, want, seeds, context)
}

// variablesOf gives one trial's values of the variable at a path.
type variablesOf func(path string) []float64

func contextualReference(v variablesOf, scope string, c cell.Contextual, context []float64, sizes []int) [][]float64 {
	of := func(a cell.Activation, x float64) float64 {
		switch a {
		case cell.TanH{}:
			return math.Tanh(x)
		case cell.ReLU{}:
			return max(x, 0)
		}
		return x
	}
	layer := func(path string, x []float64, a cell.Activation) []float64 {
		weights, out := v(path+"/weights"), slices.Clone(v(path+"/bias"))
		for u := range out {
			for i := range x {
				out[u] += x[i] * weights[i*len(out)+u]
			}
			out[u] = of(a, out[u])
		}
		return out
	}
	for i := range c.Hidden {
		context = layer(fmt.Sprint(scope, "layer ", i), context, c.Activation)
	}
	var state [][]float64
	for i := range sizes {
		state = append(state, layer(fmt.Sprint(scope, "state ", i), context, c.Output))
	}
	return state
}

// contexts draws the context of a learnedInitial for a cell: [R, B, F] each, the noise last.
func contexts(rng *rand.Rand, c cell.Cell, features []int, noisy bool, trials int) (context []*tensors.Tensor) {
	if noisy {
		features = append(slices.Clone(features), cell.StateSize(c))
	}
	for _, n := range features {
		context = append(context, random(rng, trials, firstBatch, n))
	}
	return context
}

// Every initial state that learns is what its equation says, for every cell, state, trial and sequence, whatever the
// values of its variables.
func TestLearnedInitialStates(t *testing.T) {
	for _, kind := range learnedInitial {
		for _, test := range cells {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(31, 31))
				context := contexts(rng, test.cell, kind.features, kind.noisy, firstTrials)
				args := anys(append([]*tensors.Tensor{firstInputs(1)}, context...)) // the inputs give it a graph
				build := func(s *model.Scope, nodes []*Node) []*Node {
					var want []shapes.Shape
					for _, dims := range cell.StateDims(test.cell) {
						dims = append([]int{firstTrials, firstBatch}, dims...)
						want = append(want, shapes.Make(dtypes.Float64, dims...))
					}
					return kind.initial.Build(s, nodes[0].Graph(), want, []uint64{1, 2}, nodes[1:])
				}
				store := model.NewStore()
				model.MustCallOnceN(goBackend, store, build, args...)
				shuffled(t, rng, store)
				out := model.MustCallOnceN(goBackend, store, build, args...)
				var sizes []int
				for _, dims := range cell.StateDims(test.cell) {
					sizes = append(sizes, elements(dims))
				}
				for place := range firstTrials * firstBatch {
					variables := func(path string) []float64 {
						return trialOf(flat(t, store.GetVariable(path).MustValue()), firstTrials, place/firstBatch)
					}
					var given [][]float64
					for _, tensor := range context {
						given = append(given, trialOf(flat(t, tensor), firstTrials*firstBatch, place))
					}
					var noise []float64
					if kind.noisy {
						noise, given = given[len(given)-1], given[:len(given)-1]
					}
					want := kind.want(variables, slices.Concat(given...), noise, sizes)
					for i := range want {
						got := trialOf(flat(t, out[i]), firstTrials*firstBatch, place)
						compare(t, fmt.Sprintf("state %d, place %d", i, place), got, want[i], 1e-13)
					}
				}
			})
		}
	}
}

func anys(values []*tensors.Tensor) (out []any) {
	for _, tensor := range values {
		out = append(out, tensor)
	}
	return out
}

// Gradients reach all that an initial state learns, and its context, through every cell: they are the central
// differences of the loss.
func TestGradientsReachInitialStates(t *testing.T) {
	for _, kind := range learnedInitial {
		for _, test := range cells {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(32, 32))
				context := contexts(rng, test.cell, kind.features, kind.noisy, firstTrials)
				args := anys(append([]*tensors.Tensor{firstInputs(test.inputs)}, context...))
				var learned []*model.Variable
				run := func(s *model.Scope, nodes []*Node) []*Node {
					ys, final := cell.New(s, test.cell, nodes[0]).Seeds(1, 2).Unroll(3).InitialState(kind.initial,
						nodes[1:]...).Done()
					loss := conformance.Weighted(slices.Concat(final, ys))
					targets := slices.Clone(nodes[1:])
					for _, v := range learned {
						targets = append(targets, v.NodeValue(nodes[0].Graph()))
					}
					return append([]*Node{loss}, Gradient(loss, targets...)...)
				}
				store := model.NewStore()
				model.MustCallOnceN(goBackend, store, run, args...)
				shuffled(t, rng, store)
				for v := range store.IterVariables() {
					if path := v.Path(); strings.HasPrefix(path, "/first") || strings.HasPrefix(path, "/part") {
						learned = append(learned, v)
					}
				}
				if len(learned) == 0 {
					t.Fatal("nothing is learned")
				}
				gradients := model.MustCallOnceN(goBackend, store, run, args...)[1:]
				// The gradient along a random direction through everything at once.
				const eps = 1e-5 // Error of order eps² and rounding of order 1e-16/eps.
				want, directions := 0.0, make([][]float64, len(gradients))
				for i, gradient := range gradients {
					values := flat(t, gradient)
					if slices.Max(values) == 0 && slices.Min(values) == 0 {
						t.Errorf("gradient %d is zero", i)
					}
					directions[i] = flat(t, random(rng, len(values)))
					for j, d := range directions[i] {
						want += d * values[j]
					}
				}
				var at [][]float64 // what is moved: the context, then what is learned
				for _, tensor := range context {
					at = append(at, flat(t, tensor))
				}
				for _, v := range learned {
					at = append(at, flat(t, v.MustValue()))
				}
				value := func(step float64) float64 {
					moved := slices.Clone(args)
					for i, tensor := range context {
						moved[1+i] = along(at[i], directions[i], step, tensor.Shape().Dimensions)
					}
					for i, v := range learned {
						i += len(context)
						set(t, v, along(at[i], directions[i], step, v.Shape().Dimensions))
					}
					return flat(t, model.MustCallOnceN(goBackend, store, run, moved...)[0])[0]
				}
				got := (value(eps) - value(-eps)) / (2 * eps)
				if !(math.Abs(got-want) < 1e-6*(1+math.Abs(want))) {
					t.Errorf("gradient %g, central difference %g", want, got)
				}
			})
		}
	}
}

// along is at + step·direction.
func along(at, direction []float64, step float64, dims []int) *tensors.Tensor {
	values := slices.Clone(at)
	for i, d := range direction {
		values[i] += step * d
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// The standard deviation is at first what is asked for, however small or large; and without noise h0 is its mean.
func TestNormalInitialDeviation(t *testing.T) {
	for _, deviation := range []float64{1e-12, 0.01, 0.25, 3, 900} {
		for _, epsilon := range []float64{1, 0} {
			state := flat(t, model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, noise *Node) *Node {
				normal := cell.NormalState{Mean: cell.Constant{Values: []float64{0}}, Deviation: deviation}
				want := []shapes.Shape{shapes.Make(dtypes.Float64, 1, 1, 2)}
				return normal.Build(s, noise.Graph(), want, []uint64{1}, []*Node{noise})[0]
			}, [][][]float64{{{epsilon, epsilon}}}))
			for _, h0 := range state {
				if math.Abs(h0-epsilon*deviation) > 1e-12*deviation {
					t.Errorf("h0 with noise %g is %g at first, want %g", epsilon, h0, epsilon*deviation)
				}
			}
		}
	}
}
