package cell_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// Trials that are asked for once need no seeds elsewhere, and the trials of variables that are there already none.
func TestTrialsAskedForOnce(t *testing.T) {
	store := model.NewStore()
	for _, network := range []func(s *model.Scope, x *Node) *Node{
		func(s *model.Scope, x *Node) *Node {
			ys, _ := cell.New(s.In("gru"), cell.GRU{Hidden: 4}, x).Seeds(7, 8).Done()
			return cell.Dense(s.In("d"), ys[0], 5, cell.He{})
		},
		func(s *model.Scope, x *Node) *Node {
			ys, _ := cell.New(s.In("gru"), cell.GRU{Hidden: 4}, x).Done()
			return cell.Dense(s.In("d"), ys[0], 5, cell.He{})
		},
		func(s *model.Scope, x *Node) *Node {
			x = trial.Repeat(Squeeze(SliceAxis(x, 1, AxisRange(0, 1)), 1), 2)
			ys, _ := cell.New(s.In("new"), cell.GRU{Hidden: 4}, x).Done()
			return cell.Dense(s.In("newer"), ys[0], 5, cell.He{})
		},
	} {
		x := shapes.Make(dtypes.Float32, 6, 2, 6, 3)
		out := model.MustCallOnce(goBackend, store, func(s *model.Scope, seed *Node) *Node {
			return network(s, Zeros(seed.Graph(), x))
		}, float32(0))
		check.Equal(t, out.Shape().Dimensions, []int{6, 2, 6, 5}, "shape")
	}
}
