// Package simplify makes graphs of graphs that compute the same with less.
package simplify

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// Clean leaves out what is dead or computed twice, and moves out of loops what does not change there. Like Fuse, it
// makes another graph, and reports how often each rule applied.
func Clean(main *ir.Function) (*ir.Function, map[string]int) { return (&rewriter{}).run(main) }

// Fuse joins operations with their only use. It needs the uses counted that are left when a graph is clean.
func Fuse(main *ir.Function) (*ir.Function, map[string]int) {
	r := &rewriter{uses: ir.NewTable[int](main.Graph), summand: ir.NewTable[bool](main.Graph)}
	countUses(main, r.uses)
	r.findSummands(main)
	return r.run(main)
}

// A rewriter copies a function, node by node, into one that computes the same with less. What it does not copy is what
// the outputs do not need (dead code), what was copied already (common subexpressions) and calls (their functions are
// copied into the caller). A node is placed in the outermost loop that has all its operands (loop-invariant code), and
// the rules apply.
type rewriter struct {
	seen    map[*ir.Function]map[string]*ir.Node // the nodes of each copy, by what they compute
	applied map[string]int

	// Of the nodes of the source, by their IDs: their copies and whether they are needed, in the environments that copy
	// now goes through.
	copies []*ir.Node
	needed []bool
	// uses counts the operands that each is; summand are the sums that have no use but in another sum. Clean has
	// neither.
	uses    []int
	summand []bool
}

// An env is where copies of the nodes of one function of the source go: to dst. The environments of the functions
// around it follow in parent.
type env struct {
	src, dst *ir.Function
	parent   *env
}

// enter begins to copy a function of the source, perhaps not for the first time.
func (r *rewriter) enter(src, dst *ir.Function, parent *env) *env {
	for _, n := range src.Nodes {
		r.copies[n.ID], r.needed[n.ID] = nil, false
	}
	return &env{src, dst, parent}
}

func (r *rewriter) run(src *ir.Function) (*ir.Function, map[string]int) {
	r.seen, r.applied = make(map[*ir.Function]map[string]*ir.Node), make(map[string]int)
	r.copies, r.needed = ir.NewTable[*ir.Node](src.Graph), ir.NewTable[bool](src.Graph)
	main := &ir.Function{Graph: &ir.Graph{}}
	e := r.enter(src, main, nil)
	r.parameters(e, nil)
	r.body(e, src.Outputs)
	return main, r.applied
}

// parameters binds the parameters of e.src: to those of bound, where it has one, or to new parameters of e.dst.
func (r *rewriter) parameters(e *env, bound []*ir.Node) {
	for i, p := range e.src.Params {
		if bound != nil && bound[i] != nil {
			r.copies[p.ID] = bound[i]
			continue
		}
		c := e.dst.Add(compute.OpTypeParameter, p.Shape, len(e.dst.Params))
		e.dst.Params = append(e.dst.Params, c)
		r.copies[p.ID] = c
	}
}

// body copies what outputs of e.src need, in the source's order, and then the outputs.
func (r *rewriter) body(e *env, outputs []*ir.Node) {
	for _, o := range outputs {
		r.markNeeded(e.src, o)
	}
	for _, n := range e.src.Nodes {
		if r.needed[n.ID] {
			r.copy(e, n)
		}
	}
	e.dst.Outputs = r.copyAll(e, outputs)
}

// markNeeded marks what n needs of a function.
func (r *rewriter) markNeeded(fn *ir.Function, n *ir.Node) {
	if n.Fn != fn || r.needed[n.ID] {
		return
	}
	r.needed[n.ID] = true
	for _, i := range n.In {
		r.markNeeded(fn, i)
	}
}

// constantOnly reports values that are the same in any function.
func constantOnly(n *ir.Node) bool {
	if n.Op == compute.OpTypeParameter || n.Op == ir.OpOutput {
		return false
	}
	return !slices.ContainsFunc(n.In, func(i *ir.Node) bool { return !constantOnly(i) })
}

// copy returns the copy of a node, which may belong to e.src or to a function around it.
func (r *rewriter) copy(e *env, n *ir.Node) *ir.Node {
	home := e
	for home != nil && home.src != n.Fn {
		home = home.parent
	}
	if home == nil {
		// GoMLX caches scalar constants by value, not by function.
		if !constantOnly(n) {
			ir.Fail("%s %s is used outside of the function that computes it", n.Op, n.Shape)
		}
		home = e // and what it computes is found among what was copied
	} else if c := r.copies[n.ID]; c != nil {
		return c
	}
	switch n.Op {
	case compute.OpTypeParameter:
		ir.Fail("parameter %v is used outside of its function", n.Data)
	case ir.OpOutput:
		r.copyMulti(home, n.In[0])
		return r.copies[n.ID]
	case compute.OpTypeWhile, compute.OpTypeIf, compute.OpTypeSort, compute.OpTypeCall, compute.OpTypeRNGBitGenerator:
		r.copyMulti(home, n)
		return nil
	}
	c := r.copyBy(home, n)
	if c == nil {
		c = r.emit(home.dst, n.Op, n.Shape, n.Data, r.copyAll(home, n.In)...)
	}
	if home.src == n.Fn {
		r.copies[n.ID] = c
	}
	return c
}

