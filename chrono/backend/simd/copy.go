package simd

import (
	"unsafe"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// A copier moves elements from one order in memory to another: what materializes a view, fills a slice, joins operands.
type copier struct {
	dims     []int
	to, from []int // strides in bytes
	size     int   // bytes per element
	elements int
}

// newCopier returns a copier for a tensor of the given dimensions, with strides in elements of the given size.
func newCopier(dims, to, from []int, size int) *copier {
	k := &copier{size: size, elements: product(dims)}
	d, s := collapse(dims, to, from)
	if len(d) == 0 {
		d, s = []int{1}, [][]int{{1}, {1}}
	}
	k.dims = d
	for a := range d {
		k.to = append(k.to, s[0][a]*size)
		k.from = append(k.from, s[1][a]*size)
	}
	// A row that repeats, or runs along memory, is one piece.
	if last := len(d) - 1; k.to[last] == size && k.from[last] == size {
		k.dims[last] *= size
		k.size = 1
		k.to[last], k.from[last] = 1, 1
	}
	return k
}

// run copies: part i of n a share of the outermost axis. There must be elements.
func (k *copier) run(to, from unsafe.Pointer, i, n int) {
	lo, hi := share(k.dims[0], i, n)
	if lo == hi {
		return
	}
	to, from = unsafe.Add(to, lo*k.to[0]), unsafe.Add(from, lo*k.from[0])
	k.axis(0, hi-lo, to, from)
}

// share divides n things into parts and returns part i.
func share(n, i, parts int) (lo, hi int) { return n * i / parts, n * (i + 1) / parts }

func (k *copier) axis(a, dim int, to, from unsafe.Pointer) {
	last := len(k.dims) - 1
	if a < last-1 || a < last && !k.crossed(a) {
		for i := range dim {
			k.axis(a+1, k.dims[a+1], unsafe.Add(to, i*k.to[a]), unsafe.Add(from, i*k.from[a]))
		}
		return
	}
	if a == last {
		copyRow(dim, k.to[a], k.from[a], k.size, to, from)
		return
	}
	// The source runs along the outer of the last two axes: copy in blocks that stay in the nearest cache.
	const block = 16
	inner := k.dims[last]
	for i := 0; i < dim; i += block {
		for j := 0; j < inner; j += block {
			for r := i; r < min(i+block, dim); r++ {
				copyRow(min(block, inner-j), k.to[last], k.from[last], k.size,
					unsafe.Add(to, r*k.to[a]+j*k.to[last]), unsafe.Add(from, r*k.from[a]+j*k.from[last]))
			}
		}
	}
}

// crossed reports whether the last axis jumps in the source while the one before runs along it.
func (k *copier) crossed(a int) bool {
	return k.from[a] == k.size && k.from[a+1] > k.size && k.dims[a] > 1
}

func copyRow(n, to, from, size int, dst, src unsafe.Pointer) {
	if from == 0 && to == size && n > 1 {
		repeat(n, size, dst, src)
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

// repeat fills n elements with the one at src.
func repeat(n, size int, dst, src unsafe.Pointer) {
	d := unsafe.Slice((*byte)(dst), n*size)
	v := unsafe.Slice((*byte)(src), size)
	if size == 4 {
		kernel.Fill(floats(dst, n), *(*float32)(src))
		return
	}
	// Doubling what is filled already makes of any size long copies.
	for done := copy(d, v); done < len(d); done *= 2 {
		copy(d[done:], d[:done])
	}
}
