package exec

import (
	"fmt"
	"unsafe"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// tile is the number of elements that a group computes at a time: enough to make the calls of vector functions cheap,
// and few enough for all tiles of a group to stay in the nearest cache.
const tile = 1024

// groupStep runs a group of elementwise operations, tile by tile.
type groupStep struct {
	elements int
	row      int // elements in a row, if threads divide the group by rows
	loads    []load
	ops      []tileOp
	work     int
}

// load makes a view's elements available as tiles.
type load struct {
	from source
	// dense views need nothing but their address.
	dense bool
	size  int
	// constant views have one value; a tile is filled with it once.
	constant bool
	dims     []int
	strides  []int // in bytes
	register int
}

// operand is where a tile is: in a register, that is, a piece of scratch memory; or in the memory of a load.
type operand struct {
	register int // offset in the scratch memory, or −1
	load     int
	size     int
}

// tileOp is one operation of a group. Its result goes to memory, if anything outside of the group needs it.
type tileOp struct {
	f        element.TileFunc
	in       [4]operand
	arity    int
	register int
	size     int
	store    bool
	to       source
	// window is where the result goes in memory that is not dense; it then has a register, too.
	window *load
}

// A grouping turns a group into its step.
type grouping struct {
	*lowerer
	unit      *plan.Unit
	step      *groupStep
	registers registers
	loaded    map[string]int       // the step's loads, by what they read
	where     map[*ir.Node]operand // the group's values so far
}

func (c *lowerer) groupStep(u *plan.Unit) step {
	g := &groupStep{elements: u.Nodes[0].Shape.Size()}
	if c.rows > 0 {
		g.row = g.elements / c.rows
	}
	m := grouping{
		lowerer: c, unit: u, step: g, registers: registers{size: plan.RoundUp(min(tile, g.elements) * 8)},
		loaded: make(map[string]int), where: make(map[*ir.Node]operand),
	}
	lastRead := make(map[*ir.Node]int)
	for i, n := range u.Nodes {
		for _, in := range n.In {
			lastRead[c.Of(in).Base] = i
		}
	}
	for i, n := range u.Nodes {
		op := m.tileOp(n)
		m.where[n] = operand{op.register, -1 - i, op.size}
		g.ops = append(g.ops, op)
		for _, in := range n.In { // nobody reads some of them any more
			b := c.Of(in).Base
			if w, ok := m.where[b]; ok && w.register >= 0 && lastRead[b] == i {
				m.registers.free = append(m.registers.free, w.register)
				delete(m.where, b)
			}
		}
	}
	c.scratch = max(c.scratch, m.registers.count*m.registers.size)
	c.inputs = max(c.inputs, len(g.loads)+len(g.ops))
	return g
}

// tileOp says how a value of the group is computed, and where it goes.
func (g *grouping) tileOp(n *ir.Node) tileOp {
	op := tileOp{arity: len(n.In), size: n.Shape.DType.Size(), register: -1}
	op.f = element.TileFunction(n.Op, n.In[0].Shape.DType, n.Shape.DType)
	if op.f == nil {
		ir.NotImplemented("%s on %s", n.Op, n.In[0].Shape)
	}
	g.step.work += element.Cost(n.Op) * g.step.elements / 100
	for k, in := range n.In {
		op.in[k] = g.operand(in)
	}
	if g.Memory[n.ID] != nil {
		op.store, op.to = true, g.address(n)
		if p := g.Placed[n.ID]; p != nil && p.Strides != nil {
			w := newLoad(ir.View{Dims: p.Dims, Strides: p.Strides}, op.size)
			op.window = &w
		}
	}
	if !op.store || op.window != nil {
		op.register = g.registers.take()
	}
	return op
}

// operand is where a value is for those who read it in the group.
func (g *grouping) operand(n *ir.Node) operand {
	v := g.Of(n)
	if g.UnitOf[v.Base.ID] == g.unit {
		return g.where[v.Base]
	}
	size := n.Shape.DType.Size()
	key := fmt.Sprintf("%p %v %v %v %v %d", v.Base, v.Dims, v.Strides, v.Off, v.Dynamic, size)
	i, ok := g.loaded[key]
	if !ok {
		l := newLoad(g.InMemory(v), size)
		l.from = g.sourceOf(v, size)
		if !l.dense {
			l.register = g.registers.keep() // parts of a group may need a loaded tile at any time
		}
		i = len(g.step.loads)
		g.loaded[key] = i
		g.step.loads = append(g.step.loads, l)
		g.step.work += g.step.elements / 20
	}
	return operand{g.step.loads[i].register, i, size}
}

// registers are pieces of scratch memory, each as large as a tile.
type registers struct {
	size, count int
	free        []int
}

// take returns one until it is freed.
func (r *registers) take() int {
	if n := len(r.free); n > 0 {
		register := r.free[n-1]
		r.free = r.free[:n-1]
		return register
	}
	return r.keep()
}

// keep returns one for good.
func (r *registers) keep() int {
	r.count++
	return (r.count - 1) * r.size
}

func newLoad(v ir.View, size int) load {
	l := load{size: size, register: -1}
	if v.Dense() {
		l.dense = true
		return l
	}
	dims, strides := ir.Collapse(v.Dims, v.Strides)
	l.dims = dims
	l.constant = true
	for _, s := range strides[0] {
		l.strides = append(l.strides, s*size)
		l.constant = l.constant && s == 0
	}
	return l
}

func (g *groupStep) run(m *machine) { m.do(g, g.work) }

func (g *groupStep) part(m *machine, worker, i, n int) {
	// Parts end at multiples of 16 elements, so that threads do not write to the same cache lines.
	lo, hi := share((g.elements+15)/16, i, n)
	g.span(m, worker, lo*16, min(hi*16, g.elements))
}

func (g *groupStep) rows(m *machine, worker, lo, hi int) { g.span(m, worker, lo*g.row, hi*g.row) }

// span computes elements lo to hi.
func (g *groupStep) span(m *machine, worker, lo, hi int) {
	if lo >= hi {
		return
	}
	mine := m.local[worker]
	scratch := unsafe.Pointer(unsafe.SliceData(mine.scratch))
	starts, src := mine.starts, &mine.operands
	for k := range g.loads {
		l := &g.loads[k]
		starts[k] = m.from(&l.from)
		if l.constant {
			l.read(unsafe.Add(scratch, l.register), starts[k], 0, min(tile, hi-lo))
		}
	}
	stores := starts[len(g.loads):]
	for k := range g.ops {
		if op := &g.ops[k]; op.store {
			stores[k] = m.from(&op.to)
		}
	}
	for start := lo; start < hi; start += tile {
		length := min(tile, hi-start)
		for k := range g.loads {
			if l := &g.loads[k]; !l.dense && !l.constant {
				l.read(unsafe.Add(scratch, l.register), starts[k], start, length)
			}
		}
		for k := range g.ops {
			op := &g.ops[k]
			for a := range op.arity {
				in := &op.in[a]
				switch {
				case in.register >= 0:
					src[a] = unsafe.Add(scratch, in.register)
				case in.load >= 0:
					src[a] = unsafe.Add(starts[in.load], start*in.size)
				default:
					src[a] = unsafe.Add(stores[-1-in.load], start*in.size)
				}
			}
			var to unsafe.Pointer
			if op.register >= 0 {
				to = unsafe.Add(scratch, op.register)
			} else {
				to = unsafe.Add(stores[k], start*op.size)
			}
			op.f(to, src, length)
			if op.window != nil {
				op.window.write(stores[k], to, start, length)
			}
		}
	}
}

// read copies elements start to start+n of a view, in row-major order, to a tile.
func (l *load) read(to, from unsafe.Pointer, start, n int) {
	stride := l.strides[len(l.dims)-1]
	for n > 0 {
		r := l.lines(from, start, n)
		start, n = start+r.elements, n-r.elements
		end := unsafe.Add(to, r.elements*l.size)
		if stride == 0 && r.line <= shortLine && l.size == 4 {
			r.fill(to)
		} else {
			l.copy(r, to, false)
		}
		to = end
	}
}

// shortLine is how many elements are sooner written here than by a call, such as a number for each of ten classes.
const shortLine = 32

// fill writes lines of which each has one value of four bytes.
func (r lines) fill(to unsafe.Pointer) {
	for ; r.elements > 0; r.next(1) {
		value := *(*uint32)(r.at)
		twice := uint64(value)<<32 | uint64(value)
		if r.length%2 == 1 {
			*(*uint32)(to) = value
			to = unsafe.Add(to, 4)
		}
		for range r.length / 2 {
			*(*uint64)(to) = twice
			to = unsafe.Add(to, 8)
		}
	}
}

// write copies a tile to elements start to start+n of a view.
func (l *load) write(to, from unsafe.Pointer, start, n int) {
	for n > 0 {
		r := l.lines(to, start, n)
		l.copy(r, from, true)
		start, n, from = start+r.elements, n-r.elements, unsafe.Add(from, r.elements*l.size)
	}
}

// copy copies lines to a tile, or a tile to lines.
func (l *load) copy(r lines, tile unsafe.Pointer, write bool) {
	stride := l.strides[len(l.dims)-1]
	for rows := 1; r.elements > 0; r.next(rows) {
		rows = 1
		if r.back == 0 && stride == 4 && l.size == 4 {
			rows = max(1, r.elements/r.line)
		}
		switch {
		case rows > 1 && write:
			kernel.CopyRows(r.at, tile, r.step, 4*r.line, rows, r.line)
		case rows > 1:
			kernel.CopyRows(tile, r.at, 4*r.line, r.step, rows, r.line)
		case write:
			copyRow(r.length, stride, l.size, l.size, r.at, tile)
		default:
			copyRow(r.length, l.size, stride, l.size, tile, r.at)
		}
		tile = unsafe.Add(tile, rows*r.length*l.size)
	}
}

// lines are elements of a view that follow one another: the first line, perhaps only the end of one, is at, the next
// ones are step apart.
type lines struct {
	at       unsafe.Pointer
	length   int // of the line at
	line     int // length of whole lines
	back     int // bytes from at to where its line begins
	step     int
	elements int // left
}

// lines finds element start of a view, in memory that starts at base, and what of n elements follows it in lines of one
// distance.
func (l *load) lines(base unsafe.Pointer, start, n int) lines {
	last := len(l.dims) - 1
	whole := l.dims[last]
	inner := start % whole
	at, count, step := line(l.dims[:last], l.strides[:last], start/whole, (start+n+whole-1)/whole)
	r := lines{line: whole, back: inner * l.strides[last], step: step, elements: min(n, count*whole-inner)}
	r.at = unsafe.Add(base, at+r.back)
	r.length = min(whole-inner, r.elements)
	return r
}

// next goes on by a number of lines, of which all but one are whole.
func (r *lines) next(n int) {
	if r.elements -= n * r.length; r.elements == 0 {
		return
	}
	r.at = unsafe.Add(r.at, n*r.step-r.back)
	r.back = 0
	r.length = min(r.line, r.elements)
}
