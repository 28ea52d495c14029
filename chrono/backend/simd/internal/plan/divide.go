package plan

import (
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A Division says how threads share a loop: of the sequences that a recurrent network reads, each thread takes some
// through all steps, without waiting for the others. Sequence i is row i of what the loop computes: a state [R, B, H]
// has R·B rows of H elements. Where rows meet, as in the gradient of a weight, the threads work together.
//
// Nothing of this changes how an element is computed, so that results do not depend on the number of threads.
type Division struct {
	Rows   int
	values map[*ir.Node]Extent
	Shared map[*Unit]Sharing // who computes a unit: all together, each the rows that are its own, or each all of it
	work   int               // of what is done by rows in an iteration
}

// Extent says which part of a value belongs to which thread.
type Extent struct {
	kind Sharing
	// width is how many elements of a row follow one another: element i belongs to row i/width mod rows. So it is in a
	// sequence [T, R, B, H], too.
	width int
}

// Sharing says whose the elements of a value are.
type Sharing int

const (
	Joint    Sharing = iota // nobody's: threads compute them together, and wait for each other before and after
	Rowwise                 // rows belong to the threads that compute them
	gathered                // likewise, but not in the order of rows; only read together
	Own                     // each thread has one of its own, in memory of its own: counters and conditions
)

// of returns the extent of a value. Without a division there is one thread, and no difference.
func (d *Division) of(n *ir.Node) Extent {
	if d == nil {
		return Extent{}
	}
	return d.values[n]
}

// Width is how many elements of a row of a value follow one another; 0 if it is not divided by rows.
func (d *Division) Width(n *ir.Node) int { return d.of(n).width }

// divisions says of loops how threads share them.
type divisions struct {
	*Groups
	threads int
	least   int // the least work in an iteration that is worth sharing
	loops   map[*ir.Node]*Division
}

// FindDivisions finds the loops that threads can share, none inside another.
func FindDivisions(c *Groups, main *ir.Function, threads, least int) map[*ir.Node]*Division {
	d := &divisions{Groups: c, threads: threads, least: least, loops: make(map[*ir.Node]*Division)}
	if threads > 1 {
		d.find(main)
	}
	return d.loops
}

func (c *divisions) find(fn *ir.Function) {
	for _, u := range c.order[fn] {
		n := u.Nodes[0]
		if n.Op == compute.OpTypeWhile {
			if d := c.divide(n); d != nil {
				c.loops[n] = d
				continue
			}
		}
		for _, inner := range n.Inner {
			c.find(inner)
		}
	}
}

// divide finds how threads can share a loop, or returns nil if that is not worth it.
func (c *divisions) divide(loop *ir.Node) *Division {
	// Rows are those of products, if there are any; else the first axes of what else is computed.
	var products, others []int
	for _, u := range c.order[loop.Body()] {
		n := u.Nodes[0]
		switch dims := n.Shape.Dimensions; {
		case n.Op == ir.OpDot, n.Op == ir.OpDotAdd:
			products = append(products, dims[0]*dims[1])
		case u.Elementwise && len(dims) > 0:
			others = append(others, dims[0])
		}
	}
	if len(products) == 0 {
		products = others
	}
	slices.Sort(products)
	var best *Division
	for _, rows := range slices.Compact(products) {
		if rows < c.threads {
			continue
		}
		if d := c.divisionInto(rows, loop); d != nil && (best == nil || d.work > best.work) {
			best = d
		}
	}
	if best != nil && best.work < c.least {
		return nil
	}
	return best
}

// divisionInto tries to divide a loop into the given number of rows. That part of the loop's state goes by rows is
// assumed first, and given up where the body does not keep it.
func (c *divisions) divisionInto(rows int, loop *ir.Node) *Division {
	cond, body := loop.Cond(), loop.Body()
	d := &Division{Rows: rows, values: make(map[*ir.Node]Extent)}
	for k, p := range body.Params {
		d.values[p] = c.stateExtent(d, p, body.Outputs[k])
	}
	for {
		d.Shared, d.work = make(map[*Unit]Sharing), 0
		for _, u := range c.order[body] {
			c.divideUnit(d, u)
		}
		kept := true
		for k, o := range body.Outputs {
			if p := body.Params[k]; !c.keeps(d, d.values[p], o) {
				d.values[p] = Extent{}
				kept = false
			}
		}
		if kept {
			break
		}
	}
	for k, p := range cond.Params {
		d.values[p] = d.values[body.Params[k]]
	}
	for _, u := range c.order[cond] {
		if c.divideUnit(d, u); d.Shared[u] != Own {
			return nil
		}
	}
	if !c.steady(d, cond.Outputs[0]) {
		return nil
	}
	return d
}

// stateExtent is the extent of a part of a loop's state as far as its shape and the end of the body tell.
func (c *divisions) stateExtent(d *Division, p, output *ir.Node) Extent {
	dims := p.Shape.Dimensions
	if p.Shape.Size() == 1 {
		return Extent{kind: Own}
	}
	b := c.Of(output).Base
	for b.Op == compute.OpTypeDynamicUpdateSlice && b.Fn == p.Fn {
		b = c.Of(b.In[0]).Base
		if b == p && len(dims) > 1 && d.leading(dims[1:]) >= 0 {
			return Extent{Rowwise, ir.Product(dims[1:]) / d.Rows}
		}
	}
	if d.leading(dims) >= 0 {
		return Extent{Rowwise, p.Shape.Size() / d.Rows}
	}
	return Extent{}
}

// keeps reports whether a part of the state has its extent after the body, too.
func (c *divisions) keeps(d *Division, e Extent, output *ir.Node) bool {
	v := c.Of(output)
	switch e.kind {
	case Own:
		return c.steady(d, output)
	case Rowwise:
		if output.Shape.Size() != e.width*d.Rows { // a sequence
			return v.Whole() && d.values[v.Base] == e
		}
		return c.readByRows(d, nil, output, d.leading(output.Shape.Dimensions))
	}
	return true
}

// leading returns how many of the first axes make up the rows, or −1.
func (d *Division) leading(dims []int) int { return ir.LeadingAxes(dims, d.Rows) }

// divideUnit says who computes a unit, and what becomes of its values.
func (c *divisions) divideUnit(d *Division, u *Unit) {
	d.Shared[u] = Joint
	for _, n := range u.Nodes {
		d.values[n] = Extent{}
		for _, o := range n.Outs {
			d.values[o] = Extent{}
		}
	}
	n := u.Nodes[0]
	if u.Elementwise && n.Shape.Size() == 1 && c.steadyUnit(d, u) {
		d.Shared[u] = Own
		for _, n := range u.Nodes {
			d.values[n] = Extent{kind: Own}
		}
		return
	}
	e, work, ok := Extent{Rowwise, n.Shape.Size() / d.Rows}, n.Shape.Size()/20, true
	switch byRows := divisible[n.Op]; {
	case u.Elementwise:
		for _, n := range u.Nodes {
			for _, in := range n.In {
				if !c.readByRows(d, u, in, d.leading(n.Shape.Dimensions)) {
					return
				}
			}
			work += element.Cost(n.Op) * n.Shape.Size() / 100
		}
	case ir.IsView(n):
		v, _ := c.Through(n)
		ok = c.viewByRows(d, v, d.leading(n.Shape.Dimensions))
	case byRows != nil:
		e, work, ok = byRows(c, d, n)
	default:
		return
	}
	if !ok {
		return
	}
	d.Shared[u] = Rowwise
	d.work += work
	for _, n := range u.Nodes {
		d.values[n] = e
	}
}

// divisible says of operations, elementwise ones and views apart, whether threads that divide a loop can each compute
// their rows, how much work that is, and which part of the result is whose. All others they compute together.
var divisible = map[compute.OpType]func(c *divisions, d *Division, n *ir.Node) (e Extent, work int, ok bool){
	ir.OpDot: (*divisions).dotByRows, ir.OpDotAdd: (*divisions).dotByRows,
	compute.OpTypeConcatenate:        (*divisions).concatenationByRows,
	compute.OpTypeDynamicUpdateSlice: (*divisions).updateByRows,
}

// dotByRows is for products: their rows follow from the same rows of their operands. Each row is one of the first
// operand, with a second one that does not change, or each is a product of its own.
func (c *divisions) dotByRows(d *Division, n *ir.Node) (e Extent, work int, ok bool) {
	dims, k := n.Shape.Dimensions, ir.Product(n.In[0].Shape.Dimensions[2:])
	e, work = Extent{Rowwise, n.Shape.Size() / d.Rows}, n.Shape.Size()*k/50
	axes := []int{2, -1, 2}
	switch d.Rows {
	case dims[0] * dims[1]:
		if v := c.Of(n.In[1]); d.values[v.Base].kind != Joint || !c.steadyIndices(d, v) {
			return e, work, false
		}
	case dims[0]:
		if axes = []int{1, 1, 1}; n.In[1].Shape.Dimensions[0] != d.Rows {
			return e, work, false
		}
	default:
		return e, work, false
	}
	for i, in := range n.In {
		if axes[i] >= 0 && !c.readByRows(d, nil, in, axes[i]) {
			return e, work, false
		}
	}
	return e, work, true
}

// concatenationByRows is for concatenations, behind the axes that make up the rows, or along them.
func (c *divisions) concatenationByRows(d *Division, n *ir.Node) (e Extent, work int, ok bool) {
	e, work = Extent{Rowwise, n.Shape.Size() / d.Rows}, n.Shape.Size()/20
	if d.leading(n.Shape.Dimensions[:n.Data.(int)]) < 0 {
		e = Extent{kind: gathered}
	}
	for _, in := range n.In {
		if !c.readByRows(d, nil, in, d.leading(in.Shape.Dimensions)) {
			return e, work, false
		}
	}
	return e, work, true
}

// updateByRows is for the steps of a sequence that are written one at a time.
func (c *divisions) updateByRows(d *Division, n *ir.Node) (e Extent, work int, ok bool) {
	v, step := c.Of(n.In[0]), n.In[1].Shape
	e = d.values[v.Base]
	ok = v.Whole() && e.kind == Rowwise && e.width*d.Rows == step.Size() &&
		slices.Equal(step.Dimensions[1:], n.Shape.Dimensions[1:]) &&
		c.readByRows(d, nil, n.In[1], d.leading(step.Dimensions)) &&
		!slices.ContainsFunc(n.In[2:], func(index *ir.Node) bool { return !c.steady(d, index) })
	return e, n.Shape.Size() / 20, ok
}

// steady reports whether a value is the same for all threads in the same iteration: one from outside of the loop, or
// each thread's own.
func (c *divisions) steady(d *Division, n *ir.Node) bool {
	for _, b := range c.ReadsOfView(c.Of(n), nil) {
		if e, inside := d.values[b]; inside && e.kind != Own {
			return false
		}
	}
	return true
}

// steadyIndices reports whether a view is at the same place for all threads.
func (c *divisions) steadyIndices(d *Division, v ir.View) bool {
	return !slices.ContainsFunc(v.Dynamic, func(i ir.DynamicOffset) bool { return !c.steady(d, i.Index) })
}

func (c *divisions) steadyUnit(d *Division, u *Unit) bool {
	for _, n := range u.Nodes {
		for _, in := range n.In {
			if c.UnitOf[c.Of(in).Base.ID] != u && !c.steady(d, in) {
				return false
			}
		}
	}
	return true
}

// readByRows reports whether a thread that computes some rows, which are the first axes of n, reads of n those rows
// only, or what no thread writes meanwhile. Unit u, if given, is the reader, and may have computed n itself.
func (c *divisions) readByRows(d *Division, u *Unit, n *ir.Node, axes int) bool {
	v := c.Of(n)
	if u != nil && c.UnitOf[v.Base.ID] == u {
		return axes >= 0
	}
	return c.viewByRows(d, v, axes)
}

func (c *divisions) viewByRows(d *Division, v ir.View, axes int) bool {
	if axes < 0 || !c.steadyIndices(d, v) {
		return false
	}
	e, inside := d.values[v.Base]
	switch {
	case !inside, e.kind == Own, e.kind == Joint:
		return true
	case e.kind == gathered:
		return false
	case e.width == 0:
		return true // there are no elements
	}
	stride := e.width
	for a := axes - 1; a >= 0; a-- {
		if v.Dims[a] != 1 && v.Strides[a] != stride {
			return false
		}
		stride *= v.Dims[a]
	}
	// From where a row starts nothing is reached that lies beyond it, unless in the same row of another step.
	period := e.width * d.Rows
	reach := v.Off % period
	add := func(count, stride int) bool {
		if stride%period != 0 {
			reach += count * stride
		}
		return stride >= 0
	}
	for a := axes; a < len(v.Dims); a++ {
		if v.Dims[a] != 1 && !add(v.Dims[a]-1, v.Strides[a]) {
			return false
		}
	}
	for _, i := range v.Dynamic {
		if !add(i.Limit, i.Stride) {
			return false
		}
	}
	return reach < e.width
}
