package simd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// packedData is the data of a product whose second operand is packed: the dimensions that this had.
type packedData struct{ k, n int }

// A rewriter copies a function, node by node, into one that computes the same with less. What it does not copy is what
// the outputs do not need (dead code), what was copied already (common subexpressions) and calls (their functions are
// copied into the caller). A node is placed in the outermost loop that has all its operands (loop-invariant code),
// scalar constants are computed, and emit's local rules apply.
//
// It runs twice: the second time it knows how often each value of the simplified function is used, which further rules
// depend on.
type rewriter struct {
	main *function
	ids  int
	// uses counts, in the source, the operands that each node is; sinks are the elementwise nodes of which only slices
	// are used. Both are nil in the first run.
	uses  map[*node]int
	sinks map[*node]bool
}

// env maps the nodes of one function of the source to their copies. The environments of the functions around it follow
// in parent. dst is where copies go.
type env struct {
	src    *function
	dst    *function
	copies map[*node]*node
	parent *env
}

// graphError carries an error out of the recursion over a graph.
type graphError struct{ err error }

func fail(format string, args ...any) { panic(graphError{errors.Errorf(format, args...)}) }

// simplify returns a function that computes the same as main.
func simplify(main *function) *function {
	first := &rewriter{}
	simplified := first.run(main)
	second := &rewriter{uses: make(map[*node]int)}
	countUses(simplified, second.uses)
	second.sinks = make(map[*node]bool)
	second.findSinks(simplified)
	return second.run(simplified)
}

func (r *rewriter) run(src *function) *function {
	r.main = r.newFunction(src, kindMain, nil)
	e := &env{src: src, dst: r.main, copies: make(map[*node]*node)}
	r.parameters(e, nil)
	r.body(e)
	return r.main
}

func (r *rewriter) newFunction(src *function, kind functionKind, parent *function) *function {
	return &function{builder: src.builder, name: src.name, parent: parent, names: src.names, kind: kind,
		seen: make(map[string]*node)}
}

func (r *rewriter) newNode(fn *function, op compute.OpType, shape shapes.Shape, data any, in ...*node) *node {
	r.ids++
	n := &node{id: r.ids, op: op, shape: shape, in: in, data: data, fn: fn}
	fn.nodes = append(fn.nodes, n)
	return n
}

// parameters binds the parameters of e.src: to those of bound, where it has one, or to new parameters of e.dst.
func (r *rewriter) parameters(e *env, bound []*node) {
	for i, p := range e.src.params {
		if bound != nil && bound[i] != nil {
			e.copies[p] = bound[i]
			continue
		}
		c := r.newNode(e.dst, compute.OpTypeParameter, p.shape, len(e.dst.params))
		e.dst.params = append(e.dst.params, c)
		e.copies[p] = c
	}
}

// body copies what the outputs of e.src need, in the source's order, and then the outputs.
func (r *rewriter) body(e *env) {
	needed := make(map[*node]bool)
	for _, o := range e.src.outputs {
		markNeeded(o, needed)
	}
	for _, n := range e.src.nodes {
		if needed[n] {
			r.copy(e, n)
		}
	}
	for _, o := range e.src.outputs {
		e.dst.outputs = append(e.dst.outputs, r.copy(e, o))
	}
}

func markNeeded(n *node, needed map[*node]bool) {
	if needed[n] {
		return
	}
	needed[n] = true
	for _, i := range n.in {
		markNeeded(i, needed)
	}
}

// constantOnly reports values that are the same in any function.
func constantOnly(n *node) bool {
	if n.op == compute.OpTypeParameter || n.op == opOutput {
		return false
	}
	return !slices.ContainsFunc(n.in, func(i *node) bool { return !constantOnly(i) })
}

