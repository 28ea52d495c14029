package exec

import (
	"slices"
	"unsafe"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
)

// A copier moves elements from one order in memory to another: what materializes a view, fills a slice, joins operands.
// It copies rows: the first axis, or, in a loop that threads divide, what several axes make up.
type copier struct {
	rows      int
	outer     []int // axes of rows, but for the last of them; strides are in bytes
	outerTo   []int
	outerFrom []int
	dims      []int // the last axis of rows, and those behind it
	to, from  []int
	size      int // bytes per element
	elements  int
}

// newCopier returns a copier for a tensor of the given dimensions, with strides in elements of the given size.
func newCopier(dims, to, from []int, size int) *copier {
	d, s := ir.Collapse(dims, to, from)
	if len(d) == 0 {
		d, s = []int{1}, [][]int{{1}, {1}}
	}
	return copierOf(d, s[0], s[1], size)
}

// copierOf is newCopier for at least one axis, and none to be joined with another.
func copierOf(dims, to, from []int, size int) *copier {
	k := &copier{dims: dims, size: size, elements: ir.Product(dims)}
	for a := range dims {
		k.to = append(k.to, to[a]*size)
		k.from = append(k.from, from[a]*size)
	}
	// A row that repeats, or runs along memory, is one piece.
	if last := len(dims) - 1; k.to[last] == size && k.from[last] == size {
		k.dims[last] *= size
		k.size = 1
		k.to[last], k.from[last] = 1, 1
	}
	k.rows = k.dims[0]
	return k
}

// newRowCopier is newCopier for the given number of rows: what the first axes make up, or those after the first. Where
// both do, as in a sequence of as many steps as rows, the width of a row tells them apart, if it is not 0.
func newRowCopier(rows, width int, dims, to, from []int, size int) *copier {
	axes := ir.LeadingAxes(dims, rows)
	if axes < 0 || width > 0 && ir.Product(dims[axes:]) != width { // [T, R, B, …]: rows first
		axes = ir.LeadingAxes(dims[1:], rows)
		turn := func(x []int) []int { return slices.Concat(x[1:1+axes], x[:1], x[1+axes:]) }
		dims, to, from = turn(dims), turn(to), turn(from)
	}
	d, s := ir.Collapse(dims[:axes], to[:axes], from[:axes])
	last := len(d) - 1
	inner, is := ir.Collapse(dims[axes:], to[axes:], from[axes:])
	if len(inner) == 0 {
		inner, is = []int{1}, [][]int{{1}, {1}}
	}
	k := copierOf(slices.Insert(inner, 0, d[last]), slices.Insert(is[0], 0, s[0][last]),
		slices.Insert(is[1], 0, s[1][last]), size)
	k.rows, k.outer, k.elements = rows, d[:last], ir.Product(dims)
	for a := range last {
		k.outerTo = append(k.outerTo, s[0][a]*size)
		k.outerFrom = append(k.outerFrom, s[1][a]*size)
	}
	return k
}

// run copies rows lo to hi.
func (k *copier) run(to, from unsafe.Pointer, lo, hi int) {
	if k.elements == 0 {
		return
	}
	per := k.dims[0]
	for lo < hi {
		o, first := lo/per, lo%per
		n := min(per-first, hi-lo)
		t, _, _ := line(k.outer, k.outerTo, o, o+1)
		f, _, _ := line(k.outer, k.outerFrom, o, o+1)
		k.axis(0, n, unsafe.Add(to, t+first*k.to[0]), unsafe.Add(from, f+first*k.from[0]))
		lo += n
	}
}

// share divides n things into parts and returns part i.
func share(n, i, parts int) (lo, hi int) { return n * i / parts, n * (i + 1) / parts }

func (k *copier) axis(a, dim int, to, from unsafe.Pointer) {
	last := len(k.dims) - 1
	switch {
	case a == last:
		copyRow(dim, k.to[a], k.from[a], k.size, to, from)
		return
	case a == last-1 && k.size == 1 && k.to[last] == 1 && k.from[last] == 1 && k.dims[last]%4 == 0:
		kernel.CopyRows(to, from, k.to[a], k.from[a], dim, k.dims[last]/4)
		return
	case a == last-1 && k.crossed():
		n := k.dims[last]
		ldd, lds := k.to[a]/4, k.from[last]/4
		kernel.Transpose(element.Floats(to, (dim-1)*ldd+n), ldd, element.Floats(from, (n-1)*lds+dim), lds, n, dim)
		return
	}
	for i := range dim {
		k.axis(a+1, k.dims[a+1], unsafe.Add(to, i*k.to[a]), unsafe.Add(from, i*k.from[a]))
	}
}

// crossed reports whether the last axis runs along memory in the result, and the one before it in the source.
func (k *copier) crossed() bool {
	last := len(k.dims) - 1
	return k.size == 4 && k.to[last] == 4 && k.from[last-1] == 4 && k.to[last-1] > 4 && k.from[last] > 4
}

func copyRow(n, to, from, size int, dst, src unsafe.Pointer) {
	if from == 0 && to == size && size == 4 {
		kernel.Fill(element.Floats(dst, n), *(*float32)(src))
		return
	}
	if to == size && from == size {
		copy(unsafe.Slice((*byte)(dst), n*size), unsafe.Slice((*byte)(src), n*size))
		return
	}
	switch size {
	case 1:
		copyElements[uint8](n, to, from, dst, src)
	case 2:
		copyElements[uint16](n, to, from, dst, src)
	case 4:
		copyElements[uint32](n, to, from, dst, src)
	default:
		copyElements[uint64](n, to, from, dst, src)
	}
}

func copyElements[T any](n, to, from int, dst, src unsafe.Pointer) {
	size := int(unsafe.Sizeof(*new(T)))
	if to == size {
		d := unsafe.Slice((*T)(dst), n)
		for i := range d {
			d[i] = *(*T)(unsafe.Add(src, i*from))
		}
		return
	}
	for i := range n {
		*(*T)(unsafe.Add(dst, i*to)) = *(*T)(unsafe.Add(src, i*from))
	}
}
