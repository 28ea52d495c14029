package ir

import (
	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
)

// The operations that GoMLX does not have.
const (
	OpOutput      = compute.OpTypeLast + 1 + iota // one value of an operation that has several: see Node.Outs
	OpReinterpret                                 // a Bitcast between types of one size
	OpWindows                                     // a tensor cut into windows: see WindowData

	// The operands of products are [batch, M, K] and [batch, K, N]. K may be two axes of both; and of the second there
	// may be fewer: matrix i of the first meets matrix i modulo their number.
	OpDot
	OpDotAdd // with a third operand [batch, M, N] that is added to the product
	OpPack   // the second operand of products in the order in which the kernel reads it: [batch, floats]
)

// An Operation is what the passes must know of one, beside how it is computed.
type Operation struct {
	name string // of those that GoMLX does not have
	Gone bool   // replaced by others when a graph is simplified

	// Views need no memory. v is where the first operand is, and may be changed. It reports false if the result cannot
	// be a view of that operand as it is, but can be one of a copy.
	View func(n *Node, v View) (View, bool)

	Ordered    func(n *Node) []*Node // operands that it reads in row-major order
	Overwrites bool                  // its result may be where its first operand is
	AnyStrides bool                  // it reads operands of any strides
}

func allFrom(first int) func(n *Node) []*Node { return func(n *Node) []*Node { return n.In[first:] } }

// Operations is the table of operations of which there is something to know. Of all others it is enough how they are
// computed: elementwise ones in package element, the rest in package exec, by a table of steps.
var Operations = map[compute.OpType]Operation{
	compute.OpTypeIdentity:   {Gone: true},
	compute.OpTypeCall:       {Gone: true},
	compute.OpTypeDotGeneral: {Gone: true},

	compute.OpTypeOptimizationBarrier: {View: sameView},
	compute.OpTypeReshape:             {View: reshapeView},
	compute.OpTypeBroadcastInDim:      {View: broadcastView},
	compute.OpTypeTranspose:           {View: transposeView},
	compute.OpTypeSlice:               {View: sliceView},
	compute.OpTypeReverse:             {View: reverseView},
	compute.OpTypeDynamicSlice:        {View: dynamicSliceView},
	OpReinterpret:                     {name: "Reinterpret", View: sameView},
	OpWindows:                         {name: "Windows", View: windowsView},

	compute.OpTypeConcatenate:        {AnyStrides: true},
	compute.OpTypeDynamicUpdateSlice: {Ordered: allFrom(2), Overwrites: true},
	compute.OpTypeScatterSum:         {Ordered: allFrom(1), Overwrites: true},
	compute.OpTypeScatterMax:         {Ordered: allFrom(1), Overwrites: true},
	compute.OpTypeScatterMin:         {Ordered: allFrom(1), Overwrites: true},
	compute.OpTypeBitcast:            {Ordered: allFrom(0)},
	compute.OpTypeGather:             {Ordered: allFrom(1)},
	compute.OpTypeRNGBitGenerator:    {Ordered: allFrom(0)},
	compute.OpTypeIf:                 {Ordered: allFrom(0)},
	OpOutput:                         {name: "Output"},
	OpDot:                            {name: "Dot", AnyStrides: true},
	OpDotAdd:                         {name: "DotAdd", AnyStrides: true},
	OpPack:                           {name: "Pack"},
}

// IsView reports whether a node needs no memory, unless it is wanted in a fixed order.
func IsView(n *Node) bool { return Operations[n.Op].View != nil }

// Name names an operation.
func Name(op compute.OpType) string {
	if name := Operations[op].name; name != "" {
		return name
	}
	if name := element.Name(op); name != "" {
		return name
	}
	return op.String()
}
