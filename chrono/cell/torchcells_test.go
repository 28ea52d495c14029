package cell_test

import (
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
)

// cellEqualsTorch compares a cell's outputs and gradients, in float64 and for one trial, with those of a script of
// testdata. States are the names of the cell's states there; more is what else it is told.
func cellEqualsTorch(t *testing.T, c cell.Cell, script string, states []string, more map[string]any) {
	t.Helper()
	const steps, batch, inputs = 8, 3, 2
	args := arguments(rand.New(rand.NewPCG(51, 51)), c, inputs, steps, 1, batch)
	names := append([]string{"x"}, states...)
	for _, w := range c.Weights(inputs) {
		names = append(names, w.Name)
	}
	for i, name := range names {
		dims := args[i].Shape().Dimensions[1:] // without the one trial
		if name == "x" {
			dims = []int{steps, batch, inputs}
		}
		more[name] = nested(flat(t, args[i]), dims...)
	}
	want := pyTorch(t, script, more)
	out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
		stepXs, stepWeights := c.Prepare(nodes[:1], nodes[1+len(states):])
		_, ys := looped(3)(c.Step, nodes[1:1+len(states)], stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes...)...)
	}, anys(args)...)
	equalsTorch(t, append([]string{"outputs"}, names...), out, want)
}

// Outputs and gradients of a masked recurrent highway network equal those of the same network in PyTorch.
func TestRHNEqualsPyTorch(t *testing.T) {
	c := maskedRHN{cell.RHN{Hidden: len(rhnMask), Depth: 4}}
	cellEqualsTorch(t, c, "rhn.py", []string{"h"}, map[string]any{"mask": rhnMask})
}

// Outputs and gradients of a batch-normalized LSTM equal those of one with PyTorch's batch normalization.
func TestBNLSTMEqualsPyTorch(t *testing.T) {
	c := cell.BNLSTM{Hidden: 5, Gain: 0.1, Epsilon: 1e-3}
	cellEqualsTorch(t, c, "bnlstm.py", []string{"h", "c"}, map[string]any{"epsilon": c.Epsilon})
}
