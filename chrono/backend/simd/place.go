package simd

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A placement says that a value is computed right where a later operation would have copied it to: into its part of a
// concatenation, or into the rows of a tensor that a DynamicUpdateSlice replaces.
type placement struct {
	into *node
	// The window in into, in elements: where it starts, and its dimensions and strides. strides are nil if it is dense.
	off           int
	dims, strides []int
	dynamic       []dynamicOffset
}

// target is where a value is copied to: operand of the unit at position at.
type target struct {
	into    *node
	operand int
	at      int
}

// findTargets notes what copies each value, and who reads it.
func (p *planner) findTargets() {
	for i, u := range p.units {
		for _, n := range u.nodes {
			for _, b := range p.reads(n) {
				if r := p.readers[b]; len(r) == 0 || r[len(r)-1] != i {
					p.readers[b] = append(r, i)
				}
			}
		}
		n := u.nodes[0]
		first, end := 0, 0
		switch n.op {
		case compute.OpTypeConcatenate:
			end = len(n.in)
		case compute.OpTypeDynamicUpdateSlice:
			first, end = 1, 2
		}
		for k := first; k < end; k++ {
			if v := p.of(n.in[k]); v.whole() && v.base.fn == p.fn {
				p.targets[v.base] = append(p.targets[v.base], target{n, k, i})
			}
		}
	}
}

// place gives the value n, which the unit at position i computes, its place in what will copy it, if that is possible.
// Integers stay where they are: they may be indices, which are read from memory of their own.
func (p *planner) place(n *node, i int) bool {
	if p.desired[n] != nil || n.shape.Size() == 0 || !n.shape.DType.IsFloat() ||
		p.division != nil && p.division.of(n).kind != rowwise {
		return false
	}
	for _, t := range p.targets[n] {
		if p.division != nil && p.division.of(t.into).kind == joint {
			continue // other threads may still read what it held in the iteration before
		}
		if t.into.op == compute.OpTypeDynamicUpdateSlice && p.placeInRows(n, i, t) ||
			t.into.op == compute.OpTypeConcatenate && p.placeInConcatenation(n, i, t) {
			p.copied[t.into] = append(p.copied[t.into], t.operand)
			return true
		}
	}
	return false
}

// placeInRows places n in the tensor that a DynamicUpdateSlice writes it to. That is possible if the tensor is updated
// in place, if it is complete at position i and nobody needs its old content from there on, and if nobody needs n after
// the tensor is next written to.
func (p *planner) placeInRows(n *node, i int, t target) bool {
	old := p.of(t.into.in[0])
	s := p.ownSlot(old.base)
	if s == nil || !p.dies(old, t.into, t.at) || p.unitAt(p.fn, old.base) == p.unitOf[n] {
		return false
	}
	if u := p.unitAt(p.fn, old.base); u != nil && slices.Index(p.units, u) >= i || p.readFrom(old.base, i, t.at) {
		return false
	}
	dims, whole := t.into.in[1].shape.Dimensions, t.into.shape.Dimensions
	strides := rowMajor(whole)
	if !(view{dims: dims, strides: strides}).dense() {
		return false
	}
	dynamic := dynamicOffsets(t.into.in[2:], whole, dims, strides)
	for _, d := range dynamic {
		index := p.of(d.index).base
		if p.unitAt(p.fn, index) == p.unitOf[n] || index.op != compute.OpTypeConstant && p.memory[index] == nil {
			return false // not known yet
		}
	}
	if readers := p.readers[t.into]; len(readers) > 0 && !p.readBeforeWrite(n, t.into, readers[0]) {
		return false
	}
	for _, d := range dynamic {
		if index := p.of(d.index).base; index.fn == p.fn && index.op != compute.OpTypeConstant {
			p.keep(index, p.last[n])
		}
	}
	p.memory[n] = s
	p.placed[n] = &placement{into: t.into, dynamic: dynamic}
	return true
}

// readFrom reports whether a value, or a part of it that was computed right there as part of a concatenation, is read
// at a position from first on and before end.
func (p *planner) readFrom(n *node, first, end int) bool {
	for b, s := range p.memory {
		part := p.placed[b] != nil && p.placed[b].into.op == compute.OpTypeConcatenate
		if s == p.memory[n] && (b == n || part) &&
			slices.ContainsFunc(p.readers[b], func(r int) bool { return r >= first && r < end }) {
			return true
		}
	}
	return false
}

