package cell_test

import (
	"fmt"
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

// Every initial state gives the same bits as the nodes that it stands for, with every cell.
func TestInitialStates(t *testing.T) {
	for _, kind := range []struct {
		name    string
		initial cell.InitialState // nil: not set
		want    []float64         // per trial
	}{
		{"not set", nil, []float64{0, 0}},
		{"zero", cell.Zero{}, []float64{0, 0}},
		{"constant", cell.Constant{Values: []float64{0.25}}, []float64{0.25, 0.25}},
		{"a constant per trial", cell.Constant{Values: []float64{0.25, -0.5}}, []float64{0.25, -0.5}},
		{"learned, before training", cell.Learned{}, []float64{0, 0}},
	} {
		for _, test := range cells {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				run := func(s *model.Scope, x *Node) []*Node {
					b := cell.New(s, test.cell, x).Seeds(1, 2)
					if kind.initial != nil {
						b.InitialState(kind.initial)
					}
					ys, final := b.Done()
					var state []*Node
					for _, dims := range cell.StateDims(test.cell) {
						shape := shapes.Make(x.DType(), append([]int{firstTrials, firstBatch}, dims...)...)
						values := Reshape(Const(x.Graph(), kind.want), firstTrials, 1, 1)
						state = append(state, BroadcastToShape(values, shape))
					}
					wantYs, want := cell.New(s.ResetVisited(), test.cell, x).From(state...).Done()
					return slices.Concat(ys, final, wantYs, want)
				}
				out := model.MustCallOnceN(goBackend, model.NewStore(), run, firstInputs(test.inputs))
				for i, got := range out[:len(out)/2] {
					compare(t, fmt.Sprint("result ", i), flat(t, got), flat(t, out[len(out)/2+i]), 0)
				}
			})
		}
	}
}
