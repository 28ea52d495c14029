package ir

import "slices"

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
