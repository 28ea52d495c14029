package simd_test

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

func shape(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
