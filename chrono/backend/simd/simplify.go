package simd

import (
	"slices"

	"github.com/gomlx/compute"
)

// A rewriter copies a function, node by node, into one that computes the same with less. What it does not copy is what
// the outputs do not need (dead code), what was copied already (common subexpressions) and calls (their functions are
// copied into the caller). A node is placed in the outermost loop that has all its operands (loop-invariant code),
// scalar constants are computed, and emit's local rules apply.
//
// It runs twice: the second time it knows how often each value of the simplified function is used, which further rules
// depend on.
type rewriter struct {
	main *irFunction
	seen map[*irFunction]map[string]*node // the nodes of each copy, by what they compute
	// uses counts, in the source, the operands that each node is; sinks are the elementwise nodes of which only slices
	// are used. Both are nil in the first run.
	uses  map[*node]int
	sinks map[*node]bool
}

// env maps the nodes of one function of the source to their copies. The environments of the functions around it follow
// in parent. dst is where copies go.
type env struct {
	src    *irFunction
	dst    *irFunction
	copies map[*node]*node
	parent *env
}

// simplify returns a function that computes the same as main.
func simplify(main *irFunction) *irFunction {
	first := &rewriter{seen: make(map[*irFunction]map[string]*node)}
	simplified := first.run(main)
	second := &rewriter{seen: make(map[*irFunction]map[string]*node), uses: make(map[*node]int)}
	countUses(simplified, second.uses)
	second.sinks = make(map[*node]bool)
	second.findSinks(simplified)
	return second.run(simplified)
}

func (r *rewriter) run(src *irFunction) *irFunction {
	r.main = newFunction(&graph{}, kindMain, nil)
	e := &env{src: src, dst: r.main, copies: make(map[*node]*node)}
	r.parameters(e, nil)
	r.body(e)
	return r.main
}

// parameters binds the parameters of e.src: to those of bound, where it has one, or to new parameters of e.dst.
func (r *rewriter) parameters(e *env, bound []*node) {
	for i, p := range e.src.params {
		if bound != nil && bound[i] != nil {
			e.copies[p] = bound[i]
			continue
		}
		c := e.dst.add(compute.OpTypeParameter, p.shape, len(e.dst.params))
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
		fail("parameter %v is used outside of its function", n.data)
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
func (r *rewriter) inner(e *env, src *irFunction, kind functionKind, bound []*node) *irFunction {
	ie := &env{src: src, dst: newFunction(e.dst.graph, kind, e.dst), copies: make(map[*node]*node), parent: e}
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
	c := e.dst.add(n.op, n.shape, data, in...)
	for i, o := range outs {
		out := e.dst.add(opOutput, o.shape, i, c)
		c.outs = append(c.outs, out)
		e.copies[o] = out
	}
}

// variant copies a function of a loop, as inner does, with the outputs of changed instead of its own.
func (r *rewriter) variant(e *env, src, changed *irFunction, bound []*node) *irFunction {
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
func reachParameters(fn *irFunction, roots []*node, reached map[*node]bool) {
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

func countUses(fn *irFunction, uses map[*node]int) {
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
