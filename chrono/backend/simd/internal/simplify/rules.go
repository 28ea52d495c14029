package simplify

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// outermost finds the outermost function, out of a loop but not out of a branch, that has all operands.
func outermost(fn *ir.Function, op compute.OpType, in []*ir.Node) *ir.Function {
	if op == compute.OpTypeConstant {
		for fn.Parent != nil {
			fn = fn.Parent
		}
	}
	for fn.Kind == ir.Loop && !slices.ContainsFunc(in, func(n *ir.Node) bool { return n.Fn == fn }) {
		fn = fn.Parent
	}
	return fn
}

// emit returns a node of fn, or of a function around it, that computes op.
func (r *rewriter) emit(fn *ir.Function, op compute.OpType, shape shapes.Shape, data any, in ...*ir.Node) *ir.Node {
	if n := r.rule(fn, op, shape, data, in); n != nil {
		return n
	}
	fn = outermost(fn, op, in)
	var key string
	if op != compute.OpTypeOptimizationBarrier {
		key = keyOf(op, shape, data, in)
		for f := fn; f != nil; f = f.Parent {
			if n := r.seen[f][key]; n != nil {
				return n
			}
		}
	}
	n := fn.Add(op, shape, data, in...)
	if key != "" {
		if r.seen[fn] == nil {
			r.seen[fn] = make(map[string]*ir.Node)
		}
		r.seen[fn][key] = n
	}
	return n
}

// keyOf is the same for nodes that compute the same.
func keyOf(op compute.OpType, shape shapes.Shape, data any, in []*ir.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %v", op, shape.DType, shape.Dimensions)
	for _, n := range in {
		fmt.Fprintf(&b, " %d", n.ID)
	}
	if c, ok := data.(*ir.ConstantData); ok {
		b.WriteByte('|')
		b.Write(c.Bytes)
	} else {
		fmt.Fprintf(&b, "|%v", data)
	}
	return b.String()
}

func (r *rewriter) constant(fn *ir.Function, shape shapes.Shape, bytes []byte) *ir.Node {
	return r.emit(fn, compute.OpTypeConstant, shape, &ir.ConstantData{Bytes: bytes})
}

// reshaped returns n with other dimensions.
func (r *rewriter) reshaped(fn *ir.Function, n *ir.Node, dims []int) *ir.Node {
	return r.emit(fn, compute.OpTypeReshape, shapes.Make(n.Shape.DType, dims...), nil, n)
}

