package simd

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/pkg/errors"
)

// A step is one unit of a program, with all that can be decided before running decided.
type step interface{ run(m *machine) }

// A machine is what an execution works on: the memory of a program. Executions at the same time have one each.
type machine struct {
	roots   []unsafe.Pointer
	arena   []byte
	private []byte
	local   []*local // one for each thread
	workers *workers // nil while another execution has them
	worker  int      // which of them works on this machine alone
	// team are this machine and its likes, one for each thread: their private memory is their own, all else the same.
	team    []*machine
	barrier *barrier // of the team
}

// local is what a thread has for itself: memory for tiles and packed operands, and what would otherwise be allocated at
// every call.
type local struct {
	scratch  []byte
	starts   []unsafe.Pointer
	operands operands
}

// parallelWork is the least work, in units of about a nanosecond, that is worth handing to other threads. It is a
// variable for tests, which hand over all.
var parallelWork = 10000

// do runs a task on all threads if its work is worth it.
func (m *machine) do(t task, work int) {
	if m.workers == nil || work < parallelWork {
		t.part(m, m.worker, 0, 1)
		return
	}
	m.workers.run(m, t, m.workers.n*partsPerWorker)
}

func (m *machine) at(a address) unsafe.Pointer { return unsafe.Add(m.roots[a.root], a.off) }

// source is where the elements of a view start.
type source struct {
	address
	dynamic []indexed
}

// indexed is a part of an address that depends on the value of an integer scalar.
type indexed struct {
	address
	dtype  dtypes.DType
	limit  int
	stride int // in bytes
}

// integerAt reads an integer of any type.
func integerAt(p unsafe.Pointer, dtype dtypes.DType) int {
	switch dtype {
	case dtypes.Int8:
		return int(*(*int8)(p))
	case dtypes.Int16:
		return int(*(*int16)(p))
	case dtypes.Int32:
		return int(*(*int32)(p))
	case dtypes.Int64:
		return int(*(*int64)(p))
	case dtypes.Uint8:
		return int(*(*uint8)(p))
	case dtypes.Uint16:
		return int(*(*uint16)(p))
	case dtypes.Uint32:
		return int(*(*uint32)(p))
	default:
		return int(min(*(*uint64)(p), 1<<62))
	}
}

func (m *machine) from(s *source) unsafe.Pointer {
	p := m.at(s.address)
	for i := range s.dynamic {
		d := &s.dynamic[i]
		p = unsafe.Add(p, max(0, min(integerAt(m.at(d.address), d.dtype), d.limit))*d.stride)
	}
	return p
}

// A program is what a graph is compiled to.
type program struct {
	workers         *workers
	inputs, outputs int // how many
	steps           []step
	constants       []byte
	arena           int
	private         int
	scratch         int // bytes of scratch memory for each thread
	groupInputs     int // most inputs and results of any group
	mu              sync.Mutex
	idle            []*machine
	finalized       bool
}

// finalize frees the memory.
func (p *program) finalize() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finalized, p.idle = true, nil
}

// machine returns one that is idle, or a new one.
func (p *program) machine() (*machine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finalized {
		return nil, errors.New("the executable is finalized")
	}
	if n := len(p.idle); n > 0 {
		m := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return m, nil
	}
	m := &machine{arena: alignedBytes(p.arena)}
	m.team = []*machine{m}
	for i := range p.workers.n {
		m.local = append(m.local,
			&local{scratch: alignedBytes(p.scratch), starts: make([]unsafe.Pointer, p.groupInputs)})
		if i > 0 {
			m.team = append(m.team, &machine{})
		}
	}
	for _, each := range m.team {
		each.private = alignedBytes(p.private)
		each.roots = make([]unsafe.Pointer, rootParameters+p.inputs+p.outputs)
		each.roots[rootArena] = unsafe.Pointer(unsafe.SliceData(m.arena))
		each.roots[rootPrivate] = unsafe.Pointer(unsafe.SliceData(each.private))
		each.roots[rootConstants] = unsafe.Pointer(unsafe.SliceData(p.constants))
		each.local, each.barrier = m.local, &p.workers.barrier
	}
	return m, nil
}

