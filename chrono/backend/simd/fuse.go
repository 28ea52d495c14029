package simd

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute"
)

// A unit is what runs as one step: one operation, or a group of elementwise operations on the same number of elements.
type unit struct {
	fn          *irFunction
	nodes       []*node // in order
	elementwise bool
	at          int // position in the order in which the function's units run
	// before are units that must run earlier though this one reads nothing of theirs: they read what it overwrites.
	before []*unit
}

// grouped is how a graph's computed values are divided into units, and in which order those of each function run.
type grouped struct {
	*views
	order  map[*irFunction][]*unit
	unitOf map[*node]*unit
}

// group divides the values of a function and of those inside it.
func group(v *views, main *irFunction) *grouped {
	c := &grouped{v, make(map[*irFunction][]*unit), make(map[*node]*unit)}
	c.divideInto(main)
	return c
}

// unitAt returns the unit of function fn that computes a value, or nil if the value is not computed there.
func (c *grouped) unitAt(fn *irFunction, n *node) *unit {
	if n.op == opOutput {
		n = n.in[0]
	}
	if n.fn != fn {
		return nil
	}
	return c.unitOf[n]
}

// needs returns the units that u needs to have run.
func (c *grouped) needs(u *unit) []*unit {
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
func (c *grouped) dependents(o *order, u *unit, end int) map[*unit]bool {
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
func (c *grouped) join(o *order, a, b *unit) {
	if !a.elementwise || !b.elementwise || len(a.nodes)+len(b.nodes) > maxGroup {
		return
	}
	for _, n := range b.nodes {
		for _, i := range n.in {
			v := c.of(i)
			if c.unitAt(n.fn, v.base) == a && !v.whole() {
				return
			}
			for _, d := range v.dynamic {
				if c.unitAt(n.fn, c.of(d.index).base) == a {
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

// divideInto divides the nodes of a function into units and puts these in the order in which they run: the graph's, but
// for what overwrites a value, which waits for those who read it.
func (c *grouped) divideInto(fn *irFunction) {
	o := &order{}
	for _, n := range fn.nodes {
		for _, inner := range innerFunctions(n) {
			if c.needed[n] {
				c.divideInto(inner)
			}
		}
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
			v := c.of(in)
			if p := c.unitAt(fn, v.base); p != nil && p != c.unitOf[n] && v.whole() {
				c.join(o, p, c.unitOf[n])
			}
		}
	}
	c.overwriteLast(fn, o)
	c.order[fn] = o.units
}

// overwriteLast makes those who read a value run before the operation that can overwrite it, where that is possible.
func (c *grouped) overwriteLast(fn *irFunction, o *order) {
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
		if !operationOf(n.op).overwrites {
			continue
		}
		old := c.of(n.in[0]).base
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
