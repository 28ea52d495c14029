package plan

import (
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// Views says of every value that a graph needs where its elements are: in memory of its own, or in that of another.
// Once found, it is only asked, and an answer changes nothing.
type Views struct {
	needed []bool // by the nodes' IDs, as are the others
	// stored are the views that get memory of their own all the same, because an operation needs them in a fixed order.
	stored []bool
	more   bool // whether the last call of store found some
	found  []ir.View
	read   [][]*ir.Node // the values in memory that a node reads, those of the functions it runs included
}

// FindViews decides which values need memory.
func FindViews(main *ir.Function) *Views {
	s := &Views{needed: ir.NewTable[bool](main.Graph), stored: ir.NewTable[bool](main.Graph)}
	for _, o := range main.Outputs {
		s.markAll(o)
	}
	// What gets memory has another order than before, which may not suit the reshapes of it: so again until none is
	// left.
	for s.more = true; s.more; {
		s.more = false
		s.store(main)
	}
	s.found, s.read = ir.NewTable[ir.View](main.Graph), ir.NewTable[[]*ir.Node](main.Graph)
	s.findReads(main)
	return s
}

// markAll marks what a value needs, through the functions that operations run.
func (s *Views) markAll(n *ir.Node) {
	if s.needed[n.ID] {
		return
	}
	s.needed[n.ID] = true
	for _, i := range n.In {
		s.markAll(i)
	}
	for _, inner := range n.Inner {
		for _, o := range inner.Outputs {
			s.markAll(o)
		}
	}
	for _, o := range n.Outs {
		s.needed[o.ID] = true
	}
}

// store notes which views of a function get memory, operands first.
func (s *Views) store(fn *ir.Function) {
	for _, n := range fn.Nodes {
		if !s.needed[n.ID] {
			continue
		}
		for _, inner := range n.Inner {
			s.store(inner)
		}
		if f := ir.Operations[n.Op].Ordered; f != nil {
			for _, in := range f(n) {
				s.storeUnlessOrdered(in)
			}
		}
		switch n.Op {
		case ir.OpDot, ir.OpDotAdd, ir.OpPack:
			for i, in := range n.In {
				v := s.Of(in)
				if slices.ContainsFunc(v.Strides, func(s int) bool { return s < 0 }) ||
					i == 2 && v.Dims[2] != 1 && v.Strides[2] != 1 {
					s.giveMemory(in) // what the kernel cannot read: backwards, and addends across rows
				}
			}
		}
		if !ir.IsView(n) {
			continue
		}
		v, ok := s.Through(n)
		if !ok {
			s.giveMemory(n.In[0])
			v, _ = s.Through(n)
		}
		for _, d := range v.Dynamic {
			s.storeUnlessOrdered(d.Index)
		}
	}
	if fn.Kind == ir.Loop && len(fn.Outputs) == 1 && fn.Outputs[0].Shape.IsScalar() {
		s.storeUnlessOrdered(fn.Outputs[0]) // the condition of a loop
	}
}

// storeUnlessOrdered gives a node memory, unless its elements are in row-major order, at a fixed place, already. What
// is read as another type may not stay there: see place.
func (s *Views) storeUnlessOrdered(n *ir.Node) {
	if v := s.Of(n); !v.Dense() || len(v.Dynamic) > 0 || v.Base.Shape.DType != n.Shape.DType {
		s.giveMemory(n)
	}
}

// giveMemory makes a view one of those that are stored.
func (s *Views) giveMemory(n *ir.Node) { s.more, s.stored[n.ID] = s.more || !s.stored[n.ID], true }

// Of returns the view that a node is: of itself, if it has memory.
func (s *Views) Of(n *ir.Node) ir.View {
	if s.found != nil && s.found[n.ID].Base != nil {
		return s.found[n.ID]
	}
	if ir.IsView(n) && !s.stored[n.ID] {
		if v, ok := s.Through(n); ok {
			return v
		}
	}
	return ir.View{Base: n, Dims: n.Shape.Dimensions, Strides: ir.RowMajor(n.Shape.Dimensions)}
}

// Through returns the view that a node, one of which [ir.IsView] is true, is of what it is made from, or false if that
// would have to be in another order.
func (s *Views) Through(n *ir.Node) (ir.View, bool) {
	return ir.Operations[n.Op].View(n, s.Of(n.In[0]))
}

// isUnit reports whether a node is computed, rather than given or a view.
func (s *Views) isUnit(n *ir.Node) bool {
	if !s.needed[n.ID] || n.Op == compute.OpTypeParameter || n.Op == compute.OpTypeConstant || n.Op == ir.OpOutput {
		return false
	}
	return !ir.IsView(n) || s.stored[n.ID]
}

// findReads notes the views of a function's nodes, operands first, and what these read.
func (s *Views) findReads(fn *ir.Function) {
	for _, n := range fn.Nodes {
		if !s.needed[n.ID] {
			continue
		}
		s.found[n.ID] = s.Of(n)
		var bases []*ir.Node
		if ir.IsView(n) {
			v, _ := s.Through(n)
			bases = s.ReadsOfView(v, nil)
		} else {
			for _, i := range n.In {
				bases = s.ReadsOfView(s.Of(i), bases)
			}
		}
		for _, inner := range n.Inner {
			s.findReads(inner)
			for _, b := range s.readsIn(inner) {
				if b.Fn != inner {
					bases = append(bases, b)
				}
			}
		}
		s.read[n.ID] = bases
	}
}

// ReadsOfView appends the values in memory that reading a view reads.
func (s *Views) ReadsOfView(v ir.View, bases []*ir.Node) []*ir.Node {
	if v.Base.Op != compute.OpTypeConstant {
		bases = append(bases, v.Base)
	}
	for _, d := range v.Dynamic {
		bases = append(bases, s.Of(d.Index).Base)
	}
	return bases
}

// readsIn returns the values in memory that a function reads, also those of the functions around it, as often as it
// does.
func (s *Views) readsIn(fn *ir.Function) []*ir.Node {
	var bases []*ir.Node
	for _, n := range fn.Nodes {
		if s.isUnit(n) {
			bases = append(bases, s.read[n.ID]...)
		}
	}
	for _, o := range fn.Outputs {
		bases = s.ReadsOfView(s.Of(o), bases)
	}
	return bases
}
