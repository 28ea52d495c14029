package exec

import (
	"sort"
	"unsafe"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// sortStep sorts lanes along an axis with a comparator that is part of the graph.
type sortStep struct {
	before     sequence
	predicate  plan.Address
	arguments  []plan.Address
	values     []plan.Address // sorted in place
	sizes      []int
	outer, dim int
	inner      int
	stable     bool
}

func (c *lowerer) sortSteps(p *plan.Plan, n *ir.Node) []step {
	d := n.Data.(ir.SortData)
	dims := n.In[0].Shape.Dimensions
	before := p.Inner[n][0]
	s := &sortStep{before: c.steps(before), predicate: before.Outputs[0].Address(), outer: ir.Product(dims[:d.Axis]),
		dim: dims[d.Axis], inner: ir.Product(dims[d.Axis+1:]), stable: d.Stable}
	var steps []step
	for i, in := range n.In {
		v := c.Of(in)
		to := c.address(n.Outs[i]).Address
		steps = append(steps, c.copyOf(in, v, c.sourceOf(v, in.Shape.DType.Size()), source{Address: to},
			ir.RowMajor(dims)))
		s.values = append(s.values, to)
		s.sizes = append(s.sizes, in.Shape.DType.Size())
	}
	for _, a := range before.Fn.Params {
		s.arguments = append(s.arguments, c.address(a).Address)
	}
	return append(steps, s)
}

// lane is one run of values to be sorted.
type lane struct {
	*sortStep
	m     *machine
	start int
}

func (l lane) Len() int { return l.dim }

func (l lane) at(value, i int) unsafe.Pointer {
	return unsafe.Add(l.m.at(l.values[value]), (l.start+i*l.inner)*l.sizes[value])
}

func (l lane) Less(i, j int) bool {
	for v, size := range l.sizes {
		copyRow(1, size, size, size, l.m.at(l.arguments[2*v]), l.at(v, i))
		copyRow(1, size, size, size, l.m.at(l.arguments[2*v+1]), l.at(v, j))
	}
	l.before.run(l.m)
	return *(*bool)(l.m.at(l.predicate))
}

func (l lane) Swap(i, j int) {
	for v, size := range l.sizes {
		a, b := unsafe.Slice((*byte)(l.at(v, i)), size), unsafe.Slice((*byte)(l.at(v, j)), size)
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
}

func (s *sortStep) run(m *machine) {
	for o := range s.outer {
		for i := range s.inner {
			l := lane{s, m, o*s.dim*s.inner + i}
			if s.stable {
				sort.Stable(l)
			} else {
				sort.Sort(l)
			}
		}
	}
}
