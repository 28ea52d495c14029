package simd

import (
	"reflect"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// The operations that GoMLX does not have.
const (
	opOutput      = compute.OpTypeLast + 1 + iota // one value of an operation that has several: see node.outs
	opReinterpret                                 // a Bitcast between types of one size
	opWindows                                     // a tensor cut into windows: see windowData

	// The operands of products are [batch, M, K] and [batch, K, N].
	opDot
	opDotAdd // with a third operand [batch, M, N] that is added to the product
	opPack   // the second operand of products in the order in which the kernel reads it: [batch, floats]

	// Elementwise operations in float32 for which there are kernels.
	opTanhGrad     // (g, y): g·(1 − y²), the gradient through y = tanh x
	opLogisticGrad // (g, y): g·y·(1 − y), the gradient through y = logistic x
	opMulAdd       // (a, b, c): a·b + c
	opMulSub       // (a, b, c): a·b − c
	opSubMul       // (c, a, b): c − a·b
	opMulMulAdd    // (a, b, c, d): a·b + c·d
)

// An operation is what the passes must know of one. There are three kinds: elementwise ones have tiles, or else tile;
// views have view; all others have steps, or else typed. Those with none of these are gone before a program is made.
type operation struct {
	name string // of those that GoMLX does not have

	// Elementwise: element i of the result depends on the elements i of the operands only, which have the dimensions of
	// the result, since record.go makes broadcasts explicit.
	arity int
	cost  int                                   // of an element, in about a hundredth of a nanosecond
	tiles map[dtypes.DType]tileFunc             // by the type of the operands
	tile  func(in, out dtypes.DType) tileFunc   // where the type of the result matters, too
	fixed func(operand int, s float32) tileFunc // in float32 with a constant operand; the other one is in src[0]

	// Views, which need no memory. v is where the first operand is, and may be changed. It reports false if the result
	// cannot be a view of that operand as it is, but can be one of a copy.
	view func(c *compiler, n *node, v view) (view, bool)

	// All others.
	steps      func(c *compiler, p *plan, u *unit) []step
	typed      map[dtypes.DType]func(c *compiler, n *node) step // by the type of the first operand, or of the result
	ordered    func(n *node) []*node                            // operands that it reads in row-major order
	overwrites bool                                             // its result may be where its first operand is
	anyRows    bool                                             // it reads operands of any strides

	// byRows says whether threads that divide a loop can each compute their rows, how much work that is, and which part
	// of the result is whose. Without it they compute the operation together.
	byRows func(c *compiler, d *division, n *node) (e extent, work int, ok bool)
	// plan gives the results memory, in a way of the operation's own. Without it they are where they are wanted, or in
	// new memory.
	plan func(c *compiler, p *plan, u *unit, i int)
}

// operations is the table of all operations. An elementwise one is a line in elementwise.go, or several if it is
// computed in its own way for some types; another one is a line below and what that names. That GoMLX's functions
// record it is a line of methods.go, or a function of record.go.
var operations map[compute.OpType]*operation

func init() { // not an initializer: the functions named below use the table
	from := func(first int) func(n *node) []*node { return func(n *node) []*node { return n.in[first:] } }
	scatter := operation{steps: (*compiler).scatterSteps, ordered: from(1), overwrites: true,
		plan: (*compiler).planOverwrite}
	operations = make(map[compute.OpType]*operation)
	for op, o := range map[compute.OpType]operation{
		compute.OpTypeParameter: {}, compute.OpTypeConstant: {}, compute.OpTypeIdentity: {}, compute.OpTypeCall: {},
		compute.OpTypeDotGeneral: {}, opOutput: {name: "Output"},

		// What compose.go, windows.go and record.go make of others.
		compute.OpTypeDot: {}, compute.OpTypeClamp: {},
		compute.OpTypeEqualTotalOrder: {}, compute.OpTypeNotEqualTotalOrder: {},
		compute.OpTypeLessThanTotalOrder: {}, compute.OpTypeLessOrEqualTotalOrder: {},
		compute.OpTypeGreaterThanTotalOrder: {}, compute.OpTypeGreaterOrEqualTotalOrder: {},
		compute.OpTypeCumSum: {}, compute.OpTypeReduceWindow: {}, compute.OpTypeConvGeneral: {},
		compute.OpTypeSelectAndScatterMax: {}, compute.OpTypeSelectAndScatterMin: {},
		compute.OpTypeBatchNormForInference: {}, compute.OpTypeBatchNormForTraining: {},
		compute.OpTypeBatchNormGradient: {}, compute.OpTypeSchedulingBarrier: {},

		compute.OpTypeOptimizationBarrier: {view: sameView},
		compute.OpTypeReshape:             {view: reshapeView},
		compute.OpTypeBroadcastInDim:      {view: broadcastView},
		compute.OpTypeTranspose:           {view: transposeView},
		compute.OpTypeSlice:               {view: sliceView},
		compute.OpTypeReverse:             {view: reverseView},
		compute.OpTypeDynamicSlice:        {view: dynamicSliceView},
		opReinterpret:                     {name: "Reinterpret", view: sameView},
		opWindows:                         {name: "Windows", view: windowsView},

		compute.OpTypeConcatenate: {steps: (*compiler).concatenateSteps, anyRows: true,
			byRows: (*compiler).concatenationByRows, plan: (*compiler).planConcatenation},
		compute.OpTypeDynamicUpdateSlice: {steps: (*compiler).updateSteps, ordered: from(2), overwrites: true,
			byRows: (*compiler).updateByRows, plan: (*compiler).planOverwrite},
		compute.OpTypePad:             {steps: (*compiler).padSteps},
		compute.OpTypeBitcast:         {steps: (*compiler).bitcastSteps, ordered: from(0)},
		compute.OpTypeGather:          {steps: (*compiler).gatherSteps, ordered: from(1)},
		compute.OpTypeScatterSum:      scatter,
		compute.OpTypeScatterMax:      scatter,
		compute.OpTypeScatterMin:      scatter,
		compute.OpTypeRNGBitGenerator: {steps: (*compiler).randomSteps, ordered: from(0)},
		compute.OpTypeWhile:           {steps: (*compiler).whileSteps, plan: (*compiler).planWhile},
		compute.OpTypeIf:              {steps: (*compiler).ifSteps, ordered: from(0), plan: (*compiler).planIf},
		compute.OpTypeSort:            {steps: (*compiler).sortSteps, plan: (*compiler).planSort},
		opDot: {name: "Dot", steps: (*compiler).dotSteps, anyRows: true, byRows: (*compiler).dotByRows,
			plan: (*compiler).planDot},
		opDotAdd: {name: "DotAdd", steps: (*compiler).dotSteps, anyRows: true, byRows: (*compiler).dotByRows,
			plan: (*compiler).planDotAdd},
		opPack: {name: "Pack", steps: (*compiler).packSteps},

		opTanhGrad: {name: "TanhGrad"}, opLogisticGrad: {name: "LogisticGrad"}, opMulAdd: {name: "MulAdd"},
		opMulSub: {name: "MulSub"}, opSubMul: {name: "SubMul"}, opMulMulAdd: {name: "MulMulAdd"},
	} {
		operations[op] = &o
	}
	define(compute.OpTypeConvertDType, 1, plain).tile = convertFunction
	define(compute.OpTypeWhere, 3, plain).tile = whereFunction
	integers[int8, uint8]()
	integers[int16, uint16]()
	integers[int32, uint32]()
	integers[int64, uint64]()
	integers[uint8, uint8]()
	integers[uint16, uint16]()
	integers[uint32, uint32]()
	integers[uint64, uint64]()
	floating[float64]()
	floating[float32]()
	kernels() // in place of those just defined for float32
	kernelReductions()
	booleans()
}

// numbers defines what all types of number have.
func numbers[T number](d dtypes.DType) {
	arithmetic[T](d)
	comparisons[T](d)
	conversions[T](d)
	numberReductions[T](d)
	counts[T](d)
	plainProducts[T](d)
}

// onType notes the step of an operation for one type.
func onType(op compute.OpType, d dtypes.DType, f func(c *compiler, n *node) step) {
	o := operations[op]
	if o == nil {
		o = &operation{typed: make(map[dtypes.DType]func(c *compiler, n *node) step)}
		operations[op] = o
	}
	o.typed[d] = f
}

// nameOf names an operation.
func nameOf(op compute.OpType) string {
	if o := operations[op]; o != nil && o.name != "" {
		return o.name
	}
	return op.String()
}

func typeOf[T any]() dtypes.DType { return dtypes.FromGoType(reflect.TypeFor[T]()) }
