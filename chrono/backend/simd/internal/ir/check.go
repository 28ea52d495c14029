package ir

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
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
	return nil
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

// checks are those of operations that rules make or change.
var checks = map[compute.OpType]func(n *Node) error{
	compute.OpTypeConstant: func(n *Node) error {
		if size := len(n.Data.(*ConstantData).Bytes); size != ByteSize(n.Shape) {
			return errors.Errorf("%d bytes", size)
		}
		return nil
	},
	compute.OpTypeReshape: func(n *Node) error {
		return wants(n, n.Shape.Size() == n.In[0].Shape.Size(), n.In[0].Shape.DType, n.Shape.Dimensions)
	},
	compute.OpTypeOptimizationBarrier: func(n *Node) error {
		return wants(n, true, n.In[0].Shape.DType, n.In[0].Shape.Dimensions)
	},
	compute.OpTypeReverse: func(n *Node) error {
		return wants(n, true, n.In[0].Shape.DType, n.In[0].Shape.Dimensions)
	},
	compute.OpTypeBroadcastInDim: func(n *Node) error {
		axes, from := n.Data.([]int), n.In[0].Shape.Dimensions
		ok := len(axes) == len(from)
		for a := 0; ok && a < len(axes); a++ {
			ok = axes[a] < n.Shape.Rank() && (from[a] == 1 || from[a] == n.Shape.Dimensions[axes[a]])
		}
		return wants(n, ok, n.In[0].Shape.DType, n.Shape.Dimensions)
	},
	compute.OpTypeTranspose: func(n *Node) error {
		var dims []int
		for _, a := range n.Data.([]int) {
			dims = append(dims, n.In[0].Shape.Dimensions[a])
		}
		return wants(n, len(dims) == n.In[0].Shape.Rank(), n.In[0].Shape.DType, dims)
	},
	compute.OpTypeSlice: func(n *Node) error {
		d, from := n.Data.(SliceData), n.In[0].Shape.Dimensions
		var dims []int
		ok := len(d.Starts) == len(from)
		for a := 0; ok && a < len(from); a++ {
			ok = d.Starts[a] >= 0 && d.Limits[a] <= from[a] && d.Strides[a] > 0
			dims = append(dims, (d.Limits[a]-d.Starts[a]+d.Strides[a]-1)/max(1, d.Strides[a]))
		}
		return wants(n, ok, n.In[0].Shape.DType, dims)
	},
	compute.OpTypeConcatenate: func(n *Node) error {
		axis, dims := n.Data.(int), slices.Clone(n.In[0].Shape.Dimensions)
		dims[axis] = 0
		ok := true
		for _, in := range n.In {
			part := slices.Clone(in.Shape.Dimensions)
			dims[axis] += part[axis]
			part[axis] = dims[axis]
			ok = ok && slices.Equal(part, dims) && in.Shape.DType == n.Shape.DType
		}
		return wants(n, ok, n.In[0].Shape.DType, dims)
	},
	compute.OpTypeReduceSum: checkReduction, compute.OpTypeReduceMax: checkReduction,
	compute.OpTypeReduceMin: checkReduction, compute.OpTypeReduceProduct: checkReduction,
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
				if !s.EqualDimensions(in.Shape) || s.DType != in.Shape.DType {
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

func wants(n *Node, ok bool, d dtypes.DType, dims []int) error {
	if !ok || n.Shape.DType != d || !slices.Equal(n.Shape.Dimensions, dims) {
		return errors.Errorf("operand 0 is %s, with%s that is %s%v", TypeText(n.In[0].Shape), dataText(n),
			typeNames[d], dims)
	}
	return nil
}

func checkReduction(n *Node) error {
	var dims []int
	for a, d := range n.In[0].Shape.Dimensions {
		if !slices.Contains(n.Data.([]int), a) {
			dims = append(dims, d)
		}
	}
	return wants(n, true, n.In[0].Shape.DType, dims)
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
