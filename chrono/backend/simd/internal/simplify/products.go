package simplify

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
)

// A fusion copies a node together with operands that have no other use, or returns nil.
type fusion struct {
	name string
	copy func(r *rewriter, e *env, n *ir.Node) *ir.Node
}

// fusions are tried in turn on every node of the source, by Fuse. testdata has each before and after.
var fusions map[compute.OpType][]fusion

func init() { // not an initializer: fusions copy nodes
	product := fusion{"add to an elementwise product", (*rewriter).addToProduct}
	fusions = map[compute.OpType][]fusion{
		compute.OpTypeSlice: {{"slice of a product of matrices", (*rewriter).sliceOfDot}},
		compute.OpTypeAdd: {{"sum of many concatenations", (*rewriter).addMany},
			{"add to a product of matrices", (*rewriter).addToDot}, product},
		compute.OpTypeSub: {product},
	}
}

// copyBy returns what the first fusion that applies makes of a node, or nil.
func (r *rewriter) copyBy(e *env, n *ir.Node) *ir.Node {
	if r.uses == nil {
		return nil
	}
	for _, f := range fusions[n.Op] {
		if c := f.copy(r, e, n); c != nil {
			r.applied[f.name]++
			return c
		}
	}
	return nil
}

// fewPieces are so few that the sum of two concatenations is joined as soon as it is added. Longer sums, such as those
// of the gradients of all steps of a sequence, are left to addMany, whose time is proportional to their length.
const fewPieces = 16

// addTwo adds two concatenations of few pieces.
func (s *site) addTwo() *ir.Node {
	if len(s.in[0].In)+len(s.in[1].In) > fewPieces {
		return nil
	}
	return s.addConcatenations(s.fn, s.shape, s.in)
}

// addMany copies a sum of concatenations, or returns nil.
func (r *rewriter) addMany(e *env, n *ir.Node) *ir.Node {
	if r.summand[n.ID] {
		return nil // but with the rest of the sum
	}
	addends := r.addends(n, nil)
	for i, a := range addends {
		if a.Op != compute.OpTypeConcatenate {
			return nil
		}
		addends[i] = r.copy(e, a)
	}
	return r.addConcatenations(e.dst, n.Shape, addends)
}