// readBeforeWrite reports whether all that is read of n, which lies in the tensor m, is read before the first reader of
// m, at position next, writes to m again. If that is another DynamicUpdateSlice, its rows may be computed in place,
// too.
func (p *planner) readBeforeWrite(n, m *node, next int) bool {
	last := p.last[n]
	w := p.units[next].nodes[0]
	if w.op == compute.OpTypeDynamicUpdateSlice && p.of(w.in[0]).base == m {
		update := p.of(w.in[1]).base
		if u := p.unitAt(p.fn, update); u != nil {
			at := slices.Index(p.units, u)
			if at == last && at < next && u.elementwise {
				for _, r := range u.nodes {
					for _, in := range r.in {
						if v := p.of(in); v.base == n && (!v.whole() || r.id > update.id) {
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
func (p *planner) placeInConcatenation(n *node, i int, t target) bool {
	m := t.into
	if p.memory[m] == nil {
		if p.desired[m] != nil {
			return false
		}
		if !p.place(m, i) {
			p.hold(m, p.slotFor(m, i), i)
		}
	}
	axis := m.data.(int)
	strides := p.stridesOf(m)
	pl := &placement{into: m, dims: m.in[t.operand].shape.Dimensions}
	for _, piece := range m.in[:t.operand] {
		pl.off += piece.shape.Dimensions[axis] * strides[axis]
	}
	if !(view{dims: pl.dims, strides: strides}).dense() {
		if !slices.Equal(pl.dims, n.shape.Dimensions) || !p.onlyReadByRows(n) {
			return false
		}
		pl.strides = strides
	}
	if p.placed[m] == nil {
		p.keep(m, p.last[n])
	} else if p.last[n] > p.last[m] {
		return false
	}
	p.memory[n] = p.memory[m]
	p.placed[n] = pl
	return true
}

// onlyReadByRows reports whether all who read n read all of it in its own dimensions, and can do so with other strides.
func (p *planner) onlyReadByRows(n *node) bool {
	if p.last[n] == len(p.units) {
		return false // an output
	}
	for _, r := range p.readers[n] {
		for _, reader := range p.units[r].nodes {
			switch {
			case !slices.Contains(p.reads(reader), n):
				continue
			case isElementwise(reader.op), operationOf(reader.op).anyRows:
			default:
				return false
			}
			for _, in := range reader.in {
				if v := p.of(in); v.base == n && !(v.whole() && slices.Equal(v.dims, n.shape.Dimensions)) {
					return false
				}
			}
		}
	}
	return true
}

// stridesOf returns the strides of a value in memory.
func (l *layout) stridesOf(n *node) []int {
	if p := l.placed[n]; p != nil && p.strides != nil {
		return p.strides
	}
	return rowMajor(n.shape.Dimensions)
}

// inMemory returns a view with the strides that its base has in memory. Where these are not row-major, only views of
// the whole are read: see onlyReadByRows.
func (l *layout) inMemory(v view) view {
	if p := l.placed[v.base]; p != nil && p.strides != nil {
		v.strides = p.strides
	}
	return v
}

// keep extends the time for which a value is held.
func (p *planner) keep(n *node, until int) {
	p.last[n] = max(p.last[n], until)
	if s := p.ownSlot(n); s != nil {
		s.until = max(s.until, until)
		if s.frame == p.frame {
			s.last = max(s.last, until)
		}
	}
}

// ownSlot is the slot that holds nothing but the value n, or nil.
func (p *planner) ownSlot(n *node) *slot {
	if p.placed[n] != nil {
		return nil
	}
	return p.memory[n]
}

// dies reports whether a view is all of a value that this function may overwrite, and that nothing reads after node n
// at position i, nor n more than once, be it as another value in the same memory. What n finds where n is to have it,
// does not count.
func (p *planner) dies(v view, n *node, i int) bool {
	s := p.ownSlot(v.base)
	if s == nil || !v.whole() || !p.own(s) || !p.fits(s, n) || p.last[v.base] != i || s.until != i {
		return false
	}
	reads := 0
	for _, b := range p.reads(n) {
		reads += b2i(p.memory[b] == s && (p.placed[b] == nil || p.placed[b].into != n))
	}
	return reads == 1
}

// unwritten returns the rows of part k of a loop's state that no iteration writes: only they need their initial value.
// A loop that writes rows of a tensor, at positions that follow from a counter with constant bounds, is followed
// through all its iterations, counter only.
func (c *grouped) unwritten(loop *node, k int) [][2]int {
	d := loop.data.(*whileData)
	shape := loop.in[k].shape
	if shape.Rank() == 0 {
		return nil
	}
	all := [][2]int{{0, shape.Dimensions[0]}}
	reads := make(map[*node]int)
	for _, fn := range []*irFunction{d.cond, d.body} {
		for _, n := range fn.nodes {
			if c.isUnit(n) {
				for _, b := range c.reads(n) {
					reads[b]++
				}
			}
		}
		for _, o := range fn.outputs {
			for _, b := range c.readsOfView(c.of(o), nil) {
				reads[b]++
			}
		}
	}
	// The chain of updates from the result back to the parameter.
	var updates []*node
	o := c.of(d.body.outputs[k])
	for o.whole() && o.base.op == compute.OpTypeDynamicUpdateSlice && o.base.fn == d.body && reads[o.base] == 1 {
		updates = append(updates, o.base)
		o = c.of(o.base.in[0])
	}
	if len(updates) == 0 || o.base != d.body.params[k] || reads[o.base] != 1 || reads[d.cond.params[k]] != 0 {
		return all
	}
	counter, values := c.counter(loop)
	if counter < 0 {
		return all
	}
	written := make([]bool, shape.Dimensions[0])
	for _, u := range updates {
		window := u.in[1].shape.Dimensions
		if !slices.Equal(window[1:], shape.Dimensions[1:]) {
			return all
		}
		for _, i := range values {
			at, ok := c.integer(u.in[2], d.body.params[counter], i)
			if !ok {
				return all
			}
			at = max(0, min(at, len(written)-window[0]))
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
func (c *grouped) counter(loop *node) (index int, values []int) {
	d := loop.data.(*whileData)
	test := d.cond.outputs[0]
	for k, p := range d.cond.params {
		start, ok := c.integer(loop.in[k], nil, 0)
		if !ok || len(test.in) != 2 {
			continue
		}
		for i := start; len(values) < maxIterations; {
			a, okA := c.integer(test.in[0], p, i)
			b, okB := c.integer(test.in[1], p, i)
			next, okNext := c.integer(d.body.outputs[k], d.body.params[k], i)
			if !okA || !okB || !okNext {
				break
			}
			var goOn bool
			switch test.op {
			case compute.OpTypeLessThan:
				goOn = a < b
			case compute.OpTypeLessOrEqual:
				goOn = a <= b
			case compute.OpTypeGreaterThan:
				goOn = a > b
			case compute.OpTypeGreaterOrEqual:
				goOn = a >= b
			default:
				return -1, nil
			}
			if !goOn {
				return k, values
			}
			values = append(values, i)
			i = next
		}
		values = nil
	}
	return -1, nil
}

// integer computes an int32 scalar that depends on constants and on the parameter p, which has the value i, only.
func (c *grouped) integer(n, p *node, i int) (int, bool) {
	if n == p {
		return i, true
	}
	if n.shape.DType != dtypes.Int32 || n.shape.Size() != 1 {
		return 0, false
	}
	if s := splat(n); s != nil {
		return int(*(*int32)(unsafe.Pointer(&s[0]))), true
	}
	switch n.op {
	case compute.OpTypeReshape:
		return c.integer(n.in[0], p, i)
	case compute.OpTypeAdd, compute.OpTypeSub, compute.OpTypeMul:
		a, okA := c.integer(n.in[0], p, i)
		b, okB := c.integer(n.in[1], p, i)
		switch n.op {
		case compute.OpTypeAdd:
			a += b
		case compute.OpTypeSub:
			a -= b
		default:
			a *= b
		}
		return int(int32(a)), okA && okB
	}
	return 0, false
}
