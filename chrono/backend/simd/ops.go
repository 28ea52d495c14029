package simd

import "github.com/gomlx/compute"

// The operations that GoMLX does not have.
const (
	opOutput      = compute.OpTypeLast + 1 + iota // one value of an operation that has several: see node.outs
	opReinterpret                                 // a Bitcast between types of one size
	opWindows                                     // a tensor cut into windows: see windowData

	// The operands of products are [batch, M, K] and [batch, K, N].
	opDot
	opDotAdd // with a third operand [batch, M, N] that is added to the product
	opPack   // the second operand of products in the order in which the kernel reads it: [batch, floats]
)

// An operation is what the passes must know of one, beside how it is computed.
type operation struct {
	name string // of those that GoMLX does not have
	gone bool   // replaced by others when a graph is simplified

	// Views need no memory. v is where the first operand is, and may be changed. It reports false if the result cannot be
	// a view of that operand as it is, but can be one of a copy.
	view func(n *node, v view) (view, bool)

	ordered    func(n *node) []*node // operands that it reads in row-major order
	overwrites bool                  // its result may be where its first operand is
	anyRows    bool                  // it reads operands of any strides
}

func allFrom(first int) func(n *node) []*node { return func(n *node) []*node { return n.in[first:] } }

// operations is the table of operations of which there is something to know. Of all others it is enough how they are
// computed: elementwise ones are in elementwise.go, the rest in stepsOf.
var operations = map[compute.OpType]operation{
	compute.OpTypeIdentity:   {gone: true},
	compute.OpTypeCall:       {gone: true},
	compute.OpTypeDotGeneral: {gone: true},

	compute.OpTypeOptimizationBarrier: {view: sameView},
	compute.OpTypeReshape:             {view: reshapeView},
	compute.OpTypeBroadcastInDim:      {view: broadcastView},
	compute.OpTypeTranspose:           {view: transposeView},
	compute.OpTypeSlice:               {view: sliceView},
	compute.OpTypeReverse:             {view: reverseView},
	compute.OpTypeDynamicSlice:        {view: dynamicSliceView},
	opReinterpret:                     {name: "Reinterpret", view: sameView},
	opWindows:                         {name: "Windows", view: windowsView},

	compute.OpTypeConcatenate:        {anyRows: true},
	compute.OpTypeDynamicUpdateSlice: {ordered: allFrom(2), overwrites: true},
	compute.OpTypeScatterSum:         {ordered: allFrom(1), overwrites: true},
	compute.OpTypeScatterMax:         {ordered: allFrom(1), overwrites: true},
	compute.OpTypeScatterMin:         {ordered: allFrom(1), overwrites: true},
	compute.OpTypeBitcast:            {ordered: allFrom(0)},
	compute.OpTypeGather:             {ordered: allFrom(1)},
	compute.OpTypeRNGBitGenerator:    {ordered: allFrom(0)},
	compute.OpTypeIf:                 {ordered: allFrom(0)},
	opOutput:                         {name: "Output"},
	opDot:                            {name: "Dot", anyRows: true},
	opDotAdd:                         {name: "DotAdd", anyRows: true},
	opPack:                           {name: "Pack"},
}

func operationOf(op compute.OpType) operation { return operations[op] }

func isView(n *node) bool { return operations[n.op].view != nil }

// nameOf names an operation.
func nameOf(op compute.OpType) string {
	if name := operations[op].name; name != "" {
		return name
	}
	if e := elements[op]; e != nil && e.name != "" {
		return e.name
	}
	return op.String()
}
