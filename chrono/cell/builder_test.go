package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// Layers over pieces of a sequence, down to single steps, are as over all of it at once: from states that go in and
// out, and from those that are carried. They begin in a learned state. (TestLengthsEqualPyTorch compares layers in both
// directions with PyTorch's.)
func TestLayersStream(t *testing.T) {
	const batch, steps = 2, 6
	settings := map[string]func(b *cell.Builder) *cell.Builder{
		"two": func(b *cell.Builder) *cell.Builder { return b.Layers(2) },
		"three, normalized": func(b *cell.Builder) *cell.Builder {
			return b.Layers(3).LayerNorm().Dropout(0.5).RecurrentDropout(0.5) // which there is only in training
		},
	}
	for _, c := range []cell.Cell{cell.LSTM{Hidden: 3}, cell.GRU{Hidden: 3}} {
		for name, set := range settings {
			x := random(rand.New(rand.NewPCG(9, 9)), batch, steps, 2)
			build := func(s *model.Scope, in []*Node) []*Node {
				ys, final := set(cell.New(s, c, in[0])).InitialState(cell.Learned{}).From(in[1:]...).Done()
				return append(ys, final...)
			}
			store, whole := shuffled(t, rand.New(rand.NewPCG(10, 10)), build, x)
			for _, size := range []int{1, 2} {
				streamed := model.MustNewExec(goBackend, store, build)
				carried := model.MustNewExec(goBackend, store, func(s *model.Scope, x, continues *Node) []*Node {
					ys, final := set(cell.New(s, c, x)).InitialState(cell.Learned{}).Carry(continues).Done()
					return append(ys, final...)
				})
				var states []any
				for t0 := 0; t0 < steps; t0 += size {
					piece := func(x *Node) *Node { return SliceAxis(x, 1, AxisRange(t0, t0+size)) }
					part, want := MustExecOnce(goBackend, piece, x), MustExecOnce(goBackend, piece, whole[0])
					results := streamed.MustCall(append([]any{part}, states...)...)
					again := carried.MustCall(part, t0 > 0)
					states = anys(results[1:])
					what := fmt.Sprintf("%#v, %s, step %d", c, name, t0)
					compare(t, what, flat(t, results[0]), flat(t, want), 1e-15)
					compare(t, what+", carried", flat(t, again[0]), flat(t, want), 1e-15)
					if t0+size == steps {
						for i, state := range results[1:] {
							compare(t, what+", last state", flat(t, state), flat(t, whole[1+i]), 1e-15)
						}
					}
				}
			}
		}
	}
}

// The gates of a stack are those of its layers, one run above the other.
func TestGatesOfStacks(t *testing.T) {
	x := random(rand.New(rand.NewPCG(11, 11)), 2, 3, 2)
	var names []string
	gates := func(builders ...*cell.Builder) (values []*Node) {
		names = nil
		for _, b := range builders {
			for _, gate := range b.Gates() {
				names, values = append(names, gate.Name), append(values, gate.Values, gate.Bias)
			}
		}
		return values
	}
	store := model.NewStore()
	want := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
		below := cell.New(s.In("layer 0"), cell.LSTM{Hidden: 3}, x).Bidirectional()
		above := cell.New(s.In("layer 1"), cell.LSTM{Hidden: 3}, below.Outputs()).Bidirectional()
		above.Done()
		return gates(below, above)
	}, x)
	got := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
		stack := cell.New(s, cell.LSTM{Hidden: 3}, x).Layers(2).Bidirectional()
		stack.Done()
		return gates(stack)
	}, x)
	check.Equal(t, names, []string{
		"layer 0/forwards/input", "layer 0/forwards/forget", "layer 0/backwards/input", "layer 0/backwards/forget",
		"layer 1/forwards/input", "layer 1/forwards/forget", "layer 1/backwards/input", "layer 1/backwards/forget",
	}, "names")
	for i := range want {
		compare(t, names[i/2], flat(t, got[i]), flat(t, want[i]), 0)
	}
}

// repeats has its inputs as states and outputs.
type repeats struct{}

func (repeats) Layer(inputs int) (cell.Layer, error) {
	return cell.Layer{
		StateDims: [][]int{{inputs}},
		Prepare:   func(xs []*Node, _ map[string]*Node) (stepXs, stepWeights []*Node) { return xs, nil },
		Step: func(_ *scan.Ctx, _, x, _ []*Node) (nextCarry, y []*Node) {
			return []*Node{x[0]}, []*Node{x[0]}
		},
	}, nil
}

// Dropout drops its share of what goes from layer to layer and of what recurrent weights see, with one mask for all
// steps of a sequence, and in training alone.
func TestDropout(t *testing.T) {
	const batch, steps, units, small = 40, 3, 50, 1e-9
	ones := func(x *Node, dims ...int) *Node { return AddScalar(zeros(x, dims...), 1) }
	networks := map[string]func(s *model.Scope, x *Node) *Node{
		"between layers": func(s *model.Scope, x *Node) *Node {
			return cell.New(s, repeats{}, ones(x, batch, steps, units)).Layers(2).Dropout(0.25).Outputs()
		},
		"recurrent": func(s *model.Scope, x *Node) *Node { // h ← tanh(mask·h), nearly mask·h
			run := func(layers int) *cell.Builder {
				rnn := cell.New(s.In("of %d", layers), cell.RNN{Hidden: units}, zeros(x, batch, steps, 1))
				return rnn.Layers(layers).RecurrentDropout(0.25).WeightInit(cell.ScaledIdentity{Scale: 1})
			}
			zero := run(2).Outputs()
			return Add(zero, MulScalar(run(1).From(MulScalar(ones(x, batch, units), small)).Outputs(), 1/small))
		},
	}
	for name, network := range networks {
		for _, training := range []bool{true, false} {
			store := model.NewStore()
			store.SetParam(model.ParamInitialSeed, int64(1))
			out := model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
				s.Store().SetTraining(x.Graph(), training)
				return network(s, x)
			}, 0.)
			dropped, kept := 0., 1.
			if training {
				kept = 4. / 3
			}
			for _, sequence := range out.Value().([][][]float64) { // [T, n]
				for step, row := range sequence {
					all := kept // what a kept unit has at this step
					if name == "recurrent" {
						all = math.Pow(kept, float64(step+1))
					}
					for u, first := range sequence[0] { // 0, or kept in every step
						if first == 0 {
							dropped += 1. / (batch * steps * units)
						}
						if math.Abs(row[u]/all-first/kept) > 1e-6 || first != 0 && math.Abs(first/kept-1) > 1e-6 {
							t.Fatalf("%s, step %d, unit %d: %g, at first %g", name, step, u, row[u], first)
						}
					}
				}
			}
			if training && math.Abs(dropped-0.25) > 0.03 || !training && dropped > 0 {
				t.Errorf("%s, training %v: a share of %g is dropped, want 0.25, and none outside of training", name,
					training, dropped)
			}
		}
	}
}
