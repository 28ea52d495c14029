package plan

import (
	"encoding/binary"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A course is what is known of a loop before it runs.
type course struct {
	*Groups
	loop    *ir.Node
	counter int              // the part of its state that counts its iterations, or −1
	values  [][]byte         // those that the counter takes
	reads   map[*ir.Node]int // how often the loop reads each value
}

// courseOf follows the counter of a loop, if it has one.
func (c *Groups) courseOf(loop *ir.Node) *course {
	r := &course{Groups: c, loop: loop, reads: make(map[*ir.Node]int)}
	r.counter, r.values = c.counter(loop)
	for _, b := range slices.Concat(c.readsIn(loop.Cond()), c.readsIn(loop.Body())) {
		r.reads[b]++
	}
	return r
}

// unwritten returns the rows of part k of the loop's state that no iteration writes: only they need their initial
// value. They are known if the loop writes rows of a tensor at positions that follow from its counter.
func (c *course) unwritten(k int) [][2]int {
	body := c.loop.Body()
	shape := c.loop.In[k].Shape
	if shape.Rank() == 0 {
		return nil
	}
	all := [][2]int{{0, shape.Dimensions[0]}}
	// The chain of updates from the result back to the parameter.
	var updates []*ir.Node
	o := c.Of(body.Outputs[k])
	for o.Whole() && o.Base.Op == compute.OpTypeDynamicUpdateSlice && o.Base.Fn == body && c.reads[o.Base] == 1 {
		updates = append(updates, o.Base)
		o = c.Of(o.Base.In[0])
	}
	if c.counter < 0 || len(updates) == 0 || o.Base != body.Params[k] || !o.Whole() || c.reads[o.Base] != 1 ||
		c.reads[c.loop.Cond().Params[k]] != 0 {
		return all
	}
	written := make([]bool, shape.Dimensions[0])
	for _, u := range updates {
		window := u.In[1].Shape.Dimensions
		if !slices.Equal(window[1:], shape.Dimensions[1:]) {
			return all
		}
		for _, i := range c.values {
			index := c.scalar(u.In[2], body.Params[c.counter], i)
			if index == nil {
				return all
			}
			at := max(0, min(int(int32(binary.NativeEndian.Uint32(index))), len(written)-window[0]))
			for r := range window[0] {
				written[at+r] = true
			}
		}
	}
	var rows [][2]int
	for i, w := range written {
		switch {
		case w:
		case len(rows) > 0 && rows[len(rows)-1][1] == i:
			rows[len(rows)-1][1]++
		default:
			rows = append(rows, [2]int{i, i + 1})
		}
	}
	return rows
}

// maxIterations bounds how far counter follows a loop.
const maxIterations = 1 << 20

// counter finds the part of a loop's state that counts its iterations and alone decides when it ends, and returns the
// values that it takes, or −1.
func (c *Groups) counter(loop *ir.Node) (index int, values [][]byte) {
	for k, p := range loop.Cond().Params {
		values = nil
		for x := c.scalar(loop.In[k], nil, nil); x != nil && len(values) < maxIterations; {
			goesOn := c.scalar(loop.Cond().Outputs[0], p, x)
			if goesOn == nil {
				break
			}
			if goesOn[0] == 0 {
				return k, values
			}
			values = append(values, x)
			x = c.scalar(loop.Body().Outputs[k], loop.Body().Params[k], x)
		}
	}
	return -1, nil
}

// scalar computes an int32 or a boolean that depends on constants and on the parameter p, which is x, only. It returns
// nil for other values.
func (c *Groups) scalar(n, p *ir.Node, x []byte) []byte {
	switch d := n.Shape.DType; {
	case n == p:
		return x
	case n.Shape.Size() != 1 || d != dtypes.Int32 && d != dtypes.Bool:
		return nil
	case n.Op == compute.OpTypeReshape:
		return c.scalar(n.In[0], p, x)
	case !element.Is(n.Op):
		return ir.Splat(n)
	}
	var operands [][]byte
	for _, in := range n.In {
		v := c.scalar(in, p, x)
		if v == nil {
			return nil
		}
		operands = append(operands, v)
	}
	return element.Compute(n.Op, n.In[0].Shape.DType, n.Shape.DType, operands...)
}
