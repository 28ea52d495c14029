package simd

import (
	"slices"

	"github.com/gomlx/compute"
)

// A division says how threads share a loop: of the sequences that a recurrent network reads, each thread takes some
// through all steps, without waiting for the others. Sequence i is row i of what the loop computes: a state [R, B, H]
// has R·B rows of H elements. Where rows meet, as in the gradient of a weight, the threads work together.
//
// Nothing of this changes how an element is computed, so that results do not depend on the number of threads.
type division struct {
	rows   int
	values map[*node]extent
	spread map[*unit]spread
	work   int // of what is done by rows in an iteration
}

// spread says who computes a unit of a loop.
type spread int

const (
	together spread = iota // all threads at once, who wait for each other before and after
	byRows                 // each thread the rows that are its own
	byEach                 // each thread all of it, in memory of its own: counters and conditions
)

// extent says which part of a value belongs to which thread.
type extent struct {
	kind extentKind
	// width is how many elements of a row follow one another: element i belongs to row i/width mod rows. So it is in a
	// sequence [T, R, B, H], too.
	width int
}

type extentKind int

const (
	joint    extentKind = iota // to none: what threads compute together
	rowwise                    // its rows to the threads that compute them
	gathered                   // its rows likewise, but not in the order of rows; only read together
	own                        // each thread has one of its own
)

// of returns the extent of a value. Without a division there is one thread, and no difference.
func (d *division) of(n *node) extent {
	if d == nil {
		return extent{}
	}
	return d.values[n]
}

// divisions says of loops how threads share them.
type divisions struct {
	*grouped
	threads int
	least   int // the least work in an iteration that is worth sharing
	loops   map[*node]*division
}

// findDivisions finds the loops that threads can share, none inside another.
func findDivisions(c *grouped, main *irFunction, threads, least int) map[*node]*division {
	d := &divisions{grouped: c, threads: threads, least: least, loops: make(map[*node]*division)}
	if threads > 1 {
		d.find(main)
	}
	return d.loops
}

func (c *divisions) find(fn *irFunction) {
	for _, u := range c.order[fn] {
		n := u.nodes[0]
		if n.op == compute.OpTypeWhile {
			if d := c.divide(n); d != nil {
				c.loops[n] = d
				continue
			}
		}
		for _, inner := range innerFunctions(n) {
			c.find(inner)
		}
	}
}

