package simd

import (
	"bytes"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// A graph counts its nodes.
type graph struct{ nodes int }

// node is one value of a graph: an operation, its operands and its shape.
type node struct {
	id    int // in order of creation: operands come first
	op    compute.OpType
	shape shapes.Shape
	in    []*node
	// data holds what else defines the operation: one of the …Data types, a slice of axes, or nil. Printed with %v it
	// identifies the operation among those with the same operands.
	data any
	// outs are the values of an operation with several of them (While, If, Sort, Call, RNGBitGenerator); each of those
	// values has op opOutput, this node as its operand, and its position as data.
	outs []*node
	fn   *irFunction
}

type (
	constantData struct{ bytes []byte }
	sliceData    struct{ starts, limits, strides []int }
	dotData      struct{ lhsContract, lhsBatch, rhsContract, rhsBatch []int }
	gatherData   struct {
		indexVectorAxis                                    int
		offsetOutputAxes, collapsed, startIndexMap, slices []int
	}
	scatterData struct {
		indexVectorAxis                       int
		updateWindowAxes, inserted, toOperand []int
	}
	argData struct {
		axis  int
		isMin bool
	}
	callData  struct{ fn *irFunction }
	whileData struct{ cond, body *irFunction }
	ifData    struct{ onTrue, onFalse *irFunction }
	sortData  struct {
		before *irFunction
		axis   int
		stable bool
	}
)

// An irFunction is a list of nodes in order of creation.
type irFunction struct {
	graph   *graph
	kind    functionKind
	parent  *irFunction // the one around it, once simplified
	params  []*node
	outputs []*node
	nodes   []*node // operands first
}

// functionKind says how a function runs.
type functionKind int

const (
	kindMain   functionKind = iota // once
	kindLoop                       // many times: the condition or body of a While, the comparator of a Sort
	kindBranch                     // perhaps: a branch of an If
)

// newFunction returns an empty function of the same graph.
func newFunction(graph *graph, kind functionKind, parent *irFunction) *irFunction {
	return &irFunction{graph: graph, kind: kind, parent: parent}
}

// add adds a node, whose operands and shape are checked.
func (fn *irFunction) add(op compute.OpType, shape shapes.Shape, data any, in ...*node) *node {
	fn.graph.nodes++
	n := &node{id: fn.graph.nodes, op: op, shape: shape, in: in, data: data, fn: fn}
	fn.nodes = append(fn.nodes, n)
	return n
}

func shapesOf(nodes []*node) []shapes.Shape {
	s := make([]shapes.Shape, len(nodes))
	for i, n := range nodes {
		s[i] = n.shape
	}
	return s
}

// innerFunctions are the functions that an operation runs.
func innerFunctions(n *node) []*irFunction {
	switch d := n.data.(type) {
	case *whileData:
		return []*irFunction{d.cond, d.body}
	case *ifData:
		return []*irFunction{d.onTrue, d.onFalse}
	case *sortData:
		return []*irFunction{d.before}
	}
	return nil
}

// splat returns the bytes of the one value that all elements of n have, if n is such a constant, or nil.
func splat(n *node) []byte {
	for n.op == compute.OpTypeBroadcastInDim || n.op == compute.OpTypeReshape {
		n = n.in[0]
	}
	c, ok := n.data.(*constantData)
	if !ok {
		return nil
	}
	size := n.shape.DType.Size()
	if len(c.bytes) < size || !bytes.Equal(c.bytes[size:], c.bytes[:len(c.bytes)-size]) {
		return nil
	}
	return c.bytes[:size]
}

// isSplat reports whether all elements of n are the constant v.
func isSplat(n *node, v float64) bool {
	s := splat(n)
	if s == nil {
		return false
	}
	p := unsafe.Pointer(&s[0])
	switch n.shape.DType {
	case dtypes.Float32:
		return *(*float32)(p) == float32(v)
	case dtypes.Float64:
		return *(*float64)(p) == v
	case dtypes.Int32:
		return *(*int32)(p) == int32(v)
	case dtypes.Int64:
		return *(*int64)(p) == int64(v)
	}
	return false
}

// graphError carries an error out of the recursion over a graph.
type graphError struct{ err error }

func fail(format string, args ...any) { panic(graphError{errors.Errorf(format, args...)}) }

// notImplemented reports what the backend does not compute.
func notImplemented(format string, args ...any) {
	panic(graphError{errors.Wrapf(compute.ErrNotImplemented, "backend simd: "+format, args...)})
}

// catch runs f and returns the error that it failed with.
func catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			g, ok := r.(graphError)
			if !ok {
				panic(r)
			}
			err = g.err
		}
	}()
	f()
	return nil
}

// byteSize of a tensor.
func byteSize(s shapes.Shape) int { return s.Size() * s.DType.Size() }

// packedData is the data of a product whose second operand is packed: the dimensions that this had.
type packedData struct{ k, n int }
