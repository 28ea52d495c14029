package ir

import "slices"

// A View says where the elements of a node are when they need no memory of their own: element i of the node is element
// off + Σ i[a]·strides[a] + Σ clamp(index, 0, limit)·stride of base. Reshapes, broadcasts, transposes, slices, static
// or dynamic, and their chains are views; so they cost nothing, until an operation asks for an order that the view does
// not have.
type View struct {
	Base          *Node
	Dims, Strides []int
	Off           int
	Dynamic       []DynamicOffset
}

// DynamicOffset is an offset known only when running: the value of an integer scalar, limited to [0, limit], times
// stride.
type DynamicOffset struct {
	Index         *Node
	Limit, Stride int
}

// RowMajor are the strides of a tensor whose elements follow one another.
func RowMajor(dims []int) []int {
	strides := make([]int, len(dims))
	s := 1
	for a := len(dims) - 1; a >= 0; a-- {
		strides[a] = s
		s *= dims[a]
	}
	return strides
}

// Product is the number of elements of a tensor.
func Product(dims []int) int {
	p := 1
	for _, d := range dims {
		p *= d
	}
	return p
}

// Without are the numbers of those axes that are not among the given ones.
func Without(numbers, axes []int) (left []int) {
	for a, n := range numbers {
		if !slices.Contains(axes, a) {
			left = append(left, n)
		}
	}
	return left
}

// Dense reports whether the view's elements follow one another in row-major order.
func (v View) Dense() bool {
	s := 1
	for a := len(v.Dims) - 1; a >= 0; a-- {
		if v.Dims[a] != 1 && v.Strides[a] != s {
			return false
		}
		s *= v.Dims[a]
	}
	return true
}

// Whole reports whether the view is all of its base, in its order.
func (v View) Whole() bool {
	return v.Dense() && v.Off == 0 && len(v.Dynamic) == 0 && Product(v.Dims) == v.Base.Shape.Size()
}

// Part is what a view has from lo to hi along its first axis.
func (v View) Part(lo, hi int) View {
	v.Dims = slices.Clone(v.Dims)
	v.Dims[0] = hi - lo
	v.Off += lo * v.Strides[0]
	return v
}

// DynamicOffsets are those of a window of the given size at starts in a tensor.
func DynamicOffsets(starts []*Node, dims, window, strides []int) []DynamicOffset {
	var offsets []DynamicOffset
	for a, index := range starts {
		if limit := dims[a] - window[a]; limit > 0 && strides[a] != 0 {
			offsets = append(offsets, DynamicOffset{index, limit, strides[a]})
		}
	}
	return offsets
}

// Collapse joins axes that all the given strides pass through as if they were one, and drops axes of size 1.
func Collapse(dims []int, strides ...[]int) ([]int, [][]int) {
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

// reshapeStrides returns the strides that a tensor has after a reshape, if there are any. Axes of size 1 keep theirs if
// no axis before them changes, and else have that of row-major order: reductions depend on it.
func reshapeStrides(dims, strides, to []int) ([]int, bool) {
	out := make([]int, len(to))
	if Product(to) == 0 {
		return out, true
	}
	d, s := Collapse(dims, strides)
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

// LeadingAxes returns how many of the first axes make up the rows, or −1.
func LeadingAxes(dims []int, rows int) int {
	size := 1
	for a, dim := range dims {
		if size *= dim; size == rows {
			return a + 1
		}
	}
	return -1
}