// addConcatenations returns the sum of concatenations along one axis, some with zeros, as one concatenation, or nil. Of
// the pieces that are not zero, any two must be at different places or at the same. Sums of the gradients of slices
// become what was sliced, again.
func (r *rewriter) addConcatenations(fn *ir.Function, shape shapes.Shape, addends []*ir.Node) *ir.Node {
	type part struct {
		at int
		n  *ir.Node
	}
	var parts []part
	axis, zeros := addends[0].Data, false
	for _, a := range addends {
		if a.Op != compute.OpTypeConcatenate || a.Data != axis {
			return nil
		}
		at := 0
		for _, piece := range a.In {
			if ir.IsSplat(piece, 0) {
				zeros = true
			} else {
				parts = append(parts, part{at, piece})
			}
			at += piece.Shape.Dimensions[axis.(int)]
		}
	}
	if !zeros {
		return nil
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	var pieces []*ir.Node
	end := 0
	fill := func(to int) {
		if gap := shape.Clone(); to > end {
			gap.Dimensions[axis.(int)] = to - end
			pieces = append(pieces, r.zeros(fn, gap))
		}
		end = to
	}
	for i, p := range parts {
		if last := len(pieces) - 1; i > 0 && parts[i-1].at == p.at && p.n.Shape.Equal(pieces[last].Shape) {
			pieces[last] = r.emit(fn, compute.OpTypeAdd, p.n.Shape, nil, pieces[last], p.n)
			continue
		}
		if p.at < end {
			return nil
		}
		fill(p.at)
		pieces = append(pieces, p.n)
		end += p.n.Shape.Dimensions[axis.(int)]
	}
	fill(shape.Dimensions[axis.(int)])
	return r.emit(fn, compute.OpTypeConcatenate, shape, axis, pieces...)
}

// addends appends what a sum adds, in order.
func (r *rewriter) addends(n *ir.Node, list []*ir.Node) []*ir.Node {
	for _, i := range n.In {
		if r.summand[i.ID] {
			list = r.addends(i, list)
		} else {
			list = append(list, i)
		}
	}
	return list
}

// addToDot copies the sum of a product, perhaps reshaped, that has no other use, and something else as one operation,
// or returns nil.
func (r *rewriter) addToDot(e *env, n *ir.Node) *ir.Node {
	for i, dot := range n.In {
		if dot.Op == compute.OpTypeReshape && r.uses[dot.ID] == 1 {
			dot = dot.In[0]
		}
		addend := n.In[1-i]
		rank := addend.Shape.Rank()
		if n.Shape.DType != dtypes.Float32 || dot.Op != ir.OpDot || r.uses[dot.ID] != 1 || dot.Fn != n.Fn ||
			rank == 0 || addend.Op == compute.OpTypeBroadcastInDim && !slices.Contains(addend.Data.([]int), rank-1) {
			continue // the kernel reads the addend by rows
		}
		d := r.reshaped(e.dst, r.copy(e, addend), dot.Shape.Dimensions)
		sum := r.emit(e.dst, ir.OpDotAdd, dot.Shape, dot.Data, r.copy(e, dot.In[0]), r.copy(e, dot.In[1]), d)
		return r.reshaped(e.dst, sum, n.Shape.Dimensions)
	}
	return nil
}

// matrixProduct writes a product as one of [batch, M, K] and [batch, K, N]. The transposes and reshapes that this
// takes are mostly views.
func (s *site) matrixProduct() *ir.Node {
	d := s.data.(ir.DotData)
	a := s.matrices(s.in[0], d.LhsBatch, d.LhsContract, true)
	b := s.matrices(s.in[1], d.RhsBatch, d.RhsContract, false)
	ad, bd := a.Shape.Dimensions, b.Shape.Dimensions
	dot := s.emit(s.fn, ir.OpDot, shapes.Make(s.shape.DType, ad[0], ad[1], bd[2]), nil, a, b)
	return s.reshaped(s.fn, dot, s.shape.Dimensions)
}

// matrices joins the axes of an operand of a product, those of the inner sum last or in the middle.
func (s *site) matrices(n *ir.Node, batch, contract []int, last bool) *ir.Node {
	cross := ir.Without(xslices.Iota(0, n.Shape.Rank()), slices.Concat(batch, contract))
	order := [][]int{batch, contract, cross}
	if last {
		order = [][]int{batch, cross, contract}
	}
	grouped := xslices.Map(order, func(axes []int) int {
		return ir.Product(xslices.Map(axes, func(a int) int { return n.Shape.Dimensions[a] }))
	})
	return s.reshaped(s.fn, s.transposed(n, slices.Concat(order...)...), grouped)
}

// transposed returns n with its axes in another order.
func (s *site) transposed(n *ir.Node, axes ...int) *ir.Node {
	dims := xslices.Map(axes, func(a int) int { return n.Shape.Dimensions[a] })
	return s.emit(s.fn, compute.OpTypeTranspose, shapes.Make(n.Shape.DType, dims...), axes, n)
}

// few are so few rows of a step, or steps, that products step by step take longer than a copy that joins the steps.
const few = 8

// sequences returns what an operand of a product is in memory, if that is [T, R, B, K] of float32, and R the batch:
// sequences of several trials, whose axes T and B cannot be joined without a copy. Else it returns nil.
func sequences(n *ir.Node, batch []int) *ir.Node {
	trials := 1
	if n.Op == compute.OpTypeTranspose && slices.Equal(n.Data.([]int), []int{1, 0, 2, 3}) {
		n, trials = n.In[0], 0
	}
	d := n.Shape.Dimensions
	if n.Shape.DType != dtypes.Float32 || len(d) != 4 || !slices.Equal(batch, []int{trials}) || d[0] < few ||
		d[1] == 1 || d[2] < few {
		return nil
	}
	return n
}

// productOfSequences is matrixProduct for what would have to be copied first: the sequences of several trials times a
// matrix for each, at every step; or the sum over steps and sequences of products of two. Else it returns nil.
func (s *site) productOfSequences() *ir.Node {
	d := s.data.(ir.DotData)
	xs, ys := sequences(s.in[0], d.LhsBatch), sequences(s.in[1], d.RhsBatch)
	steps := func(batch, contract []int) bool { return slices.Equal(contract, []int{1 - batch[0], 2}) }
	switch {
	case xs == nil || s.shape.Size() == 0:
		return nil
	case ys != nil && steps(d.LhsBatch, d.LhsContract) && steps(d.RhsBatch, d.RhsContract):
		return s.emit(s.fn, ir.OpDot, s.shape, nil, s.transposed(xs, 1, 3, 0, 2), s.transposed(ys, 1, 0, 2, 3))
	case !slices.Equal(d.LhsContract, []int{3}):
		return nil
	}
	in, b := xs.Shape.Dimensions, s.matrices(s.in[1], d.RhsBatch, d.RhsContract, false)
	count, n := in[0]*in[1], b.Shape.Dimensions[2]
	a := s.reshaped(s.fn, xs, []int{count, in[2], in[3]})
	dot := s.packed(ir.OpDot, shapes.Make(dtypes.Float32, count, in[2], n), a, b)
	dot = s.transposed(s.reshaped(s.fn, dot, []int{in[0], in[1], in[2], n}), 1, 0, 2, 3)
	return s.reshaped(s.fn, dot, s.shape.Dimensions)
}

// pack writes a product whose second operand does not change in a loop as one of that operand packed before the loop.
func (s *site) pack() *ir.Node {
	if s.data != nil || s.shape.DType != dtypes.Float32 || s.in[1].Shape.Rank() != 3 || s.fn.Kind != ir.Loop ||
		s.shape.Size() == 0 || outermost(s.fn, s.op, s.in) != s.fn || outermost(s.fn, ir.OpPack, s.in[1:2]) == s.fn {
		return nil
	}
	return s.packed(s.op, s.shape, s.in...)
}

// packed is a product with its second operand packed.
func (s *site) packed(op compute.OpType, shape shapes.Shape, in ...*ir.Node) *ir.Node {
	b := in[1].Shape.Dimensions
	d := ir.PackedData{K: b[1], N: b[2]}
	operands := slices.Clone(in)
	operands[1] = s.emit(s.fn, ir.OpPack, shapes.Make(dtypes.Float32, b[0], kernel.PackedLen(d.N, d.K)), nil, in[1])
	return s.emit(s.fn, op, shape, d, operands...)
}

// sliceOfDot copies a slice of the columns of a product that is used for nothing else as the product with a slice, or
// returns nil. Gradients with respect to what was joined to a state before a product leave such slices.
func (r *rewriter) sliceOfDot(e *env, n *ir.Node) *ir.Node {
	dot := n.In[0]
	if dot.Op != ir.OpDot || r.uses[dot.ID] != 1 {
		return nil
	}
	b := dot.In[1]
	if b.Op == ir.OpPack {
		b = b.In[0]
	}
	if b.Shape.Rank() != 3 {
		return nil
	}
	s := n.Data.(ir.SliceData)
	whole, columns := dot.Shape.Dimensions, b.Shape.Dimensions[2]
	if !slices.Equal(whole[:2], n.Shape.Dimensions[:2]) || s.Strides[2] != 1 {
		return nil
	}
	width := n.Shape.Dimensions[2]
	if width == columns {
		return nil
	}
	count, k := b.Shape.Dimensions[0], b.Shape.Dimensions[1]
	part := r.emit(e.dst, compute.OpTypeSlice, shapes.Make(b.Shape.DType, count, k, width),
		ir.SliceData{Starts: []int{0, 0, s.Starts[2]}, Limits: []int{count, k, s.Limits[2]},
			Strides: []int{1, 1, 1}}, r.copy(e, b))
	return r.emit(e.dst, ir.OpDot, n.Shape, nil, r.copy(e, dot.In[0]), part)
}

// addToProduct copies a sum or difference that is the only use of an elementwise product as one operation, or returns
// nil.
func (r *rewriter) addToProduct(e *env, n *ir.Node) *ir.Node {
	if n.Shape.DType != dtypes.Float32 {
		return nil
	}
	product := func(i int) bool {
		m := n.In[i]
		return m.Op == compute.OpTypeMul && r.uses[m.ID] == 1 && m.Fn == n.Fn
	}
	a, b := n.In[0], n.In[1]
	op := element.OpMulAdd
	var in []*ir.Node
	switch add := n.Op == compute.OpTypeAdd; {
	case add && product(0) && product(1):
		op, in = element.OpMulMulAdd, []*ir.Node{a.In[0], a.In[1], b.In[0], b.In[1]}
	case add && product(0):
		in = []*ir.Node{a.In[0], a.In[1], b}
	case add && product(1):
		in = []*ir.Node{b.In[0], b.In[1], a}
	case product(1):
		op, in = element.OpSubMul, []*ir.Node{a, b.In[0], b.In[1]}
	case product(0):
		op, in = element.OpMulSub, []*ir.Node{a.In[0], a.In[1], b}
	default:
		return nil
	}
	return r.emit(e.dst, op, n.Shape, nil, r.copyAll(e, in)...)
}
