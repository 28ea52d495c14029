package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// findSinks finds the elementwise nodes of which nothing but slices is used, and together not more than the whole:
// their slices are computed from slices of the operands. This is what lets the gates of a recurrent cell, cut out of
// one product, become one pass over memory.
func (r *rewriter) findSinks(fn *irFunction) {
	sliced := make(map[*node]int) // how many elements of each node its slices have
	known := make(map[*node]int)  // how many of its uses are slices
	for i := len(fn.nodes) - 1; i >= 0; i-- {
		n := fn.nodes[i]
		for _, inner := range innerFunctions(n) {
			r.findSinks(inner)
		}
		if isElementwise(n.op) && known[n] > 0 && known[n] == r.uses[n] && sliced[n] <= n.shape.Size() {
			if dot, _ := r.dotToAddTo(n); dot == nil {
				r.sinks[n] = true
				for _, in := range n.in {
					known[in]++
					sliced[in] = max(sliced[in], sliced[n])
				}
			}
		}
		if n.op == compute.OpTypeSlice && slices.Max(append([]int{1}, n.data.(sliceData).strides...)) == 1 {
			known[n.in[0]]++
			sliced[n.in[0]] += n.shape.Size()
		}
	}
}

// sink copies the slice that node s takes of n.
func (r *rewriter) sink(e *env, s, n *node) *node {
	if !r.sinks[n] {
		return r.emit(e.dst, compute.OpTypeSlice, shapes.Make(n.shape.DType, s.shape.Dimensions...), s.data,
			r.copy(e, n))
	}
	in := make([]*node, len(n.in))
	for i := range in {
		in[i] = r.sink(e, s, n.in[i])
	}
	return r.emit(e.dst, n.op, shapes.Make(n.shape.DType, s.shape.Dimensions...), n.data, in...)
}

// dotToAddTo finds the product, perhaps reshaped, that has no use but to be an operand of the sum n, and the other
// operand's position.
func (r *rewriter) dotToAddTo(n *node) (dot *node, addend int) {
	if r.uses == nil || n.op != compute.OpTypeAdd || n.shape.DType != dtypes.Float32 {
		return nil, 0
	}
	for i, dot := range n.in {
		if dot.op == compute.OpTypeReshape && r.uses[dot] == 1 {
			dot = dot.in[0]
		}
		// The kernel reads the addend by rows.
		other := n.in[1-i]
		rank := other.shape.Rank()
		byRows := rank > 0 && (other.op != compute.OpTypeBroadcastInDim || slices.Contains(other.data.([]int), rank-1))
		if dot.op == opDot && r.uses[dot] == 1 && dot.fn == n.fn && byRows {
			return dot, 1 - i
		}
	}
	return nil, 0
}

// addToDot copies the sum of a product and something else as one operation, or returns nil.
func (r *rewriter) addToDot(e *env, n *node) *node {
	dot, addend := r.dotToAddTo(n)
	if dot == nil {
		return nil
	}
	d := r.reshaped(e.dst, r.copy(e, n.in[addend]), dot.shape.Dimensions)
	sum := r.emit(e.dst, opDotAdd, dot.shape, dot.data, r.copy(e, dot.in[0]), r.copy(e, dot.in[1]), d)
	return r.reshaped(e.dst, sum, n.shape.Dimensions)
}

// matrices writes a product as one of [batch, M, K] and [batch, K, N]. The transposes and reshapes that this takes are
// mostly views.
func (r *rewriter) matrices(fn *irFunction, shape shapes.Shape, d dotData, lhs, rhs *node) *node {
	operand := func(n *node, batch, contract []int, crossFirst bool) *node {
		var cross []int
		for a := range n.shape.Rank() {
			if !slices.Contains(batch, a) && !slices.Contains(contract, a) {
				cross = append(cross, a)
			}
		}
		order := [][]int{batch, contract, cross}
		if crossFirst {
			order = [][]int{batch, cross, contract}
		}
		permutation := slices.Concat(order...)
		var dims, grouped []int
		for _, axes := range order {
			size := 1
			for _, a := range axes {
				dims = append(dims, n.shape.Dimensions[a])
				size *= n.shape.Dimensions[a]
			}
			grouped = append(grouped, size)
		}
		t := r.emit(fn, compute.OpTypeTranspose, shapes.Make(n.shape.DType, dims...), permutation, n)
		return r.reshaped(fn, t, grouped)
	}
	a := operand(lhs, d.lhsBatch, d.lhsContract, true)
	b := operand(rhs, d.rhsBatch, d.rhsContract, false)
	ad, bd := a.shape.Dimensions, b.shape.Dimensions
	dot := r.emit(fn, opDot, shapes.Make(shape.DType, ad[0], ad[1], bd[2]), nil, a, b)
	return r.reshaped(fn, dot, shape.Dimensions)
}

