package simd

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute"
)

// A unit is what runs as one step: one operation, or a group of elementwise operations on the same number of elements.
type unit struct {
	fn          *function
	nodes       []*node // in order
	elementwise bool
	at          int // position in the order in which the function's units run
	// before are units that must run earlier though this one reads nothing of theirs: they read what it overwrites.
	before []*unit
}

// isUnit reports whether a node is computed, rather than given or a view.
func (c *compiler) isUnit(n *node) bool {
	if !c.needed[n] || n.op == compute.OpTypeParameter || n.op == compute.OpTypeConstant || n.op == opOutput {
		return false
	}
	return !isView(n) || c.stored[n]
}

// markAll marks what a function needs, through the functions that its operations run.
func (c *compiler) markAll(n *node) {
	if c.needed[n] {
		return
	}
	c.needed[n] = true
	for _, i := range n.in {
		c.markAll(i)
	}
	for _, inner := range innerFunctions(n) {
		for _, o := range inner.outputs {
			c.markAll(o)
		}
	}
	for _, o := range n.outs {
		c.needed[o] = true
	}
}

// requireStored decides which views get memory.
func (c *compiler) requireStored(fn *function) {
	for _, n := range fn.nodes {
		if !c.needed[n] {
			continue
		}
		for _, inner := range innerFunctions(n) {
			c.requireStored(inner)
		}
		if f := operations[n.op].ordered; f != nil {
			for _, in := range f(n) {
				c.store(in)
			}
		}
		switch n.op {
		case opDot, opDotAdd, opPack:
			for i, in := range n.in {
				v := c.viewOf(in)
				if slices.ContainsFunc(v.strides, func(s int) bool { return s < 0 }) ||
					i == 2 && v.dims[2] != 1 && v.strides[2] != 1 {
					c.stored[in] = true // what the kernel cannot read: backwards, and addends across rows
				}
			}
		}
		if isView(n) {
			c.source(n)
		}
	}
	if fn.kind == kindLoop && len(fn.outputs) == 1 && fn.outputs[0].shape.IsScalar() {
		c.store(fn.outputs[0]) // the condition of a loop
	}
}

// reads returns the values in memory that node n reads, those of the functions it runs included.
func (c *compiler) reads(n *node) []*node {
	if bases, ok := c.read[n]; ok {
		return bases
	}
	var bases []*node
	if isView(n) {
		bases = c.readsOfView(c.source(n), nil)
	} else {
		for _, i := range n.in {
			bases = c.readsOfView(c.viewOf(i), bases)
		}
	}
	for _, inner := range innerFunctions(n) {
		bases = c.captured(inner, bases)
	}
	c.read[n] = bases
	return bases
}

func (c *compiler) readsOfView(v view, bases []*node) []*node {
	if v.base.op != compute.OpTypeConstant {
		bases = append(bases, v.base)
	}
	for _, d := range v.dynamic {
		bases = append(bases, c.viewOf(d.index).base)
	}
	return bases
}

// captured appends what a function reads of the functions around it.
func (c *compiler) captured(fn *function, bases []*node) []*node {
	var read []*node
	for _, n := range fn.nodes {
		if c.isUnit(n) {
			read = append(read, c.reads(n)...)
		}
	}
	for _, o := range fn.outputs {
		read = c.readsOfView(c.viewOf(o), read)
	}
	for _, b := range read {
		if b.fn != fn {
			bases = append(bases, b)
		}
	}
	return bases
}

// unitAt returns the unit of function fn that computes a value, or nil if the value is not computed there.
func (c *compiler) unitAt(fn *function, n *node) *unit {
	if n.op == opOutput {
		n = n.in[0]
	}
	if n.fn != fn {
		return nil
	}
	return c.unitOf[n]
}

// needs returns the units that u needs to have run.
func (c *compiler) needs(u *unit) []*unit {
	units := slices.Clone(u.before)
	for _, n := range u.nodes {
		for _, b := range c.reads(n) {
			if d := c.unitAt(u.fn, b); d != nil && d != u {
				units = append(units, d)
			}
		}
	}
	return units
}

// maxGroup limits how many operations are fused, so that the tiles between them stay in the nearest cache.
const maxGroup = 96

// An order is a list of units in which each comes after those that it needs.
type order struct{ units []*unit }

func (o *order) add(u *unit) {
	u.at = len(o.units)
	o.units = append(o.units, u)
}

