package conformance

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// A NaN stays one through every activation and the hidden layers of an initial state, and the accuracy of NaN logits is
// NaN, in the trial that has them alone: otherwise a network that diverged would have a finite loss.
func TestNaNStaysNaN(t *testing.T) {
	nan := float32(math.NaN())
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		for _, a := range []cell.Activation{cell.Linear{}, cell.ReLU{}, cell.TanH{}} {
			y := MustExecOnce(b, a.Of, []float32{nan, -1, 0, 1}).Value().([]float32)
			if y[0] == y[0] || y[2] != 0 || y[3] <= 0 {
				t.Errorf("%T of NaN, -1, 0, 1 is %v", a, y)
			}
		}
		shape := shapes.Make(dtypes.Float32, 1, 1, hidden)
		states := model.MustCallOnce(b, model.NewStore(), func(s *model.Scope, context *Node) *Node {
			return rectified.Build(s, context.Graph(), []shapes.Shape{shape}, []uint64{1}, []*Node{context})[0]
		}, [][][]float32{{{nan, 1}}}).Value().([][][]float32)
		for _, h := range states[0][0] {
			if h == h {
				t.Errorf("the initial states from a context of NaN are %v", states)
			}
		}
		labels := [][]int32{{0, 0}, {1, 0}}                                            // [R, B]
		logits := [][][]float32{{{nan, nan, nan}, {2, 0, 0}}, {{-1, 1, 0}, {1, 3, 0}}} // [R, B, classes]
		got := MustExecOnce(b, trial.Accuracy{}.Losses, labels, logits).Value().([]float32)
		if got[0] == got[0] || got[1] != 0.5 {
			t.Errorf("accuracies are %v, want NaN and 0.5", got)
		}
	})
}
