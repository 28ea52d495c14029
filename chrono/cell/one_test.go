package cell_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
)

// One model, with inputs [B, T, I], is a trial among trials, bit for bit: outputs, states, gates and gradients of each
// cell, with every setting that has a layout. Its variables are those of the trial without the axis.
func TestOneModelIsATrial(t *testing.T) {
	const batch, steps = 3, 5
	contextual := cell.Contextual{Output: cell.TanH{}, WeightInit: cell.He{}}
	settings := map[string]func(b *cell.Builder, nodes map[string]*Node){
		"alone": func(b *cell.Builder, nodes map[string]*Node) { b.InitialState(contextual, nodes["context"]) },
		"carried": func(b *cell.Builder, nodes map[string]*Node) {
			b.InitialState(cell.Learned{}).Carry(nodes["continues"]).Unroll(3)
		},
		"lengths, reversed": func(b *cell.Builder, nodes map[string]*Node) { b.Reverse().Lengths(nodes["lengths"]) },
	}
	for _, test := range cells {
		for name, set := range settings {
			if name == "lengths, reversed" && coupled(test.cell) {
				continue
			}
			t.Run(test.name+"/"+name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(8, 8))
				x := random(rng, batch, steps, test.inputs)
				context := random(rng, batch, 2)
				results := func(trials bool) (all []*tensors.Tensor, store *model.Store) {
					in := func(node *Node) *Node { return node }
					if trials {
						in = func(node *Node) *Node { return InsertAxes(node, 0) }
					}
					store = model.NewStore()
					all = model.MustCallOnceN(goBackend, store, func(s *model.Scope, x, context *Node) []*Node {
						nodes := map[string]*Node{
							"context": in(context), "lengths": in(Const(x.Graph(), []int32{4, 0, 5})),
							"continues": in(Const(x.Graph(), []int32{1, 0, 1})),
						}
						if trials {
							x = InsertAxes(Transpose(x, 0, 1), 1)
						}
						b := cell.New(s, test.cell, x)
						set(b, nodes)
						ys, final := b.Done()
						results := append(ys, final...)
						for _, gate := range b.Gates() {
							results = append(results, gate.Values, gate.Bias)
						}
						for i, result := range results {
							gate := i - len(ys) - len(final) // values and biases take turns
							if isSequence := i < len(ys) || gate >= 0 && gate%2 == 0; trials && isSequence {
								results[i] = Transpose(Squeeze(result, 1), 0, 1)
							} else if trials {
								results[i] = Squeeze(result, 0)
							}
						}
						loss := conformance.Weighted(results)
						return append(results, s.BuildTrainableVariablesGradientsGraph(loss)...)
					}, x, context)
					return all, store
				}
				want, trials := results(true)
				got, one := results(false)
				for i := range want {
					compare(t, fmt.Sprint("result ", i), flat(t, got[i]), flat(t, want[i]), 0)
				}
				for v := range trials.IterVariables() {
					own := one.GetVariable(v.Path())
					if own == nil || !slices.Equal(v.Shape().Dimensions[1:], own.Shape().Dimensions) {
						t.Errorf("variable %s %s, want it of one model, is %v", v.Path(), v.Shape(), own)
					}
				}
			})
		}
	}
}
