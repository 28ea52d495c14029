package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// The sizes of the runs below.
const firstSteps, firstTrials, firstBatch = 4, 2, 3

func firstInputs(inputs int) *tensors.Tensor {
	return random(rand.New(rand.NewPCG(11, 11)), firstSteps, firstTrials, firstBatch, inputs)
}

var (
	oneLayer = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Orthogonal{}}
	deep     = cell.Contextual{Hidden: []int{5, 4}, Activation: cell.TanH{}, Output: cell.Linear{},
		WeightInit: cell.He{}}
	rectified = cell.Contextual{Hidden: []int{6}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}
)

// A place is one sequence of a trial: what the trial has learned, by path, the sequence's context and noise, and how
// many states it is to have, of which sizes.
type place struct {
	trial          int
	learned        func(path string) row
	context, noise row
	sizes          []int
}

// initialStates is every initial state, and what it is in plain Go.
var initialStates = []struct {
	name     string
	initial  cell.InitialState
	features []int // of its context, without the noise
	noisy    bool
	want     func(p place, state int) row
}{
	{"zero", cell.Zero{}, nil, false, func(p place, i int) row { return make(row, p.sizes[i]) }},
	{"constant", cell.Constant{Values: []float64{0.25}}, nil, false,
		func(p place, i int) row { return slices.Repeat(row{0.25}, p.sizes[i]) }},
	{"a constant per trial", cell.Constant{Values: []float64{0.25, -0.5}}, nil, false,
		func(p place, i int) row { return slices.Repeat(row{0.25 - 0.75*float64(p.trial)}, p.sizes[i]) }},
	{"contextual, one layer", oneLayer, []int{3}, false,
		func(p place, i int) row { return p.contextual("/first state/", oneLayer, i) }},
	{"contextual, of two nodes through two layers", deep, []int{2, 1}, false,
		func(p place, i int) row { return p.contextual("/first state/", deep, i) }},
	{"learned", cell.Learned{}, nil, false,
		func(p place, i int) row { return p.learned(fmt.Sprint("/first state ", i)) }},
	{"noisy copies", cell.Learned{Noise: 0.3}, nil, true,
		func(p place, i int) row { return p.noisy(p.learned(fmt.Sprint("/first state ", i)), row{0.3}, i) }},
	{"normal about a contextual", cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true,
		func(p place, i int) row { // C(4)
			sigma := softplus(p.learned(fmt.Sprint("/first deviation ", i)))
			return p.noisy(p.contextual("/first state/", rectified, i), sigma, i)
		}},
	{"h from context, the others zero", parts{rectified, cell.Zero{}}, []int{2}, false,
		func(p place, i int) row {
			if i > 0 {
				return make(row, p.sizes[i])
			}
			return p.contextual("/part 0/first state/", rectified, 0)
		}},
	{"noise for every state", parts{cell.Learned{Noise: 0.5},
		cell.NormalState{Mean: cell.Learned{}, Deviation: 0.25}}, nil, true,
		func(p place, i int) row {
			deviation := row{0.5}
			if i > 0 {
				deviation = softplus(p.learned(fmt.Sprintf("/part %d/first deviation 0", i)))
			}
			return p.noisy(p.learned(fmt.Sprintf("/part %d/first state 0", i)), deviation, i)
		}},
	{"noise for h, the others from context", parts{cell.NormalState{Mean: rectified, Deviation: 0.25}, rectified},
		[]int{2}, true, func(p place, i int) row {
			mean := p.contextual(fmt.Sprintf("/part %d/first state/", i), rectified, 0)
			if i > 0 {
				return mean
			}
			return p.noisy(mean, softplus(p.learned("/part 0/first deviation 0")), 0)
		}},
}

// parts is cell.Parts for cells of any number of states: one part for h, and one for all others.
type parts struct{ first, others cell.InitialState }

func (p parts) Build(s *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	of := append([]cell.InitialState{p.first}, slices.Repeat([]cell.InitialState{p.others}, len(want)-1)...)
	return cell.Parts{Of: of}.Build(s, g, want, seeds, context)
}

// noisy adds the noise of a state, times its deviation.
func (p place) noisy(mean, deviation row, state int) row {
	begin := 0
	for _, size := range p.sizes[:state] {
		begin += size
	}
	noise := p.noise[begin : begin+p.sizes[state]]
	return add(mean, mul(slices.Repeat(deviation, len(noise)/len(deviation)), noise))
}

// contextual is state i of a contextual initial state whose variables are under that scope.
func (p place) contextual(scope string, c cell.Contextual, i int) row {
	layer := func(path string, x row, a cell.Activation) row {
		z := add(times(x, p.learned(path+"/weights")), p.learned(path+"/bias"))
		switch a {
		case cell.TanH{}:
			return tanh(z)
		case cell.ReLU{}:
			return relu(z)
		}
		return z
	}
	x := p.context
	for k := range c.Hidden {
		x = layer(fmt.Sprint(scope, "layer ", k), x, c.Activation)
	}
	return layer(fmt.Sprint(scope, "state ", i), x, c.Output)
}

// contexts draws the context of an initial state for a cell: [R, B, F] each, the noise last.
func contexts(rng *rand.Rand, c cell.Cell, features []int, noisy bool) (context []*tensors.Tensor) {
	if noisy {
		features = append(slices.Clone(features), cell.StateSize(c))
	}
	for _, n := range features {
		context = append(context, random(rng, firstTrials, firstBatch, n))
	}
	return context
}

func anys(values []*tensors.Tensor) []any {
	return xslices.Map(values, func(tensor *tensors.Tensor) any { return tensor })
}

