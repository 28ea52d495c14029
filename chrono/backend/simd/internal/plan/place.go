package plan

import (
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A Placement says that a value is computed right where a later operation would have copied it to: into its part of a
// concatenation, or into the rows of a tensor that a DynamicUpdateSlice replaces.
type Placement struct {
	Into *ir.Node
	// The window in into, in elements: where it starts, and its dimensions and strides. strides are nil if it is dense.
	Off           int
	Dims, Strides []int
	Dynamic       []ir.DynamicOffset
}

// target is where a value is copied to: operand of the unit at position at, which begins at start along the axis of a
// concatenation.
type target struct {
	into               *ir.Node
	operand, start, at int
}

// findTargets notes what copies each value, who reads it, and which values must be dense for that.
func (p *planner) findTargets() {
	for i, u := range p.Units {
		for _, n := range u.Nodes {
			anyStrides := element.Is(n.Op) || ir.Operations[n.Op].AnyStrides
			for _, b := range p.read[n.ID] {
				if r := p.readers[b]; len(r) == 0 || r[len(r)-1] != i {
					p.readers[b] = append(r, i)
				}
				p.dense[b] = p.dense[b] || !anyStrides
			}
			for _, in := range n.In {
				if v := p.Of(in); !v.Whole() || !slices.Equal(v.Dims, v.Base.Shape.Dimensions) {
					p.dense[v.Base] = true
				}
			}
		}
		n := u.Nodes[0]
		first, end, start := 0, 0, 0
		switch n.Op {
		case compute.OpTypeConcatenate:
			end = len(n.In)
		case compute.OpTypeDynamicUpdateSlice:
			first, end = 1, 2
		}
		for k := first; k < end; k++ {
			if v := p.Of(n.In[k]); v.Whole() && v.Base.Fn == p.Fn {
				p.targets[v.Base] = append(p.targets[v.Base], target{n, k, start, i})
			}
			if axis, ok := n.Data.(int); ok {
				start += n.In[k].Shape.Dimensions[axis]
			}
		}
	}
}

// place gives the value n, which the unit at position i computes, its place in what will copy it, if that is possible.
// Integers stay where they are: they may be indices, which are read from memory of their own.
func (p *planner) place(n *ir.Node, i int) bool {
	if p.desired[n] != nil || n.Shape.Size() == 0 || !n.Shape.DType.IsFloat() ||
		p.Division != nil && p.Division.of(n).kind != Rowwise {
		return false
	}
	for _, t := range p.targets[n] {
		if p.Division != nil && p.Division.of(t.into).kind == Joint {
			continue // other threads may still read what it held in the iteration before
		}
		if t.into.Op == compute.OpTypeDynamicUpdateSlice && p.placeInSequence(n, i, t) ||
			t.into.Op == compute.OpTypeConcatenate && p.placeInConcatenation(n, i, t) {
			if p.Copied[t.into] == nil {
				p.Copied[t.into] = make(map[int]bool)
			}
			p.Copied[t.into][t.operand] = true
			return true
		}
	}
	return false
}

// placeInSequence places n in the tensor that a DynamicUpdateSlice writes it to. That is possible if the tensor is
// updated in place, if it is complete at position i and nobody needs its old content from there on, and if nobody
// needs n after the tensor is next written to.
func (p *planner) placeInSequence(n *ir.Node, i int, t target) bool {
	old := p.Of(t.into.In[0])
	s := p.ownSlot(old.Base)
	if s == nil || !p.dies(old, t.into, t.at) || p.unitAt(p.Fn, old.Base) == p.UnitOf[n.ID] {
		return false
	}
	if u := p.unitAt(p.Fn, old.Base); u != nil && u.at >= i || p.readFrom(old.Base, i, t.at) {
		return false
	}
	dims, whole := t.into.In[1].Shape.Dimensions, t.into.Shape.Dimensions
	strides := ir.RowMajor(whole)
	if !(ir.View{Dims: dims, Strides: strides}).Dense() {
		return false
	}
	dynamic := ir.DynamicOffsets(t.into.In[2:], whole, dims, strides)
	for _, d := range dynamic {
		if u := p.unitAt(p.Fn, p.Of(d.Index).Base); u != nil && u.at >= i {
			return false // not known yet
		}
	}
	if readers := p.readers[t.into]; len(readers) > 0 && !p.readBeforeWrite(n, t.into, readers[0]) {
		return false
	}
	for _, d := range dynamic {
		if index := p.Of(d.Index).Base; index.Fn == p.Fn && index.Op != compute.OpTypeConstant {
			p.keep(index, p.last[n])
		}
	}
	p.Memory[n.ID] = s
	p.Placed[n.ID] = &Placement{Into: t.into, Dynamic: dynamic}
	return true
}

// readFrom reports whether a value, or a part of it that was computed right there as part of a concatenation, is read
// at a position from first on and before end.
func (p *planner) readFrom(n *ir.Node, first, end int) bool {
	if slices.ContainsFunc(p.readers[n], func(r int) bool { return r >= first && r < end }) {
		return true
	}
	if n.Op == compute.OpTypeDynamicUpdateSlice && len(p.Copied[n]) > 0 {
		n = p.Of(n.In[1]).Base // readBeforeWrite has looked at the readers of its rows
	}
	for k := range p.Copied[n] {
		if p.readFrom(p.Of(n.In[k]).Base, first, end) {
			return true
		}
	}
	return false
}

// readBeforeWrite reports whether all that is read of n, which lies in the tensor m, is read before the first reader of
// m, at position next, writes to m again. If that is another DynamicUpdateSlice, its rows may be computed in place,
// too.
func (p *planner) readBeforeWrite(n, m *ir.Node, next int) bool {
	last := p.last[n]
	w := p.Units[next].Nodes[0]
	if w.Op == compute.OpTypeDynamicUpdateSlice && p.Of(w.In[0]).Base == m {
		update := p.Of(w.In[1]).Base
		if u := p.unitAt(p.Fn, update); u != nil {
			if u.at == last && u.at < next && u.Elementwise && inSteps(m) {
				for _, r := range u.Nodes {
					for _, in := range r.In {
						if v := p.Of(in); v.Base == n && (!v.Whole() || r.ID > update.ID) {
							return false
						}
					}
				}
				return true
			}
			return last < min(u.at, next)
		}
	}
	return last < next
}

// inSteps reports whether the rows that a DynamicUpdateSlice writes begin at a multiple of their number: two such
// windows of one size are the same, or apart.
func inSteps(n *ir.Node) bool {
	dims, window := n.Shape.Dimensions, n.In[1].Shape
	return !slices.ContainsFunc(ir.DynamicOffsets(n.In[2:], dims, window.Dimensions, ir.RowMajor(dims)),
		func(d ir.DynamicOffset) bool { return d.Stride%window.Size() != 0 })
}

// placeInConcatenation places n in the memory of a concatenation. If n's part of it is not in one piece, those who
// write and read n must be able to.
func (p *planner) placeInConcatenation(n *ir.Node, i int, t target) bool {
	m := t.into
	if p.Memory[m.ID] == nil {
		if p.desired[m] != nil {
			return false
		}
		if !p.place(m, i) {
			p.hold(m, p.slotFor(m, i), i)
		}
	}
	strides := p.StridesOf(m)
	pl := &Placement{Into: m, Off: t.start * strides[m.Data.(int)], Dims: m.In[t.operand].Shape.Dimensions}
	if !(ir.View{Dims: pl.Dims, Strides: strides}).Dense() {
		if p.dense[n] || p.last[n] == len(p.Units) || !slices.Equal(pl.Dims, n.Shape.Dimensions) {
			return false
		}
		pl.Strides = strides
	}
	if p.Placed[m.ID] == nil {
		p.keep(m, p.last[n])
	} else if p.last[n] > p.last[m] {
		return false
	}
	p.Memory[n.ID] = p.Memory[m.ID]
	p.Placed[n.ID] = pl
	return true
}

// FoundBy returns the indices that are read wherever a value is, to find it in the rows of a tensor.
func (l *Layout) FoundBy(n *ir.Node) (indices []*ir.Node) {
	for p := l.Placed[n.ID]; p != nil; p = l.Placed[p.Into.ID] {
		for _, d := range p.Dynamic {
			indices = append(indices, l.Of(d.Index).Base)
		}
	}
	return indices
}

// StridesOf returns the strides of a value in memory.
func (l *Layout) StridesOf(n *ir.Node) []int {
	if p := l.Placed[n.ID]; p != nil && p.Strides != nil {
		return p.Strides
	}
	return ir.RowMajor(n.Shape.Dimensions)
}

// InMemory returns a view with the strides that its base has in memory. Where these are not row-major, only views of
// the whole are read: see findTargets.
func (l *Layout) InMemory(v ir.View) ir.View {
	if p := l.Placed[v.Base.ID]; p != nil && p.Strides != nil {
		v.Strides = p.Strides
	}
	return v
}

// keep extends the time for which a value is held.
func (p *planner) keep(n *ir.Node, until int) {
	p.last[n] = max(p.last[n], until)
	if s := p.ownSlot(n); s != nil {
		s.until = max(s.until, until)
		if s.plan == p.Plan {
			s.last = max(s.last, until)
		}
	}
}

// ownSlot is the slot that holds nothing but the value n, or nil.
func (p *planner) ownSlot(n *ir.Node) *Slot {
	if p.Placed[n.ID] != nil {
		return nil
	}
	return p.Memory[n.ID]
}

// dies reports whether a view is all of a value that this function may overwrite, and that nothing reads after node n
// at position i, nor n more than once, be it as another value in the same memory. What n finds where n is to have it,
// does not count.
func (p *planner) dies(v ir.View, n *ir.Node, i int) bool {
	s := p.ownSlot(v.Base)
	if s == nil || !v.Whole() || !p.own(s) || !p.fits(s, n) || p.last[v.Base] != i || s.until != i {
		return false
	}
	reads := 0
	for _, b := range p.read[n.ID] {
		if slices.ContainsFunc(p.FoundBy(b), func(index *ir.Node) bool { return p.Memory[index.ID] == s }) {
			return false
		}
		reads += element.Bit(p.Memory[b.ID] == s && (p.Placed[b.ID] == nil || p.Placed[b.ID].Into != n))
	}
	return reads == 1
}
