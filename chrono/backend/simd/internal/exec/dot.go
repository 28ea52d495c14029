package exec

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// matrices are the operand [batch, rows, columns] of a product: where it starts, how many there are and how far apart,
// and how each of them lies in memory.
type matrices struct {
	from         source
	count, batch int
	kernel.Matrix
}

// matricesOf describes an operand. sum is the axis of the inner sum, or the first of two.
func (c *lowerer) matricesOf(n *ir.Node, sum int) matrices {
	v := c.InMemory(c.Of(n))
	x, s := matrices{from: c.sourceOf(v, n.Shape.DType.Size()), count: v.Dims[0]}, v.Strides
	if len(s) == 4 {
		x.Every, x.Far = v.Dims[sum+1], s[sum]
		s = slices.Delete(slices.Clone(s), sum, sum+1)
	}
	x.batch, x.Row, x.Col = s[0], s[1], s[2]
	return x
}

// matrix is one of them, of which p is the first element, and the last that many elements after it.
func (x *matrices) matrix(p unsafe.Pointer, last int) kernel.Matrix {
	m := x.Matrix
	m.Data = element.Floats(p, last+1)
	return m
}

// dotStep computes C = A·B, or A·B + D, for every matrix of a batch, in float32.
type dotStep struct {
	batch, m, n, k int
	a, b, d        matrices
	add            bool
	packed         int // length of a packed B, or 0
	c              matrices
	byRows         bool
	perRow         int // rows of a product in a row of the loop that threads divide
	scratch        int
	ahead          []load // what the group that runs next reads or writes of tensors that hold all steps
	next           int    // elements of that group
	moves          int    // if it runs in the next iteration: 1 + the first of the local moves of what is ahead
}

func (c *lowerer) dotSteps(_ *plan.Plan, n *ir.Node) []step {
	ad := n.In[0].Shape.Dimensions
	s := &dotStep{batch: ad[0], m: ad[1], n: n.Shape.Dimensions[2], k: ir.Product(ad[2:])}
	s.a, s.c = c.matricesOf(n.In[0], 2), c.matricesOf(n, 2)
	if c.rows > 0 {
		s.perRow = s.batch * s.m / c.rows
	}
	if n.Op == ir.OpDotAdd {
		s.d, s.add = c.matricesOf(n.In[2], 2), true
	}
	if _, ok := n.Data.(ir.PackedData); ok {
		dims := n.In[1].Shape.Dimensions
		s.packed = dims[1]
		s.b = matrices{from: c.sourceOf(c.Of(n.In[1]), 4), count: dims[0], batch: s.packed}
	} else {
		s.b = c.matricesOf(n.In[1], 1)
	}
	if n.Shape.DType != dtypes.Float32 || s.k == 0 {
		if make := plainDots[n.Shape.DType]; make != nil {
			return []step{make(s)}
		}
		ir.NotImplemented("products of %s", n.Shape.DType)
	}
	// Threads take columns, in panels; or rows, where there are too few panels.
	panels := s.batch * ((s.n + kernel.Panel - 1) / kernel.Panel)
	s.byRows = panels < 2*c.threads && s.batch*s.m >= 16*c.threads
	s.scratch = kernel.PackedScratch(s.m, s.n, s.k)
	if s.packed == 0 {
		s.scratch = kernel.GemmScratch(s.m, s.n, s.k, s.a.Matrix, s.b.Matrix)
	}
	c.scratch = max(c.scratch, 4*s.scratch)
	return []step{s}
}

func (s *dotStep) run(m *machine) {
	if s.batch*s.m*s.n > 0 {
		m.do(s, s.batch*s.m*s.n*s.k/50)
	}
}

