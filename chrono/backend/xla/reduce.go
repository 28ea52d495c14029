//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// Defect 2 of go-xla v0.4.5 (compute/xla/ops_reduce.go, getReductionFn): the function that adds two numbers, say, is
// made once for the whole computation, and belongs to the function that was first to reduce. A reduction of the same
// kind in any other is refused: "reductionFn is not a StableHLO closure of …". Operations that scatter reduce, too.
//
// The way round: main reduces in go-xla's way. Elsewhere a sum is a product with ones, and in a closure every other
// reduction is refused before it can spoil main's.

// ReduceSum implements compute.Function.
func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	if f == f.builder.main {
		return f.Function.ReduceSum(x, axes...)
	}
	shape, err := f.Shape(x)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		for axis := range shape.Rank() {
			axes = append(axes, axis)
		}
	}
	var dims, all []int // of the ones, all of which are contracted
	for i, axis := range axes {
		dims, all = append(dims, shape.Dim(axis)), append(all, i)
	}
	one, err := f.Constant([]int32{1})
	if err != nil {
		return nil, err
	}
	if one, err = f.ConvertDType(one, shape.DType); err != nil {
		return nil, err
	}
	ones, err := f.BroadcastInDim(one, shapes.Make(shape.DType, dims...), nil)
	if err != nil {
		return nil, err
	}
	return f.DotGeneral(x, axes, nil, ones, all, nil, compute.DotGeneralConfig{})
}

// refused is the error of the other reductions in a closure; nil elsewhere.
func (f *function) refused(op compute.OpType) error {
	if f.parent == nil {
		return nil
	}
	return errors.Wrapf(compute.ErrNotImplemented,
		"backend xla cannot do %s inside a loop or another closure, where the only reduction it has is ReduceSum", op)
}

// unlessRefused is a reduction of go-xla's, outside of closures.
func (f *function) unlessRefused(op compute.OpType, plain func(value, ...int) (value, error), x value,
	axes []int) (value, error) {
	if err := f.refused(op); err != nil {
		return nil, err
	}
	return plain(x, axes...)
}

func (f *function) ReduceProduct(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceProduct, f.Function.ReduceProduct, x, axes)
}

func (f *function) ReduceMax(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceMax, f.Function.ReduceMax, x, axes)
}

func (f *function) ReduceMin(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceMin, f.Function.ReduceMin, x, axes)
}

func (f *function) ReduceBitwiseAnd(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceBitwiseAnd, f.Function.ReduceBitwiseAnd, x, axes)
}

func (f *function) ReduceBitwiseOr(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceBitwiseOr, f.Function.ReduceBitwiseOr, x, axes)
}

func (f *function) ReduceBitwiseXor(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceBitwiseXor, f.Function.ReduceBitwiseXor, x, axes)
}

func (f *function) ReduceLogicalAnd(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceLogicalAnd, f.Function.ReduceLogicalAnd, x, axes)
}

func (f *function) ReduceLogicalOr(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceLogicalOr, f.Function.ReduceLogicalOr, x, axes)
}

func (f *function) ReduceLogicalXor(x value, axes ...int) (value, error) {
	return f.unlessRefused(compute.OpTypeReduceLogicalXor, f.Function.ReduceLogicalXor, x, axes)
}

func (f *function) ArgMinMax(x value, axis int, indices dtypes.DType, least bool) (value, error) {
	if err := f.refused(compute.OpTypeArgMinMax); err != nil {
		return nil, err
	}
	return f.Function.ArgMinMax(x, axis, indices, least)
}

func (f *function) ReduceWindow(x value, by compute.ReduceOpType, window, strides, inputDilations,
	windowDilations []int, paddings [][2]int) (value, error) {
	if err := f.refused(compute.OpTypeReduceWindow); err != nil {
		return nil, err
	}
	return f.Function.ReduceWindow(x, by, window, strides, inputDilations, windowDilations, paddings)
}

func (f *function) ScatterSum(x, indices, updates value, vectorAxis int, window, inserted, axes []int,
	sorted, unique bool) (value, error) {
	if err := f.refused(compute.OpTypeScatterSum); err != nil {
		return nil, err
	}
	return f.Function.ScatterSum(x, indices, updates, vectorAxis, window, inserted, axes, sorted, unique)
}

func (f *function) ScatterMax(x, indices, updates value, vectorAxis int, window, inserted, axes []int,
	sorted, unique bool) (value, error) {
	if err := f.refused(compute.OpTypeScatterMax); err != nil {
		return nil, err
	}
	return f.Function.ScatterMax(x, indices, updates, vectorAxis, window, inserted, axes, sorted, unique)
}

func (f *function) ScatterMin(x, indices, updates value, vectorAxis int, window, inserted, axes []int,
	sorted, unique bool) (value, error) {
	if err := f.refused(compute.OpTypeScatterMin); err != nil {
		return nil, err
	}
	return f.Function.ScatterMin(x, indices, updates, vectorAxis, window, inserted, axes, sorted, unique)
}

func (f *function) SelectAndScatterMax(x, source value, window, strides []int, paddings [][2]int) (value, error) {
	if err := f.refused(compute.OpTypeSelectAndScatterMax); err != nil {
		return nil, err
	}
	return f.Function.SelectAndScatterMax(x, source, window, strides, paddings)
}

func (f *function) SelectAndScatterMin(x, source value, window, strides []int, paddings [][2]int) (value, error) {
	if err := f.refused(compute.OpTypeSelectAndScatterMin); err != nil {
		return nil, err
	}
	return f.Function.SelectAndScatterMin(x, source, window, strides, paddings)
}

func (f *function) AllReduce(xs []value, by compute.ReduceOpType, groups [][]int) ([]value, error) {
	if err := f.refused(compute.OpTypeAllReduce); err != nil {
		return nil, err
	}
	return f.Function.AllReduce(xs, by, groups)
}