// divide finds how threads can share a loop, or returns nil if that is not worth it.
func (c *divisions) divide(loop *node) *division {
	// Rows are those of products, if there are any; else the first axes of what else is computed.
	var products, others []int
	for _, u := range c.order[loop.data.(*whileData).body] {
		n := u.nodes[0]
		switch dims := n.shape.Dimensions; {
		case n.op == opDot, n.op == opDotAdd:
			products = append(products, dims[0]*dims[1])
		case u.elementwise && len(dims) > 0:
			others = append(others, dims[0])
		}
	}
	if len(products) == 0 {
		products = others
	}
	slices.Sort(products)
	var best *division
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
func (c *divisions) divisionInto(rows int, loop *node) *division {
	w := loop.data.(*whileData)
	d := &division{rows: rows, values: make(map[*node]extent)}
	for k, p := range w.body.params {
		d.values[p] = c.stateExtent(d, p, w.body.outputs[k])
	}
	for {
		d.spread, d.work = make(map[*unit]spread), 0
		for _, u := range c.order[w.body] {
			c.divideUnit(d, u)
		}
		kept := true
		for k, o := range w.body.outputs {
			if p := w.body.params[k]; !c.keeps(d, d.values[p], o) {
				d.values[p] = extent{}
				kept = false
			}
		}
		if kept {
			break
		}
	}
	for k, p := range w.cond.params {
		d.values[p] = d.values[w.body.params[k]]
	}
	for _, u := range c.order[w.cond] {
		if c.divideUnit(d, u); d.spread[u] != byEach {
			return nil
		}
	}
	if !c.steady(d, w.cond.outputs[0]) {
		return nil
	}
	return d
}

// stateExtent is the extent of a part of a loop's state as far as its shape and the end of the body tell.
func (c *divisions) stateExtent(d *division, p, output *node) extent {
	dims := p.shape.Dimensions
	if p.shape.Size() == 1 {
		return extent{kind: own}
	}
	b := c.of(output).base
	for b.op == compute.OpTypeDynamicUpdateSlice && b.fn == p.fn {
		b = c.of(b.in[0]).base
		if b == p && len(dims) > 1 && d.leading(dims[1:]) >= 0 {
			return extent{rowwise, product(dims[1:]) / d.rows}
		}
	}
	if d.leading(dims) >= 0 {
		return extent{rowwise, p.shape.Size() / d.rows}
	}
	return extent{}
}

// keeps reports whether a part of the state has its extent after the body, too.
func (c *divisions) keeps(d *division, e extent, output *node) bool {
	v := c.of(output)
	switch e.kind {
	case own:
		return c.steady(d, output)
	case rowwise:
		if output.shape.Size() != e.width*d.rows { // a sequence
			return v.whole() && d.values[v.base] == e
		}
		return c.readByRows(d, nil, output, d.leading(output.shape.Dimensions))
	}
	return true
}

// leading returns how many of the first axes make up the rows, or −1.
func (d *division) leading(dims []int) int { return leadingAxes(dims, d.rows) }

// divideUnit says who computes a unit, and what becomes of its values.
func (c *divisions) divideUnit(d *division, u *unit) {
	d.spread[u] = together
	for _, n := range u.nodes {
		d.values[n] = extent{}
		for _, o := range n.outs {
			d.values[o] = extent{}
		}
	}
	n := u.nodes[0]
	if u.elementwise && n.shape.Size() == 1 && c.steadyUnit(d, u) {
		d.spread[u] = byEach
		for _, n := range u.nodes {
			d.values[n] = extent{kind: own}
		}
		return
	}
	e, work, ok := extent{rowwise, n.shape.Size() / d.rows}, n.shape.Size()/20, true
	switch byRows := divisible[n.op]; {
	case u.elementwise:
		for _, n := range u.nodes {
			for _, in := range n.in {
				if !c.readByRows(d, u, in, d.leading(n.shape.Dimensions)) {
					return
				}
			}
			work += cost(n.op) * n.shape.Size() / 100
		}
	case isView(n):
		v, _ := c.through(n)
		ok = c.viewByRows(d, v, d.leading(n.shape.Dimensions))
	case byRows != nil:
		e, work, ok = byRows(c, d, n)
	default:
		return
	}
	if !ok {
		return
	}
	d.spread[u] = byRows
	d.work += work
	for _, n := range u.nodes {
		d.values[n] = e
	}
}

// divisible says of operations, elementwise ones and views apart, whether threads that divide a loop can each compute
// their rows, how much work that is, and which part of the result is whose. All others they compute together.
var divisible = map[compute.OpType]func(c *divisions, d *division, n *node) (e extent, work int, ok bool){
	opDot: (*divisions).dotByRows, opDotAdd: (*divisions).dotByRows,
	compute.OpTypeConcatenate:        (*divisions).concatenationByRows,
	compute.OpTypeDynamicUpdateSlice: (*divisions).updateByRows,
}

// dotByRows is for products: their rows follow from the same rows of their operands. Each row is one of the first
// operand, with a second one that does not change, or each is a product of its own.
func (c *divisions) dotByRows(d *division, n *node) (e extent, work int, ok bool) {
	e, work = extent{rowwise, n.shape.Size() / d.rows}, n.shape.Size()*n.in[0].shape.Dimensions[2]/50
	dims := n.shape.Dimensions
	axes := []int{2, -1, 2}
	switch d.rows {
	case dims[0] * dims[1]:
		if d.values[c.of(n.in[1]).base].kind != joint {
			return e, work, false
		}
	case dims[0]:
		axes = []int{1, 1, 1}
	default:
		return e, work, false
	}
	for i, in := range n.in {
		if axes[i] >= 0 && !c.readByRows(d, nil, in, axes[i]) {
			return e, work, false
		}
	}
	return e, work, true
}

// concatenationByRows is for concatenations, behind the axes that make up the rows, or along them.
func (c *divisions) concatenationByRows(d *division, n *node) (e extent, work int, ok bool) {
	e, work = extent{rowwise, n.shape.Size() / d.rows}, n.shape.Size()/20
	if d.leading(n.shape.Dimensions[:n.data.(int)]) < 0 {
		e = extent{kind: gathered}
	}
	for _, in := range n.in {
		if !c.readByRows(d, nil, in, d.leading(in.shape.Dimensions)) {
			return e, work, false
		}
	}
	return e, work, true
}

// updateByRows is for the steps of a sequence that are written one at a time.
func (c *divisions) updateByRows(d *division, n *node) (e extent, work int, ok bool) {
	v, step := c.of(n.in[0]), n.in[1].shape
	e = d.values[v.base]
	ok = v.whole() && e.kind == rowwise && e.width*d.rows == step.Size() &&
		slices.Equal(step.Dimensions[1:], n.shape.Dimensions[1:]) &&
		c.readByRows(d, nil, n.in[1], d.leading(step.Dimensions)) &&
		!slices.ContainsFunc(n.in[2:], func(index *node) bool { return !c.steady(d, index) })
	return e, n.shape.Size() / 20, ok
}

// steady reports whether a value is the same for all threads in the same iteration: one from outside of the loop, or
// each thread's own.
func (c *divisions) steady(d *division, n *node) bool {
	for _, b := range c.readsOfView(c.of(n), nil) {
		if e, inside := d.values[b]; inside && e.kind != own {
			return false
		}
	}
	return true
}

func (c *divisions) steadyUnit(d *division, u *unit) bool {
	for _, n := range u.nodes {
		for _, in := range n.in {
			if c.unitOf[c.of(in).base] != u && !c.steady(d, in) {
				return false
			}
		}
	}
	return true
}

// readByRows reports whether a thread that computes some rows, which are the first axes of n, reads of n those rows
// only, or what no thread writes meanwhile. Unit u, if given, is the reader, and may have computed n itself.
func (c *divisions) readByRows(d *division, u *unit, n *node, axes int) bool {
	v := c.of(n)
	if u != nil && c.unitOf[v.base] == u {
		return axes >= 0
	}
	return c.viewByRows(d, v, axes)
}

func (c *divisions) viewByRows(d *division, v view, axes int) bool {
	if axes < 0 {
		return false
	}
	for _, i := range v.dynamic {
		if !c.steady(d, i.index) {
			return false
		}
	}
	e, inside := d.values[v.base]
	switch {
	case !inside, e.kind == own, e.kind == joint:
		return true
	case e.kind == gathered:
		return false
	case e.width == 0:
		return true // there are no elements
	}
	stride := e.width
	for a := axes - 1; a >= 0; a-- {
		if v.dims[a] != 1 && v.strides[a] != stride {
			return false
		}
		stride *= v.dims[a]
	}
	// From where a row starts nothing is reached that lies beyond it, unless in the same row of another step.
	period := e.width * d.rows
	reach := v.off % period
	add := func(count, stride int) bool {
		if stride%period != 0 {
			reach += count * stride
		}
		return stride >= 0
	}
	for a := axes; a < len(v.dims); a++ {
		if v.dims[a] != 1 && !add(v.dims[a]-1, v.strides[a]) {
			return false
		}
	}
	for _, i := range v.dynamic {
		if !add(i.limit, i.stride) {
			return false
		}
	}
	return reach < e.width
}