func (r *rewriter) copyAll(e *env, nodes []*ir.Node) []*ir.Node {
	return xslices.Map(nodes, func(n *ir.Node) *ir.Node { return r.copy(e, n) })
}

// inner copies a function used by an operation in e, with some of its outputs.
func (r *rewriter) inner(e *env, src *ir.Function, kind ir.Kind, bound, outputs []*ir.Node) *ir.Function {
	ie := r.enter(src, &ir.Function{Graph: e.dst.Graph, Kind: kind, Parent: e.dst}, e)
	r.parameters(ie, bound)
	r.body(ie, outputs)
	return ie.dst
}

// copyMulti copies an operation with several values.
func (r *rewriter) copyMulti(e *env, n *ir.Node) {
	if r.copies[n.ID] != nil {
		return
	}
	r.copies[n.ID] = n // from here on it is known; it is used through its outputs only
	in, outs := r.copyAll(e, n.In), n.Outs
	inPlace := func(from *env) { // of the operation are the operations of the function
		for i, o := range from.src.Outputs {
			r.copies[n.Outs[i].ID] = r.copy(from, o)
		}
	}
	kind, results := ir.Loop, xslices.Map(n.Inner, func(f *ir.Function) []*ir.Node { return f.Outputs })
	var bound []*ir.Node
	switch n.Op {
	case compute.OpTypeCall:
		called := r.enter(n.Data.(*ir.Function), e.dst, nil)
		r.parameters(called, in)
		inPlace(called)
		return
	case compute.OpTypeIf:
		if c, ok := in[0].Data.(*ir.ConstantData); ok {
			inPlace(r.enter(n.Inner[element.Bit(c.Bytes[0] == 0)], e.dst, e))
			return
		}
		kind = ir.Branch
	case compute.OpTypeWhile:
		// State that the body returns as it is, is a constant of the loop.
		bound = make([]*ir.Node, len(in))
		live := liveState(n, r.uses)
		in, outs, results[1] = nil, nil, nil
		for i, o := range n.Body().Outputs {
			initial := r.copy(e, n.In[i])
			switch {
			case o == n.Body().Params[i]:
				bound[i] = initial
				r.copies[n.Outs[i].ID] = initial
			case !live[i]:
				bound[i] = initial
			default:
				in = append(in, initial)
				outs = append(outs, n.Outs[i])
				results[1] = append(results[1], o)
			}
		}
	}
	var inner []*ir.Function
	for i, f := range n.Inner {
		inner = append(inner, r.inner(e, f, kind, bound, results[i]))
	}
	c := e.dst.Add(n.Op, n.Shape, n.Data, in...)
	c.Inner = inner
	for i, o := range outs {
		out := e.dst.Add(ir.OpOutput, o.Shape, i, c)
		c.Outs = append(c.Outs, out)
		r.copies[o.ID] = out
	}
}

// liveState tells which parts of a loop's state are used: after the loop, by its condition, or by the next iteration of
// a part that is used. Without uses all are.
func liveState(loop *ir.Node, uses []int) []bool {
	live := slices.Repeat([]bool{uses == nil}, len(loop.Outs))
	if uses == nil {
		return live
	}
	outside := make(map[*ir.Function]bool)
	for fn := loop.Fn; fn != nil; fn = fn.Parent {
		outside[fn] = true
	}
	reached := make(map[*ir.Node]bool) // inside of the loop
	var reach func(n *ir.Node)
	reach = func(n *ir.Node) {
		if outside[n.Fn] || reached[n] {
			return
		}
		reached[n] = true
		for _, i := range n.In {
			reach(i)
		}
		for _, inner := range n.Inner {
			for _, o := range inner.Outputs {
				reach(o)
			}
		}
	}
	reach(loop.Cond().Outputs[0])
	for i, o := range loop.Outs {
		live[i] = uses[o.ID] > 0 || reached[loop.Cond().Params[i]]
	}
	for changed := true; changed; {
		changed = false
		for i, o := range loop.Body().Outputs {
			if live[i] {
				reach(o)
			}
		}
		for i, p := range loop.Body().Params {
			if reached[p] && !live[i] {
				live[i], changed = true, true
			}
		}
	}
	return live
}

// findSummands finds the sums that are part of larger ones.
func (r *rewriter) findSummands(fn *ir.Function) {
	for _, n := range fn.Nodes {
		for _, i := range n.In {
			if n.Op == compute.OpTypeAdd && i.Op == n.Op && i.Fn == fn && r.uses[i.ID] == 1 {
				r.summand[i.ID] = true
			}
		}
		for _, inner := range n.Inner {
			r.findSummands(inner)
		}
	}
}

func countUses(fn *ir.Function, uses []int) {
	for _, n := range fn.Nodes {
		for _, i := range n.In {
			uses[i.ID]++
		}
		for _, inner := range n.Inner {
			countUses(inner, uses)
		}
	}
	for _, o := range fn.Outputs {
		uses[o.ID]++
	}
}
