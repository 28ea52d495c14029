// Package plantest checks layouts, for tests.
package plantest

import (
	"maps"
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// check reports what is wrong, unless something is ok.
func check(ok bool, format string, args ...any) {
	if ok {
		return
	}
	for i, arg := range args {
		if n, is := arg.(*ir.Node); is {
			args[i] = ir.OpText(n.Op) + " " + ir.TypeText(n.Shape)
		}
	}
	ir.Fail(format, args...)
}

// Check runs a layout without computing anything, loops twice, and returns the first thing that goes wrong: a view
// reaches beyond what it is a view of, a value is read that was not computed yet or over which another was written, a
// group reads what it has overwritten or what is not element by element its own, an input or a constant is written, an
// output is not where it should be, or threads that run apart share bytes of different rows.
func Check(l *plan.Layout) error {
	return ir.Catch(func() {
		r := &rehearsal{Layout: l, content: make(map[*ir.Node]region), lost: make(map[*ir.Node]any)}
		for _, p := range l.Main.Fn.Params {
			r.content[p] = r.of(p)
		}
		r.run(l.Main)
	})
}

// A region is the bytes of a value: runs of equal length, which start in this order.
type region struct {
	root, run int
	starts    []int
}

func oneRun(at plan.Address, size int) region { return region{at.Root, size, []int{at.Off}} }

func (r region) overlaps(s region) bool {
	for i, k := 0, 0; r.root == s.root && i < len(r.starts) && k < len(s.starts); {
		switch {
		case r.starts[i]+r.run <= s.starts[k]:
			i++
		case s.starts[k]+s.run <= r.starts[i]:
			k++
		default:
			return true
		}
	}
	return false
}

func (r region) equals(s region) bool {
	return r.root == s.root && r.run == s.run && slices.Equal(r.starts, s.starts)
}

// A rehearsal is at one moment of a run.
type rehearsal struct {
	*plan.Layout
	content map[*ir.Node]region // the values that are in memory, and where
	lost    map[*ir.Node]any    // what was written over values
}

// of is where a value is to be.
func (r *rehearsal) of(n *ir.Node) region {
	s := r.Memory[n.ID]
	check(s != nil, "%v has no memory", n)
	a := s.Address()
	g := oneRun(a, ir.ByteSize(n.Shape))
	p := r.Placed[n.ID]
	if p == nil {
		return g
	}
	g = r.of(p.Into)
	if len(p.Dynamic) > 0 || r.Placed[p.Into.ID] != nil && len(r.Placed[p.Into.ID].Dynamic) > 0 {
		return g // somewhere in it
	}
	size := n.Shape.DType.Size()
	g = oneRun(plan.Address{Root: g.root, Off: g.starts[0] + p.Off*size}, ir.ByteSize(n.Shape))
	if p.Strides == nil {
		return g
	}
	g.run = size
	last := len(p.Dims) - 1
	for ; last >= 0 && (p.Dims[last] == 1 || p.Strides[last]*size == g.run); last-- {
		g.run *= p.Dims[last]
	}
	for a, d := range p.Dims[:last+1] {
		var starts []int
		for _, at := range g.starts {
			for i := range d {
				starts = append(starts, at+i*p.Strides[a]*size)
			}
		}
		g.starts = starts
	}
	return g
}

// frame checks the slots of a function.
func (r *rehearsal) frame(p *plan.Plan) {
	for i, s := range p.Slots {
		at := s.Address().Off
		check(at >= 0 && at+s.Size <= r.Arena, "a slot is at %d, beyond %d", at+s.Size, r.Arena)
		for _, o := range p.Slots[:i] {
			if p.Division != nil && at < o.Address().Off+o.Size && o.Address().Off < at+s.Size {
				check(s.Kind == plan.Rowwise && o.Kind == plan.Rowwise && s.Exact == o.Exact && s.Row == o.Row,
					"threads that run apart share bytes of slots %v and %v", s, o)
			}
		}
	}
}

// read checks that a view can be read.
func (r *rehearsal) read(by any, v ir.View) {
	lo, hi := v.Off, v.Off
	reach := func(n, stride int) { lo, hi = lo+min(0, n*stride), hi+max(0, n*stride) }
	for a, d := range v.Dims {
		reach(d-1, v.Strides[a])
	}
	for _, d := range v.Dynamic {
		reach(d.Limit, d.Stride)
	}
	check(ir.Product(v.Dims) == 0 || lo >= 0 && hi < v.Base.Shape.Size(), "%v reads elements %d to %d of %v",
		by, lo, hi, v.Base)
	for _, b := range r.ReadsOfView(v, nil) {
		r.there(by, b)
	}
}

// there checks that a value can be read.
func (r *rehearsal) there(by any, n *ir.Node) {
	if _, ok := r.content[n]; !ok && n.Op != compute.OpTypeConstant {
		lost := r.lost[n]
		check(lost == nil, "%v reads %v, over which %v was written", by, n, lost)
		check(false, "%v reads %v, which is not there yet", by, n)
	}
	for _, index := range r.FoundBy(n) {
		r.there(by, index)
	}
}

// write puts a value into memory, over all that is there, but for values whose memory this is a part of, or that are a
// part of it and were copied there already.
func (r *rehearsal) write(n *ir.Node, where region, parts ...*ir.Node) {
	r.over(n, where, parts...)
	r.content[n] = where
	delete(r.lost, n)
}

func (r *rehearsal) over(by any, where region, parts ...*ir.Node) {
	writable := where.root < plan.RootConstants || where.root >= plan.RootParameters+len(r.Main.Fn.Params)
	check(writable || where.run == 0, "%v is written over an input or a constant", by)
	for m, g := range r.content {
		if !slices.Contains(parts, m) && g.overlaps(where) {
			delete(r.content, m)
			r.lost[m] = by
		}
	}
}

// run goes through a function.
func (r *rehearsal) run(p *plan.Plan) {
	r.frame(p)
	for _, u := range p.Units {
		r.unit(p, u)
	}
	where := func(t plan.Transfer) region {
		a := t.To.Address()
		return oneRun(plan.Address{Root: a.Root, Off: a.Off + t.Off}, ir.ByteSize(t.Node.Shape))
	}
	// What is copied becomes nodes of their own.
	copies := make(map[*plan.Slot]*ir.Node)
	for _, t := range p.Final {
		if t.From != nil {
			r.there("an output", copies[t.From])
		} else {
			r.read("an output", t.View)
		}
		copies[t.To] = &ir.Node{Op: t.Node.Op, Shape: t.Node.Shape}
		r.write(copies[t.To], where(t))
	}
	for i, o := range p.Fn.Outputs {
		v := r.Of(o)
		n := v.Base
		if c := copies[p.Outputs[i]]; c != nil {
			n = c
		} else {
			check(v.Whole() && r.Memory[v.Base.ID] == p.Outputs[i] && r.Placed[v.Base.ID] == nil,
				"output %d, %v, is not where it should be", i, o)
		}
		r.there("an output", n)
	}
	for _, c := range copies {
		delete(r.content, c)
	}
}

// unit runs a unit.
func (r *rehearsal) unit(p *plan.Plan, u *plan.Unit) {
	for _, n := range u.Nodes {
		for _, index := range r.FoundBy(n) {
			r.there(n, index)
		}
	}
	if u.Elementwise {
		r.group(u)
		return
	}
	n := u.Nodes[0]
	if ir.IsView(n) {
		v, _ := r.Through(n)
		r.read(n, v)
		r.apart(n, v)
		r.write(n, r.of(n))
		return
	}
	switch n.Op {
	case compute.OpTypeWhile:
		r.loop(p, n)
	case compute.OpTypeIf:
		r.readAll(n, -1)
		r.branches(p, n)
	case compute.OpTypeSort:
		r.readAll(n, -1)
		for i, o := range n.Outs {
			r.apart(o, r.Of(n.In[i]))
			r.write(o, r.of(o))
		}
		for _, param := range p.Inner[n][0].Fn.Params {
			r.write(param, r.of(param))
		}
		r.run(p.Inner[n][0])
	default:
		in := -1 // the operand that the result may be written over
		if p.InPlace[n] {
			in = 0
		} else if n.Op == ir.OpDotAdd && r.Memory[n.ID] == r.Memory[r.Of(n.In[2]).Base.ID] {
			in = 2
		}
		r.readAll(n, in)
		var parts []*ir.Node // what was computed in the result already, and in parts of it
		for m := range r.content {
			if r.partOf(n, m) {
				parts = append(parts, m)
			}
		}
		for i, operand := range n.In {
			v := r.Of(operand)
			stays := r.partOf(n, v.Base) && v.Whole() && (n.Op == compute.OpTypeConcatenate || p.InPlace[n])
			check(stays || !p.Copied[n][i], "%v is not in %v, as is said", operand, n)
		}
		results := []*ir.Node{n}
		if len(n.Outs) > 0 {
			results = n.Outs
		}
		for _, o := range results {
			r.write(o, r.of(o), append(r.wholes(o), parts...)...)
		}
	}
}

// readAll reads the operands of n, which it does not write over but for operand over.
func (r *rehearsal) readAll(n *ir.Node, over int) {
	for i, in := range n.In {
		v := r.Of(in)
		r.read(n, v)
		if i != over {
			for _, o := range append([]*ir.Node{n}, n.Outs...) {
				if r.Memory[o.ID] != nil {
					r.apart(o, v)
				}
			}
		} else {
			check(v.Whole() && r.Memory[v.Base.ID] == r.Memory[n.ID], "%v is not written over %v, as is said", n,
				v.Base)
		}
	}
}

// apart checks that n is not written where it is read from.
func (r *rehearsal) apart(n *ir.Node, v ir.View) {
	for _, b := range r.ReadsOfView(v, nil) {
		// What will be copied into n can lie in it.
		check(!r.of(b).overlaps(r.of(n)) || r.partOf(n, b), "%v is written where it reads %v", n, b)
	}
}

// partOf reports whether b is computed in the memory of n.
func (r *rehearsal) partOf(n, b *ir.Node) bool {
	for p := r.Placed[b.ID]; p != nil; p = r.Placed[p.Into.ID] {
		if p.Into == n {
			return true
		}
	}
	return false
}

// wholes are the values in whose memory n is computed, and those that they replace; and, where it is known only to be
// somewhere in a tensor, the other parts of the same concatenation.
func (r *rehearsal) wholes(n *ir.Node) []*ir.Node {
	var list []*ir.Node
	somewhere := len(r.FoundBy(n)) > 0
	for p := r.Placed[n.ID]; p != nil; p = r.Placed[p.Into.ID] {
		list = append(list, p.Into)
		for m := range r.content {
			if somewhere && p.Into.Op == compute.OpTypeConcatenate && r.partOf(p.Into, m) {
				list = append(list, m)
			}
		}
		if p.Into.Op == compute.OpTypeDynamicUpdateSlice {
			list = append(list, r.Of(p.Into.In[0]).Base)
		}
	}
	return list
}

func (r *rehearsal) group(u *plan.Unit) {
	for k, n := range u.Nodes {
		for _, in := range n.In {
			if v := r.Of(in); r.UnitOf[v.Base.ID] != u {
				r.read(n, v)
			} else {
				check(v.Whole() && v.Base.ID < n.ID, "%v reads %v of its group, as a view or early", n, in)
			}
		}
		if r.Memory[n.ID] == nil {
			continue
		}
		where := r.of(n)
		// Tile after tile: what is read of these bytes must be read element by element, and no later.
		for j, m := range u.Nodes {
			for _, in := range m.In {
				v := r.Of(in)
				for _, b := range r.ReadsOfView(v, nil) {
					if r.UnitOf[b.ID] == u || !r.of(b).overlaps(where) {
						continue
					}
					check(b == v.Base && v.Whole() && r.of(b).equals(where) && j <= k &&
						b.Shape.DType.Size() == n.Shape.DType.Size(),
						"%v is written over %v, which its group reads otherwise", n, b)
				}
			}
		}
		r.write(n, where, r.wholes(n)...)
	}
}

func (r *rehearsal) loop(p *plan.Plan, n *ir.Node) {
	where := make([]region, len(n.Outs))
	over := make([]bool, len(n.Outs)) // it is the initial value
	for k, o := range n.Outs {
		v := r.Of(n.In[k])
		r.read(n, v)
		where[k] = r.of(o)
		if r.Memory[v.Base.ID] == r.Memory[o.ID] && r.Placed[v.Base.ID] == nil {
			over[k] = true
			check(v.Whole(), "the state %v begins as a view of what is there", o)
		}
	}
	for k, o := range n.Outs {
		if !over[k] {
			r.write(o, where[k])
		}
	}
	for k, in := range n.In { // none was lost to another
		if over[k] {
			r.read(n, r.Of(in))
		}
	}
	for k := range n.Outs {
		if over[k] {
			r.over("a loop's state", where[k])
		}
	}
	for range 2 {
		for i, of := range p.Inner[n] {
			for k, param := range of.Fn.Params {
				check(r.Memory[param.ID] == r.Memory[n.Outs[k].ID], "state %d is at two places", k)
				r.content[param] = where[k]
			}
			r.run(of)
			if i == 0 { // the condition leaves all of the state to the body
				for _, param := range of.Fn.Params {
					r.there("the body", param)
				}
			}
			for _, m := range of.Fn.Nodes { // it leaves nothing but the state
				delete(r.content, m)
			}
		}
	}
	for k, o := range n.Outs {
		r.content[o] = where[k]
	}
}

func (r *rehearsal) branches(p *plan.Plan, n *ir.Node) {
	before := r.content
	var after map[*ir.Node]region
	for _, branch := range p.Inner[n] {
		r.content = maps.Clone(before)
		r.run(branch)
		if after == nil {
			after = r.content
			continue
		}
		maps.DeleteFunc(after, func(m *ir.Node, _ region) bool { // what is left by both
			_, ok := r.content[m]
			return !ok
		})
	}
	r.content = after
	for _, o := range n.Outs {
		r.over(n, r.of(o))
		r.content[o] = r.of(o)
	}
}
