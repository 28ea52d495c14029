package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// The sizes of the runs below.
const firstSteps, firstTrials, firstBatch = 4, 2, 3

func firstInputs(inputs int) *tensors.Tensor {
	return random(rand.New(rand.NewPCG(11, 11)), firstSteps, firstTrials, firstBatch, inputs)
}

// Every first state gives the same bits as the nodes that it stands for, with every cell.
func TestFirstStates(t *testing.T) {
	for _, kind := range []struct {
		name  string
		first cell.InitialState // nil: not set
		want  []float64         // per trial
	}{
		{"not set", nil, []float64{0, 0}},
		{"zero", cell.Zero{}, []float64{0, 0}},
		{"constant", cell.Constant{Values: []float64{0.25}}, []float64{0.25, 0.25}},
		{"a constant per trial", cell.Constant{Values: []float64{0.25, -0.5}}, []float64{0.25, -0.5}},
		{"free, at the start", cell.Learned{}, []float64{0, 0}},
	} {
		for i := range 2 * len(cells) {
			test, backend := cells[i/2], backends[i%2]
			t.Run(fmt.Sprintf("%s/%s/%s", kind.name, test.name, backend), func(t *testing.T) {
				run := func(s *model.Scope, x *Node) []*Node {
					b := cell.New(s, test.cell, x)
					if kind.first != nil {
						b.InitialState(kind.first)
					}
					ys, final := b.Done()
					var state []*Node
					for _, dims := range test.cell.StateDims() {
						shape := shapes.Make(x.DType(), append([]int{firstTrials, firstBatch}, dims...)...)
						values := Reshape(Const(x.Graph(), kind.want), firstTrials, 1, 1)
						state = append(state, BroadcastToShape(values, shape))
					}
					wantYs, want := cell.New(s, test.cell, x).From(state...).Done()
					return slices.Concat(ys, final, wantYs, want)
				}
				out := model.MustCallOnceN(backend, model.NewStore(), run, firstInputs(test.inputs))
				for i, got := range out[:len(out)/2] {
					compare(t, fmt.Sprint("result ", i), flat(t, got), flat(t, out[len(out)/2+i]), 0)
				}
			})
		}
	}
}

// A free first state is what its variable says, [R, …], for every sequence of its trial. Its gradient is the sum over
// the batch of the gradient of the states, and the central difference of the loss.
func TestFree(t *testing.T) {
	for i := range 2 * len(cells) {
		test, backend := cells[i/2], backends[i%2]
		t.Run(test.name+"/"+backend.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(12, 12))
			x, states := firstInputs(test.inputs), len(test.cell.StateDims())
			learned := func(s *model.Scope, g *Graph) (nodes []*Node) {
				for i := range states {
					nodes = append(nodes, s.GetVariable(fmt.Sprint("first state ", i)).NodeValue(g))
				}
				return nodes
			}
			free := func(s *model.Scope, x *Node) []*Node {
				ys, final := cell.New(s, test.cell, x).Unroll(3).InitialState(cell.Learned{}).Done()
				value := weighted(slices.Concat(final, ys))
				return append([]*Node{value}, Gradient(value, learned(s, x.Graph())...)...)
			}
			store := stored(backend, x, free)
			shuffled(t, rng, store)
			got := model.MustCallOnceN(backend, store, free, x)

			want := model.MustCallOnceN(backend, store, func(s *model.Scope, x *Node) []*Node {
				var state []*Node
				for i, node := range learned(s, x.Graph()) {
					dims := append([]int{firstTrials, firstBatch}, test.cell.StateDims()[i]...)
					state = append(state, BroadcastToDims(InsertAxes(node, 1), dims...))
				}
				ys, final := cell.New(s, test.cell, x).Unroll(3).From(state...).Done()
				value := weighted(slices.Concat(final, ys))
				out := []*Node{value}
				for _, gradient := range Gradient(value, state...) {
					out = append(out, ReduceSum(gradient, 1))
				}
				return out
			}, x)
			for i := range want {
				compare(t, fmt.Sprint("result ", i), flat(t, got[i]), flat(t, want[i]), 1e-12)
			}

			for i := range states {
				variable := store.RootScope().GetVariable(fmt.Sprint("first state ", i))
				dims := append([]int{firstTrials}, test.cell.StateDims()[i]...)
				if !slices.Equal(variable.Shape().Dimensions, dims) {
					t.Errorf("%s is %s, want %v", variable.Path(), variable.Shape(), dims)
				}
				values := flat(t, variable.MustValue())
				for range 3 {
					const eps = 1e-5 // Error of order eps² and rounding of order 1e-16/eps.
					j := rng.IntN(len(values))
					value := func(d float64) float64 {
						moved := slices.Clone(values)
						moved[j] += d
						set(t, variable, tensors.FromFlatDataAndDimensions(moved, dims...))
						return flat(t, model.MustCallOnceN(backend, store, free, x)[0])[0]
					}
					want := (value(eps) - value(-eps)) / (2 * eps)
					if got := flat(t, got[1+i])[j]; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
						t.Errorf("state %d, element %d: gradient %g, central difference %g", i, j, got, want)
					}
				}
				set(t, variable, tensors.FromFlatDataAndDimensions(values, dims...))
			}
		})
	}
}

// fromContext is a first state of somebody's own, C(2c): the states are the context.
type fromContext struct{}

func (fromContext) Build(_ *model.Scope, _ *Graph, _ []shapes.Shape, _ []uint64, context []*Node) []*Node {
	return context
}

// What First is given as context reaches the first state, and gradients reach the context.
func TestFirstStateFromContext(t *testing.T) {
	for _, test := range cells {
		rng := rand.New(rand.NewPCG(13, 13))
		args := []any{firstInputs(test.inputs)}
		for _, dims := range test.cell.StateDims() {
			args = append(args, random(rng, append([]int{firstTrials, firstBatch}, dims...)...))
		}
		run := func(set func(b *cell.Builder, context []*Node) *cell.Builder) []*tensors.Tensor {
			return model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, nodes []*Node) []*Node {
				ys, _ := set(cell.New(s, test.cell, nodes[0]), nodes[1:]).Done()
				return append(ys, Gradient(ReduceAllSum(Square(ys[0])), nodes[1:]...)...)
			}, args...)
		}
		got := run(func(b *cell.Builder, context []*Node) *cell.Builder {
			return b.InitialState(fromContext{}, context...)
		})
		want := run(func(b *cell.Builder, context []*Node) *cell.Builder { return b.From(context...) })
		for i := range want {
			compare(t, fmt.Sprintf("%s, result %d", test.name, i), flat(t, got[i]), flat(t, want[i]), 0)
		}
	}
}
