package exec

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// A lowerer turns the units of a layout into steps.
type lowerer struct {
	*plan.Layout
	threads  int
	scratch  int            // bytes that each thread needs for tiles and packed operands
	moves    int            // that products watch
	inputs   int            // most inputs and results of any group
	rows     int            // of the loop whose unit becomes steps, if threads divide it by rows
	division *plan.Division // of that loop
}

// stepsOf are the steps of operations that are neither elementwise nor views; typedSteps of those that have one for
// each type, of the first operand or, if there is none, of the result.
var (
	stepsOf    map[compute.OpType]func(c *lowerer, p *plan.Plan, n *ir.Node) []step
	typedSteps = make(map[compute.OpType]map[dtypes.DType]func(c *lowerer, n *ir.Node) step)
)

func init() { // not an initializer: loops have steps inside
	stepsOf = map[compute.OpType]func(c *lowerer, p *plan.Plan, n *ir.Node) []step{
		compute.OpTypeConcatenate:        (*lowerer).concatenateSteps,
		compute.OpTypeDynamicUpdateSlice: (*lowerer).updateSteps,
		compute.OpTypePad:                (*lowerer).padSteps,
		compute.OpTypeBitcast:            (*lowerer).bitcastSteps,
		compute.OpTypeGather:             (*lowerer).gatherSteps,
		compute.OpTypeScatterSum:         (*lowerer).scatterSteps,
		compute.OpTypeScatterMax:         (*lowerer).scatterSteps,
		compute.OpTypeScatterMin:         (*lowerer).scatterSteps,
		compute.OpTypeRNGBitGenerator:    (*lowerer).randomSteps,
		compute.OpTypeWhile:              (*lowerer).whileSteps,
		compute.OpTypeIf:                 (*lowerer).ifSteps,
		compute.OpTypeSort:               (*lowerer).sortSteps,
		ir.OpDot:                         (*lowerer).dotSteps,
		ir.OpDotAdd:                      (*lowerer).dotSteps,
		ir.OpPack:                        (*lowerer).packSteps,
	}
	integerSteps[int8]()
	integerSteps[int16]()
	integerSteps[int32]()
	integerSteps[int64]()
	integerSteps[uint8]()
	integerSteps[uint16]()
	integerSteps[uint32]()
	integerSteps[uint64]()
	numberSteps(dtypes.Float64, kernel.SumOf[float64], nil, nil)
	numberSteps(dtypes.Float32, kernel.Sum, kernel.ReduceMax, kernel.ReduceMin)
	booleanReductions()
}

// numberSteps defines the steps that all types of number have. The functions reduce what lies in one piece; they may be
// nil.
func numberSteps[T element.Number](d dtypes.DType, sum, greatest, least func(a []T) T) {
	counts[T](d)
	plainDots[d] = func(s *dotStep) step { return plainDot[T]{s} }
	reduce(compute.OpTypeReduceSum, compute.OpTypeAdd, d, 0, sum)
	reduce[T](compute.OpTypeReduceProduct, compute.OpTypeMul, d, 1, nil)
	reduce(compute.OpTypeReduceMax, compute.OpTypeMax, d, d.LowestValue().(T), greatest)
	reduce(compute.OpTypeReduceMin, compute.OpTypeMin, d, d.HighestValue().(T), least)
	extremes[T](d)
}

func integerSteps[T element.Integer]() {
	numberSteps(element.TypeOf[T](), kernel.SumOf[T], nil, nil)
	integerReductions[T](element.TypeOf[T]())
}

// onType notes the step of an operation for one type.
func onType(op compute.OpType, d dtypes.DType, f func(c *lowerer, n *ir.Node) step) {
	if typedSteps[op] == nil {
		typedSteps[op] = make(map[dtypes.DType]func(c *lowerer, n *ir.Node) step)
	}
	typedSteps[op][d] = f
}

// Computes reports whether there are steps for an operation that is neither elementwise nor a view.
func Computes(op compute.OpType) bool { return stepsOf[op] != nil || typedSteps[op] != nil }