// copy returns the copy of a node, which may belong to e.src or to a function around it.
func (r *rewriter) copy(e *env, n *node) *node {
	home := e
	for home != nil && home.src != n.fn {
		home = home.parent
	}
	if home == nil {
		// GoMLX caches scalar constants by value, not by function.
		if !constantOnly(n) {
			fail("%s %s is used outside of the function that computes it", n.op, n.shape)
		}
		home = e
	}
	if c := home.copies[n]; c != nil {
		return c
	}
	var c *node
	switch n.op {
	case compute.OpTypeParameter:
		fail("parameter %v of %q is used outside of its function", n.data, n.fn.name)
	case opOutput:
		r.copyMulti(home, n.in[0])
		return home.copies[n]
	case compute.OpTypeWhile, compute.OpTypeIf, compute.OpTypeSort, compute.OpTypeCall, compute.OpTypeRNGBitGenerator:
		r.copyMulti(home, n)
		return nil
	case compute.OpTypeSlice:
		if r.sinks[n.in[0]] {
			c = r.sink(home, n, n.in[0])
			break
		}
		if c = r.sliceOfDot(home, n); c != nil {
			break
		}
		fallthrough
	default:
		c = r.addToDot(home, n)
		if c == nil {
			c = r.addToProduct(home, n)
		}
		if c == nil {
			in := make([]*node, len(n.in))
			for i := range in {
				in[i] = r.copy(home, n.in[i])
			}
			c = r.emit(home.dst, n.op, n.shape, n.data, in...)
		}
	}
	home.copies[n] = c
	return c
}

// inner copies a function used by an operation in e.
func (r *rewriter) inner(e *env, src *function, kind functionKind, bound []*node) *function {
	ie := &env{src: src, dst: r.newFunction(src, kind, e.dst), copies: make(map[*node]*node), parent: e}
	r.parameters(ie, bound)
	r.body(ie)
	return ie.dst
}

// copyMulti copies an operation with several values.
func (r *rewriter) copyMulti(e *env, n *node) {
	if e.copies[n] != nil {
		return
	}
	e.copies[n] = n // from here on it is known; it is used through its outputs only
	in := make([]*node, len(n.in))
	for i := range in {
		in[i] = r.copy(e, n.in[i])
	}
	var data any
	outs := n.outs
	switch d := n.data.(type) {
	case *callData:
		ce := &env{src: d.fn, dst: e.dst, copies: make(map[*node]*node)}
		r.parameters(ce, in)
		for i, o := range d.fn.outputs {
			e.copies[n.outs[i]] = r.copy(ce, o)
		}
		return
	case *ifData:
		if c, ok := in[0].data.(*constantData); ok {
			taken := d.onFalse
			if c.bytes[0] != 0 {
				taken = d.onTrue
			}
			te := &env{src: taken, dst: e.dst, copies: make(map[*node]*node), parent: e}
			for i, o := range taken.outputs {
				e.copies[n.outs[i]] = r.copy(te, o)
			}
			return
		}
		data = &ifData{r.inner(e, d.onTrue, kindBranch, nil), r.inner(e, d.onFalse, kindBranch, nil)}
	case *sortData:
		data = &sortData{r.inner(e, d.before, kindLoop, nil), d.axis, d.stable}
	case *whileData:
		// State that the body returns as it is, is a constant of the loop.
		bound := make([]*node, len(in))
		live := liveState(n, r.uses)
		cond, body := *d.cond, *d.body
		in, outs, body.outputs = nil, nil, nil
		for i, o := range d.body.outputs {
			initial := r.copy(e, n.in[i])
			switch {
			case o == d.body.params[i]:
				bound[i] = initial
				e.copies[n.outs[i]] = initial
			case !live[i]:
				bound[i] = initial
			default:
				in = append(in, initial)
				outs = append(outs, n.outs[i])
				body.outputs = append(body.outputs, o)
			}
		}
		data = &whileData{r.variant(e, d.cond, &cond, bound), r.variant(e, d.body, &body, bound)}
	}
	c := r.newNode(e.dst, n.op, n.shape, data, in...)
	for i, o := range outs {
		out := r.newNode(e.dst, opOutput, o.shape, i, c)
		c.outs = append(c.outs, out)
		e.copies[o] = out
	}
}

// variant copies a function of a loop, as inner does, with the outputs of changed instead of its own.
func (r *rewriter) variant(e *env, src, changed *function, bound []*node) *function {
	outputs := src.outputs
	src.outputs = changed.outputs
	defer func() { src.outputs = outputs }()
	return r.inner(e, src, kindLoop, bound)
}

