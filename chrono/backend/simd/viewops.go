package simd

import (
	"slices"
)

// windowData says how opWindows cuts a tensor into windows along some axes: window i of an axis begins at element
// i·step and has size elements, every apart.
type windowData struct{ axes, sizes, steps, every []int }

func sameView(_ *node, v view) (view, bool) { return v, true }

func reshapeView(n *node, v view) (view, bool) {
	strides, ok := reshapeStrides(v.dims, v.strides, n.shape.Dimensions)
	v.dims, v.strides = n.shape.Dimensions, strides
	return v, ok
}

func broadcastView(n *node, v view) (view, bool) {
	strides := make([]int, n.shape.Rank())
	for a, to := range n.data.([]int) {
		if v.dims[a] == n.shape.Dimensions[to] {
			strides[to] = v.strides[a]
		}
	}
	v.dims, v.strides = n.shape.Dimensions, strides
	return v, true
}

func transposeView(n *node, v view) (view, bool) {
	strides := make([]int, n.shape.Rank())
	for a, from := range n.data.([]int) {
		strides[a] = v.strides[from]
	}
	v.dims, v.strides = n.shape.Dimensions, strides
	return v, true
}

func sliceView(n *node, v view) (view, bool) {
	d := n.data.(sliceData)
	strides := make([]int, n.shape.Rank())
	for a, s := range v.strides {
		v.off += d.starts[a] * s
		strides[a] = d.strides[a] * s
	}
	v.dims, v.strides = n.shape.Dimensions, strides
	return v, true
}

func reverseView(n *node, v view) (view, bool) {
	v.strides = slices.Clone(v.strides)
	for _, a := range n.data.([]int) {
		if v.dims[a] != 1 {
			v.off += (v.dims[a] - 1) * v.strides[a]
			v.strides[a] = -v.strides[a]
		}
	}
	return v, true
}

func dynamicSliceView(n *node, v view) (view, bool) {
	dims := n.shape.Dimensions
	v.dynamic = append(slices.Clip(v.dynamic), dynamicOffsets(n.in[1:], v.dims, dims, v.strides)...)
	v.dims = dims
	return v, true
}

// windowsView has the operand's axes, now of windows, and after them the elements of a window along each axis that is
// cut.
func windowsView(n *node, v view) (view, bool) {
	d := n.data.(windowData)
	strides := slices.Clone(v.strides)
	for i, a := range d.axes {
		strides = append(strides, v.strides[a]*d.every[i])
		strides[a] *= d.steps[i]
	}
	v.dims, v.strides = n.shape.Dimensions, strides
	return v, true
}
