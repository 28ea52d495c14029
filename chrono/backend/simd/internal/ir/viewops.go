package ir

import (
	"slices"
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
	strides := make([]int, n.Shape.Rank())
	for a, from := range n.Data.([]int) {
		strides[a] = v.Strides[from]
	}
	v.Dims, v.Strides = n.Shape.Dimensions, strides
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
