package conformance

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
