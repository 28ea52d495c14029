package simd

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// reduction is the loop over a view that reductions have in common: over axes that are kept and axes that are reduced.
// Strides are in bytes.
type reduction struct {
	from        source
	to          address
	kept        []int
	keptIn      []int
	reduced, in []int
	elements    int // of the view
	results     int
	size        int // bytes of a result
}

func (c *compiler) reduction(n *node, axes []int) reduction {
	v := c.viewOf(n.in[0])
	size := n.in[0].shape.DType.Size()
	r := reduction{from: c.sourceOf(v, size), to: c.address(n).address, elements: product(v.dims),
		results: n.shape.Size(),
		size:    n.shape.DType.Size()}
	var kept, keptIn, reduced, in []int
	for a, d := range v.dims {
		if slices.Contains(axes, a) {
			reduced, in = append(reduced, d), append(in, v.strides[a]*size)
		} else {
			kept, keptIn = append(kept, d), append(keptIn, v.strides[a]*size)
		}
	}
	var s [][]int
	r.kept, s = collapse(kept, keptIn)
	r.keptIn = s[0]
	r.reduced, s = collapse(reduced, in)
	r.in = s[0]
	return r
}

// place returns where result i starts in the operand, and where it goes.
func (r *reduction) place(m *machine, from unsafe.Pointer, i int) (in, out unsafe.Pointer) {
	in, out = from, unsafe.Add(m.at(r.to), i*r.size)
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
}

func (s *reduceStep[T]) run(m *machine) { m.do(s, 2*s.elements) }

func (s *reduceStep[T]) part(m *machine, _, i, n int) {
	from := m.from(&s.from)
	lo, hi := share(s.results, i, n)
	for k := lo; k < hi; k++ {
		in, out := s.place(m, from, k)
		*(*T)(out) = s.axis(0, in, s.start)
	}
}

func (s *reduceStep[T]) axis(a int, p unsafe.Pointer, sum T) T {
	if a == len(s.reduced) {
		return s.f(sum, *(*T)(p))
	}
	for i := range s.reduced[a] {
		sum = s.axis(a+1, unsafe.Add(p, i*s.in[a]), sum)
	}
	return sum
}

// reduceRows reduces float32 along memory: every result is that of rows that lie in one piece.
type reduceRows struct {
	reduction
	start float32
	row   func(a []float32) float32
	f     func(a, b float32) float32
}

func (s *reduceRows) run(m *machine) { m.do(s, s.elements/10+s.results*5) }

func (s *reduceRows) part(m *machine, _, i, n int) {
	from := m.from(&s.from)
	lo, hi := share(s.results, i, n)
	for k := lo; k < hi; k++ {
		in, out := s.place(m, from, k)
		*(*float32)(out) = s.axis(0, in, s.start)
	}
}

func (s *reduceRows) axis(a int, p unsafe.Pointer, sum float32) float32 {
	if a == len(s.reduced)-1 {
		return s.f(sum, s.row(floats(p, s.reduced[a])))
	}
	for i := range s.reduced[a] {
		sum = s.axis(a+1, unsafe.Add(p, i*s.in[a]), sum)
	}
	return sum
}

// reduceColumns reduces float32 across memory: whole rows are combined, element by element.
type reduceColumns struct {
	reduction
	start float32
	f     func(dst, a, b []float32)
}

func (s *reduceColumns) run(m *machine) { m.do(s, s.elements/5) }

func (s *reduceColumns) part(m *machine, _, i, n int) {
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
		sum := floats(out, last-first)
		kernel.Fill(sum, s.start)
		s.axis(0, in, sum)
	}
}

func (s *reduceColumns) axis(a int, p unsafe.Pointer, sum []float32) {
	if a == len(s.reduced) {
		s.f(sum, sum, floats(p, len(sum)))
		return
	}
	for i := range s.reduced[a] {
		s.axis(a+1, unsafe.Add(p, i*s.in[a]), sum)
	}
}

// reduceStep returns the step of a reduction, or nil if n is none.
func (c *compiler) reduceStep(n *node) step {
	axes, ok := n.data.([]int)
	if !ok {
		return nil
	}
	r := c.reduction(n, axes)
	switch n.shape.DType {
	case dtypes.Float32:
		return reduceFloat32(n.op, r)
	case dtypes.Bool:
		return reduceBool(n.op, r)
	case dtypes.Float64:
		return reduceNumber[float64](n.op, r, n.shape.DType)
	case dtypes.Int8:
		return reduceInteger[int8](n.op, r, n.shape.DType)
	case dtypes.Int16:
		return reduceInteger[int16](n.op, r, n.shape.DType)
	case dtypes.Int32:
		return reduceInteger[int32](n.op, r, n.shape.DType)
	case dtypes.Int64:
		return reduceInteger[int64](n.op, r, n.shape.DType)
	case dtypes.Uint8:
		return reduceInteger[uint8](n.op, r, n.shape.DType)
	case dtypes.Uint16:
		return reduceInteger[uint16](n.op, r, n.shape.DType)
	case dtypes.Uint32:
		return reduceInteger[uint32](n.op, r, n.shape.DType)
	case dtypes.Uint64:
		return reduceInteger[uint64](n.op, r, n.shape.DType)
	}
	return nil
}

