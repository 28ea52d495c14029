package ir

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"
)

func sameView(_ *Node, v View) (View, bool) { return v, true }

func reshapeView(n *Node, v View) (View, bool) {
	strides, ok := reshapeStrides(v.Dims, v.Strides, n.Shape.Dimensions)
	v.Dims, v.Strides = n.Shape.Dimensions, strides
	return v, ok
}

func broadcastView(n *Node, v View) (View, bool) {
	strides := make([]int, n.Shape.Rank())
	for a, to := range n.Data.([]int) {
		if v.Dims[a] == n.Shape.Dimensions[to] {
			strides[to] = v.Strides[a]
		}
	}
	v.Dims, v.Strides = n.Shape.Dimensions, strides
	return v, true
}

func transposeView(n *Node, v View) (View, bool) {
	v.Dims, v.Strides = n.Shape.Dimensions, xslices.Gather(v.Strides, n.Data.([]int))
	return v, true
}

func sliceView(n *Node, v View) (View, bool) {
	d := n.Data.(SliceData)
	strides := make([]int, n.Shape.Rank())
	for a, s := range v.Strides {
		v.Off += d.Starts[a] * s
		strides[a] = d.Strides[a] * s
	}
	v.Dims, v.Strides = n.Shape.Dimensions, strides
	return v, true
}

func reverseView(n *Node, v View) (View, bool) {
	v.Strides = slices.Clone(v.Strides)
	for _, a := range n.Data.([]int) {
		if v.Dims[a] != 1 {
			v.Off += (v.Dims[a] - 1) * v.Strides[a]
			v.Strides[a] = -v.Strides[a]
		}
	}
	return v, true
}

func dynamicSliceView(n *Node, v View) (View, bool) {
	dims := n.Shape.Dimensions
	v.Dynamic = append(slices.Clip(v.Dynamic), DynamicOffsets(n.In[1:], v.Dims, dims, v.Strides)...)
	v.Dims = dims
	return v, true
}

// WindowData says how OpWindows cuts a tensor into windows along some axes: window i of an axis begins at element
// i·step and has size elements, every apart.
type WindowData struct{ Axes, Sizes, Steps, Every []int }

// windowsView has the operand's axes, now of windows, and after them the elements of a window along each axis that is
// cut.
func windowsView(n *Node, v View) (View, bool) {
	d := n.Data.(WindowData)
	strides := slices.Clone(v.Strides)
	for i, a := range d.Axes {
		strides = append(strides, v.Strides[a]*d.Every[i])
		strides[a] *= d.Steps[i]
	}
	v.Dims, v.Strides = n.Shape.Dimensions, strides
	return v, true
}