// dependents are u and the units before position end that need it, directly or through others.
func (c *compiler) dependents(o *order, u *unit, end int) map[*unit]bool {
	marked := map[*unit]bool{u: true}
	for _, w := range o.units[u.at+1 : end] {
		if slices.ContainsFunc(c.needs(w), func(d *unit) bool { return marked[d] }) {
			marked[w] = true
		}
	}
	return marked
}

// postpone moves the marked units between positions lo and hi behind the others there, both otherwise in their order.
func (o *order) postpone(marked map[*unit]bool, lo, hi int) {
	var early, late []*unit
	for _, u := range o.units[lo:hi] {
		if marked[u] {
			late = append(late, u)
		} else {
			early = append(early, u)
		}
	}
	for i, u := range append(early, late...) {
		o.units[lo+i] = u
		u.at = lo + i
	}
}

// join makes one unit of a and of b, which needs it, if that is possible: if b needs a not also by way of a third, and
// what b reads of a it reads element by element.
func (c *compiler) join(o *order, a, b *unit) {
	if !a.elementwise || !b.elementwise || len(a.nodes)+len(b.nodes) > maxGroup {
		return
	}
	for _, n := range b.nodes {
		for _, i := range n.in {
			v := c.viewOf(i)
			if c.unitAt(n.fn, v.base) == a && !v.whole() {
				return
			}
			for _, d := range v.dynamic {
				if c.unitAt(n.fn, c.viewOf(d.index).base) == a {
					return
				}
			}
		}
	}
	marked := c.dependents(o, a, len(o.units))
	for _, u := range c.needs(b) {
		if u != a && marked[u] {
			return
		}
	}
	// All that needs a runs after the whole; what b needs is not among it.
	a.nodes = append(a.nodes, b.nodes...)
	slices.SortFunc(a.nodes, func(x, y *node) int { return cmp.Compare(x.id, y.id) })
	for _, n := range b.nodes {
		c.unitOf[n] = a
	}
	lo := a.at
	o.units = slices.Delete(o.units, b.at, b.at+1)
	o.postpone(marked, lo, len(o.units))
}

// unitsOf returns the units of a function in the order in which they run.
func (c *compiler) unitsOf(fn *function) []*unit {
	units, ok := c.order[fn]
	if !ok {
		units = c.units(fn)
		c.order[fn] = units
	}
	return units
}

// units divides the nodes of a function into units and puts these in the order in which they run: the source's, but for
// what overwrites a value, which waits for those who read it.
func (c *compiler) units(fn *function) []*unit {
	o := &order{}
	for _, n := range fn.nodes {
		if !c.isUnit(n) {
			continue
		}
		u := &unit{fn: fn, nodes: []*node{n}, elementwise: isElementwise(n.op)}
		c.unitOf[n] = u
		o.add(u)
		if !u.elementwise {
			continue
		}
		for _, in := range n.in {
			v := c.viewOf(in)
			if p := c.unitAt(fn, v.base); p != nil && p != c.unitOf[n] && v.whole() {
				c.join(o, p, c.unitOf[n])
			}
		}
	}
	c.overwriteLast(fn, o)
	for _, u := range o.units {
		for _, d := range c.needs(u) {
			if d.at >= u.at {
				fail("internal error: a unit of %q comes before one that it needs", fn.name)
			}
		}
	}
	return o.units
}

// overwrites reports operations that can write their result where their first operand is.
func overwrites(op compute.OpType) bool {
	return operations[op].overwrites
}

// overwriteLast makes those who read a value run before the operation that can overwrite it, where that is possible.
func (c *compiler) overwriteLast(fn *function, o *order) {
	readers := make(map[*node][]*unit)
	for _, u := range o.units {
		for _, n := range u.nodes {
			for _, b := range c.reads(n) {
				if list := readers[b]; len(list) == 0 || list[len(list)-1] != u {
					readers[b] = append(list, u)
				}
			}
		}
	}
	for _, u := range slices.Clone(o.units) {
		n := u.nodes[0]
		if !overwrites(n.op) {
			continue
		}
		old := c.viewOf(n.in[0]).base
		if old.fn != fn || fn.kind == kindMain && old.op == compute.OpTypeParameter {
			continue // not ours to overwrite
		}
		for _, r := range readers[old] {
			if r == u {
				continue
			}
			if r.at > u.at {
				marked := c.dependents(o, u, r.at+1)
				if marked[r] {
					continue
				}
				o.postpone(marked, u.at, r.at+1)
			}
			u.before = append(u.before, r)
		}
	}
}
