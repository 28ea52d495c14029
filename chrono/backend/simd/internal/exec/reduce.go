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

// reduction is the loop over a view that reductions have in common: over axes that are kept and axes that are reduced.
// Strides are in bytes.
//
// The order of the additions does not depend on the size of the first axis that is kept. That is the axis of trials,
// so that a trial is the same, bit for bit, alone and among others: where it has size 1, the axes around it in memory
// are not joined, and those outside of it are not taken for rows, because neither is possible where it is longer.
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

// place returns where result i starts in the operand, and where it goes.
func (r *reduction) place(m *machine, from unsafe.Pointer, i int) (in, out unsafe.Pointer) {
	out = unsafe.Add(m.at(r.to), i*r.size)
	if len(r.kept) == 1 {
		return unsafe.Add(from, i*r.keptIn[0]), out
	}
	in = from
	for a := len(r.kept) - 1; a >= 0; a-- {
		in = unsafe.Add(in, i%r.kept[a]*r.keptIn[a])
		i /= r.kept[a]
	}
	return in, out
}

// reduceStep reduces with any function of two values.
type reduceStep[T any] struct {
	reduction
	start T
	f     func(a, b T) T
	// four, if there is one, reduces four rows that lie in one piece each, each in order: side by side they take no
	// longer than one.
	four func(rows *[4][]T, start T) [4]T
	// row, if there is one, reduces a row that lies in one piece, as all do then.
	row func(a []T) T
}

func (s *reduceStep[T]) run(m *machine) {
	work := 2 * s.elements
	if s.row != nil {
		work = s.elements/10 + s.results*5
	}
	m.do(s, work)
}

func (s *reduceStep[T]) part(m *machine, _, i, n int) {
	from := m.from(&s.from)
	lo, hi := share(s.results, i, n)
	if s.four != nil && s.along && len(s.reduced) == 1 {
		for k := lo; k < hi; k += 4 {
			var rows [4][]T
			for r := range rows {
				in, _ := s.place(m, from, min(k+r, hi-1))
				rows[r] = unsafe.Slice((*T)(in), s.reduced[0])
			}
			out := unsafe.Slice((*T)(m.at(s.to)), s.results)[k:hi]
			sums := s.four(&rows, s.start)
			copy(out, sums[:])
		}
		return
	}
	for k := lo; k < hi; k++ {
		in, out := s.place(m, from, k)
		*(*T)(out) = s.axis(0, in, s.start)
	}
}

func sumFour[T element.Number](rows *[4][]T, start T) [4]T {
	a := rows[0]
	b, c, d := rows[1][:len(a)], rows[2][:len(a)], rows[3][:len(a)]
	sa, sb, sc, sd := start, start, start, start
	for i := range a {
		sa, sb, sc, sd = sa+a[i], sb+b[i], sc+c[i], sd+d[i]
	}
	return [4]T{sa, sb, sc, sd}
}

func (s *reduceStep[T]) axis(a int, p unsafe.Pointer, sum T) T {
	if a == len(s.reduced) {
		return s.f(sum, *(*T)(p))
	}
	if s.row != nil && a == len(s.reduced)-1 {
		return s.f(sum, s.row(unsafe.Slice((*T)(p), s.reduced[a])))
	}
	for i := range s.reduced[a] {
		sum = s.axis(a+1, unsafe.Add(p, i*s.in[a]), sum)
	}
	return sum
}

// reduceAcross reduces float32 across memory: whole rows are combined, element by element.
type reduceAcross struct {
	reduction
	start float32
	f     func(dst, a, b []float32)
}

func (s *reduceAcross) run(m *machine) { m.do(s, s.elements/5) }

