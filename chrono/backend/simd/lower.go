package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// A lowerer turns the units of a layout into steps.
type lowerer struct {
	*layout
	threads int
	scratch int // bytes that each thread needs for tiles and packed operands
	inputs  int // most inputs and results of any group
	rows    int // of the loop whose unit becomes steps, if threads divide it by rows
}

// stepsOf are the steps of operations that are neither elementwise nor views; typedSteps of those that have one for each
// type, of the first operand or, if there is none, of the result.
var (
	stepsOf    map[compute.OpType]func(c *lowerer, p *plan, u *unit) []step
	typedSteps = make(map[compute.OpType]map[dtypes.DType]func(c *lowerer, n *node) step)
)

func init() { // not an initializer: loops have steps inside
	stepsOf = map[compute.OpType]func(c *lowerer, p *plan, u *unit) []step{
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
		opDot:                            (*lowerer).dotSteps,
		opDotAdd:                         (*lowerer).dotSteps,
		opPack:                           (*lowerer).packSteps,
	}
	integerSteps[int8]()
	integerSteps[int16]()
	integerSteps[int32]()
	integerSteps[int64]()
	integerSteps[uint8]()
	integerSteps[uint16]()
	integerSteps[uint32]()
	integerSteps[uint64]()
	numberSteps[float64](dtypes.Float64)
	numberSteps[float32](dtypes.Float32)
	kernelReductions() // in place of those just defined for float32
	booleanReductions()
}

// numberSteps defines the steps that all types of number have.
func numberSteps[T number](d dtypes.DType) {
	numberReductions[T](d)
	counts[T](d)
	plainProducts[T](d)
}

func integerSteps[T integer]() {
	numberSteps[T](typeOf[T]())
	integerReductions[T](typeOf[T]())
}

// onType notes the step of an operation for one type.
func onType(op compute.OpType, d dtypes.DType, f func(c *lowerer, n *node) step) {
	if typedSteps[op] == nil {
		typedSteps[op] = make(map[dtypes.DType]func(c *lowerer, n *node) step)
	}
	typedSteps[op][d] = f
}

// unitSteps makes the steps of one unit.
func (c *lowerer) unitSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	of := n.shape
	if len(n.in) > 0 {
		of = n.in[0].shape
	}
	switch {
	case u.elementwise:
		return []step{c.groupStep(u)}
	case isView(n):
		v, _ := c.through(n)
		return []step{c.copyOf(n, v, c.sourceOf(v, n.shape.DType.Size()), c.address(n), rowMajor(n.shape.Dimensions))}
	case stepsOf[n.op] != nil:
		return stepsOf[n.op](c, p, u)
	case typedSteps[n.op][of.DType] != nil:
		return []step{typedSteps[n.op][of.DType](c, n)}
	}
	notImplemented("%s on %s", nameOf(n.op), of)
	return nil
}

// window copies operand i of n to a place in the result.
func (c *lowerer) window(n *node, i int, to source, strides []int) step {
	v := c.inMemory(c.of(n.in[i]))
	return c.copyOf(n, v, c.sourceOf(v, n.shape.DType.Size()), to, strides)
}

// firstOperand copies the first operand to the result, unless it is there already.
func (c *lowerer) firstOperand(p *plan, u *unit) []step {
	if p.inPlace[u] {
		return nil
	}
	n := u.nodes[0]
	return []step{c.window(n, 0, c.address(n), rowMajor(n.shape.Dimensions))}
}

func (c *lowerer) concatenateSteps(p *plan, u *unit) []step {
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

func (c *lowerer) updateSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	dims := n.shape.Dimensions
	strides := rowMajor(dims)
	v := view{base: n, dynamic: dynamicOffsets(n.in[2:], dims, n.in[1].shape.Dimensions, strides)}
	steps := c.firstOperand(p, u)
	if len(p.copied[n]) > 0 {
		return steps
	}
	return append(steps, c.window(n, 1, c.sourceOf(v, n.shape.DType.Size()), strides))
}

func (c *lowerer) bitcastSteps(_ *plan, u *unit) []step {
	n := u.nodes[0]
	bytes := shapes.Make(dtypes.Uint8, byteSize(n.shape))
	flat := view{dims: bytes.Dimensions, strides: []int{1}}
	return []step{c.copyOf(&node{shape: bytes}, flat, c.sourceOf(c.of(n.in[0]), n.in[0].shape.DType.Size()),
		c.address(n), []int{1})}
}

func (c *lowerer) dotSteps(p *plan, u *unit) []step  { return []step{c.dotStep(p, u)} }
func (c *lowerer) packSteps(_ *plan, u *unit) []step { return []step{c.packStep(u.nodes[0])} }

func (c *lowerer) whileSteps(p *plan, u *unit) []step {
	var steps []step
	n := u.nodes[0]
	for _, t := range p.initial[n] {
		steps = append(steps, c.transferStep(t))
	}
	return append(steps, c.whileStep(p, n))
}

func (c *lowerer) ifSteps(p *plan, u *unit) []step {
	n := u.nodes[0]
	return []step{&ifStep{c.sourceOf(c.of(n.in[0]), 1), c.steps(p.inner[n][0]), c.steps(p.inner[n][1])}}
}

// lower makes the program of a layout, for the given workers.
func lower(l *layout, w *workers) *program {
	c := &lowerer{layout: l, threads: w.n}
	p := &program{workers: w, inputs: len(l.main.fn.params), outputs: len(l.main.fn.outputs), arena: l.arena,
		private: l.private, steps: c.steps(l.main), constants: alignedBytes(len(l.constants))}
	copy(p.constants, l.constants)
	p.scratch, p.groupInputs = c.scratch, c.inputs
	return p
}
