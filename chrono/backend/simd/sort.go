package simd

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// Sort calls its comparator with (lhs 0, rhs 0, lhs 1, rhs 1, …), as GoMLX's other backends do.
func (f *function) Sort(comparator compute.Function, axis int, stable bool, inputs ...compute.Value) (
	[]compute.Value, error) {
	in, err := f.values(compute.OpTypeSort, inputs...)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return nil, errors.New("Sort: nothing to sort")
	}
	var params []shapes.Shape
	for _, n := range in {
		if !n.Shape.EqualDimensions(in[0].Shape) {
			return nil, errors.Errorf("Sort: dimensions differ: %s and %s", in[0].Shape, n.Shape)
		}
		params = append(params, shapes.Make(n.Shape.DType), shapes.Make(n.Shape.DType))
	}
	rank := in[0].Shape.Rank()
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return nil, errors.Errorf("Sort: axis %d of rank %d", axis, rank)
	}
	c, err := f.callee(compute.OpTypeSort, comparator, params)
	if err != nil {
		return nil, err
	}
	if !isPredicate(c) {
		return nil, errors.New("Sort: the comparator must return one boolean scalar")
	}
	d := &ir.SortData{Before: c, Axis: axis, Stable: stable}
	return asValues(f.addMulti(compute.OpTypeSort, ir.ShapesOf(in), d, in...)), nil
}
