package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// Each sequence continues the one at its place in the batch before, or begins anew: then not even a NaN of
// that one comes along. While training as in evaluations. (TestLayersStream carries states over many batches.)
func TestCarry(t *testing.T) {
	const steps, trials, batch = 3, 2, 2
	x := random(rand.New(rand.NewPCG(71, 71)), 2*steps, trials, batch, 2)
	continues := []int8{1, 0, 0, 1}
	half := func(x *tensors.Tensor, n int) *tensors.Tensor {
		part := AxisRange(n*steps, (n+1)*steps)
		return MustExecOnce(goBackend, func(x *Node) *Node { return SliceAxis(x, 0, part) }, x)
	}
	broken := flat(t, half(x, 0))
	for i := range broken {
		if continues[i/2%len(continues)] == 0 {
			broken[i] = math.NaN()
		}
	}
	first := tensors.FromFlatDataAndDimensions(broken, steps, trials, batch, 2)
	for _, training := range []bool{false, true} {
		outputs := func() *model.Exec {
			return model.MustNewExec(goBackend, model.NewStore(), func(s *model.Scope, in []*Node) *Node {
				s.Store().SetTraining(in[0].Graph(), training)
				b := cell.New(s, cell.LSTM{Hidden: 3}, in[0]).Seeds(1, 2)
				b.InitialState(cell.Constant{Values: []float64{0.5}})
				if len(in) > 1 {
					b.Carry(in[1])
				}
				return b.Outputs()
			})
		}
		goesOn, begins := half(outputs().MustCall(x)[0], 1), outputs().MustCall(half(x, 1))[0]
		carried := outputs()
		carried.MustCall(first, tensors.FromFlatDataAndDimensions(make([]int8, 4), trials, batch))
		got := carried.MustCall(half(x, 1), tensors.FromFlatDataAndDimensions(continues, trials, batch))[0]
		for i, on := range continues {
			want := begins
			if on == 1 {
				want = goesOn
			}
			own, all := slices.Concat(rows(got, 4, i)...), slices.Concat(rows(want, 4, i)...)
			compare(t, fmt.Sprint("sequence ", i), own, all, 1e-15)
		}
	}
}

// What training and evaluations carry does not mix.
func TestCarryApart(t *testing.T) {
	x := random(rand.New(rand.NewPCG(72, 72)), 3, 1, 1, 2)
	store, training := model.NewStore(), true
	run := func() []float64 {
		return flat(t, model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
			s.Store().SetTraining(x.Graph(), training)
			_, final := cell.New(s, cell.RNN{Hidden: 3}, x).Carry(Const(x.Graph(), true)).Done()
			return final[0]
		}, x))
	}
	first, second := run(), run()
	if slices.Equal(first, second) {
		t.Error("the second batch begins where the first one did")
	}
	training = false
	compare(t, "the first evaluation", run(), first, 0)
}
