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
	"github.com/warptime/warptime/internal/check"
)

// A NaN stays one through every activation and the hidden layers of an initial state, and the accuracy of NaN logits is
// NaN, in the trial that has them alone: otherwise a network that diverged would have a finite loss. A ReLU's
// derivative at 0 is 0.
func TestNaNStaysNaN(t *testing.T) {
	nan := float32(math.NaN())
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		for a, want := range map[cell.Activation][2][]float64{ // of NaN, −1, 0 and 1; and the derivatives at those
			cell.Linear{}: {{math.NaN(), -1, 0, 1}, {1, 1, 1}},
			cell.ReLU{}:   {{math.NaN(), 0, 0, 1}, {0, 0, 1}},
			cell.TanH{}:   {{math.NaN(), -0.76159416, 0, 0.76159416}, {0.41997434, 1, 0.41997434}},
		} {
			out := MustExecOnceN(b, func(x *Node) []*Node {
				y := a.Of(x)
				return append(Gradient(ReduceAllSum(y), x), y)
			}, []float32{nan, -1, 0, 1})
			check.Near(t, Numbers(out[1]), want[0], 1e-6, "%T", a)
			check.Near(t, Numbers(out[0])[1:], want[1], 1e-6, "derivative of %T", a)
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
