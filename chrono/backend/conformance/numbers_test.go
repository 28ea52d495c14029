package conformance

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// A NaN stays one through every activation, such as those of an initial state, and through maxima and minima, and the
// accuracy of NaN logits is NaN, in the trial that has them alone: otherwise a network that diverged would have a
// finite loss. A ReLU's derivative at 0 is 0.
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
			check.Near(t, numeric.Of(out[1]), want[0], 1e-6, "%T", a)
			check.Near(t, numeric.Of(out[0])[1:], want[1], 1e-6, "derivative of %T", a)
		}
		for what, of := range map[string]func(x *Node) *Node{"maximum": ReduceAllMax, "minimum": ReduceAllMin} {
			got := numeric.Of(MustExecOnce(b, of, []float32{nan, -1, 0, 1}))[0]
			check.That(t, got != got, "the %s of NaN and numbers is %g", what, got)
		}
		labels := [][]int32{{0, 0}, {1, 0}}                                            // [R, B]
		logits := [][][]float32{{{nan, nan, nan}, {2, 0, 0}}, {{-1, 1, 0}, {1, 3, 0}}} // [R, B, classes]
		got := MustExecOnce(b, trial.Accuracy, labels, logits).Value().([]float32)
		check.That(t, got[0] != got[0] && got[1] == 0.5, "accuracies are %v, want NaN and 0.5", got)
	})
}

// A float becomes an integer towards zero; one that is out of range the nearest that is in range, and NaN becomes 0, on
// every processor. (GoMLX's engine in Go does what the processor does.)
func TestTruncation(t *testing.T) {
	inf := math.Inf(1)
	const low16, low32, low64 = math.MinInt16, math.MinInt32, math.MinInt64
	const top16, top32, top64 = math.MaxInt16, math.MaxInt32, math.MaxInt64
	x := []float64{-1e20, -300.5, -1.5, 1.5, 300.5, 3e9, 1e20, inf, -inf, math.NaN()}
	OnEach(t, func(t *testing.T, name string, b compute.Backend) {
		if name == "go" {
			return
		}
		for d, want := range map[dtypes.DType]any{
			dtypes.Int8:   []int8{-128, -128, -1, 1, 127, 127, 127, 127, -128, 0},
			dtypes.Int16:  []int16{low16, -300, -1, 1, 300, top16, top16, top16, low16, 0},
			dtypes.Int32:  []int32{low32, -300, -1, 1, 300, top32, top32, top32, low32, 0},
			dtypes.Int64:  []int64{low64, -300, -1, 1, 300, 3e9, top64, top64, low64, 0},
			dtypes.Uint8:  []uint8{0, 0, 0, 1, 255, 255, 255, 255, 0, 0},
			dtypes.Uint16: []uint16{0, 0, 0, 1, 300, math.MaxUint16, math.MaxUint16, math.MaxUint16, 0, 0},
			dtypes.Uint32: []uint32{0, 0, 0, 1, 300, 3e9, math.MaxUint32, math.MaxUint32, 0, 0},
			dtypes.Uint64: []uint64{0, 0, 0, 1, 300, 3e9, math.MaxUint64, math.MaxUint64, 0, 0},
		} {
			for _, from := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
				convert := func(x *Node) *Node { return ConvertDType(ConvertDType(x, from), d) }
				check.Equal(t, MustExecOnce(b, convert, x).Value(), want, "%s to %s", from, d)
			}
		}
	})
}
