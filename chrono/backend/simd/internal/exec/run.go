// Package exec makes programs of layouts and runs them: steps that know all addresses, and the threads that share them.
package exec

import (
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// A step is one unit of a program, with all that can be decided before running decided.
type step interface{ run(m *machine) }

// A stepFunc is a step of one thread.
type stepFunc func(m *machine)

func (f stepFunc) run(m *machine) { f(m) }

// A sequence is steps that run one after the other.
type sequence []step

func (s sequence) run(m *machine) {
	for _, each := range s {
		each.run(m)
	}
}

// A machine is what an execution works on: the memory of a program. Executions at the same time have one each.
type machine struct {
	roots   []unsafe.Pointer
	arena   []byte
	private []byte
	local   []*local // one for each thread
	workers *Workers // nil while another execution has them
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
	operands element.Operands
	ahead    kernel.Ahead
	moves    []move
}

// ParallelWork is the least work, in units of about a nanosecond, that is worth handing to other threads. It is a
// variable for tests, which hand over all.
var ParallelWork = 10000

// do runs a task on all threads if its work is worth it.
func (m *machine) do(t task, work int) {
	if m.workers == nil || work < ParallelWork {
		t.part(m, m.worker, 0, 1)
		return
	}
	m.workers.run(m, t, m.workers.n*partsPerWorker)
}

func (m *machine) at(a plan.Address) unsafe.Pointer { return unsafe.Add(m.roots[a.Root], a.Off) }

// source is where the elements of a view start.
type source struct {
	plan.Address
	dynamic []indexed
}

// indexed is a part of an address that depends on the value of an integer scalar.
type indexed struct {
	plan.Address
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
		return int(min(*(*uint64)(p), math.MaxInt/2))
	}
}

func (m *machine) from(s *source) unsafe.Pointer {
	p := m.at(s.Address)
	for i := range s.dynamic {
		d := &s.dynamic[i]
		p = unsafe.Add(p, max(0, min(integerAt(m.at(d.Address), d.dtype), d.limit))*d.stride)
	}
	return p
}

// A Program is what a graph is compiled to.
type Program struct {
	workers         *Workers
	pace            pace // of whoever holds workers.busy
	inputs, outputs int  // how many
	steps           sequence
	constants       []byte
	Arena           int
	private         int
	scratch         int // bytes of scratch memory for each thread
	moves           int // that products of each thread watch
	groupInputs     int // most inputs and results of any group
	mu              sync.Mutex
	idle            []*machine
	finalized       bool
}

// Finalize frees the memory.
func (p *Program) Finalize() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finalized, p.idle = true, nil
}

// machine returns one that is idle, or a new one.
func (p *Program) machine() (*machine, error) {
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
	m := &machine{arena: plan.AlignedBytes(p.Arena)}
	m.team = []*machine{m}
	for i := range p.workers.n {
		m.local = append(m.local,
			&local{scratch: plan.AlignedBytes(p.scratch), starts: make([]unsafe.Pointer, p.groupInputs),
				moves: make([]move, p.moves)})
		if i > 0 {
			m.team = append(m.team, &machine{})
		}
	}
	for _, each := range m.team {
		each.private = plan.AlignedBytes(p.private)
		each.roots = make([]unsafe.Pointer, plan.RootParameters+p.inputs+p.outputs)
		each.roots[plan.RootArena] = unsafe.Pointer(unsafe.SliceData(m.arena))
		each.roots[plan.RootPrivate] = unsafe.Pointer(unsafe.SliceData(each.private))
		each.roots[plan.RootConstants] = unsafe.Pointer(unsafe.SliceData(p.constants))
		each.local, each.barrier = m.local, &p.workers.barrier
	}
	return m, nil
}