// Every initial state is what its equation says, for every cell, state, trial and sequence, whatever the values of its
// variables; and a run begins in it.
func TestInitialStates(t *testing.T) {
	const places = firstTrials * firstBatch
	for _, kind := range initialStates {
		for _, test := range cells {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(31, 31))
				context := contexts(rng, test.cell, kind.features, kind.noisy)
				args := anys(append([]*tensors.Tensor{firstInputs(test.inputs)}, context...))
				states := cell.StateDims(test.cell)
				store, out := shuffled(t, rng, func(s *model.Scope, nodes []*Node) []*Node {
					var want []shapes.Shape
					for _, dims := range states {
						dims = append([]int{firstTrials, firstBatch}, dims...)
						want = append(want, shapes.Make(dtypes.Float64, dims...))
					}
					first := kind.initial.Build(s, nodes[0].Graph(), want, []uint64{1, 2}, nodes[1:])
					s = s.ResetVisited()
					from, _ := cell.New(s, test.cell, nodes[0]).Seeds(1, 2).From(first...).Done()
					b := cell.New(s.ResetVisited(), test.cell, nodes[0]).Seeds(1, 2)
					if kind.name != "zero" { // which is the default
						b.InitialState(kind.initial, nodes[1:]...)
					}
					return append(first, from[0], b.Outputs())
				}, args...)
				compare(t, "h", flat(t, out[len(states)+1]), flat(t, out[len(states)]), 0)
				for n := range places {
					p := place{trial: n / firstBatch, learned: func(path string) row {
						return trialOf(flat(t, store.GetVariable(path).MustValue()), firstTrials, n/firstBatch)
					}}
					for _, tensor := range context {
						p.context, p.noise = append(p.context, p.noise...), trialOf(flat(t, tensor), places, n)
					}
					if !kind.noisy {
						p.context = append(p.context, p.noise...)
					}
					for _, dims := range states {
						p.sizes = append(p.sizes, shapes.Make(dtypes.Float64, dims...).Size())
					}
					for i := range states {
						got := trialOf(flat(t, out[i]), places, n)
						compare(t, fmt.Sprintf("state %d, place %d", i, n), got, kind.want(p, i), 1e-13)
					}
				}
			})
		}
	}
}

// Gradients with respect to inputs, context and all that is learned are the central differences of the loss, along a
// random direction through everything at once; also with Lengths in both directions, where inputs behind a sequence's
// end are NaN. (Package conformance compares them with those of the unrolled graph, on every engine.)
func TestGradients(t *testing.T) {
	for _, kind := range initialStates {
		if _, same := kind.initial.(cell.Constant); same {
			continue // as from zero
		}
		for _, test := range cells {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(32, 32))
				args := append([]*tensors.Tensor{firstInputs(test.inputs)},
					contexts(rng, test.cell, kind.features, kind.noisy)...)
				lengths := []int32{4, 2, 1, 3, 4, 2}
				reverse := kind.name == "noisy copies"
				isPadded := (reverse || kind.name == "learned") && !coupled(test.cell)
				if isPadded {
					pad(args[0], lengths)
				}
				var learned []*model.Variable
				run := func(s *model.Scope, nodes []*Node) []*Node {
					b := cell.New(s, test.cell, nodes[0]).Seeds(1, 2).Unroll(3).InitialState(kind.initial, nodes[1:]...)
					if isPadded {
						b.Lengths(Reshape(Const(nodes[0].Graph(), lengths), firstTrials, firstBatch))
					}
					if reverse {
						b.Reverse()
					}
					ys, final := b.Done()
					loss := conformance.Weighted(slices.Concat(final, ys))
					targets := slices.Clone(nodes)
					for _, v := range learned {
						targets = append(targets, v.NodeValue(nodes[0].Graph()))
					}
					return append([]*Node{loss}, Gradient(loss, targets...)...)
				}
				store, _ := shuffled(t, rng, run, anys(args)...)
				for v := range store.IterVariables() {
					learned = append(learned, v)
				}
				gradients := model.MustCallOnceN(goBackend, store, run, anys(args)...)[1:]
				want, at, directions := 0.0, make([]row, len(gradients)), make([]row, len(gradients))
				for i, gradient := range gradients {
					values := flat(t, gradient)
					check.That(t, floats.Norm(values, 1) != 0, "gradient %d is zero", i)
					directions[i] = flat(t, random(rng, len(values)))
					want += floats.Dot(directions[i], values)
					if i < len(args) {
						at[i] = flat(t, args[i])
					} else {
						at[i] = flat(t, learned[i-len(args)].MustValue())
					}
				}
				value := func(step float64) float64 {
					moved := slices.Clone(args)
					for i, gradient := range gradients {
						values := slices.Clone(at[i])
						floats.AddScaled(values, step, directions[i])
						tensor := tensors.FromFlatDataAndDimensions(values, gradient.Shape().Dimensions...)
						if i < len(args) {
							moved[i] = tensor
						} else {
							set(t, learned[i-len(args)], tensor)
						}
					}
					return flat(t, model.MustCallOnceN(goBackend, store, run, anys(moved)...)[0])[0]
				}
				const eps = 1e-6 // Error of order eps² and rounding of order 1e-16/eps.
				got := (value(eps) - value(-eps)) / (2 * eps)
				check.That(t, math.Abs(got-want) < 1e-6*(1+math.Abs(want)), "gradient %g, central difference %g", want,
					got)
			})
		}
	}
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
			want := epsilon * deviation
			compare(t, fmt.Sprint("h0 with noise ", epsilon), state, row{want, want}, 1e-12*deviation)
		}
	}
}