func (s *dotStep) part(m *machine, worker, i, n int) {
	// A thread's share is a run of rows or panels through all matrices of the batch.
	per, size, limit := (s.n+kernel.Panel-1)/kernel.Panel, kernel.Panel, s.n
	if s.byRows {
		per, size, limit = (s.m+3)/4, 4, s.m
	}
	lo, hi := share(s.batch*per, i, n)
	for lo < hi {
		batch, first := lo/per, lo%per
		last := min(per, first+hi-lo)
		lo += last - first
		if from, n := first*size, min(last*size, limit)-first*size; s.byRows {
			s.multiply(m, worker, batch, from, n, 0, s.n)
		} else {
			s.multiply(m, worker, batch, 0, s.m, from, n)
		}
	}
}

// rows computes rows lo to hi of all products, or products lo to hi if each of them is one row of a loop.
func (s *dotStep) rows(m *machine, worker, lo, hi int) {
	lo, hi = lo*s.perRow, hi*s.perRow
	for lo < hi {
		batch, first := lo/s.m, lo%s.m
		n := min(s.m-first, hi-lo)
		s.multiply(m, worker, batch, first, n, 0, s.n)
		lo += n
	}
}

// multiply computes part of one product: rows from i on, and columns from j on in whole panels.
func (s *dotStep) multiply(m *machine, worker, batch, i, rows, j, columns int) {
	if rows == 0 || columns == 0 {
		return
	}
	at := func(x *matrices, i, j int) unsafe.Pointer {
		return unsafe.Add(m.from(&x.from), 4*(batch%x.count*x.batch+i*x.Row+j*x.Col))
	}
	a := s.a.matrix(at(&s.a, i, 0), (rows-1)*s.a.Row+s.a.Term(s.k-1, s.a.Col))
	out := element.Floats(at(&s.c, i, j), (rows-1)*s.c.Row+columns)
	var d []float32
	if s.add {
		d = element.Floats(at(&s.d, i, j), (rows-1)*s.d.Row+columns)
	}
	scratch := element.Floats(unsafe.Pointer(unsafe.SliceData(m.local[worker].scratch)), s.scratch)
	ahead := s.fetch(m, worker, (batch*s.m+i)*s.n+j*rows, rows*columns)
	if s.packed > 0 {
		p := element.Floats(unsafe.Add(m.from(&s.b.from), 4*(batch%s.b.count*s.packed+j*s.k)), s.packed-j*s.k)
		kernel.GemmPacked(rows, columns, s.k, out, s.c.Row, a, p, d, s.d.Row, scratch, ahead)
		return
	}
	b := s.b.matrix(at(&s.b, 0, j), s.b.Term(s.k-1, s.b.Row)+(columns-1)*s.b.Col)
	kernel.Gemm(rows, columns, s.k, out, s.c.Row, a, b, d, s.d.Row, scratch, ahead)
}

// lookAhead notes which memory products in a loop's body can fetch for the groups that run after them: what is at
// another place in each iteration, and so in no cache. A last product that no such group follows fetches for the first
// one of the next iteration.
func (c *lowerer) lookAhead(body []dividedStep) {
	var before, last *dotStep
	var first *groupStep
	for _, s := range body {
		switch s := s.step.(type) {
		case *dotStep:
			before, last = s, s
		case *groupStep:
			switch ahead := s.moving(); {
			case len(ahead) == 0 || s.elements == 0:
			case before != nil:
				before.ahead, before.next = ahead, s.elements
				before = nil
			case last == nil && first == nil:
				first = s
			}
		}
	}
	if first != nil && before != nil {
		before.ahead, before.next, before.moves = first.moving(), first.elements, 1+c.moves
		c.moves += len(before.ahead)
	}
}

// moving returns what the group reads or writes at an address that an index decides.
func (g *groupStep) moving() []load {
	var list []load
	for _, l := range g.loads {
		if l.size == 4 && len(l.from.dynamic) > 0 {
			list = append(list, l)
		}
	}
	for _, op := range g.ops {
		if op.store && op.window == nil && op.size == 4 && len(op.to.dynamic) > 0 {
			list = append(list, load{from: op.to, dense: true, size: op.size})
		}
	}
	return list
}