// unitSteps makes the steps of one unit.
func (c *lowerer) unitSteps(p *plan.Plan, u *plan.Unit) []step {
	n := u.Nodes[0]
	of := n.Shape
	if len(n.In) > 0 {
		of = n.In[0].Shape
	}
	switch {
	case u.Elementwise:
		return []step{c.groupStep(u)}
	case ir.IsView(n):
		v, _ := c.Through(n)
		return []step{c.copyOf(n, v, c.sourceOf(v, n.Shape.DType.Size()), c.address(n),
			ir.RowMajor(n.Shape.Dimensions))}
	case stepsOf[n.Op] != nil:
		return stepsOf[n.Op](c, p, n)
	case typedSteps[n.Op][of.DType] != nil:
		return []step{typedSteps[n.Op][of.DType](c, n)}
	}
	ir.NotImplemented("%s on %s", ir.Name(n.Op), of)
	return nil
}

// window copies operand i of n to a place in the result.
func (c *lowerer) window(n *ir.Node, i int, to source, strides []int) step {
	v := c.InMemory(c.Of(n.In[i]))
	return c.copyOf(n, v, c.sourceOf(v, n.Shape.DType.Size()), to, strides)
}

// firstOperand copies the first operand to the result, unless it is there already.
func (c *lowerer) firstOperand(p *plan.Plan, n *ir.Node) []step {
	if p.InPlace[n] {
		return nil
	}
	return []step{c.window(n, 0, c.address(n), ir.RowMajor(n.Shape.Dimensions))}
}

func (c *lowerer) concatenateSteps(p *plan.Plan, n *ir.Node) []step {
	var steps []step
	axis := n.Data.(int)
	to, strides := c.address(n), c.StridesOf(n)
	for i, piece := range n.In {
		if !p.Copied[n][i] {
			steps = append(steps, c.window(n, i, to, strides))
		}
		to.Off += piece.Shape.Dimensions[axis] * strides[axis] * n.Shape.DType.Size()
	}
	return steps
}

func (c *lowerer) updateSteps(p *plan.Plan, n *ir.Node) []step {
	dims := n.Shape.Dimensions
	strides := ir.RowMajor(dims)
	v := ir.View{Base: n, Dynamic: ir.DynamicOffsets(n.In[2:], dims, n.In[1].Shape.Dimensions, strides)}
	steps := c.firstOperand(p, n)
	if len(p.Copied[n]) > 0 {
		return steps
	}
	return append(steps, c.window(n, 1, c.sourceOf(v, n.Shape.DType.Size()), strides))
}

func (c *lowerer) bitcastSteps(_ *plan.Plan, n *ir.Node) []step {
	bytes := shapes.Make(dtypes.Uint8, ir.ByteSize(n.Shape))
	flat := ir.View{Dims: bytes.Dimensions, Strides: []int{1}}
	return []step{c.copyOf(&ir.Node{Shape: bytes}, flat, c.sourceOf(c.Of(n.In[0]), n.In[0].Shape.DType.Size()),
		c.address(n), []int{1})}
}

func (c *lowerer) whileSteps(p *plan.Plan, n *ir.Node) []step {
	var steps []step
	for _, t := range p.Initial[n] {
		steps = append(steps, c.transferStep(t))
	}
	return append(steps, c.loop(p, n))
}

func (c *lowerer) ifSteps(p *plan.Plan, n *ir.Node) []step {
	predicate, onTrue, onFalse := c.sourceOf(c.Of(n.In[0]), 1), c.steps(p.Inner[n][0]), c.steps(p.Inner[n][1])
	return []step{stepFunc(func(m *machine) {
		if *(*bool)(m.from(&predicate)) {
			onTrue.run(m)
		} else {
			onFalse.run(m)
		}
	})}
}

// Lower makes the program of a layout, for the given workers.
func Lower(l *plan.Layout, w *Workers) *Program {
	c := &lowerer{Layout: l, threads: w.n}
	p := &Program{workers: w, inputs: len(l.Main.Fn.Params), outputs: len(l.Main.Fn.Outputs), Arena: l.Arena,
		private: l.Private, steps: c.steps(l.Main), constants: plan.AlignedBytes(len(l.Constants))}
	copy(p.constants, l.Constants)
	p.scratch, p.groupInputs, p.moves = c.scratch, c.inputs, c.moves
	return p
}