// Run computes the outputs, whose memory is given, from the inputs.
func (p *Program) Run(inputs, outputs []unsafe.Pointer) error {
	m, err := p.machine()
	if err != nil {
		return err
	}
	copy(m.roots[plan.RootParameters:], inputs)
	copy(m.roots[plan.RootParameters+p.inputs:], outputs)
	taken := p.workers.take()
	if taken && p.pace.help() {
		m.workers = p.workers
	}
	start := time.Now()
	p.steps.run(m)
	if taken {
		p.pace.took(m.workers != nil, time.Since(start))
		m.workers = nil
		p.workers.busy.Unlock()
	}
	for _, each := range m.team { // an idle machine keeps no input or output alive
		clear(each.roots[plan.RootParameters:])
	}
	for _, each := range m.local {
		clear(each.starts)
		each.operands = element.Operands{}
	}
	p.mu.Lock()
	if !p.finalized {
		p.idle = append(p.idle, m)
	}
	p.mu.Unlock()
	return nil
}

// address returns where a value is.
func (c *lowerer) address(n *ir.Node) source {
	if c.Memory[n.ID] == nil {
		ir.Fail("internal error: %s %s has no memory", ir.Name(n.Op), n.Shape)
	}
	if p := c.Placed[n.ID]; p != nil {
		return c.sourceOf(ir.View{Base: p.Into, Off: p.Off, Dynamic: p.Dynamic}, n.Shape.DType.Size())
	}
	return source{Address: c.Memory[n.ID].Address()}
}

// indexed locates the indices of dynamic offsets in a tensor of elements of the given size.
func (c *lowerer) indexed(offsets []ir.DynamicOffset, size int) []indexed {
	var list []indexed
	for _, d := range offsets {
		v := c.Of(d.Index)
		i := indexed{c.Memory[v.Base.ID].Address(), d.Index.Shape.DType, d.Limit, d.Stride * size}
		if c.Placed[v.Base.ID] != nil {
			ir.Fail("internal error: an index is not in memory of its own")
		}
		i.Off += v.Off * d.Index.Shape.DType.Size()
		list = append(list, i)
	}
	return list
}

// sourceOf returns where a view starts, in elements of the given size.
func (c *lowerer) sourceOf(v ir.View, size int) source {
	s := c.address(v.Base)
	s.Off += v.Off * size
	s.dynamic = append(slices.Clip(s.dynamic), c.indexed(v.Dynamic, size)...)
	return s
}

// steps makes the program of a plan.
func (c *lowerer) steps(p *plan.Plan) (steps sequence) {
	for _, d := range c.dividedSteps(p) {
		steps = append(steps, d.step)
	}
	return steps
}

func (c *lowerer) transferStep(t plan.Transfer) step {
	dims := t.Node.Shape.Dimensions
	if t.From != nil {
		return c.copyOf(t.Node, ir.View{Dims: dims, Strides: ir.RowMajor(dims)}, source{Address: t.From.Address()},
			source{Address: t.To.Address()}, ir.RowMajor(dims))
	}
	to := source{Address: t.To.Address()}
	to.Off += t.Off
	return c.copyOf(t.Node, t.View, c.sourceOf(t.View, t.Node.Shape.DType.Size()), to, ir.RowMajor(dims))
}

// copyStep copies a view to memory, or to a window in memory.
type copyStep struct {
	copier   *copier
	from, to source
}

func (c *lowerer) copyOf(n *ir.Node, v ir.View, from, to source, strides []int) *copyStep {
	size := n.Shape.DType.Size()
	if c.rows > 0 {
		width := 0
		if whole := c.Of(n); whole.Whole() && ir.Product(v.Dims) == n.Shape.Size() { // all of it
			width = c.division.Width(whole.Base)
		}
		return &copyStep{newRowCopier(c.rows, width, v.Dims, strides, v.Strides, size), from, to}
	}
	return &copyStep{newCopier(v.Dims, strides, v.Strides, size), from, to}
}

func (s *copyStep) run(m *machine) { m.do(s, s.copier.elements*s.copier.size/8) }

func (s *copyStep) part(m *machine, worker, i, n int) {
	lo, hi := share(s.copier.rows, i, n)
	s.rows(m, worker, lo, hi)
}

func (s *copyStep) rows(m *machine, _, lo, hi int) {
	s.copier.run(m.from(&s.to), m.from(&s.from), lo, hi)
}
