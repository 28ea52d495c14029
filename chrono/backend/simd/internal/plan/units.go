package plan

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A Unit is what runs as one step: one operation, or a group of elementwise operations on the same number of elements.
type Unit struct {
	fn          *ir.Function
	Nodes       []*ir.Node // in order
	Elementwise bool
	at          int // position in the order in which the function's units run
	// before are units that must run earlier though this one reads nothing of theirs: they read what it overwrites.
	before []*Unit
}

// Groups is how a graph's computed values are divided into units, and in which order those of each function run.
type Groups struct {
	*Views
	order  map[*ir.Function][]*Unit
	UnitOf map[*ir.Node]*Unit
}

// Group divides the values of a function and of those inside it.
func Group(v *Views, main *ir.Function) *Groups {
	c := &Groups{v, make(map[*ir.Function][]*Unit), make(map[*ir.Node]*Unit)}
	c.divideInto(main)
	return c
}

// unitAt returns the unit of function fn that computes a value, or nil if the value is not computed there.
func (c *Groups) unitAt(fn *ir.Function, n *ir.Node) *Unit {
	if n.Op == ir.OpOutput {
		n = n.In[0]
	}
	if n.Fn != fn {
		return nil
	}
	return c.UnitOf[n]
}

// needs returns the units that u needs to have run.
func (c *Groups) needs(u *Unit) []*Unit {
	units := slices.Clone(u.before)
	for _, n := range u.Nodes {
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
type order struct{ units []*Unit }

func (o *order) add(u *Unit) {
	u.at = len(o.units)
	o.units = append(o.units, u)
}

// dependents are u and the units before position end that need it, directly or through others.
func (c *Groups) dependents(o *order, u *Unit, end int) map[*Unit]bool {
	marked := map[*Unit]bool{u: true}
	for _, w := range o.units[u.at+1 : end] {
		if slices.ContainsFunc(c.needs(w), func(d *Unit) bool { return marked[d] }) {
			marked[w] = true
		}
	}
	return marked
}

// postpone moves the marked units between positions lo and hi behind the others there, both otherwise in their order.
func (o *order) postpone(marked map[*Unit]bool, lo, hi int) {
	var early, late []*Unit
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
func (c *Groups) join(o *order, a, b *Unit) {
	if !a.Elementwise || !b.Elementwise || len(a.Nodes)+len(b.Nodes) > maxGroup {
		return
	}
	for _, n := range b.Nodes {
		for _, i := range n.In {
			v := c.Of(i)
			if c.unitAt(n.Fn, v.Base) == a && !v.Whole() {
				return
			}
			for _, d := range v.Dynamic {
				if c.unitAt(n.Fn, c.Of(d.Index).Base) == a {
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
	a.Nodes = append(a.Nodes, b.Nodes...)
	slices.SortFunc(a.Nodes, func(x, y *ir.Node) int { return cmp.Compare(x.ID, y.ID) })
	for _, n := range b.Nodes {
		c.UnitOf[n] = a
	}
	lo := a.at
	o.units = slices.Delete(o.units, b.at, b.at+1)
	o.postpone(marked, lo, len(o.units))
}

// divideInto divides the nodes of a function into units and puts these in the order in which they run: the graph's, but
// for what overwrites a value, which waits for those who read it.
func (c *Groups) divideInto(fn *ir.Function) {
	o := &order{}
	for _, n := range fn.Nodes {
		for _, inner := range ir.InnerFunctions(n) {
			if c.needed[n] {
				c.divideInto(inner)
			}
		}
		if !c.isUnit(n) {
			continue
		}
		u := &Unit{fn: fn, Nodes: []*ir.Node{n}, Elementwise: element.Is(n.Op)}
		c.UnitOf[n] = u
		o.add(u)
		if !u.Elementwise {
			continue
		}
		for _, in := range n.In {
			v := c.Of(in)
			if p := c.unitAt(fn, v.Base); p != nil && p != c.UnitOf[n] && v.Whole() {
				c.join(o, p, c.UnitOf[n])
			}
		}
	}
	c.overwriteLast(fn, o)
	c.order[fn] = o.units
}

// overwriteLast makes those who read a value run before the operation that can overwrite it, where that is possible.
func (c *Groups) overwriteLast(fn *ir.Function, o *order) {
	readers := make(map[*ir.Node][]*Unit)
	for _, u := range o.units {
		for _, n := range u.Nodes {
			for _, b := range c.reads(n) {
				if list := readers[b]; len(list) == 0 || list[len(list)-1] != u {
					readers[b] = append(list, u)
				}
			}
		}
	}
	for _, u := range slices.Clone(o.units) {
		n := u.Nodes[0]
		if !ir.OperationOf(n.Op).Overwrites {
			continue
		}
		old := c.Of(n.In[0]).Base
		if old.Fn != fn || fn.Kind == ir.Main && old.Op == compute.OpTypeParameter {
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
