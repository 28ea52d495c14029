package simd

import (
	"fmt"
	"unsafe"

	"github.com/pkg/errors"

	"github.com/gomlx/compute"
)

// tile is the number of elements that a group computes at a time: enough to make the calls of vector functions cheap,
// and few enough for all tiles of a group to stay in the nearest cache.
const tile = 1024

// groupStep runs a group of elementwise operations, tile by tile.
type groupStep struct {
	elements int
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
	f        tileFunc
	in       [3]operand
	arity    int
	register int
	store    bool
	to       address
	size     int
}

// cost of an operation on one element in about a hundredth of a nanosecond, to decide what runs in parallel.
func cost(op compute.OpType) int {
	switch op {
	case compute.OpTypeExp, compute.OpTypeLogistic, compute.OpTypeTanh, compute.OpTypeLog, compute.OpTypeExpm1, compute.OpTypeLog1p:
		return 60
	case compute.OpTypeDiv, compute.OpTypeSqrt, compute.OpTypeRsqrt:
		return 20
	case compute.OpTypeSin, compute.OpTypeCos, compute.OpTypeErf, compute.OpTypePow, compute.OpTypeAtan2, compute.OpTypeRem:
		return 1500
	}
	return 10
}

// groupStep assigns tiles to the values of a group.
func (c *compiler) groupStep(u *unit) step {
	g := &groupStep{elements: u.nodes[0].shape.Size()}
	length := min(tile, g.elements)
	// Registers are free again after the last operation that reads them.
	var free []int
	registers := 0
	take := func() int {
		if n := len(free); n > 0 {
			r := free[n-1]
			free = free[:n-1]
			return r
		}
		registers++
		return (registers - 1) * roundUp(length*8)
	}
	lastRead := make(map[*node]int)
	for i, n := range u.nodes {
		for _, in := range n.in {
			lastRead[c.viewOf(in).base] = i
		}
	}
	where := make(map[*node]operand)
	loads := make(map[string]int)
	for i, n := range u.nodes {
		op := tileOp{arity: len(n.in), size: n.shape.DType.Size(), register: -1}
		op.f = tileFunction(n.op, n.in[0].shape.DType, n.shape.DType)
		if op.f == nil {
			panic(graphError{errors.Wrapf(compute.ErrNotImplemented, "backend %s: %s on %s", Name, n.op, n.in[0].shape)})
		}
		g.work += cost(n.op) * g.elements / 100
		for k, in := range n.in {
			v := c.viewOf(in)
			if c.unitOf[v.base] == u {
				op.in[k] = where[v.base]
				continue
			}
			size := in.shape.DType.Size()
			key := fmt.Sprintf("%p %v %v %v %v %d", v.base, v.dims, v.strides, v.off, v.dynamic, size)
			l, ok := loads[key]
			if !ok {
				l = len(g.loads)
				loads[key] = l
				g.loads = append(g.loads, c.load(v, size))
				if !g.loads[l].dense {
					// Loaded tiles keep their register: parts of a group may need them at any time.
					registers++
					g.loads[l].register = (registers - 1) * roundUp(length*8)
				}
				g.work += g.elements / 20
			}
			op.in[k] = operand{g.loads[l].register, l, size}
		}
		if s := c.memory[n]; s != nil {
			op.store, op.to = true, s.address()
		} else {
			op.register = take()
		}
		where[n] = operand{op.register, -1 - i, op.size}
		for _, in := range n.in {
			b := c.viewOf(in).base
			if w, ok := where[b]; ok && lastRead[b] == i && w.register >= 0 && b != n && c.unitOf[b] == u {
				free = append(free, w.register)
				delete(where, b)
			}
		}
		g.ops = append(g.ops, op)
	}
	c.scratch = max(c.scratch, registers*roundUp(length*8))
	c.loads = max(c.loads, len(g.loads))
	return g
}

func (c *compiler) load(v view, size int) load {
	l := load{from: c.sourceOf(v, size), size: size, register: -1}
	if v.dense() {
		l.dense = true
		return l
	}
	dims, strides := collapse(v.dims, v.strides)
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
	lo, hi = lo*16, min(hi*16, g.elements)
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
					src[a] = unsafe.Add(m.at(g.ops[-1-in.load].to), start*in.size)
				}
			}
			to := unsafe.Add(scratch, op.register)
			if op.store {
				to = unsafe.Add(m.at(op.to), start*op.size)
			}
			op.f(to, src, length)
		}
	}
}

// read copies elements start to start+n of a view, in row-major order, to a tile.
func (l *load) read(to, from unsafe.Pointer, start, n int) {
	last := len(l.dims) - 1
	if last < 0 {
		copyRow(n, l.size, 0, l.size, to, from)
		return
	}
	row := l.dims[last]
	stride := l.strides[last]
	for n > 0 {
		// Where is the element start?
		outer, inner := start/row, start%row
		p := unsafe.Add(from, inner*stride)
		for a := last - 1; a >= 0; a-- {
			p = unsafe.Add(p, outer%l.dims[a]*l.strides[a])
			outer /= l.dims[a]
		}
		k := min(n, row-inner)
		if stride == l.size {
			copy(unsafe.Slice((*byte)(to), k*l.size), unsafe.Slice((*byte)(p), k*l.size))
		} else {
			copyRow(k, l.size, stride, l.size, to, p)
		}
		to = unsafe.Add(to, k*l.size)
		start += k
		n -= k
	}
}