func reduceFloat32(op compute.OpType, r reduction) step {
	var row func(a []float32) float32
	var columns func(dst, a, b []float32)
	var f func(a, b float32) float32
	start := float32(0)
	switch op {
	case compute.OpTypeReduceSum:
		row, columns, f = kernel.Sum, kernel.Add, func(a, b float32) float32 { return a + b }
	case compute.OpTypeReduceMax:
		row, columns, f = kernel.ReduceMax, kernel.Max, func(a, b float32) float32 { return max(a, b) }
		start = dtypes.Float32.LowestValue().(float32)
	case compute.OpTypeReduceMin:
		row, columns, f = kernel.ReduceMin, kernel.Min, func(a, b float32) float32 { return min(a, b) }
		start = dtypes.Float32.HighestValue().(float32)
	default:
		return reduceNumber[float32](op, r, dtypes.Float32)
	}
	if last := len(r.reduced) - 1; last >= 0 && r.in[last] == 4 && r.elements > 0 {
		return &reduceRows{r, start, row, f}
	}
	if last := len(r.kept) - 1; last >= 0 && r.keptIn[last] == 4 && r.elements > 0 {
		return &reduceColumns{r, start, columns}
	}
	return reduceNumber[float32](op, r, dtypes.Float32)
}

func reduceNumber[T number](op compute.OpType, r reduction, dtype dtypes.DType) step {
	switch op {
	case compute.OpTypeReduceSum:
		return &reduceStep[T]{r, 0, func(a, b T) T { return a + b }}
	case compute.OpTypeReduceProduct:
		return &reduceStep[T]{r, 1, func(a, b T) T { return a * b }}
	case compute.OpTypeReduceMax:
		return &reduceStep[T]{r, dtype.LowestValue().(T), func(a, b T) T { return max(a, b) }}
	case compute.OpTypeReduceMin:
		return &reduceStep[T]{r, dtype.HighestValue().(T), func(a, b T) T { return min(a, b) }}
	}
	return nil
}

func reduceInteger[T integer](op compute.OpType, r reduction, dtype dtypes.DType) step {
	switch op {
	case compute.OpTypeReduceBitwiseAnd:
		return &reduceStep[T]{r, ^T(0), func(a, b T) T { return a & b }}
	case compute.OpTypeReduceBitwiseOr:
		return &reduceStep[T]{r, 0, func(a, b T) T { return a | b }}
	case compute.OpTypeReduceBitwiseXor:
		return &reduceStep[T]{r, 0, func(a, b T) T { return a ^ b }}
	}
	return reduceNumber[T](op, r, dtype)
}

func reduceBool(op compute.OpType, r reduction) step {
	switch op {
	case compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceMin, compute.OpTypeReduceProduct,
		compute.OpTypeReduceBitwiseAnd:
		return &reduceStep[bool]{r, true, func(a, b bool) bool { return a && b }}
	case compute.OpTypeReduceLogicalOr, compute.OpTypeReduceMax, compute.OpTypeReduceSum, compute.OpTypeReduceBitwiseOr:
		return &reduceStep[bool]{r, false, func(a, b bool) bool { return a || b }}
	case compute.OpTypeReduceLogicalXor, compute.OpTypeReduceBitwiseXor:
		return &reduceStep[bool]{r, false, func(a, b bool) bool { return a != b }}
	}
	return nil
}

// argStep finds the position of the smallest or largest value along an axis, the first of several; NaN wins.
type argStep[T number] struct {
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

func (c *compiler) argStep(n *node) step {
	d := n.data.(argData)
	r := c.reduction(n, []int{d.axis})
	switch n.in[0].shape.DType {
	case dtypes.Float32:
		return &argStep[float32]{r, d.isMin}
	case dtypes.Float64:
		return &argStep[float64]{r, d.isMin}
	case dtypes.Int8:
		return &argStep[int8]{r, d.isMin}
	case dtypes.Int16:
		return &argStep[int16]{r, d.isMin}
	case dtypes.Int32:
		return &argStep[int32]{r, d.isMin}
	case dtypes.Int64:
		return &argStep[int64]{r, d.isMin}
	case dtypes.Uint16:
		return &argStep[uint16]{r, d.isMin}
	case dtypes.Uint32:
		return &argStep[uint32]{r, d.isMin}
	case dtypes.Uint64:
		return &argStep[uint64]{r, d.isMin}
	}
	return &argStep[uint8]{r, d.isMin} // bytes and booleans
}
