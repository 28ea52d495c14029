package conformance

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
)

// exact are the engines that promise bits on any number of threads.
var exact = []string{"simd", "go"}

// tolerance is how far an engine may be off, as a part of the largest element: sums are taken in another order.
var tolerance = map[dtypes.DType]float64{dtypes.Float32: 2e-5, dtypes.Float64: 1e-11}

// floats are the types that an engine computes in.
func floats(b compute.Backend) (types []dtypes.DType) {
	for _, d := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
		if b.Capabilities().DTypes[d] {
			types = append(types, d)
		}
	}
	return types
}

// numbers are a tensor's elements, of either type.
func numbers(t *tensors.Tensor) []float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	var out []float64
	for _, v := range tensors.MustCopyFlatData[float32](t) {
		out = append(out, float64(v))
	}
	return out
}

// compare fails if a result's elements are off by more than the tolerance, as a part of the largest of that result.
func compare(t *testing.T, what string, got, want [][]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d results, want %d", what, len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s, result %d: %d elements, want %d", what, i, len(got[i]), len(want[i]))
		}
		scale := 0.0
		for _, w := range want[i] {
			scale = max(scale, math.Abs(w))
		}
		for j, w := range want[i] {
			if d := math.Abs(got[i][j] - w); !(d <= tolerance*scale) {
				t.Fatalf("%s, result %d, element %d: %g, want %g (off by %.1g of the largest)", what, i, j,
					got[i][j], w, d/scale)
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
