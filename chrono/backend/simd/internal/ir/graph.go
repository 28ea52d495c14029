// Package ir is what the stages of simd share: graphs, what there is to know of their operations, views and
// texts.
package ir

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
)

// A Graph counts its nodes.
type Graph struct{ nodes int }

// NewTable returns a slice with an element for each node of a graph, by its ID. It takes less time than a map.
func NewTable[T any](g *Graph) []T { return make([]T, g.nodes+1) }

// Node is one value of a graph: an operation, its operands and its shape.
type Node struct {
	ID    int // in order of creation: operands come first
	Op    compute.OpType
	Shape shapes.Shape
	In    []*Node
	// Data holds what else defines the operation: one of the …Data types, a slice of axes, or nil. Printed with %v it
	// identifies the operation among those with the same operands.
	Data any
	// Inner are the functions that the operation runs: of While its condition and its body, of If what runs if it is
	// true and what if not, of Sort the comparator. (Call has its function as data.)
	Inner []*Function
	// Outs are the values of an operation with several of them (While, If, Sort, Call, RNGBitGenerator); each of those
	// values has Op OpOutput, this node as its operand, and its position as data.
	Outs []*Node
	Fn   *Function
}

type (
	ConstantData struct{ Bytes []byte }
	SliceData    struct{ Starts, Limits, Strides []int }
	DotData      struct{ LhsContract, LhsBatch, RhsContract, RhsBatch []int }
	GatherData   struct {
		IndexVectorAxis                                    int
		OffsetOutputAxes, Collapsed, StartIndexMap, Slices []int
	}
	ScatterData struct {
		IndexVectorAxis                       int
		UpdateWindowAxes, Inserted, ToOperand []int
	}
	ArgData struct {
		Axis  int
		IsMin bool
	}
	SortData struct {
		Axis   int
		Stable bool
	}
)

// Cond and Body are the functions of a While.
func (n *Node) Cond() *Function { return n.Inner[0] }
func (n *Node) Body() *Function { return n.Inner[1] }

// A Function is a list of nodes in order of creation.
type Function struct {
	Graph   *Graph
	Kind    Kind
	Parent  *Function // the one around it, once simplified
	Params  []*Node
	Outputs []*Node
	Nodes   []*Node // operands first
}

// Kind says how a function runs.
type Kind int

const (
	Main   Kind = iota // once
	Loop               // many times: the condition or body of a While, the comparator of a Sort
	Branch             // perhaps: a branch of an If
)

// Add adds a node, whose operands and shape are checked.
func (fn *Function) Add(op compute.OpType, shape shapes.Shape, data any, in ...*Node) *Node {
	fn.Graph.nodes++
	n := &Node{ID: fn.Graph.nodes, Op: op, Shape: shape, In: in, Data: data, Fn: fn}
	fn.Nodes = append(fn.Nodes, n)
	return n
}

// ShapesOf are the shapes of values.
func ShapesOf(nodes []*Node) []shapes.Shape {
	return xslices.Map(nodes, func(n *Node) shapes.Shape { return n.Shape })
}

// Splat returns the bytes of the one value that all elements of n have, if n is such a constant, or nil.
func Splat(n *Node) []byte {
	for n.Op == compute.OpTypeBroadcastInDim || n.Op == compute.OpTypeReshape {
		n = n.In[0]
	}
	c, ok := n.Data.(*ConstantData)
	if !ok {
		return nil
	}
	size := n.Shape.DType.Size()
	if len(c.Bytes) < size || !bytes.Equal(c.Bytes[size:], c.Bytes[:len(c.Bytes)-size]) {
		return nil
	}
	return c.Bytes[:size]
}

// IsSplat reports whether all elements of n are the constant v.
func IsSplat(n *Node, v float64) bool {
	s := Splat(n)
	if s == nil {
		return false
	}
	x := element.Compute(compute.OpTypeConvertDType, n.Shape.DType, dtypes.Float64, s)
	return x != nil && math.Float64frombits(binary.NativeEndian.Uint64(x)) == v
}

// A failure carries an error out of the recursion over a graph.
type failure struct{ err error }

// Fail reports a graph that cannot be compiled. Catch makes an error of it.
func Fail(format string, args ...any) { panic(failure{errors.Errorf(format, args...)}) }

// NotImplemented reports what the backend does not compute.
func NotImplemented(format string, args ...any) {
	panic(failure{errors.Wrapf(compute.ErrNotImplemented, "backend simd: "+format, args...)})
}

// Check fails with an error, unless it is nil.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns v, or fails with an error.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Catch runs f and returns the error that it failed with.
func Catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			g, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = g.err
		}
	}()
	f()
	return nil
}

// ByteSize of a tensor.
func ByteSize(s shapes.Shape) int { return s.Size() * s.DType.Size() }

// PackedData is the data of a product whose second operand is packed: the dimensions that this had.
type PackedData struct{ K, N int }