// run computes the outputs, whose memory is given, from the inputs.
func (p *program) run(inputs, outputs []unsafe.Pointer) error {
	m, err := p.machine()
	if err != nil {
		return err
	}
	copy(m.roots[rootParameters:], inputs)
	copy(m.roots[rootParameters+p.inputs:], outputs)
	if p.workers.take() {
		m.workers = p.workers
	}
	for _, s := range p.steps {
		s.run(m)
	}
	if m.workers != nil {
		m.workers.busy.Unlock()
		m.workers = nil
	}
	for _, each := range m.team { // an idle machine keeps no input or output alive
		clear(each.roots[rootParameters:])
	}
	for _, each := range m.local {
		clear(each.starts)
		each.operands = operands{}
	}
	p.mu.Lock()
	p.idle = append(p.idle, m)
	p.mu.Unlock()
	return nil
}

// address returns where a value is.
func (c *lowerer) address(n *node) source {
	p := c.placed[n]
	if c.memory[n] == nil {
		fail("internal error: %s %s has no memory", nameOf(n.op), n.shape)
	}
	if p == nil {
		return source{address: c.memory[n].address()}
	}
	size := n.shape.DType.Size()
	s := c.address(p.into)
	s.off += p.off * size
	s.dynamic = append(slices.Clip(s.dynamic), c.indexed(p.dynamic, size)...)
	return s
}

// indexed locates the indices of dynamic offsets in a tensor of elements of the given size.
func (c *lowerer) indexed(offsets []dynamicOffset, size int) []indexed {
	var list []indexed
	for _, d := range offsets {
		v := c.of(d.index)
		i := indexed{c.memory[v.base].address(), d.index.shape.DType, d.limit, d.stride * size}
		if c.placed[v.base] != nil {
			fail("internal error: an index is not in memory of its own")
		}
		i.off += v.off * d.index.shape.DType.Size()
		list = append(list, i)
	}
	return list
}

// sourceOf returns where a view starts, in elements of the given size.
func (c *lowerer) sourceOf(v view, size int) source {
	s := c.address(v.base)
	s.off += v.off * size
	s.dynamic = append(slices.Clip(s.dynamic), c.indexed(v.dynamic, size)...)
	return s
}

// steps makes the program of a plan.
func (c *lowerer) steps(p *plan) []step {
	var steps []step
	for _, d := range c.dividedSteps(p) {
		steps = append(steps, d.step)
	}
	return steps
}

func (c *lowerer) transferStep(t transfer) step {
	dims := t.node.shape.Dimensions
	if t.from != nil {
		return c.copyOf(t.node, view{dims: dims, strides: rowMajor(dims)}, source{address: t.from.address()},
			source{address: t.to.address()}, rowMajor(dims))
	}
	to := source{address: t.to.address()}
	to.off += t.off
	return c.copyOf(t.node, t.view, c.sourceOf(t.view, t.node.shape.DType.Size()), to, rowMajor(dims))
}

// copyStep copies a view to memory, or to a window in memory.
type copyStep struct {
	copier   *copier
	byRow    *rowCopier
	from, to source
}

func (c *lowerer) copyOf(n *node, v view, from, to source, strides []int) *copyStep {
	size := n.shape.DType.Size()
	s := &copyStep{copier: newCopier(v.dims, strides, v.strides, size), from: from, to: to}
	if c.rows > 0 {
		s.byRow = newRowCopier(c.rows, v.dims, strides, v.strides, size)
	}
	return s
}

func (s *copyStep) rows(m *machine, _, lo, hi int) {
	s.byRow.run(m.from(&s.to), m.from(&s.from), lo, hi)
}

func (s *copyStep) run(m *machine) { m.do(s, s.copier.elements*s.copier.size/8) }

func (s *copyStep) part(m *machine, _, i, n int) {
	if s.copier.elements > 0 {
		s.copier.run(m.from(&s.to), m.from(&s.from), i, n)
	}
}

type ifStep struct {
	pred            source
	onTrue, onFalse []step
}

func (s *ifStep) run(m *machine) {
	branch := s.onFalse
	if *(*bool)(m.from(&s.pred)) {
		branch = s.onTrue
	}
	for _, b := range branch {
		b.run(m)
	}
}
