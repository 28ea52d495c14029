package exec

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// Up to leaf elements are combined in chains: element i belongs to chain i mod chains. The chains' results are combined
// in pairs. More elements are cut in two, as kernel.Half says.
const (
	leaf   = 64
	chains = 8
)

// reduction is the loop over a view that reductions have in common: over axes that are kept and axes that are reduced.
// Strides are in bytes.
//
// The order in which elements are combined depends on the reduced axes alone: on their sizes, and how they lie in
// memory. It does not depend on the size of the first axis that is kept. That is the axis of trials, so that a trial is
// the same, bit for bit, alone and among others: where it has size 1, the axes around it in memory are not joined, and
// those outside of it are not taken for rows, because neither is possible where it is longer. Where trials are not the
// first axis of all values, two more things can differ: the stride that a reshape gives an axis of size 1, and which
// views get memory of their own.
type reduction struct {
	from        source
	to          plan.Address
	kept        []int
	keptIn      []int
	reduced, in []int
	elements    int // of the view
	results     int
	size        int  // bytes of a result
	along       bool // the last of the reduced axes runs along memory
}

func (c *lowerer) reduction(n *ir.Node, axes []int) reduction {
	v := c.Of(n.In[0])
	size := n.In[0].Shape.DType.Size()
	r := reduction{from: c.sourceOf(v, size), to: c.address(n).Address, elements: ir.Product(v.Dims),
		results: n.Shape.Size(),
		size:    n.Shape.DType.Size()}
	var kept, keptIn, reduced, in []int
	for a, d := range v.Dims {
		if slices.Contains(axes, a) {
			reduced, in = append(reduced, d), append(in, v.Strides[a]*size)
		} else {
			kept, keptIn = append(kept, d), append(keptIn, v.Strides[a]*size)
		}
	}
	// outside gives the axes that lie outside of trials in memory strides of their own, so that no other joins them.
	outside := make([]int, len(in))
	if len(kept) > 0 && kept[0] == 1 && keptIn[0] != 0 {
		for a, stride := range in {
			if abs(stride) >= abs(keptIn[0]) {
				outside[a] = stride
			}
		}
	}
	var s [][]int
	r.kept, s = ir.Collapse(kept, keptIn)
	r.keptIn = s[0]
	r.reduced, s = ir.Collapse(reduced, in, outside)
	r.in = s[0]
	last := len(r.reduced) - 1
	r.along = last >= 0 && r.in[last] == size && s[1][last] == 0
	return r
}

func abs(x int) int { return max(x, -x) }

// line returns where element i of some axes is, how many elements from there up to end are one step apart, and that
// step.
func line(dims, strides []int, i, end int) (at, n, step int) {
	n = end - i
	for a := len(dims) - 1; a >= 0; a-- {
		k := i
		if a > 0 {
			k = i % dims[a]
			i /= dims[a]
		}
		if a == len(dims)-1 {
			n, step = min(n, dims[a]-k), strides[a]
		}
		at += k * strides[a]
	}
	return at, n, step
}

// place returns where result i starts in the operand, and where it goes.
func (r *reduction) place(m *machine, from unsafe.Pointer, i int) (in, out unsafe.Pointer) {
	at, _, _ := line(r.kept, r.keptIn, i, i+1)
	return unsafe.Add(from, at), unsafe.Add(m.at(r.to), i*r.size)
}

// reduceStep combines elements with f. An element is a number; or, where results lie side by side in memory, a row of
// numbers, one for each result.
type reduceStep struct {
	reduction
	f       element.TileFunc
	four    element.TileFunc // combines four elements, one after the other, as f does; may be nil
	start   unsafe.Pointer   // the result of no elements
	columns int              // of an element
	// rows, if not nil, reduces n rows of the operand, step bytes apart, each in one piece of that length. What comes
	// of a row is an element.
	rows   func(to, from unsafe.Pointer, step, n, length int)
	length int
}

const (
	// columnsAtOnce is how many columns are reduced at a time, at most: the nearest cache holds some rows of them.
	columnsAtOnce = 1280

	// Elements of up to short bytes that lie side by side are combined in all chains at once, and those of up to narrow
	// bytes are copied to lie so, which saves calls.
	short, narrow = 2048, 128
)