func (s *reduceAcross) part(m *machine, _, i, n int) {
	from := m.from(&s.from)
	columns := s.kept[len(s.kept)-1]
	outer := s.results / columns
	// Threads take outer results where there are several, and columns, in whole cache lines, where there is one.
	lo, hi, first, last := 0, outer, 0, columns
	if outer > 1 {
		lo, hi = share(outer, i, n)
	} else {
		first, last = share((columns+15)/16, i, n)
		first, last = min(first*16, columns), min(last*16, columns)
	}
	if first == last {
		return
	}
	for k := lo; k < hi; k++ {
		in, out := s.place(m, from, k*columns+first)
		sum := element.Floats(out, last-first)
		kernel.Fill(sum, s.start)
		s.axis(0, in, sum)
	}
}

func (s *reduceAcross) axis(a int, p unsafe.Pointer, sum []float32) {
	if a == len(s.reduced) {
		s.f(sum, sum, element.Floats(p, len(sum)))
		return
	}
	for i := range s.reduced[a] {
		s.axis(a+1, unsafe.Add(p, i*s.in[a]), sum)
	}
}

// reduce defines a reduction of type d, which is stored as T.
func reduce[T any](op compute.OpType, d dtypes.DType, start T, f func(a, b T) T) {
	reduceFour(op, d, start, f, nil)
}

func reduceFour[T any](op compute.OpType, d dtypes.DType, start T, f func(a, b T) T, four func(*[4][]T, T) [4]T) {
	onType(op, d, func(c *lowerer, n *ir.Node) step {
		return &reduceStep[T]{c.reduction(n, n.Data.([]int)), start, f, four, nil}
	})
}

func numberReductions[T element.Number](d dtypes.DType) {
	reduceFour(compute.OpTypeReduceSum, d, 0, func(a, b T) T { return a + b }, sumFour)
	reduce(compute.OpTypeReduceProduct, d, 1, func(a, b T) T { return a * b })
	reduce(compute.OpTypeReduceMax, d, d.LowestValue().(T), func(a, b T) T { return max(a, b) })
	reduce(compute.OpTypeReduceMin, d, d.HighestValue().(T), func(a, b T) T { return min(a, b) })
	extremes[T](d)
}

func integerReductions[T element.Integer](d dtypes.DType) {
	reduce(compute.OpTypeReduceBitwiseAnd, d, ^T(0), func(a, b T) T { return a & b })
	reduce(compute.OpTypeReduceBitwiseOr, d, 0, func(a, b T) T { return a | b })
	reduce(compute.OpTypeReduceBitwiseXor, d, 0, func(a, b T) T { return a ^ b })
}

func booleanReductions() {
	and, or := func(a, b bool) bool { return a && b }, func(a, b bool) bool { return a || b }
	for _, op := range []compute.OpType{compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceMin,
		compute.OpTypeReduceProduct} {
		reduce(op, dtypes.Bool, true, and)
	}
	for _, op := range []compute.OpType{compute.OpTypeReduceLogicalOr, compute.OpTypeReduceMax,
		compute.OpTypeReduceSum} {
		reduce(op, dtypes.Bool, false, or)
	}
	reduce(compute.OpTypeReduceLogicalXor, dtypes.Bool, false, func(a, b bool) bool { return a != b })
	extremes[uint8](dtypes.Bool)
}

// kernelReductions defines the reductions in float32 that package kernel has, for operands with rows in one piece.
func kernelReductions() {
	fast := func(op compute.OpType, row func(a []float32) float32, columns func(dst, a, b []float32)) {
		general := typedSteps[op][dtypes.Float32]
		onType(op, dtypes.Float32, func(c *lowerer, n *ir.Node) step {
			s := general(c, n).(*reduceStep[float32])
			r := s.reduction
			if r.along && r.elements > 0 {
				s.row, s.four = row, nil
				return s
			}
			if last := len(r.kept) - 1; last >= 0 && r.keptIn[last] == 4 && r.elements > 0 {
				return &reduceAcross{r, s.start, columns}
			}
			return s
		})
	}
	fast(compute.OpTypeReduceSum, kernel.Sum, kernel.Add)
	fast(compute.OpTypeReduceMax, kernel.ReduceMax, kernel.Max)
	fast(compute.OpTypeReduceMin, kernel.ReduceMin, kernel.Min)
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
