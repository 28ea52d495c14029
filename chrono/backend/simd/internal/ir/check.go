package ir

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
)

// Check returns what is wrong with a graph that passes made, or nil: a node must have operands that come before it, in
// its function or one around it, of the types and shapes that its operation takes and gives.
func Check(main *Function) error { return checkFunction(main, make(map[*Node]bool)) }

func checkFunction(fn *Function, known map[*Node]bool) error {
	mine := make(map[*Node]bool)
	defer func() { // nobody outside sees them
		for n := range mine {
			delete(known, n)
		}
	}()
	for _, n := range fn.Nodes {
		err := checkNode(n, known)
		if err == nil && n.Fn != fn {
			err = errors.New("is in the list of another function")
		}
		for _, inner := range InnerFunctions(n) {
			if err == nil && inner.Parent != fn {
				err = errors.New("runs a function that stands in another one")
			}
			if err == nil {
				err = checkFunction(inner, known)
			}
		}
		if err != nil {
			return errors.WithMessagef(err, "node %d: %s = %s", n.ID, TypeText(n.Shape), OpText(n.Op))
		}
		known[n], mine[n] = true, true
	}
	for i, p := range fn.Params {
		if p.Op != compute.OpTypeParameter || p.Fn != fn || p.Data != i || !mine[p] {
			return errors.Errorf("parameter %d is %s %v of another function or place", i, OpText(p.Op), p.Data)
		}
	}
	for i, o := range fn.Outputs {
		if !known[o] {
			return errors.Errorf("output %d, node %d, %s, is not computed here", i, o.ID, OpText(o.Op))
		}
	}
	return nil
}

func checkNode(n *Node, known map[*Node]bool) error {
	for i, in := range n.In {
		if !known[in] {
			return errors.Errorf("operand %d, node %d, %s, does not come before", i, in.ID, OpText(in.Op))
		}
	}
	if OperationOf(n.Op).Gone {
		return nil
	}
	if element.Is(n.Op) {
		return checkElementwise(n)
	}
	if f := checks[n.Op]; f != nil {
		return f(n)
	}
	if f := inferred[n.Op]; f != nil {
		s, err := f(n)
		if err == nil && !sameType(s, n.Shape) {
			err = errors.Errorf("operand 0 is %s, with%s that is %s", TypeText(n.In[0].Shape), dataText(n), TypeText(s))
		}
		return err
	}
	return nil
}

func sameType(a, b shapes.Shape) bool {
	return a.DType == b.DType && slices.Equal(a.Dimensions, b.Dimensions)
}

func checkElementwise(n *Node) error {
	if len(n.In) != element.Arity(n.Op) {
		return errors.Errorf("%d operands, want %d", len(n.In), element.Arity(n.Op))
	}
	for i, in := range n.In {
		if !slices.Equal(in.Shape.Dimensions, n.Shape.Dimensions) {
			return errors.Errorf("operand %d is %s", i, TypeText(in.Shape))
		}
		want := n.In[0].Shape.DType
		if n.Op == compute.OpTypeWhere {
			want = []dtypes.DType{dtypes.Bool, n.Shape.DType, n.Shape.DType}[i]
		}
		if in.Shape.DType != want {
			return errors.Errorf("operand %d is of type %s, not %s", i, in.Shape.DType, want)
		}
	}
	return nil
}

// inferred are the shapes of operations that rules make or change, as GoMLX infers them.
var inferred = map[compute.OpType]func(n *Node) (shapes.Shape, error){
	compute.OpTypeReshape: func(n *Node) (shapes.Shape, error) {
		return shapeinference.Reshape(n.In[0].Shape, n.Shape.Dimensions)
	},
	compute.OpTypeBroadcastInDim: func(n *Node) (shapes.Shape, error) {
		s := shapes.Make(n.In[0].Shape.DType, n.Shape.Dimensions...)
		return s, shapeinference.BroadcastInDim(n.In[0].Shape, s, n.Data.([]int), nil)
	},
	compute.OpTypeTranspose: func(n *Node) (shapes.Shape, error) {
		return shapeinference.Transpose(n.In[0].Shape, n.Data.([]int))
	},
	compute.OpTypeSlice: func(n *Node) (shapes.Shape, error) {
		d := n.Data.(SliceData)
		return shapeinference.Slice(n.In[0].Shape, d.Starts, d.Limits, d.Strides)
	},
	compute.OpTypeConcatenate: func(n *Node) (shapes.Shape, error) {
		return shapeinference.Concatenate(ShapesOf(n.In), n.Data.(int))
	},
	compute.OpTypeReduceSum: inferReduction, compute.OpTypeReduceMax: inferReduction,
	compute.OpTypeReduceMin: inferReduction, compute.OpTypeReduceProduct: inferReduction,
	compute.OpTypeReverse: inferSame, compute.OpTypeOptimizationBarrier: inferSame,
}

func inferReduction(n *Node) (shapes.Shape, error) {
	return shapeinference.Reduce(n.In[0].Shape, n.Data.([]int))
}

func inferSame(n *Node) (shapes.Shape, error) { return n.In[0].Shape, nil }

// checks are those of other operations that rules make or change.
var checks = map[compute.OpType]func(n *Node) error{
	compute.OpTypeConstant: func(n *Node) error {
		if size := len(n.Data.(*ConstantData).Bytes); size != ByteSize(n.Shape) {
			return errors.Errorf("%d bytes", size)
		}
		return nil
	},
	OpDot: checkDot, OpDotAdd: checkDot,
	OpOutput: func(n *Node) error {
		if m := n.In[0]; n.Data.(int) >= len(m.Outs) || m.Outs[n.Data.(int)] != n {
			return errors.Errorf("is not output %v of its operation", n.Data)
		}
		return nil
	},
	compute.OpTypeWhile: func(n *Node) error {
		d := n.Data.(*WhileData)
		for i, in := range n.In {
			for what, s := range map[string]shapes.Shape{"output": n.Outs[i].Shape, "result": d.Body.Outputs[i].Shape,
				"state": d.Body.Params[i].Shape, "state of the condition": d.Cond.Params[i].Shape} {
				if !sameType(s, in.Shape) {
					return errors.Errorf("%s %d is %s, not %s", what, i, TypeText(s), TypeText(in.Shape))
				}
			}
		}
		if d.Cond.Kind != Loop || d.Body.Kind != Loop {
			return errors.New("its functions are not those of a loop")
		}
		return nil
	},
}

func checkDot(n *Node) error {
	a, b := n.In[0].Shape.Dimensions, n.In[1].Shape.Dimensions
	if d, ok := n.Data.(PackedData); ok {
		if n.In[1].Op != OpPack {
			return errors.New("the second operand is not packed")
		}
		b = []int{b[0], d.K, d.N}
	}
	if len(a) != 3 || len(b) != 3 || a[0] != b[0] || a[2] != b[1] {
		return errors.Errorf("a product of %v and %v", a, b)
	}
	if dims := []int{a[0], a[1], b[2]}; !slices.Equal(n.Shape.Dimensions, dims) ||
		n.Op == OpDotAdd && !slices.Equal(n.In[2].Shape.Dimensions, dims) {
		return errors.Errorf("a product of %v and %v is %v", a, b, dims)
	}
	return nil
}