// reduce defines a reduction of type d, which is stored as T, by an elementwise operation. row, if not nil, reduces
// what lies in one piece.
func reduce[T any](op, by compute.OpType, d dtypes.DType, start T, row func(a []T) T) {
	f := element.TileFunction(by, d, d)
	rows := func(to, from unsafe.Pointer, step, n, length int) {
		out := unsafe.Slice((*T)(to), n)
		for i := range out {
			out[i] = row(unsafe.Slice((*T)(unsafe.Add(from, i*step)), length))
		}
	}
	onType(op, d, func(c *lowerer, n *ir.Node) step {
		s := &reduceStep{reduction: c.reduction(n, n.Data.([]int)), f: f, start: unsafe.Pointer(&start), columns: 1}
		if last := len(s.kept) - 1; row != nil && s.along {
			last := len(s.reduced) - 1
			s.rows, s.length, s.reduced, s.in = rows, s.reduced[last], s.reduced[:last], s.in[:last]
		} else if last >= 0 && s.keptIn[last] == s.size && s.elements > 0 {
			s.columns = s.kept[last]
		}
		if by == compute.OpTypeAdd {
			s.four = element.AddFour(d)
		}
		bytes := min(s.columns, columnsAtOnce) * s.size
		halves := kernel.Halves(ir.Product(s.reduced), leaf)
		c.scratch = max(c.scratch, (halves+chains)*bytes+leaf*min(bytes, narrow))
		return s
	})
}

func (s *reduceStep) run(m *machine) {
	work := 2 * s.elements
	if s.rows != nil {
		work = s.elements/10 + s.results*5
	} else if s.columns > 1 {
		work = s.elements / 5
	}
	m.do(s, work)
}

func (s *reduceStep) part(m *machine, worker, i, n int) {
	from, mine := m.from(&s.from), m.local[worker]
	elements, outer := ir.Product(s.reduced), s.results/s.columns
	// Threads take outer results where there are several, and columns, in whole cache lines, where there is one.
	lo, hi, first, last := 0, outer, 0, s.columns
	if outer > 1 {
		lo, hi = share(outer, i, n)
	} else {
		first, last = share((s.columns+15)/16, i, n)
		first, last = min(first*16, s.columns), min(last*16, s.columns)
	}
	for k := lo; k < hi && first < last; k++ {
		pieces := (last - first + columnsAtOnce - 1) / columnsAtOnce
		for piece := range pieces {
			j, end := share((last-first+15)/16, piece, pieces)
			j, end = first+j*16, min(first+end*16, last)
			columns := end - j
			in, out := s.place(m, from, k*s.columns+j)
			switch {
			case s.elements == 0:
				copyRow(columns, s.size, 0, s.size, out, s.start)
			case s.rows != nil && elements == 1:
				_, n, step := line(s.kept, s.keptIn, k, hi)
				s.rows(out, in, step, n, s.length)
				k += n - 1
			default:
				s.reduce(&mine.operands, in, 0, elements, columns, out, unsafe.Pointer(unsafe.SliceData(mine.scratch)))
			}
		}
	}
}

// reduce combines n elements from element i on, as far as they are in the given number of columns. spare is memory for
// what comes of chains and of halves.
func (s *reduceStep) reduce(o *element.Operands, from unsafe.Pointer, i, n, columns int, out, spare unsafe.Pointer) {
	size := columns * s.size
	if n > leaf {
		h := kernel.Half(n)
		s.reduce(o, from, i, h, columns, out, spare)
		s.reduce(o, from, i+h, n-h, columns, spare, unsafe.Add(spare, size))
		s.combine(o, out, out, spare, columns)
		return
	}
	var groups [leaf / chains]unsafe.Pointer
	if first := s.together(from, i, n, size, unsafe.Add(spare, chains*size)); first != nil {
		for g := range (n + chains - 1) / chains {
			groups[g] = unsafe.Add(first, g*chains*size)
		}
		s.allChains(o, groups[:], n, columns, out, spare)
		return
	}
	var at [leaf]unsafe.Pointer
	inGroups := size <= short
	for k := 0; k < n; {
		start, m, step := line(s.reduced, s.in, i+k, i+n)
		inGroups = inGroups && step == size && (k+m == n || (k+m)%chains == 0)
		for j := range m {
			at[k+j] = unsafe.Add(from, start+j*step)
			groups[(k+j)/chains] = at[(k+j)/chains*chains]
		}
		k += m
	}
	if inGroups {
		s.allChains(o, groups[:], n, columns, out, spare)
	} else if so := s.tree(o, at[:n], 1, columns, out, spare); so != out {
		s.copy(columns, out, so)
	}
}

// chain combines every step-th element, one after the other: out says where, unless there is only one. It returns where
// the result is.
func (s *reduceStep) chain(o *element.Operands, at []unsafe.Pointer, step, n int, out unsafe.Pointer) unsafe.Pointer {
	o[0] = at[0]
	k := step
	for ; s.four != nil && k+2*step < len(at); k += 3 * step {
		o[1], o[2], o[3] = at[k], at[k+step], at[k+2*step]
		s.four(out, o, n)
		o[0] = out
	}
	for ; k < len(at); k += step {
		o[1] = at[k]
		s.f(out, o, n)
		o[0] = out
	}
	return o[0]
}

func (s *reduceStep) combine(o *element.Operands, to, a, b unsafe.Pointer, n int) {
	o[0], o[1] = a, b
	s.f(to, o, n)
}

func (s *reduceStep) copy(n int, to, from unsafe.Pointer) {
	copyRow(n, s.size, s.size, s.size, to, from)
}

