// Package numeric turns tensors of floating-point numbers into float64s, and back.
package numeric

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/tensors"
)

// Of copies the numbers of a tensor of any floating-point type.
func Of(t *tensors.Tensor) []float64 {
	switch t.DType() {
	case dtypes.Float64:
		return tensors.MustCopyFlatData[float64](t)
	case dtypes.Float16:
		return xslices.Map(tensors.MustCopyFlatData[float16.Float16](t), float16.Float16.Float64)
	case dtypes.BFloat16:
		return xslices.Map(tensors.MustCopyFlatData[bfloat16.BFloat16](t), bfloat16.BFloat16.Float64)
	}
	return xslices.Map(tensors.MustCopyFlatData[float32](t), func(v float32) float64 { return float64(v) })
}

// Tensor makes a tensor of float64, or of float32 if dtype is anything else.
func Tensor(dtype dtypes.DType, values []float64, dims []int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	narrow := xslices.Map(values, func(v float64) float32 { return float32(v) })
	return tensors.FromFlatDataAndDimensions(narrow, dims...)
}
