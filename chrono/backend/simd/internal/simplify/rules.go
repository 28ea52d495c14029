package simplify

import (
	"fmt"
	"slices"
	"strconv"

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
	if n := (&site{r, fn, op, shape, data, in}).rule(); n != nil {
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
	key := make([]byte, 0, 64)
	number := func(n int) { key = append(strconv.AppendInt(key, int64(n), 10), ' ') }
	number(int(op))
	number(int(shape.DType))
	for _, d := range shape.Dimensions {
		number(d)
	}
	key = append(key, '|')
	for _, n := range in {
		number(n.ID)
	}
	key = append(key, '|')
	switch d := data.(type) {
	case nil:
	case *ir.ConstantData:
		key = append(key, d.Bytes...)
	default:
		key = fmt.Append(key, d)
	}
	return string(key)
}

func (r *rewriter) constant(fn *ir.Function, shape shapes.Shape, bytes []byte) *ir.Node {
	return r.emit(fn, compute.OpTypeConstant, shape, &ir.ConstantData{Bytes: bytes})
}

// reshaped returns n with other dimensions.
func (r *rewriter) reshaped(fn *ir.Function, n *ir.Node, dims []int) *ir.Node {
	return r.emit(fn, compute.OpTypeReshape, shapes.Make(n.Shape.DType, dims...), nil, n)
}

// A site is an operation that is about to be added to a function.
type site struct {
	*rewriter
	fn    *ir.Function
	op    compute.OpType
	shape shapes.Shape
	data  any
	in    []*ir.Node
}

// A rule returns what computes the same as an operation, with less, or nil.
type rule struct {
	name  string
	apply func(s *site) *ir.Node
}

// rules are tried in turn on every operation that is added. What one returns was added likewise, so rules apply to it,
// too; none may make what another turns back. testdata has each before and after.
var rules map[compute.OpType][]rule

// foldRule comes first, for all elementwise operations.
var foldRule rule

func init() { // not an initializer: rules add operations
	foldRule = rule{"fold constants", (*site).fold}
	same := rule{"same shape", operandIf(0, func(s *site) bool {
		return slices.Equal(s.in[0].Shape.Dimensions, s.shape.Dimensions)
	})}
	reduceOne := []rule{{"reduce axes of size 1", (*site).sameSize}}
	rules = map[compute.OpType][]rule{
		compute.OpTypeIdentity: {{"identity", operandIf(0, func(*site) bool { return true })}},
		compute.OpTypeReshape: {same, {"reshape of reshape", (*site).reshapeOfReshape},
			{"reshape of constant", (*site).reshapeOfConstant}},
		compute.OpTypeBroadcastInDim: {same, {"broadcast to the same size", (*site).sameSize}},
		compute.OpTypeTranspose: {{"transpose in order", operandIf(0, func(s *site) bool {
			return slices.IsSorted(s.data.([]int))
		})}},
		compute.OpTypeSlice:       {same},
		compute.OpTypeConcatenate: {{"concatenate what has elements", (*site).concatenateNotEmpty}},
		compute.OpTypePad:         {{"pad with zeros", (*site).padWithZeros}},
		compute.OpTypeAdd: {{"zero plus x", splatOperand(0, 0)}, {"x plus zero", splatOperand(1, 0)},
			{"sum of concatenations", (*site).addTwo}},
		compute.OpTypeSub: {{"x minus zero", splatOperand(1, 0)}},
		compute.OpTypeMul: {{"one times x", splatOperand(0, 1)}, {"x times one", splatOperand(1, 1)},
			{"gradient of tanh or logistic", (*site).gradient}},
		compute.OpTypeDiv:           {{"x over one", splatOperand(1, 1)}},
		compute.OpTypePow:           {{"first power", splatOperand(1, 1)}, {"second power", (*site).square}},
		compute.OpTypeReduceSum:     reduceOne,
		compute.OpTypeReduceMax:     reduceOne,
		compute.OpTypeReduceMin:     reduceOne,
		compute.OpTypeReduceProduct: reduceOne,
		compute.OpTypeDotGeneral: {{"product of sequences", (*site).productOfSequences},
			{"product of matrices", (*site).matrixProduct}},
		ir.OpDot:    {{"pack before the loop", (*site).pack}},
		ir.OpDotAdd: {{"pack before the loop", (*site).pack}},
	}
}

// rule returns what the first rule that applies makes of an operation, or nil.
func (s *site) rule() *ir.Node {
	try := func(r rule) *ir.Node {
		n := r.apply(s)
		if n != nil {
			s.applied[r.name]++
		}
		return n
	}
	if element.Is(s.op) {
		if n := try(foldRule); n != nil {
			return n
		}
	}
	for _, r := range rules[s.op] {
		if n := try(r); n != nil {
			return n
		}
	}
	return nil
}

// operandIf is a rule that takes operand i instead of the operation, if a condition holds.
func operandIf(i int, holds func(s *site) bool) func(s *site) *ir.Node {
	return func(s *site) *ir.Node {
		if !holds(s) {
			return nil
		}
		return s.in[i]
	}
}

// splatOperand is a rule that takes the other of two operands, if operand i is a constant with all elements v.
func splatOperand(i int, v float64) func(s *site) *ir.Node {
	return operandIf(1-i, func(s *site) bool { return ir.IsSplat(s.in[i], v) })
}

func (s *site) reshapeOfReshape() *ir.Node {
	if s.in[0].Op == compute.OpTypeReshape {
		return s.reshaped(s.fn, s.in[0].In[0], s.shape.Dimensions)
	}
	return nil
}

func (s *site) reshapeOfConstant() *ir.Node {
	if c, ok := s.in[0].Data.(*ir.ConstantData); ok {
		return s.constant(s.fn, s.shape, c.Bytes)
	}
	return nil
}

func (s *site) sameSize() *ir.Node {
	if s.in[0].Shape.Size() == s.shape.Size() {
		return s.reshaped(s.fn, s.in[0], s.shape.Dimensions)
	}
	return nil
}

func (s *site) concatenateNotEmpty() *ir.Node {
	pieces := slices.DeleteFunc(slices.Clone(s.in), func(n *ir.Node) bool {
		return n.Shape.Dimensions[s.data.(int)] == 0
	})
	if len(pieces) == 1 {
		return pieces[0]
	}
	if len(pieces) > 0 && len(pieces) < len(s.in) {
		return s.emit(s.fn, s.op, s.shape, s.data, pieces...)
	}
	return nil
}

func (s *site) square() *ir.Node {
	if ir.IsSplat(s.in[1], 2) {
		return s.emit(s.fn, compute.OpTypeMul, s.shape, nil, s.in[0], s.in[0])
	}
	return nil
}

// fold computes elementwise operations on constants that have one value each.
func (s *site) fold() *ir.Node {
	var operands [][]byte
	for _, n := range s.in {
		v := ir.Splat(n)
		if v == nil {
			return nil
		}
		operands = append(operands, v)
	}
	v := element.Compute(s.op, s.in[0].Shape.DType, s.shape.DType, operands...)
	if v == nil || s.shape.Size() == 0 {
		return nil
	}
	c := s.constant(s.fn, shapes.Make(s.shape.DType), v)
	if s.shape.Rank() == 0 {
		return c
	}
	return s.emit(s.fn, compute.OpTypeBroadcastInDim, s.shape, []int{}, c)
}

// zeros returns a broadcast zero.
func (r *rewriter) zeros(fn *ir.Function, shape shapes.Shape) *ir.Node {
	z := r.constant(fn, shapes.Make(shape.DType), make([]byte, shape.DType.Size()))
	return r.emit(fn, compute.OpTypeBroadcastInDim, shape, []int{}, z)
}

// padWithZeros writes padding of one axis with zeros as a concatenation, which is what the gradients of slices are.
func (s *site) padWithZeros() *ir.Node {
	padding, x, fill := s.data.([]compute.PadAxis), s.in[0], s.in[1]
	zero := ir.Splat(fill)
	if zero == nil || slices.Max(zero) != 0 || slices.ContainsFunc(padding, func(p compute.PadAxis) bool {
		return p.Interior != 0 || p.Start < 0 || p.End < 0
	}) {
		return nil
	}
	for axis, p := range padding {
		if p == (compute.PadAxis{}) {
			continue
		}
		piece := func(size int) *ir.Node {
			part := x.Shape.Clone()
			part.Dimensions[axis] = size
			return s.zeros(s.fn, part)
		}
		before, after := piece(p.Start), piece(p.End)
		whole := x.Shape.Clone()
		whole.Dimensions[axis] = s.shape.Dimensions[axis]
		x = s.emit(s.fn, compute.OpTypeConcatenate, whole, axis, before, x, after)
	}
	return x
}

// gradient recognizes products with the derivative of tanh or the logistic function, 1 − y² or y·(1 − y), as the
// gradients of GoMLX have them.
func (s *site) gradient() *ir.Node {
	if s.shape.DType != dtypes.Float32 {
		return nil
	}
	oneMinus := func(n *ir.Node) *ir.Node {
		if n.Op == compute.OpTypeSub && ir.IsSplat(n.In[0], 1) {
			return n.In[1]
		}
		return nil
	}
	for i, d := range s.in {
		if m := oneMinus(d); m != nil && m.Op == compute.OpTypeMul && m.In[0] == m.In[1] {
			return s.emit(s.fn, element.OpTanhGrad, s.shape, nil, s.in[1-i], m.In[0])
		}
		if d.Op == compute.OpTypeMul {
			for k, y := range d.In {
				if oneMinus(d.In[1-k]) == y {
					return s.emit(s.fn, element.OpLogisticGrad, s.shape, nil, s.in[1-i], y)
				}
			}
		}
	}
	return nil
}
