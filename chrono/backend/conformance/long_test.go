package conformance

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// classify is an LSTM that is to tell a class at every step, always the same, and says nearly the same at each, as at
// the start of training: sums of gradients over steps and sequences have nearly equal terms, whose roundings do not
// cancel.
func classify(steps, sequences int) recurrence {
	const inputs = 2
	c := must(cell.LSTM{Hidden: hidden}.Layer(inputs))
	dims := [][]int{{steps, 1, sequences, inputs}, {1, sequences, hidden}, {1, sequences, hidden}, {1, hidden, classes},
		{1, 1, 1, classes}}
	for _, w := range c.Weights {
		dims = append(dims, append([]int{1}, w.Dims...))
	}
	return recurrence{fmt.Sprintf("T = %d, B = %d", steps, sequences), dims,
		func(run loop, in []*Node) (ys, final []*Node) {
			xs, weights := c.Prepare(in[:1], cell.ByName(c.Weights, in[5:]))
			ys, final = run(c.Step, in[1:3], xs, weights)
			logits := Add(Einsum("trbh,rho->trbo", ys[0], MulScalar(in[3], 1e-3)), in[4])
			labels := Zeros(in[0].Graph(), shapes.Make(dtypes.Int32, steps, 1, sequences))
			return []*Node{trial.CrossEntropy{}.Losses(labels, logits)}, final
		}}
}

// Bounds on losses and gradients over as many steps and sequences as package backend names.
func TestLongLoops(t *testing.T) {
	looped := func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
		return scan.New(step).Done(init, xs, weights)
	}
	reference := Start(t, "go")
	for _, steps := range []int{784, 2000} {
		r := classify(steps, 128)
		want := r.evaluate(reference, dtypes.Float64, looped)
		OnEach(t, func(t *testing.T, name string, b compute.Backend) {
			for _, dtype := range floats(b) {
				allowed := tolerance[dtype]
				if name == "go" {
					if dtype == dtypes.Float64 {
						continue // the reference
					}
					allowed = 5e-3 // it adds one number after the other
				}
				check.Close(t, r.evaluate(b, dtype, looped), want, allowed, "%s, %s", r.name, dtype)
			}
		})
	}
}