// packed writes a product whose second operand does not change in a loop as one of that operand packed before the loop.
func (r *rewriter) packed(fn *irFunction, op compute.OpType, shape shapes.Shape, data any, in []*node) *node {
	b := in[1]
	if data != nil || shape.DType != dtypes.Float32 || fn.kind != kindLoop || outermost(fn, op, in) != fn ||
		outermost(fn, opPack, in[1:2]) == fn ||
		shape.Size() == 0 {
		return nil
	}
	d := packedData{b.shape.Dimensions[1], b.shape.Dimensions[2]}
	p := r.emit(fn, opPack, shapes.Make(dtypes.Float32, b.shape.Dimensions[0], kernel.PackedLen(d.n, d.k)), nil, b)
	operands := slices.Clone(in)
	operands[1] = p
	return r.emit(fn, op, shape, d, operands...)
}

// sliceOfDot copies a slice of the columns of a product that is used for nothing else as the product with a slice, or
// returns nil. Gradients with respect to what was joined to a state before a product leave such slices.
func (r *rewriter) sliceOfDot(e *env, n *node) *node {
	dot := n.in[0]
	if dot.op != opDot || r.uses[dot] != 1 {
		return nil
	}
	b := dot.in[1]
	if b.op == opPack {
		b = b.in[0]
	}
	s := n.data.(sliceData)
	whole, columns := dot.shape.Dimensions, b.shape.Dimensions[2]
	if !slices.Equal(whole[:2], n.shape.Dimensions[:2]) || s.strides[2] != 1 {
		return nil
	}
	width := n.shape.Dimensions[2]
	if width == columns {
		return nil
	}
	k := b.shape.Dimensions[1]
	part := r.emit(e.dst, compute.OpTypeSlice, shapes.Make(b.shape.DType, whole[0], k, width),
		sliceData{[]int{0, 0, s.starts[2]}, []int{whole[0], k, s.limits[2]}, []int{1, 1, 1}}, r.copy(e, b))
	return r.emit(e.dst, opDot, n.shape, nil, r.copy(e, dot.in[0]), part)
}

// addToProduct copies a sum or difference that is the only use of an elementwise product as one operation, or returns
// nil.
func (r *rewriter) addToProduct(e *env, n *node) *node {
	if r.uses == nil || n.shape.DType != dtypes.Float32 || n.op != compute.OpTypeAdd && n.op != compute.OpTypeSub {
		return nil
	}
	product := func(i int) bool {
		m := n.in[i]
		return m.op == compute.OpTypeMul && r.uses[m] == 1 && m.fn == n.fn
	}
	a, b := n.in[0], n.in[1]
	op := opMulAdd
	var in []*node
	switch add := n.op == compute.OpTypeAdd; {
	case add && product(0) && product(1):
		op, in = opMulMulAdd, []*node{a.in[0], a.in[1], b.in[0], b.in[1]}
	case add && product(0):
		in = []*node{a.in[0], a.in[1], b}
	case add && product(1):
		in = []*node{b.in[0], b.in[1], a}
	case product(1):
		op, in = opSubMul, []*node{a, b.in[0], b.in[1]}
	case product(0):
		op, in = opMulSub, []*node{a.in[0], a.in[1], b}
	default:
		return nil
	}
	for i := range in {
		in[i] = r.copy(e, in[i])
	}
	return r.emit(e.dst, op, n.shape, nil, in...)
}