// rule returns what an operation can be replaced with, or nil.
func (r *rewriter) rule(fn *ir.Function, op compute.OpType, shape shapes.Shape, data any, in []*ir.Node) *ir.Node {
	if element.Is(op) {
		if n := r.fold(fn, op, shape, in); n != nil {
			return n
		}
	}
	switch op {
	case compute.OpTypeDotGeneral:
		return r.matrices(fn, shape, data.(ir.DotData), in[0], in[1])
	case ir.OpDot, ir.OpDotAdd:
		return r.packed(fn, op, shape, data, in)
	case compute.OpTypeIdentity:
		return in[0]
	case compute.OpTypeReshape:
		if slices.Equal(in[0].Shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		if in[0].Op == compute.OpTypeReshape {
			return r.reshaped(fn, in[0].In[0], shape.Dimensions)
		}
		if c, ok := in[0].Data.(*ir.ConstantData); ok {
			return r.constant(fn, shape, c.Bytes)
		}
	case compute.OpTypeBroadcastInDim:
		if slices.Equal(in[0].Shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		if in[0].Shape.Size() == shape.Size() {
			return r.reshaped(fn, in[0], shape.Dimensions)
		}
	case compute.OpTypeTranspose:
		if slices.IsSorted(data.([]int)) {
			return in[0]
		}
	case compute.OpTypeReverse:
		if len(data.([]int)) == 0 {
			return in[0]
		}
	case compute.OpTypeSlice:
		if slices.Equal(in[0].Shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		return r.sliceOfConcatenation(fn, shape, data.(ir.SliceData), in[0])
	case compute.OpTypeConcatenate:
		pieces := slices.DeleteFunc(slices.Clone(in), func(n *ir.Node) bool {
			return n.Shape.Dimensions[data.(int)] == 0
		})
		if len(pieces) == 1 {
			return pieces[0]
		}
		if len(pieces) > 0 && len(pieces) < len(in) {
			return r.emit(fn, op, shape, data, pieces...)
		}
	case compute.OpTypePad:
		return r.padWithZeros(fn, shape, data.([]compute.PadAxis), in[0], in[1])
	case compute.OpTypeAdd:
		if ir.IsSplat(in[0], 0) {
			return in[1]
		}
		if ir.IsSplat(in[1], 0) {
			return in[0]
		}
		return r.addConcatenations(fn, shape, in[0], in[1])
	case compute.OpTypeSub:
		if ir.IsSplat(in[1], 0) {
			return in[0]
		}
	case compute.OpTypeMul:
		if ir.IsSplat(in[0], 1) {
			return in[1]
		}
		if ir.IsSplat(in[1], 1) {
			return in[0]
		}
		if op, g, y := gradient(in); op != compute.OpTypeInvalid {
			return r.emit(fn, op, shape, nil, g, y)
		}
	case compute.OpTypeDiv:
		if ir.IsSplat(in[1], 1) {
			return in[0]
		}
	case compute.OpTypePow:
		if ir.IsSplat(in[1], 1) {
			return in[0]
		}
		if ir.IsSplat(in[1], 2) {
			return r.emit(fn, compute.OpTypeMul, shape, nil, in[0], in[0])
		}
	case compute.OpTypeWhere:
		if c := ir.Splat(in[0]); c != nil {
			if c[0] != 0 {
				return in[1]
			}
			return in[2]
		}
	case compute.OpTypeReduceSum, compute.OpTypeReduceMax, compute.OpTypeReduceMin, compute.OpTypeReduceProduct:
		if in[0].Shape.Size() == shape.Size() {
			return r.reshaped(fn, in[0], shape.Dimensions)
		}
	}
	return nil
}

// fold computes elementwise operations on constants that have one value each.
func (r *rewriter) fold(fn *ir.Function, op compute.OpType, shape shapes.Shape, in []*ir.Node) *ir.Node {
	var src element.Operands
	var tiles [5][8]byte
	for i, n := range in {
		s := ir.Splat(n)
		if s == nil {
			return nil
		}
		copy(tiles[i][:], s)
		src[i] = unsafe.Pointer(&tiles[i])
	}
	f := element.TileFunction(op, in[0].Shape.DType, shape.DType)
	if f == nil || shape.Size() == 0 {
		return nil
	}
	f(unsafe.Pointer(&tiles[4]), &src, 1)
	c := r.constant(fn, shapes.Make(shape.DType), slices.Clone(tiles[4][:shape.DType.Size()]))
	if shape.Rank() == 0 {
		return c
	}
	return r.emit(fn, compute.OpTypeBroadcastInDim, shape, []int{}, c)
}

// zeros returns a broadcast zero.
func (r *rewriter) zeros(fn *ir.Function, shape shapes.Shape) *ir.Node {
	z := r.constant(fn, shapes.Make(shape.DType), make([]byte, shape.DType.Size()))
	return r.emit(fn, compute.OpTypeBroadcastInDim, shape, []int{}, z)
}

// padWithZeros writes padding of one axis with zeros as a concatenation, which is what the gradients of slices are.
func (r *rewriter) padWithZeros(fn *ir.Function, shape shapes.Shape, padding []compute.PadAxis,
	x, fill *ir.Node) *ir.Node {
	axis := -1
	for i, p := range padding {
		if p == (compute.PadAxis{}) {
			continue
		}
		if axis >= 0 || p.Interior != 0 || p.Start < 0 || p.End < 0 {
			return nil
		}
		axis = i
	}
	if axis < 0 {
		return x
	}
	if s := ir.Splat(fill); s == nil || slices.Max(s) != 0 {
		return nil
	}
	piece := func(size int) *ir.Node {
		s := shape.Clone()
		s.Dimensions[axis] = size
		return r.zeros(fn, s)
	}
	return r.emit(fn, compute.OpTypeConcatenate, shape, axis, piece(padding[axis].Start), x, piece(padding[axis].End))
}

// sliceOfConcatenation slices the one operand of a concatenation that the slice lies in.
func (r *rewriter) sliceOfConcatenation(fn *ir.Function, shape shapes.Shape, s ir.SliceData, x *ir.Node) *ir.Node {
	if x.Op != compute.OpTypeConcatenate {
		return nil
	}
	axis := x.Data.(int)
	start := 0
	for _, piece := range x.In {
		end := start + piece.Shape.Dimensions[axis]
		if s.Starts[axis] >= start && s.Limits[axis] <= end {
			inside := ir.SliceData{Starts: slices.Clone(s.Starts), Limits: slices.Clone(s.Limits), Strides: s.Strides}
			inside.Starts[axis] -= start
			inside.Limits[axis] -= start
			return r.emit(fn, compute.OpTypeSlice, shape, inside, piece)
		}
		start = end
	}
	return nil
}

// addConcatenations adds two concatenations along one axis of which, everywhere, one is zero: the sum is the
// concatenation of what is not zero. Sums of the gradients of slices become what was sliced, again.
func (r *rewriter) addConcatenations(fn *ir.Function, shape shapes.Shape, a, b *ir.Node) *ir.Node {
	if a.Op != compute.OpTypeConcatenate || b.Op != compute.OpTypeConcatenate || a.Data != b.Data {
		return nil
	}
	axis := a.Data.(int)
	var pieces []*ir.Node
	type cursor struct {
		in   []*ir.Node
		left int // of in[0], when that is zero and partly used up
	}
	ca, cb := cursor{in: a.In}, cursor{in: b.In}
	size := func(n *ir.Node) int { return n.Shape.Dimensions[axis] }
	remaining := func(c *cursor) int {
		if c.left > 0 {
			return c.left
		}
		return size(c.in[0])
	}
	use := func(c *cursor, n int) {
		c.left = remaining(c) - n
		if c.left == 0 {
			c.in = c.in[1:]
		}
	}
	for len(ca.in) > 0 && len(cb.in) > 0 {
		za, zb := ir.IsSplat(ca.in[0], 0), ir.IsSplat(cb.in[0], 0)
		var n int
		switch {
		case za && zb:
			n = min(remaining(&ca), remaining(&cb))
			s := shape.Clone()
			s.Dimensions[axis] = n
			pieces = append(pieces, r.zeros(fn, s))
		case za && remaining(&ca) >= size(cb.in[0]):
			n = size(cb.in[0])
			pieces = append(pieces, cb.in[0])
		case zb && remaining(&cb) >= size(ca.in[0]):
			n = size(ca.in[0])
			pieces = append(pieces, ca.in[0])
		default:
			return nil
		}
		use(&ca, n)
		use(&cb, n)
	}
	return r.emit(fn, compute.OpTypeConcatenate, shape, axis, pieces...)
}

// gradient recognizes the factors of a product with the derivative of tanh or the logistic function, 1 − y² or
// y·(1 − y), as GoMLX's gradients have them.
func gradient(in []*ir.Node) (op compute.OpType, g, y *ir.Node) {
	if in[0].Shape.DType != dtypes.Float32 {
		return compute.OpTypeInvalid, nil, nil
	}
	oneMinus := func(n *ir.Node) *ir.Node {
		if n.Op == compute.OpTypeSub && ir.IsSplat(n.In[0], 1) {
			return n.In[1]
		}
		return nil
	}
	for i, d := range in {
		if m := oneMinus(d); m != nil && m.Op == compute.OpTypeMul && m.In[0] == m.In[1] {
			return element.OpTanhGrad, in[1-i], m.In[0]
		}
		if d.Op == compute.OpTypeMul {
			for k, y := range d.In {
				if oneMinus(d.In[1-k]) == y {
					return element.OpLogisticGrad, in[1-i], y
				}
			}
		}
	}
	return compute.OpTypeInvalid, nil, nil
}
