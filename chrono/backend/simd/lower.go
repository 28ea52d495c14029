package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// unitSteps makes the steps of one unit, as the table of operations says.
func (c *compiler) unitSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	of := n.shape
	if len(n.in) > 0 {
		of = n.in[0].shape
	}
	switch o := operations[n.op]; {
	case u.elementwise:
		return []step{c.groupStep(u)}
	case isView(n):
		v := c.source(n)
		return []step{c.copyOf(n, v, c.sourceOf(v, n.shape.DType.Size()), c.address(n), rowMajor(n.shape.Dimensions))}
	case o.steps != nil:
		return o.steps(c, p, u)
	case o.typed[of.DType] != nil:
		return []step{o.typed[of.DType](c, n)}
	}
	panic(graphError{errors.Wrapf(compute.ErrNotImplemented, "backend %s: %s on %s", Name, nameOf(n.op), of)})
}

// window copies operand i of n to a place in the result.
func (c *compiler) window(n *node, i int, to source, strides []int) step {
	v := c.inMemory(c.viewOf(n.in[i]))
	return c.copyOf(n, v, c.sourceOf(v, n.shape.DType.Size()), to, strides)
}

// firstOperand copies the first operand to the result, unless it is there already.
func (c *compiler) firstOperand(p *plan, u *unit) []step {
	if p.inPlace[u] {
		return nil
	}
	n := u.nodes[0]
	return []step{c.window(n, 0, c.address(n), rowMajor(n.shape.Dimensions))}
}

func (c *compiler) concatenateSteps(p *plan, u *unit) []step {
	var steps []step
	n := u.nodes[0]
	axis := n.data.(int)
	to, strides := c.address(n), c.stridesOf(n)
	for i, piece := range n.in {
		if !slices.Contains(p.copied[n], i) {
			steps = append(steps, c.window(n, i, to, strides))
		}
		to.off += piece.shape.Dimensions[axis] * strides[axis] * n.shape.DType.Size()
	}
	return steps
}

func (c *compiler) updateSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	dims := n.shape.Dimensions
	strides := rowMajor(dims)
	v := view{base: n, dynamic: c.dynamicOffsets(n.in[2:], dims, n.in[1].shape.Dimensions, strides)}
	steps := c.firstOperand(p, u)
	if len(p.copied[n]) > 0 {
		return steps
	}
	return append(steps, c.window(n, 1, c.sourceOf(v, n.shape.DType.Size()), strides))
}

func (c *compiler) bitcastSteps(_ *plan, u *unit) []step {
	n := u.nodes[0]
	bytes := shapes.Make(dtypes.Uint8, byteSize(n.shape))
	flat := view{dims: bytes.Dimensions, strides: []int{1}}
	return []step{c.copyOf(&node{shape: bytes}, flat, c.sourceOf(c.viewOf(n.in[0]), n.in[0].shape.DType.Size()),
		c.address(n), []int{1})}
}

func (c *compiler) dotSteps(p *plan, u *unit) []step  { return []step{c.dotStep(p, u)} }
func (c *compiler) packSteps(_ *plan, u *unit) []step { return []step{c.packStep(u.nodes[0])} }

func (c *compiler) whileSteps(p *plan, u *unit) []step {
	var steps []step
	n := u.nodes[0]
	for _, t := range p.initial[n] {
		steps = append(steps, c.transferStep(t))
	}
	return append(steps, c.whileStep(p, n))
}

func (c *compiler) ifSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	return []step{&ifStep{c.sourceOf(c.viewOf(n.in[0]), 1), c.steps(p.inner[n][0]), c.steps(p.inner[n][1])}}
}
