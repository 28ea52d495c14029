package plan

import (
	"encoding/binary"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

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

// target is where a value is copied to: operand of the unit at position at.
type target struct {
	into    *ir.Node
	operand int
	at      int
}

// findTargets notes what copies each value, and who reads it.
func (p *planner) findTargets() {
	for i, u := range p.Units {
		for _, n := range u.Nodes {
			for _, b := range p.reads(n) {
				if r := p.readers[b]; len(r) == 0 || r[len(r)-1] != i {
					p.readers[b] = append(r, i)
				}
			}
		}
		n := u.Nodes[0]
		first, end := 0, 0
		switch n.Op {
		case compute.OpTypeConcatenate:
			end = len(n.In)
		case compute.OpTypeDynamicUpdateSlice:
			first, end = 1, 2
		}
		for k := first; k < end; k++ {
			if v := p.Of(n.In[k]); v.Whole() && v.Base.Fn == p.Fn {
				p.targets[v.Base] = append(p.targets[v.Base], target{n, k, i})
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
			p.Copied[t.into] = append(p.Copied[t.into], t.operand)
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
	if s == nil || !p.dies(old, t.into, t.at) || p.unitAt(p.Fn, old.Base) == p.UnitOf[n] {
		return false
	}
	if u := p.unitAt(p.Fn, old.Base); u != nil && slices.Index(p.Units, u) >= i || p.readFrom(old.Base, i, t.at) {
		return false
	}
	dims, whole := t.into.In[1].Shape.Dimensions, t.into.Shape.Dimensions
	strides := ir.RowMajor(whole)
	if !(ir.View{Dims: dims, Strides: strides}).Dense() {
		return false
	}
	dynamic := ir.DynamicOffsets(t.into.In[2:], whole, dims, strides)
	for _, d := range dynamic {
		index := p.Of(d.Index).Base
		if p.unitAt(p.Fn, index) == p.UnitOf[n] || index.Op != compute.OpTypeConstant && p.Memory[index] == nil {
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
	p.Memory[n] = s
	p.Placed[n] = &Placement{Into: t.into, Dynamic: dynamic}
	return true
}

// readFrom reports whether a value, or a part of it that was computed right there as part of a concatenation, is read
// at a position from first on and before end.
func (p *planner) readFrom(n *ir.Node, first, end int) bool {
	for b, s := range p.Memory {
		part := p.Placed[b] != nil && p.Placed[b].Into.Op == compute.OpTypeConcatenate
		if s == p.Memory[n] && (b == n || part) &&
			slices.ContainsFunc(p.readers[b], func(r int) bool { return r >= first && r < end }) {
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
			at := slices.Index(p.Units, u)
			if at == last && at < next && u.Elementwise {
				for _, r := range u.Nodes {
					for _, in := range r.In {
						if v := p.Of(in); v.Base == n && (!v.Whole() || r.ID > update.ID) {
							return false
						}
					}
				}
				return true
			}
			return last < min(at, next)
		}
	}
	return last < next
}

// placeInConcatenation places n in the memory of a concatenation. If n's part of it is not in one piece, those who
// write and read n must be able to.
func (p *planner) placeInConcatenation(n *ir.Node, i int, t target) bool {
	m := t.into
	if p.Memory[m] == nil {
		if p.desired[m] != nil {
			return false
		}
		if !p.place(m, i) {
			p.hold(m, p.slotFor(m, i), i)
		}
	}
	axis := m.Data.(int)
	strides := p.StridesOf(m)
	pl := &Placement{Into: m, Dims: m.In[t.operand].Shape.Dimensions}
	for _, piece := range m.In[:t.operand] {
		pl.Off += piece.Shape.Dimensions[axis] * strides[axis]
	}
	if !(ir.View{Dims: pl.Dims, Strides: strides}).Dense() {
		if !slices.Equal(pl.Dims, n.Shape.Dimensions) || !p.onlyReadWhole(n) {
			return false
		}
		pl.Strides = strides
	}
	if p.Placed[m] == nil {
		p.keep(m, p.last[n])
	} else if p.last[n] > p.last[m] {
		return false
	}
	p.Memory[n] = p.Memory[m]
	p.Placed[n] = pl
	return true
}

// onlyReadWhole reports whether all who read n read all of it in its own dimensions, and can do so with other strides.
func (p *planner) onlyReadWhole(n *ir.Node) bool {
	if p.last[n] == len(p.Units) {
		return false // an output
	}
	for _, r := range p.readers[n] {
		for _, reader := range p.Units[r].Nodes {
			switch {
			case !slices.Contains(p.reads(reader), n):
				continue
			case element.Is(reader.Op), ir.OperationOf(reader.Op).AnyStrides:
			default:
				return false
			}
			for _, in := range reader.In {
				if v := p.Of(in); v.Base == n && !(v.Whole() && slices.Equal(v.Dims, n.Shape.Dimensions)) {
					return false
				}
			}
		}
	}
	return true
}

// StridesOf returns the strides of a value in memory.
func (l *Layout) StridesOf(n *ir.Node) []int {
	if p := l.Placed[n]; p != nil && p.Strides != nil {
		return p.Strides
	}
	return ir.RowMajor(n.Shape.Dimensions)
}

// InMemory returns a view with the strides that its base has in memory. Where these are not row-major, only views of
// the whole are read: see onlyReadWhole.
func (l *Layout) InMemory(v ir.View) ir.View {
	if p := l.Placed[v.Base]; p != nil && p.Strides != nil {
		v.Strides = p.Strides
	}
	return v
}

// keep extends the time for which a value is held.
func (p *planner) keep(n *ir.Node, until int) {
	p.last[n] = max(p.last[n], until)
	if s := p.ownSlot(n); s != nil {
		s.until = max(s.until, until)
		if s.frame == p.frame {
			s.last = max(s.last, until)
		}
	}
}

// ownSlot is the slot that holds nothing but the value n, or nil.
func (p *planner) ownSlot(n *ir.Node) *Slot {
	if p.Placed[n] != nil {
		return nil
	}
	return p.Memory[n]
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
	for _, b := range p.reads(n) {
		reads += element.Bit(p.Memory[b] == s && (p.Placed[b] == nil || p.Placed[b].Into != n))
	}
	return reads == 1
}

// unwritten returns the rows of part k of a loop's state that no iteration writes: only they need their initial value.
// A loop that writes rows of a tensor, at positions that follow from a counter with constant bounds, is followed
// through all its iterations, counter only: this part of its state, which takes these values.
func (c *Groups) unwritten(loop *ir.Node, k, counter int, values [][]byte) [][2]int {
	d := loop.Data.(*ir.WhileData)
	shape := loop.In[k].Shape
	if shape.Rank() == 0 {
		return nil
	}
	all := [][2]int{{0, shape.Dimensions[0]}}
	reads := make(map[*ir.Node]int)
	for _, fn := range []*ir.Function{d.Cond, d.Body} {
		for _, n := range fn.Nodes {
			if c.isUnit(n) {
				for _, b := range c.reads(n) {
					reads[b]++
				}
			}
		}
		for _, o := range fn.Outputs {
			for _, b := range c.readsOfView(c.Of(o), nil) {
				reads[b]++
			}
		}
	}
	// The chain of updates from the result back to the parameter.
	var updates []*ir.Node
	o := c.Of(d.Body.Outputs[k])
	for o.Whole() && o.Base.Op == compute.OpTypeDynamicUpdateSlice && o.Base.Fn == d.Body && reads[o.Base] == 1 {
		updates = append(updates, o.Base)
		o = c.Of(o.Base.In[0])
	}
	if counter < 0 || len(updates) == 0 || o.Base != d.Body.Params[k] || reads[o.Base] != 1 ||
		reads[d.Cond.Params[k]] != 0 {
		return all
	}
	written := make([]bool, shape.Dimensions[0])
	for _, u := range updates {
		window := u.In[1].Shape.Dimensions
		if !slices.Equal(window[1:], shape.Dimensions[1:]) {
			return all
		}
		for _, i := range values {
			index := c.scalar(u.In[2], d.Body.Params[counter], i)
			if index == nil {
				return all
			}
			at := max(0, min(int(int32(binary.NativeEndian.Uint32(index))), len(written)-window[0]))
			for r := range window[0] {
				written[at+r] = true
			}
		}
	}
	var rows [][2]int
	for i, w := range written {
		switch {
		case w:
		case len(rows) > 0 && rows[len(rows)-1][1] == i:
			rows[len(rows)-1][1]++
		default:
			rows = append(rows, [2]int{i, i + 1})
		}
	}
	return rows
}

// maxIterations bounds how far counter follows a loop.
const maxIterations = 1 << 20

// counter finds the part of a loop's state that counts its iterations and alone decides when it ends, and returns the
// values that it takes, or −1.
func (c *Groups) counter(loop *ir.Node) (index int, values [][]byte) {
	d := loop.Data.(*ir.WhileData)
	for k, p := range d.Cond.Params {
		values = nil
		for x := c.scalar(loop.In[k], nil, nil); x != nil && len(values) < maxIterations; {
			goesOn := c.scalar(d.Cond.Outputs[0], p, x)
			if goesOn == nil {
				break
			}
			if goesOn[0] == 0 {
				return k, values
			}
			values = append(values, x)
			x = c.scalar(d.Body.Outputs[k], d.Body.Params[k], x)
		}
	}
	return -1, nil
}

// scalar computes an int32 or a boolean that depends on constants and on the parameter p, which is x, only. It returns
// nil for other values.
func (c *Groups) scalar(n, p *ir.Node, x []byte) []byte {
	switch d := n.Shape.DType; {
	case n == p:
		return x
	case n.Shape.Size() != 1 || d != dtypes.Int32 && d != dtypes.Bool:
		return nil
	case n.Op == compute.OpTypeReshape:
		return c.scalar(n.In[0], p, x)
	case !element.Is(n.Op):
		return ir.Splat(n)
	}
	var operands [][]byte
	for _, in := range n.In {
		v := c.scalar(in, p, x)
		if v == nil {
			return nil
		}
		operands = append(operands, v)
	}
	return element.Compute(n.Op, n.In[0].Shape.DType, n.Shape.DType, operands...)
}
