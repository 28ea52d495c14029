package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
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

// cells is every cell under test. Fewer inputs than H enter in the loop, others are projected before it: cells that
// prepare their inputs in a way of their own have both.
var cells = []struct {
	name   string
	cell   cell.Cell
	inputs int
	step   step // its equations
	gates  []string
}{
	{"lstm/in the loop", cell.LSTM{Hidden: 4}, 2, lstmStep, []string{"input", "forget"}},
	{"lstm/before the loop", cell.LSTM{Hidden: 3}, 5, lstmStep, []string{"input", "forget"}},
	{"tied lstm/in the loop", cell.TiedLSTM{Hidden: 4}, 2, tiedStep, []string{"input"}},
	{"rnn/in the loop", cell.RNN{Hidden: 4}, 2, rnnStep, nil},
	{"rnn whose step assigns/in the loop", assigning, 2, rnnStep, nil},
	{"leaky/in the loop", cell.Leaky{Hidden: 4}, 2, leakyStep, []string{"leak"}},
	{"gated/in the loop", cell.Gated{Hidden: 4}, 2, gatedStep, []string{"gate"}},
	{"global gate/in the loop", cell.GlobalGated{Hidden: 4}, 2, globalGatedStep, []string{"gate"}},
	{"network gate/in the loop", cell.NetworkGated{Hidden: 4, Network: 3}, 2, networkGatedStep, nil},
	{"network gate/before the loop", cell.NetworkGated{Hidden: 3, Network: 4}, 4, networkGatedStep, nil},
	{"gru/in the loop", cell.GRU{Hidden: 4}, 2, gruStep, []string{"update"}},
	{"gru/before the loop", cell.GRU{Hidden: 3}, 4, gruStep, []string{"update"}},
	{"gru, reset after/before the loop", cell.GRU{Hidden: 4, ResetAfter: true}, 2, resetAfterStep, []string{"update"}},
	{"fast weights/in the loop", finalFast, 2, fastStep(finalFast), nil},
	{"fast weights, from preliminary states/before the loop", preliminaryFast, 4, fastStep(preliminaryFast), nil},
	{"rhn/in the loop", cell.RHN{Hidden: 4, Depth: 3}, 2, rhnStep(3),
		[]string{"transform 1", "transform 2", "transform 3"}},
	{"rhn, masked/before the loop", masked{cell.RHN{Hidden: 3, Depth: 2}}, 4, maskedStep(rhnStep(2)),
		[]string{"transform 1", "transform 2"}},
	{"lstm, masked/in the loop", masked{cell.LSTM{Hidden: 3}}, 2, maskedStep(lstmStep), []string{"input", "forget"}},
	{"tied lstm, masked/before the loop", masked{cell.TiedLSTM{Hidden: 3}}, 4, maskedStep(tiedStep), []string{"input"}},
	{"gated, masked/in the loop", masked{cell.Gated{Hidden: 3}}, 2, maskedStep(gatedStep), []string{"gate"}},
	{"rnn, masked/in the loop", masked{cell.RNN{Hidden: 3}}, 2, maskedStep(rnnStep), nil},
	{"leaky, masked/in the loop", masked{cell.Leaky{Hidden: 3}}, 2, maskedStep(leakyStep), []string{"leak"}},
	{"global gate, masked/in the loop", masked{cell.GlobalGated{Hidden: 3}}, 2,
		maskedStep(globalGatedStep), []string{"gate"}},
	{"gru, masked/in the loop", masked{cell.GRU{Hidden: 3}}, 2, maskedStep(gruStep), []string{"update"}},
	{"gru, reset after, masked/before the loop", masked{cell.GRU{Hidden: 3, ResetAfter: true}}, 4,
		maskedStep(resetAfterStep), []string{"update"}},
	{"normalized lstm", cell.Normalized(cell.LSTM{Hidden: 3}), 2, lstmStep, []string{"input", "forget"}},
	{"normalized gru", cell.Normalized(cell.GRU{Hidden: 3}), 4, gruStep, []string{"update"}},
	{"normalized gru, reset after", cell.Normalized(cell.GRU{Hidden: 4, ResetAfter: true}), 2, resetAfterStep,
		[]string{"update"}},
	{"minimal gru", cell.MinGRU{Hidden: 3}, 2, minGRUStep, []string{"gate"}},
	{"rg-lru", cell.RGLRU{Hidden: 3}, 2, rglruStep, nil},
	{"selective", cell.Selective{Hidden: 3, States: 2}, 4, selectiveStep, nil},
	{"lru", cell.LRU{Hidden: 3}, 2, lruStep, nil},
	{"bn-lstm", bnLSTM, 2, bnStep(bnLSTM, nil), []string{"input", "forget"}},
	{"bn-lstm, given statistics", givenBNLSTM{cell.BNLSTM{Hidden: 3, Gain: 0.1, Epsilon: bnLSTM.Epsilon}}, 4,
		bnStep(cell.BNLSTM{Hidden: 3, Epsilon: bnLSTM.Epsilon}, bnStatistics), []string{"input", "forget"}},
}

