package simd

import (
	"slices"

	"github.com/gomlx/compute"
)

// views says of every value that a graph needs where its elements are: in memory of its own, or in that of another.
// Once found, it is only asked, and an answer changes nothing.
type views struct {
	needed map[*node]bool
	// stored are the views that get memory of their own all the same, because an operation needs them in a fixed order.
	stored map[*node]bool
	found  map[*node]view
	read   map[*node][]*node
}

// findViews decides which values need memory.
func findViews(main *irFunction) *views {
	s := &views{needed: make(map[*node]bool), stored: make(map[*node]bool)}
	for _, o := range main.outputs {
		s.markAll(o)
	}
	// What gets memory has another order than before, which may not suit the reshapes of it: so again until none is
	// left.
	for known := -1; known < len(s.stored); {
		known = len(s.stored)
		s.store(main)
	}
	s.found, s.read = make(map[*node]view), make(map[*node][]*node)
	s.findReads(main)
	return s
}

// markAll marks what a value needs, through the functions that operations run.
func (s *views) markAll(n *node) {
	if s.needed[n] {
		return
	}
	s.needed[n] = true
	for _, i := range n.in {
		s.markAll(i)
	}
	for _, inner := range innerFunctions(n) {
		for _, o := range inner.outputs {
			s.markAll(o)
		}
	}
	for _, o := range n.outs {
		s.needed[o] = true
	}
}

// store notes which views of a function get memory, operands first.
func (s *views) store(fn *irFunction) {
	for _, n := range fn.nodes {
		if !s.needed[n] {
			continue
		}
		for _, inner := range innerFunctions(n) {
			s.store(inner)
		}
		if f := operationOf(n.op).ordered; f != nil {
			for _, in := range f(n) {
				s.storeUnlessOrdered(in)
			}
		}
		switch n.op {
		case opDot, opDotAdd, opPack:
			for i, in := range n.in {
				v := s.of(in)
				if slices.ContainsFunc(v.strides, func(s int) bool { return s < 0 }) ||
					i == 2 && v.dims[2] != 1 && v.strides[2] != 1 {
					s.stored[in] = true // what the kernel cannot read: backwards, and addends across rows
				}
			}
		}
		if !isView(n) {
			continue
		}
		v, ok := s.through(n)
		if !ok {
			s.stored[n.in[0]] = true
			v, _ = s.through(n)
		}
		for _, d := range v.dynamic {
			s.storeUnlessOrdered(d.index)
		}
	}
	if fn.kind == kindLoop && len(fn.outputs) == 1 && fn.outputs[0].shape.IsScalar() {
		s.storeUnlessOrdered(fn.outputs[0]) // the condition of a loop
	}
}

// storeUnlessOrdered gives a node memory, unless its elements are in row-major order, at a fixed place, already.
func (s *views) storeUnlessOrdered(n *node) {
	if v := s.of(n); !v.dense() || len(v.dynamic) > 0 {
		s.stored[n] = true
	}
}

// of returns the view that a node is: of itself, if it has memory.
func (s *views) of(n *node) view {
	if v, ok := s.found[n]; ok {
		return v
	}
	if isView(n) && !s.stored[n] {
		if v, ok := s.through(n); ok {
			return v
		}
	}
	return wholeView(n)
}

// through returns the view that a node, made by an operation that isView, is of what it is made from, or false if that
// would have to be in another order.
func (s *views) through(n *node) (view, bool) {
	return operationOf(n.op).view(n, s.of(n.in[0]))
}

// isUnit reports whether a node is computed, rather than given or a view.
func (s *views) isUnit(n *node) bool {
	if !s.needed[n] || n.op == compute.OpTypeParameter || n.op == compute.OpTypeConstant || n.op == opOutput {
		return false
	}
	return !isView(n) || s.stored[n]
}

// findReads notes the views of a function's nodes, operands first, and what these read.
func (s *views) findReads(fn *irFunction) {
	for _, n := range fn.nodes {
		if !s.needed[n] {
			continue
		}
		s.found[n] = s.of(n)
		var bases []*node
		if isView(n) {
			v, _ := s.through(n)
			bases = s.readsOfView(v, nil)
		} else {
			for _, i := range n.in {
				bases = s.readsOfView(s.of(i), bases)
			}
		}
		for _, inner := range innerFunctions(n) {
			s.findReads(inner)
			bases = s.captured(inner, bases)
		}
		s.read[n] = bases
	}
}

// reads returns the values in memory that node n reads, those of the functions it runs included.
func (s *views) reads(n *node) []*node { return s.read[n] }

func (s *views) readsOfView(v view, bases []*node) []*node {
	if v.base.op != compute.OpTypeConstant {
		bases = append(bases, v.base)
	}
	for _, d := range v.dynamic {
		bases = append(bases, s.of(d.index).base)
	}
	return bases
}

// captured appends what a function reads of the functions around it.
func (s *views) captured(fn *irFunction, bases []*node) []*node {
	var read []*node
	for _, n := range fn.nodes {
		if s.isUnit(n) {
			read = append(read, s.reads(n)...)
		}
	}
	for _, o := range fn.outputs {
		read = s.readsOfView(s.of(o), read)
	}
	for _, b := range read {
		if b.fn != fn {
			bases = append(bases, b)
		}
	}
	return bases
}