// liveState tells which parts of a loop's state are used: after the loop, by its condition, or by the next iteration of
// a part that is used. Without uses all are.
func liveState(loop *node, uses map[*node]int) []bool {
	d := loop.data.(*whileData)
	live := make([]bool, len(loop.outs))
	reached := make(map[*node]bool)
	reachParameters(d.cond, d.cond.outputs, reached)
	for i, o := range loop.outs {
		live[i] = uses == nil || uses[o] > 0 || reached[d.cond.params[i]]
	}
	for changed := true; changed; {
		changed = false
		for i, o := range d.body.outputs {
			if live[i] {
				reachParameters(d.body, []*node{o}, reached)
			}
		}
		for i, p := range d.body.params {
			if reached[p] && !live[i] {
				live[i], changed = true, true
			}
		}
	}
	return live
}

// reachParameters marks what the roots depend on, also through functions inside fn.
func reachParameters(fn *function, roots []*node, reached map[*node]bool) {
	for _, n := range roots {
		if reached[n] {
			continue
		}
		reached[n] = true
		reachParameters(fn, n.in, reached)
		for _, inner := range innerFunctions(n) {
			reachParameters(inner, inner.outputs, reached)
		}
	}
}

// innerFunctions are the functions that an operation runs.
func innerFunctions(n *node) []*function {
	switch d := n.data.(type) {
	case *whileData:
		return []*function{d.cond, d.body}
	case *ifData:
		return []*function{d.onTrue, d.onFalse}
	case *sortData:
		return []*function{d.before}
	}
	return nil
}

func countUses(fn *function, uses map[*node]int) {
	for _, n := range fn.nodes {
		for _, i := range n.in {
			uses[i]++
		}
		for _, inner := range innerFunctions(n) {
			countUses(inner, uses)
		}
	}
	for _, o := range fn.outputs {
		uses[o]++
	}
}

