package trial

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/axis"
)

// Weight is v.NodeValue(g) for a weight of your own, [R, …], and says that each trial uses its own part alone, so that
// [Optimizer] trains it. Those of package cell need it not: its layers', and those of cell.Variables.
func Weight(v *model.Variable, g graph.GraphProvider) *graph.Node {
	axis.Declare(g.Graph(), v)
	return v.NodeValue(g)
}
