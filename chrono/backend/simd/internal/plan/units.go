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
	Nodes       []*ir.Node // in order
	Elementwise bool
	at          int // position in the order in which the function's units run

	later []*Unit // units that must run after it, some of them perhaps twice, or joined to others meanwhile
	into  *Unit   // the unit that it was joined to
	seen  int     // the last search that came by
	waits int     // for how many units, some perhaps twice, that are not in order yet
}

// Groups is how a graph's computed values are divided into units, and in which order those of each function run.
type Groups struct {
	*Views
	order    map[*ir.Function][]*Unit
	UnitOf   []*Unit // of the node with this ID, or nil
	searches int
}

// Group divides the values of a function and of those inside it.
func Group(v *Views, main *ir.Function) *Groups {
	c := &Groups{Views: v, order: make(map[*ir.Function][]*Unit), UnitOf: ir.NewTable[*Unit](main.Graph)}
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
	return c.UnitOf[n.ID]
}

// needs returns the units that u needs to have run.
func (c *Groups) needs(u *Unit) []*Unit {
	var units []*Unit
	for _, n := range u.Nodes {
		for _, b := range c.read[n.ID] {
			if d := c.unitAt(n.Fn, b); d != nil && d != u {
				units = append(units, d)
			}
		}
	}
	return units
}

// maxGroup limits how many operations are fused, so that the tiles between them stay in the nearest cache.
const maxGroup = 96

// farthest bounds how many units, and pairs of them, a search looks at. So the time that grouping takes is proportional
// to the size of the graph. Only units far apart in a large graph exceed it, such as those of one layer forwards and
// backwards. There, one mostly needs the other.
const farthest = 1000

// leads reports whether b must run after a, or, if indirectly is true, after a third unit that must run after a. It
// also reports so if the search takes too long.
func (c *Groups) leads(a, b *Unit, indirectly bool) bool {
	c.searches++
	a.seen = c.searches
	left := farthest
	for stack := []*Unit{a}; len(stack) > 0; {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if left -= 1 + len(u.later); left < 0 {
			return true
		}
		for _, w := range u.later {
			switch w = w.whole(); {
			case w == b && !(indirectly && u == a):
				return true
			case w != b && w.seen != c.searches:
				w.seen = c.searches
				stack = append(stack, w)
			}
		}
	}
	return false
}

// join makes one unit of a and of b, which needs it, if that is possible: if b needs a not also by way of a third, and
// what b reads of a it reads element by element.
func (c *Groups) join(a, b *Unit) {
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
	if c.leads(a, b, true) {
		return
	}
	a.Nodes = append(a.Nodes, b.Nodes...)
	slices.SortFunc(a.Nodes, func(x, y *ir.Node) int { return cmp.Compare(x.ID, y.ID) })
	for _, n := range b.Nodes {
		c.UnitOf[n.ID] = a
	}
	a.later = append(a.later, b.later...)
	b.into = a
}

// divideInto divides the nodes of a function into units and puts these in the order in which they run: the graph's, but
// for what overwrites a value, which waits for those who read it.
func (c *Groups) divideInto(fn *ir.Function) {
	var units []*Unit
	for _, n := range fn.Nodes {
		for _, inner := range n.Inner {
			if c.needed[n.ID] {
				c.divideInto(inner)
			}
		}
		if !c.isUnit(n) {
			continue
		}
		u := &Unit{Nodes: []*ir.Node{n}, Elementwise: element.Is(n.Op)}
		c.UnitOf[n.ID] = u
		units = append(units, u)
		for _, d := range c.needs(u) {
			d.later = append(d.later, u)
		}
		if !u.Elementwise {
			continue
		}
		for _, in := range n.In {
			v := c.Of(in)
			if p := c.unitAt(fn, v.Base); p != nil && p != c.UnitOf[n.ID] && v.Whole() {
				c.join(p, c.UnitOf[n.ID])
			}
		}
	}
	units = slices.DeleteFunc(units, func(u *Unit) bool { return u.into != nil })
	c.overwriteLast(fn, units)
	c.order[fn] = inOrder(units)
}

// overwriteLast makes those who read a value run before the operation that can overwrite it, where that is possible.
func (c *Groups) overwriteLast(fn *ir.Function, units []*Unit) {
	readers := make(map[*ir.Node][]*Unit)
	for _, u := range units {
		for _, n := range u.Nodes {
			for _, b := range c.read[n.ID] {
				if list := readers[b]; len(list) == 0 || list[len(list)-1] != u {
					readers[b] = append(list, u)
				}
			}
		}
	}
	overwritten := make(map[*ir.Node]bool)
	for _, u := range units {
		n := u.Nodes[0]
		if !ir.Operations[n.Op].Overwrites {
			continue
		}
		old := c.Of(n.In[0]).Base
		if old.Fn != fn || fn.Kind == ir.Main && old.Op == compute.OpTypeParameter || overwritten[old] {
			continue // not ours to overwrite
		}
		overwritten[old] = true
		for _, r := range readers[old] {
			switch {
			case r == u:
			case c.leads(u, r, false):
				overwritten[old] = false
			default:
				r.later = append(r.later, u)
			}
		}
	}
}

// whole is the unit that u was joined to, or u.
func (u *Unit) whole() *Unit {
	for u.into != nil {
		u = u.into
	}
	return u
}

func (u *Unit) last() int { return u.Nodes[len(u.Nodes)-1].ID }

// inOrder puts units in an order in which each comes after those that it needs, and otherwise in the graph's.
func inOrder(units []*Unit) []*Unit {
	for _, u := range units {
		for i, w := range u.later {
			w = w.whole()
			u.later[i] = w
			if w != u {
				w.waits++
			}
		}
	}
	var ready []*Unit // by their last operations
	isReady := func(u *Unit) {
		i, _ := slices.BinarySearchFunc(ready, u, func(a, b *Unit) int { return cmp.Compare(a.last(), b.last()) })
		ready = slices.Insert(ready, i, u)
	}
	for _, u := range units {
		if u.waits == 0 {
			isReady(u)
		}
	}
	units = units[:0]
	for len(ready) > 0 {
		u := ready[0]
		ready = ready[1:]
		u.at = len(units)
		units = append(units, u)
		for _, w := range u.later {
			if w == u {
				continue
			}
			if w.waits--; w.waits == 0 {
				isReady(w)
			}
		}
	}
	return units
}