// findSinks finds the elementwise nodes of which nothing but slices is used, and together not more than the whole:
// their slices are computed from slices of the operands. This is what lets the gates of a recurrent cell, cut out of
// one product, become one pass over memory.
func (r *rewriter) findSinks(fn *function) {
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
func (r *rewriter) matrices(fn *function, shape shapes.Shape, d dotData, lhs, rhs *node) *node {
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
func (r *rewriter) packed(fn *function, op compute.OpType, shape shapes.Shape, data any, in []*node) *node {
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
	op, in := opMulAdd, []*node{}
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

// gradient recognizes the factors of a product with the derivative of tanh or the logistic function, 1 − y² or
// y·(1 − y), as GoMLX's gradients have them.
func gradient(in []*node) (op compute.OpType, g, y *node) {
	if in[0].shape.DType != dtypes.Float32 {
		return compute.OpTypeInvalid, nil, nil
	}
	oneMinus := func(n *node) *node {
		if n.op == compute.OpTypeSub && isSplat(n.in[0], 1) {
			return n.in[1]
		}
		return nil
	}
	for i, d := range in {
		if m := oneMinus(d); m != nil && m.op == compute.OpTypeMul && m.in[0] == m.in[1] {
			return opTanhGrad, in[1-i], m.in[0]
		}
		if d.op == compute.OpTypeMul {
			for k, y := range d.in {
				if oneMinus(d.in[1-k]) == y {
					return opLogisticGrad, in[1-i], y
				}
			}
		}
	}
	return compute.OpTypeInvalid, nil, nil
}

// outermost finds the outermost function, out of a loop but not out of a branch, that has all operands.
func outermost(fn *function, op compute.OpType, in []*node) *function {
	if op == compute.OpTypeConstant {
		for fn.parent != nil {
			fn = fn.parent
		}
	}
	for fn.kind == kindLoop && !slices.ContainsFunc(in, func(n *node) bool { return n.fn == fn }) {
		fn = fn.parent
	}
	return fn
}

// emit returns a node of fn, or of a function around it, that computes op.
func (r *rewriter) emit(fn *function, op compute.OpType, shape shapes.Shape, data any, in ...*node) *node {
	if n := r.rule(fn, op, shape, data, in); n != nil {
		return n
	}
	fn = outermost(fn, op, in)
	var key string
	if op != compute.OpTypeOptimizationBarrier {
		key = keyOf(op, shape, data, in)
		for f := fn; f != nil; f = f.parent {
			if n := f.seen[key]; n != nil {
				return n
			}
		}
	}
	n := r.newNode(fn, op, shape, data, in...)
	if key != "" {
		fn.seen[key] = n
	}
	return n
}

// keyOf is the same for nodes that compute the same.
func keyOf(op compute.OpType, shape shapes.Shape, data any, in []*node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %v", op, shape.DType, shape.Dimensions)
	for _, n := range in {
		fmt.Fprintf(&b, " %d", n.id)
	}
	if c, ok := data.(*constantData); ok {
		b.WriteByte('|')
		b.Write(c.bytes)
	} else {
		fmt.Fprintf(&b, "|%v", data)
	}
	return b.String()
}

func (r *rewriter) constant(fn *function, shape shapes.Shape, bytes []byte) *node {
	return r.emit(fn, compute.OpTypeConstant, shape, &constantData{bytes})
}

// splat returns the bytes of the one value that all elements of n have, if n is such a constant, or nil.
func splat(n *node) []byte {
	for n.op == compute.OpTypeBroadcastInDim || n.op == compute.OpTypeReshape {
		n = n.in[0]
	}
	c, ok := n.data.(*constantData)
	if !ok {
		return nil
	}
	size := n.shape.DType.Size()
	if len(c.bytes) < size || !bytes.Equal(c.bytes[size:], c.bytes[:len(c.bytes)-size]) {
		return nil
	}
	return c.bytes[:size]
}

// isSplat reports whether all elements of n are the constant v.
func isSplat(n *node, v float64) bool {
	s := splat(n)
	if s == nil {
		return false
	}
	p := unsafe.Pointer(&s[0])
	switch n.shape.DType {
	case dtypes.Float32:
		return *(*float32)(p) == float32(v)
	case dtypes.Float64:
		return *(*float64)(p) == v
	case dtypes.Int32:
		return *(*int32)(p) == int32(v)
	case dtypes.Int64:
		return *(*int64)(p) == int64(v)
	}
	return false
}

// reshaped returns n with other dimensions.
func (r *rewriter) reshaped(fn *function, n *node, dims []int) *node {
	return r.emit(fn, compute.OpTypeReshape, shapes.Make(n.shape.DType, dims...), nil, n)
}

// rule returns what an operation can be replaced with, or nil.
func (r *rewriter) rule(fn *function, op compute.OpType, shape shapes.Shape, data any, in []*node) *node {
	if isElementwise(op) {
		if n := r.fold(fn, op, shape, in); n != nil {
			return n
		}
	}
	switch op {
	case compute.OpTypeDotGeneral:
		return r.matrices(fn, shape, data.(dotData), in[0], in[1])
	case opDot, opDotAdd:
		return r.packed(fn, op, shape, data, in)
	case compute.OpTypeIdentity:
		return in[0]
	case compute.OpTypeReshape:
		if slices.Equal(in[0].shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		if in[0].op == compute.OpTypeReshape {
			return r.reshaped(fn, in[0].in[0], shape.Dimensions)
		}
		if c, ok := in[0].data.(*constantData); ok {
			return r.constant(fn, shape, c.bytes)
		}
	case compute.OpTypeBroadcastInDim:
		if slices.Equal(in[0].shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		if in[0].shape.Size() == shape.Size() {
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
		if slices.Equal(in[0].shape.Dimensions, shape.Dimensions) {
			return in[0]
		}
		return r.sliceOfConcatenation(fn, shape, data.(sliceData), in[0])
	case compute.OpTypeConcatenate:
		pieces := slices.DeleteFunc(slices.Clone(in), func(n *node) bool { return n.shape.Dimensions[data.(int)] == 0 })
		if len(pieces) == 1 {
			return pieces[0]
		}
		if len(pieces) > 0 && len(pieces) < len(in) {
			return r.emit(fn, op, shape, data, pieces...)
		}
	case compute.OpTypePad:
		return r.padWithZeros(fn, shape, data.([]compute.PadAxis), in[0], in[1])
	case compute.OpTypeAdd:
		if isSplat(in[0], 0) {
			return in[1]
		}
		if isSplat(in[1], 0) {
			return in[0]
		}
		return r.addConcatenations(fn, shape, in[0], in[1])
	case compute.OpTypeSub:
		if isSplat(in[1], 0) {
			return in[0]
		}
	case compute.OpTypeMul:
		if isSplat(in[0], 1) {
			return in[1]
		}
		if isSplat(in[1], 1) {
			return in[0]
		}
		if op, g, y := gradient(in); op != compute.OpTypeInvalid {
			return r.emit(fn, op, shape, nil, g, y)
		}
	case compute.OpTypeDiv:
		if isSplat(in[1], 1) {
			return in[0]
		}
	case compute.OpTypePow:
		if isSplat(in[1], 1) {
			return in[0]
		}
		if isSplat(in[1], 2) {
			return r.emit(fn, compute.OpTypeMul, shape, nil, in[0], in[0])
		}
	case compute.OpTypeWhere:
		if c := splat(in[0]); c != nil {
			if c[0] != 0 {
				return in[1]
			}
			return in[2]
		}
	case compute.OpTypeReduceSum, compute.OpTypeReduceMax, compute.OpTypeReduceMin, compute.OpTypeReduceProduct:
		if in[0].shape.Size() == shape.Size() {
			return r.reshaped(fn, in[0], shape.Dimensions)
		}
	}
	return nil
}

// fold computes elementwise operations on constants that have one value each.
func (r *rewriter) fold(fn *function, op compute.OpType, shape shapes.Shape, in []*node) *node {
	var src operands
	var tiles [5][8]byte
	for i, n := range in {
		s := splat(n)
		if s == nil {
			return nil
		}
		copy(tiles[i][:], s)
		src[i] = unsafe.Pointer(&tiles[i])
	}
	f := tileFunction(op, in[0].shape.DType, shape.DType)
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
func (r *rewriter) zeros(fn *function, shape shapes.Shape) *node {
	z := r.constant(fn, shapes.Make(shape.DType), make([]byte, shape.DType.Size()))
	return r.emit(fn, compute.OpTypeBroadcastInDim, shape, []int{}, z)
}

// padWithZeros writes padding of one axis with zeros as a concatenation, which is what the gradients of slices are.
func (r *rewriter) padWithZeros(fn *function, shape shapes.Shape, padding []compute.PadAxis, x, fill *node) *node {
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
	if s := splat(fill); s == nil || slices.Max(s) != 0 {
		return nil
	}
	piece := func(size int) *node {
		s := shape.Clone()
		s.Dimensions[axis] = size
		return r.zeros(fn, s)
	}
	return r.emit(fn, compute.OpTypeConcatenate, shape, axis, piece(padding[axis].Start), x, piece(padding[axis].End))
}

// sliceOfConcatenation slices the one operand of a concatenation that the slice lies in.
func (r *rewriter) sliceOfConcatenation(fn *function, shape shapes.Shape, s sliceData, x *node) *node {
	if x.op != compute.OpTypeConcatenate {
		return nil
	}
	axis := x.data.(int)
	start := 0
	for _, piece := range x.in {
		end := start + piece.shape.Dimensions[axis]
		if s.starts[axis] >= start && s.limits[axis] <= end {
			inside := sliceData{slices.Clone(s.starts), slices.Clone(s.limits), s.strides}
			inside.starts[axis] -= start
			inside.limits[axis] -= start
			return r.emit(fn, compute.OpTypeSlice, shape, inside, piece)
		}
		start = end
	}
	return nil
}

// addConcatenations adds two concatenations along one axis of which, everywhere, one is zero: the sum is the
// concatenation of what is not zero. Sums of the gradients of slices become what was sliced, again.
func (r *rewriter) addConcatenations(fn *function, shape shapes.Shape, a, b *node) *node {
	if a.op != compute.OpTypeConcatenate || b.op != compute.OpTypeConcatenate || a.data != b.data {
		return nil
	}
	axis := a.data.(int)
	var pieces []*node
	type cursor struct {
		in   []*node
		left int // of in[0], when that is zero and partly used up
	}
	ca, cb := cursor{in: a.in}, cursor{in: b.in}
	size := func(n *node) int { return n.shape.Dimensions[axis] }
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
		za, zb := isSplat(ca.in[0], 0), isSplat(cb.in[0], 0)
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
