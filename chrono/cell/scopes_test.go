package cell_test

import (
	"maps"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// A scope used twice in a graph is rejected, as by GoMLX's layers, unless sharing is asked for; another graph may use
// the scope, too.
func TestScopesUsedTwice(t *testing.T) {
	layers := map[string]func(s *model.Scope, x *Node, _ ...uint64) *Node{
		"Variables": func(s *model.Scope, x *Node, _ ...uint64) *Node {
			weights := []cell.Weight{{Name: "w", Dims: []int{2}}}
			return cell.Variables(s, x.Graph(), weights, dtypes.Float32, []uint64{1})["w"]
		},
	}
	maps.Copy(layers, users)
	for name, layer := range layers {
		build := func(s *model.Scope, scopes ...*model.Scope) error {
			g := NewGraph(goBackend, name)
			defer g.Finalize()
			x := Parameter(g, "x", shapes.Make(dtypes.Float32, 6, 1, 3, 1))
			return exceptions.TryCatch[error](func() {
				for _, scope := range append(scopes, s) {
					layer(scope, x)
				}
			})
		}
		root := model.NewStore().RootScope()
		scope := root.In("a")
		for range 2 { // two graphs
			check.OK(t, build(scope, root.Shared("a"), root.At("a"), scope.ResetVisited()))
		}
		const want = "cell: scope /a is used twice…ResetVisited"
		check.Rejected(t, name, build(scope, scope), want)
		check.Rejected(t, name+", another initializer", build(scope.WithInitializer(initializer.Zero), scope), want)
	}
	model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, x *Node) *Node { // names that layers have
		y := cell.Dense(s, Reshape(x, 1, 1, 1), 2, cell.He{})
		return cell.Dense(s.In("weights"), y, 2, cell.He{})
	}, float32(1))
}
