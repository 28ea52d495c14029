package scan

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// rows reads and writes rows of [T, …] nodes at a position that only the running loop knows: by dynamic slices where
// the backend has them, else by gather and scatter.
type rows struct {
	dynamic bool
	zero    *Node
}

func rowsFor(g *Graph) rows {
	operations := g.Backend().Capabilities().Operations
	return rows{
		dynamic: operations[compute.OpTypeDynamicSlice] && operations[compute.OpTypeDynamicUpdateSlice],
		zero:    Const(g, int32(0)),
	}
}

// read returns row t (a scalar) of buffer [T, …].
func (r rows) read(buffer, t *Node) *Node {
	if !r.dynamic {
		return Gather(buffer, Reshape(t, 1))
	}
	sizes := append([]int{1}, buffer.Shape().Dimensions[1:]...)
	return Squeeze(DynamicSlice(buffer, r.start(buffer, t), sizes), 0)
}

// write returns buffer [T, …] with row t replaced. The row must have been zero: the scatter adds to it.
func (r rows) write(buffer, row, t *Node) *Node {
	if !r.dynamic {
		row = ConvertDType(row, buffer.DType())
		return ScatterSum(buffer, Reshape(t, 1), row, true, true)
	}
	return DynamicUpdateSlice(buffer, InsertAxes(row, 0), r.start(buffer, t))
}

func (r rows) start(buffer, t *Node) []*Node {
	return append([]*Node{t}, slices.Repeat([]*Node{r.zero}, buffer.Rank()-1)...)
}

// buffer is [n, …] zeros, to be written row by row. Sums of booleans do not exist: where a row is written by a scatter,
// they are numbers, and reading does not turn them back.
func (r rows) buffer(g *Graph, n int, row shapes.Shape) *Node {
	dtype := row.DType
	if dtype == dtypes.Bool && !r.dynamic {
		dtype = dtypes.Uint8
	}
	return Zeros(g, shapes.Make(dtype, append([]int{n}, row.Dimensions...)...))
}
