package simd

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// Sort calls its comparator with (lhs 0, rhs 0, lhs 1, rhs 1, …), as GoMLX's other backends do.
func (f *function) Sort(comparator compute.Function, axis int, stable bool, inputs ...value) ([]value, error) {
	return f.recordMulti(compute.OpTypeSort, func(in []*ir.Node) []*ir.Node {
		if len(in) == 0 {
			ir.Fail("Sort: nothing to sort")
		}
		var params []shapes.Shape
		for _, n := range in {
			if !n.Shape.EqualDimensions(in[0].Shape) {
				ir.Fail("Sort: dimensions differ: %s and %s", in[0].Shape, n.Shape)
			}
			params = append(params, shapes.Make(n.Shape.DType), shapes.Make(n.Shape.DType))
		}
		rank := in[0].Shape.Rank()
		if axis < 0 {
			axis += rank
		}
		if axis < 0 || axis >= rank {
			ir.Fail("Sort: axis %d of rank %d", axis, rank)
		}
		c := f.callee("Sort", comparator, params)
		if !isPredicate(c) {
			ir.Fail("Sort: the comparator must return one boolean scalar")
		}
		d := ir.SortData{Axis: axis, Stable: stable}
		return f.addMulti(compute.OpTypeSort, ir.ShapesOf(in), d, []*ir.Function{c}, in...)
	}, inputs...)
}

// total compares in the order −NaN < −∞ < … < −0 < 0 < … < ∞ < NaN: that of the bits as integers, once
// those of negative numbers, all but the sign, are flipped.
func (f *function) total(op compute.OpType, l, r value) (value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		for i, n := range in {
			if !n.Shape.DType.IsFloat() {
				continue
			}
			d := map[int]dtypes.DType{2: dtypes.Int16, 4: dtypes.Int32, 8: dtypes.Int64}[n.Shape.DType.Size()]
			s := shapes.Make(d, n.Shape.Dimensions...)
			bits := f.add(ir.OpReinterpret, s, nil, n)
			sign := f.elementwise(compute.OpTypeShiftRightArithmetic, s, bits, f.number(d, float64(8*d.Size()-1)))
			flip := f.elementwise(compute.OpTypeBitwiseAnd, s, sign, f.scalar(d.HighestValue()))
			in[i] = f.elementwise(compute.OpTypeBitwiseXor, s, bits, flip)
		}
		return ir.Must(f.binary(op, in[0], in[1])).(*ir.Node)
	}, l, r)
}

func (f *function) EqualTotalOrder(l, r value) (value, error) {
	return f.total(compute.OpTypeEqual, l, r)
}
func (f *function) GreaterOrEqualTotalOrder(l, r value) (value, error) {
	return f.LessOrEqualTotalOrder(r, l)
}
func (f *function) GreaterThanTotalOrder(l, r value) (value, error) {
	return f.LessThanTotalOrder(r, l)
}
func (f *function) LessOrEqualTotalOrder(l, r value) (value, error) {
	return f.total(compute.OpTypeLessOrEqual, l, r)
}
func (f *function) LessThanTotalOrder(l, r value) (value, error) {
	return f.total(compute.OpTypeLessThan, l, r)
}
func (f *function) NotEqualTotalOrder(l, r value) (value, error) {
	return f.total(compute.OpTypeNotEqual, l, r)
}
