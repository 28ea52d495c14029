package simd

import "slices"

// A view says where the elements of a node are when they need no memory of their own: element i of the node is element
// off + Σ i[a]·strides[a] + Σ clamp(index, 0, limit)·stride of base. Reshapes, broadcasts, transposes, slices, static
// or dynamic, and their chains are views; so they cost nothing, until an operation asks for an order that the view does
// not have.
type view struct {
	base          *node
	dims, strides []int
	off           int
	dynamic       []dynamicOffset
}

// dynamicOffset is an offset known only when running: the value of an integer scalar, limited to [0, limit], times
// stride.
type dynamicOffset struct {
	index         *node
	limit, stride int
}

func rowMajor(dims []int) []int {
	strides := make([]int, len(dims))
	s := 1
	for a := len(dims) - 1; a >= 0; a-- {
		strides[a] = s
		s *= dims[a]
	}
	return strides
}

func product(dims []int) int {
	p := 1
	for _, d := range dims {
		p *= d
	}
	return p
}

// dense reports whether the view's elements follow one another in row-major order.
func (v view) dense() bool {
	s := 1
	for a := len(v.dims) - 1; a >= 0; a-- {
		if v.dims[a] != 1 && v.strides[a] != s {
			return false
		}
		s *= v.dims[a]
	}
	return true
}

// whole reports whether the view is all of its base, in its order.
func (v view) whole() bool {
	return v.dense() && v.off == 0 && len(v.dynamic) == 0 && product(v.dims) == v.base.shape.Size()
}

// part is what a view has from lo to hi along its first axis.
func (v view) part(lo, hi int) view {
	v.dims = slices.Clone(v.dims)
	v.dims[0] = hi - lo
	v.off += lo * v.strides[0]
	return v
}

// wholeView is the view of all of a node that has memory of its own.
func wholeView(n *node) view {
	return view{base: n, dims: n.shape.Dimensions, strides: rowMajor(n.shape.Dimensions)}
}

// dynamicOffsets are those of a window of the given size at starts in a tensor.
func dynamicOffsets(starts []*node, dims, window, strides []int) []dynamicOffset {
	var offsets []dynamicOffset
	for a, index := range starts {
		if limit := dims[a] - window[a]; limit > 0 && strides[a] != 0 {
			offsets = append(offsets, dynamicOffset{index, limit, strides[a]})
		}
	}
	return offsets
}

// collapse joins axes that all the given strides pass through as if they were one, and drops axes of size 1.
func collapse(dims []int, strides ...[]int) ([]int, [][]int) {
	var d []int
	s := make([][]int, len(strides))
	for a, dim := range dims {
		if dim == 1 {
			continue
		}
		last := len(d) - 1
		joins := last >= 0
		for k := range strides {
			joins = joins && s[k][last] == strides[k][a]*dim
		}
		if joins {
			d[last] *= dim
		} else {
			d = append(d, dim)
			last++
			for k := range s {
				s[k] = append(s[k], 0)
			}
		}
		for k := range s {
			s[k][last] = strides[k][a]
		}
	}
	return d, s
}

// reshapeStrides returns the strides that a tensor has after a reshape, if there are any. Axes of size 1 have the stride
// that they would have if they were longer: see reduction.
func reshapeStrides(dims, strides, to []int) ([]int, bool) {
	out := make([]int, len(to))
	if product(to) == 0 {
		return out, true
	}
	d, s := collapse(dims, strides)
	// Every axis left is cut into some of the new axes, from the last to the first.
	b := len(to) - 1
	for a := len(d) - 1; a >= 0; a-- {
		left, stride := d[a], s[0][a]
		for left > 1 {
			for b >= 0 && to[b] == 1 {
				b--
			}
			if b < 0 || left%to[b] != 0 {
				return nil, false
			}
			out[b] = stride
			stride *= to[b]
			left /= to[b]
			b--
		}
	}
	same := 0
	for same < len(to) && same < len(dims) && dims[same] == to[same] {
		same++
	}
	next := 1
	for b := len(to) - 1; b >= 0; b-- {
		switch {
		case to[b] != 1:
		case b < same:
			out[b] = strides[b]
		default:
			out[b] = next
		}
		next = out[b] * to[b]
	}
	return out, true
}

// leadingAxes returns how many of the first axes make up the rows, or −1.
func leadingAxes(dims []int, rows int) int {
	size := 1
	for a, dim := range dims {
		if size *= dim; size == rows {
			return a + 1
		}
	}
	return -1
}