// layerOf is a cell's layer.
func layerOf(c cell.Cell, inputs int) cell.Layer { return must(c.Layer(inputs)) }

var random = conformance.Random[float64]

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

// shuffled runs a model after every variable that it makes has got a new value at random, so that no bias is zero.
func shuffled(t testing.TB, rng *rand.Rand, build func(s *model.Scope, nodes []*Node) []*Node, args ...any) (
	*model.Store, []*tensors.Tensor) {
	t.Helper()
	store := model.NewStore()
	model.MustCallOnceN(goBackend, store, build, args...)
	for v := range store.IterVariables() {
		check.OK(t, v.SetValue(random(rng, v.Shape().Dimensions...)))
	}
	return store, model.MustCallOnceN(goBackend, store, build, args...)
}

// rows are the part that one of several places has in values [T, …]: [T][n].
func rows(values *tensors.Tensor, places, place int) []row {
	steps := blocks(tensors.MustCopyFlatData[float64](values), values.Shape().Dimensions[0])
	return xslices.Map(steps, func(step row) row { return trialOf(step, places, place) })
}

// trialOf is trial r's part of values [R, …].
func trialOf(flat []float64, trials, r int) []float64 {
	size := len(flat) / trials
	return flat[r*size : (r+1)*size]
}

// The cell computes the papers' equations, written once more in plain Go; and so do its gates, and its initial states.
// In both directions, for every trial and sequence, with biases that are not zero. With Lengths it computes each
// sequence up to its own end, be it before the first step: what stands behind is NaN, and outputs there are zero. Where
// all else is zero, a gate is σ of its Bias.
//
// Gradients with respect to inputs, context and all that is learned are the central differences of the loss, along a
// random direction through everything at once. (Package conformance trains every cell on every engine.)
func TestEquations(t *testing.T) {
	const steps, tolerance = 7, 1e-12
	for i := range 4 * len(cells) {
		test, kind, reverse := cells[i/4], initialStates[i%len(initialStates)], i%2 == 1
		lengths, each := slices.Repeat([]int32{steps}, trials*batch), 1 // and how many sequences are computed together
		if i/2%2 == 1 {
			lengths = []int32{7, 2, 4, 0, 9, 3} // 9 counts as 7
		}
		switch test.cell.(type) {
		case cell.BNLSTM, givenBNLSTM: // sequences of a batch depend on each other
			if each = batch; i/2%2 == 1 {
				continue
			}
		}
		t.Run(fmt.Sprintf("%s/%s/reverse=%v/%v", test.name, kind.name, reverse, lengths), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			context := contexts(rng, test.cell, kind.features, kind.noisy)
			args := append([]*tensors.Tensor{random(rng, steps, trials, batch, test.inputs)}, context...)
			pad(args[0], lengths)
			var names []string
			var learned []*model.Variable
			run := func(s *model.Scope, nodes []*Node) []*Node {
				b := cell.New(s, test.cell, nodes[0]).Seeds(1, 2).Unroll(3)
				if kind.name != "zero" { // which is the default
					b.InitialState(kind.initial, nodes[1:]...)
				}
				if reverse {
					b.Reverse()
				}
				if slices.Min(lengths) < steps {
					b.Lengths(Reshape(Const(nodes[0].Graph(), lengths), trials, batch))
				}
				ys, final := b.Done()
				loss, targets := conformance.Weighted(slices.Concat(final, ys)), slices.Clone(nodes)
				for _, v := range learned {
					targets = append(targets, v.NodeValue(nodes[0].Graph()))
				}
				names = nil
				var biases []*Node
				for _, gate := range b.Gates() {
					names, ys = append(names, gate.Name), append(ys, gate.Values)
					biases = append(biases, Sigmoid(gate.Bias))
				}
				return slices.Concat([]*Node{loss}, Gradient(loss, targets...), final, biases, ys)
			}
			store, _ := shuffled(t, rng, run, anys(args)...)
			for v := range store.IterVariables() {
				learned = append(learned, v)
			}
			out := model.MustCallOnceN(goBackend, store, run, anys(args)...)[1:]
			check.Must(t, slices.Equal(names, test.gates), "gates %q, want %q", names, test.gates)
			states, targets := len(layerOf(test.cell, 1).StateDims), len(args)+len(learned)
			gradients, out := out[:targets], out[targets:]
			final, atRest, out := out[:states], out[states:states+len(names)], out[states+len(names):]
			places := trials * batch / each
			for place := range places {
				state := make([]row, states)
				for n := place * each; n < (place+1)*each; n++ {
					p := placeOf(t, n, test.cell, store, context, kind.noisy)
					for k := range state {
						state[k] = append(state[k], kind.want(p, k)...)
					}
				}
				weights := weightsOf(test.cell, test.inputs, store, place*trials/places)
				xs, want := rows(args[0], places, place)[:min(steps, lengths[place])], make([][]row, len(out))
				for i := range xs {
					if reverse {
						i = len(xs) - 1 - i
					}
					var ys []row
					ys, state = test.step(xs[i], state, weights)
					for k := range want {
						want[k] = append(want[k], ys[k])
					}
				}
				for k, results := range want {
					if reverse {
						slices.Reverse(results)
					}
					got, all := slices.Concat(rows(out[k], places, place)...), slices.Concat(results...)
					check.Near(t, got, append(all, make(row, len(got)-len(all))...), tolerance,
						"result %d, place %d", k, place)
				}
				for k := range state {
					check.Near(t, trialOf(flat(t, final[k]), places, place), state[k], tolerance,
						"state %d, place %d", k, place)
					clear(state[k])
				}
				for name, values := range weights {
					if !isBias(name) {
						clear(values)
					}
				}
				ys, _ := test.step(make(row, test.inputs*each), state, weights)
				for k, gate := range ys[len(ys)-len(names):] {
					got := trialOf(flat(t, atRest[k]), trials, place*trials/places)
					check.Near(t, slices.Repeat(got, len(gate)/len(got)), gate, tolerance, "%s at rest", names[k])
				}
			}

			slope, at, directions := 0.0, make([]row, targets), make([]row, targets)
			for i, gradient := range gradients {
				values := flat(t, gradient)
				check.That(t, floats.Norm(values, 1) != 0, "gradient %d is zero", i)
				directions[i] = flat(t, random(rng, len(values)))
				slope += floats.Dot(directions[i], values)
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
						check.OK(t, learned[i-len(args)].SetValue(tensor))
					}
				}
				return flat(t, model.MustCallOnceN(goBackend, store, run, anys(moved)...)[0])[0]
			}
			const eps = 1e-6 // Error of order eps² and rounding of order 1e-16/eps.
			got := (value(eps) - value(-eps)) / (2 * eps)
			check.That(t, math.Abs(got-slope) < 1e-6*(1+math.Abs(slope)), "gradient %g, central difference %g", slope,
				got)
		})
	}
}

// pad makes the steps of x [T, R, B, I] NaN that are behind the lengths [R·B].
func pad(x *tensors.Tensor, lengths []int32) {
	inputs := x.Shape().Dim(-1)
	tensors.MustMutableFlatData(x, func(flat []float64) {
		for i := range flat {
			if step, place := i/inputs/len(lengths), i/inputs%len(lengths); step >= int(lengths[place]) {
				flat[i] = math.NaN()
			}
		}
	})
}

// isBias tells whether a weight is added to something.
func isBias(name string) bool {
	return name == "leak" || strings.HasSuffix(name, "shift") || strings.Contains(name, "bias")
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