// tree combines elements in one chain after the other, so that few rows are in use: the chains of every second element
// and the others, which are divided likewise, until step takes it from an element of a chain to the next. It returns
// where the result is: out, or the element if there is only one.
func (s *reduceStep) tree(o *element.Operands, at []unsafe.Pointer, step, columns int,
	out, spare unsafe.Pointer) unsafe.Pointer {
	if step == chains {
		return s.chain(o, at, step, columns, out)
	}
	so := s.tree(o, at, 2*step, columns, out, spare)
	if step < len(at) {
		other := s.tree(o, at[step:], 2*step, columns, spare, unsafe.Add(spare, columns*s.size))
		s.combine(o, out, so, other, columns)
		so = out
	}
	return so
}

// allChains combines n elements as tree does, but in all chains at once: in groups of one element of each chain, which
// follow one another.
func (s *reduceStep) allChains(o *element.Operands, groups []unsafe.Pointer, n, columns int,
	out, spare unsafe.Pointer) {
	size, left, full := columns*s.size, min(n, chains), n/chains
	so := groups[0]
	if full > 0 {
		so = s.chain(o, groups[:full], 1, chains*columns, spare)
	}
	if rest := n % chains; rest > 0 && full > 0 {
		s.combine(o, spare, so, groups[full], rest*columns)
		so = spare
	}
	if single := max(0, n-chains); single < left { // the first chain of one element
		s.copy((left-single)*columns, unsafe.Add(spare, single*size), unsafe.Add(groups[0], single*size))
	}
	for left > 1 {
		h, to := kernel.Half(left), spare
		if h == 1 {
			to = out
		}
		s.combine(o, to, spare, unsafe.Add(spare, h*size), (left-h)*columns)
		left = h
	}
	if n == 1 {
		s.copy(columns, out, spare)
	}
}

// together returns where n elements from element i on follow one another: where they are, or the place to which it
// copies numbers and narrow rows; nil if neither.
func (s *reduceStep) together(from unsafe.Pointer, i, n, size int, place unsafe.Pointer) unsafe.Pointer {
	for k := 0; k < n; {
		at, m, step := line(s.reduced, s.in, i+k, i+n)
		in, to := unsafe.Add(from, at), unsafe.Add(place, k*size)
		switch {
		case s.rows != nil:
			s.rows(to, in, step, m, s.length)
		case m == n && step == size && size <= short:
			return in
		case size == s.size:
			copyRow(m, size, step, size, to, in)
		case size <= narrow && size%4 == 0:
			kernel.CopyRows(to, in, size, step, m, size/4)
		default:
			return nil
		}
		k += m
	}
	return place
}

func integerReductions[T element.Integer](d dtypes.DType) {
	reduce(compute.OpTypeReduceBitwiseAnd, compute.OpTypeBitwiseAnd, d, ^T(0), nil)
	reduce[T](compute.OpTypeReduceBitwiseOr, compute.OpTypeBitwiseOr, d, 0, nil)
	reduce[T](compute.OpTypeReduceBitwiseXor, compute.OpTypeBitwiseXor, d, 0, nil)
}

func booleanReductions() {
	for _, op := range []compute.OpType{compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceMin,
		compute.OpTypeReduceProduct} {
		reduce(op, compute.OpTypeLogicalAnd, dtypes.Bool, true, nil)
	}
	for _, op := range []compute.OpType{compute.OpTypeReduceLogicalOr, compute.OpTypeReduceMax,
		compute.OpTypeReduceSum} {
		reduce(op, compute.OpTypeLogicalOr, dtypes.Bool, false, nil)
	}
	reduce(compute.OpTypeReduceLogicalXor, compute.OpTypeLogicalXor, dtypes.Bool, false, nil)
	extremes[uint8](dtypes.Bool)
}

// argStep finds the position of the smallest or largest value along an axis, the first of several; NaN wins.
type argStep[T element.Number] struct {
	reduction
	isMin bool
}

func (s *argStep[T]) run(m *machine) { m.do(s, s.elements) }

func (s *argStep[T]) part(m *machine, _, i, n int) {
	from := m.from(&s.from)
	lo, hi := share(s.results, i, n)
	for k := lo; k < hi; k++ {
		in, out := s.place(m, from, k)
		best, at := *(*T)(in), 0
		if len(s.reduced) > 0 {
			for j := range s.reduced[0] {
				x := *(*T)(unsafe.Add(in, j*s.in[0]))
				if best == best && (x != x || s.isMin && x < best || !s.isMin && x > best) {
					best, at = x, j
				}
			}
		}
		*(*int64)(out) = int64(at)
	}
}

func extremes[T element.Number](d dtypes.DType) {
	onType(compute.OpTypeArgMinMax, d, func(c *lowerer, n *ir.Node) step {
		d := n.Data.(ir.ArgData)
		return &argStep[T]{c.reduction(n, []int{d.Axis}), d.IsMin}
	})
}
