package simd

import (
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// composed are the operations of GoMLX that are given, or made of others when they are recorded: below, in methods.go,
// batchnorm.go, windows.go and sort.go.
var composed = []compute.OpType{
	compute.OpTypeGreaterThan, compute.OpTypeGreaterOrEqual,
	compute.OpTypeParameter, compute.OpTypeConstant, compute.OpTypeDot, compute.OpTypeClamp,
	compute.OpTypeSchedulingBarrier, compute.OpTypeEqualTotalOrder, compute.OpTypeNotEqualTotalOrder,
	compute.OpTypeLessThanTotalOrder, compute.OpTypeLessOrEqualTotalOrder, compute.OpTypeGreaterThanTotalOrder,
	compute.OpTypeGreaterOrEqualTotalOrder, compute.OpTypeCumSum, compute.OpTypeReduceWindow,
	compute.OpTypeConvGeneral, compute.OpTypeSelectAndScatterMax, compute.OpTypeSelectAndScatterMin,
	compute.OpTypeBatchNormForInference, compute.OpTypeBatchNormForTraining, compute.OpTypeBatchNormGradient,
}

// scalar is a constant.
func (f *function) scalar(v any) *ir.Node {
	flat := reflect.Append(reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(v)), 0, 1), reflect.ValueOf(v))
	shape := shapes.Make(dtypes.FromGoType(reflect.TypeOf(v)))
	bytes, err := flatBytes(flat.Interface(), shape)
	if err != nil {
		ir.Fail("internal error: %v is no scalar", v)
	}
	return f.add(compute.OpTypeConstant, shape, &ir.ConstantData{Bytes: bytes})
}

func (f *function) number(d dtypes.DType, v float64) *ir.Node { return f.convert(f.scalar(v), d) }

func (f *function) reshape(n *ir.Node, dims ...int) *ir.Node {
	return f.add(compute.OpTypeReshape, shapes.Make(n.Shape.DType, dims...), nil, n)
}

func (f *function) transpose(n *ir.Node, permutation []int) *ir.Node {
	dims := xslices.Gather(n.Shape.Dimensions, permutation)
	return f.add(compute.OpTypeTranspose, shapes.Make(n.Shape.DType, dims...), permutation, n)
}

// slice is n from lo to hi along an axis.
func (f *function) slice(n *ir.Node, axis, lo, hi int) *ir.Node {
	dims := n.Shape.Dimensions
	d := ir.SliceData{Starts: make([]int, len(dims)), Limits: slices.Clone(dims),
		Strides: slices.Repeat([]int{1}, len(dims))}
	d.Starts[axis], d.Limits[axis] = lo, hi
	s := n.Shape.Clone()
	s.Dimensions[axis] = hi - lo
	return f.add(compute.OpTypeSlice, s, d, n)
}

// Clamp is the smaller of hi and the larger of x and lo.
func (f *function) Clamp(lo, x, hi value) (value, error) {
	v, err := f.Max(x, lo)
	if err != nil {
		return nil, err
	}
	return f.Min(v, hi)
}