// move is by how far something moved when it last did.
type move struct{ at, by uintptr }

// fetch returns what to fetch while a thread computes n elements of the product, from element first on: the next
// group's share of elements.
func (s *dotStep) fetch(m *machine, worker, first, n int) *kernel.Ahead {
	local := m.local[worker]
	a, all := &local.ahead, s.batch*s.m*s.n
	a.Pieces, a.Bytes = a.Pieces[:0], 0
	if len(s.ahead) == 0 {
		return a
	}
	lo, hi := s.next*first/all, s.next*(first+n)/all
	a.Bytes = 4 * (hi - lo)
	for i := range s.ahead {
		l := &s.ahead[i]
		base := m.from(&l.from)
		p := uintptr(base) + 4*uintptr(lo)
		if !l.dense {
			r := l.lines(base, lo, hi-lo)
			if p = uintptr(r.at); r.length < hi-lo || l.strides[len(l.strides)-1] != l.size {
				continue
			}
		}
		if s.moves > 0 {
			last := &local.moves[s.moves-1+i]
			if at := uintptr(base); at != last.at {
				*last = move{at, at - last.at}
			}
			p += last.by
		}
		a.Pieces = append(a.Pieces, p)
	}
	return a
}

// packSteps pack the second operand of products.
func (c *lowerer) packSteps(_ *plan.Plan, of *ir.Node) []step {
	d, packed := of.In[0].Shape.Dimensions, of.Shape.Dimensions[1]
	if of.Shape.Size() == 0 {
		return nil
	}
	batch, k, n, b, to := d[0], d[1], d[2], c.matricesOf(of.In[0], 1), c.address(of).Address
	return []step{stepFunc(func(m *machine) {
		for i := range batch {
			from := b.matrix(unsafe.Add(m.from(&b.from), 4*i*b.batch), (k-1)*b.Row+(n-1)*b.Col)
			kernel.PackB(element.Floats(unsafe.Add(m.at(to), 4*i*packed), packed), n, k, from)
		}
	})}
}

// plainDot is a dotStep for types that the kernels do not have.
type plainDot[T element.Number] struct{ *dotStep }

// plainDots make them.
var plainDots = make(map[dtypes.DType]func(*dotStep) step)

func (p plainDot[T]) run(m *machine) { m.do(p, p.batch*p.m*p.n*p.k) }

func (p plainDot[T]) part(m *machine, _, i, n int) {
	lo, hi := share(p.batch*p.m, i, n)
	p.span(m, lo, hi)
}

func (p plainDot[T]) rows(m *machine, _, lo, hi int) { p.span(m, lo*p.perRow, hi*p.perRow) }

// span computes rows lo to hi of all products.
func (p plainDot[T]) span(m *machine, lo, hi int) {
	size := int(unsafe.Sizeof(T(0)))
	at := func(from unsafe.Pointer, x *matrices, batch, i, j int) *T {
		return (*T)(unsafe.Add(from, size*(batch*x.batch+i*x.Row+j*x.Col)))
	}
	a, b := m.from(&p.a.from), m.from(&p.b.from)
	for r := lo; r < hi; r++ {
		batch, row := r/p.m, r%p.m
		out := unsafe.Slice(at(m.from(&p.c.from), &p.c, batch, row, 0), p.n)
		for j := range out {
			var sum T
			if p.add {
				sum = *at(m.from(&p.d.from), &p.d, batch, row, j)
			}
			out[j] = sum
		}
		if p.b.Col == 1 { // the same sums, but along the rows of B
			for k := range p.k {
				x := *at(a, &p.a, batch, row, k)
				for j, y := range unsafe.Slice(at(b, &p.b, batch, k, 0), p.n) {
					out[j] += x * y
				}
			}
			continue
		}
		for j, sum := range out {
			for k := range p.k {
				sum += *at(a, &p.a, batch, row, k) * *at(b, &p.b, batch, k, j)
			}
			out[j] = sum
		}
	}
}
