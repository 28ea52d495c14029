package warp

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
)

// What BeyondTrace measures, of two steps, one trial, two sequences and two units.
func TestTraceMeasures(t *testing.T) {
	engine := check.Got(backend.New("go"))(t)
	defer engine.Finalize()
	measures := []experiment.Measurement{Trace{Step: 1}, GateSum{Gate: "input", From: 0, To: 2}, TanhSlope{}}
	got := model.MustCallOnce(engine, model.NewStore(), func(_ *model.Scope, g *graph.Graph) *graph.Node {
		output := experiment.Output{
			Hidden: graph.Const(g, [][][][]float64{{{{7, 7}, {8, 9}}}, {{{1, 5}, {3, 11}}}}),
			Gates: []cell.Gate{{
				Name: "input", Values: graph.Const(g, [][][][]float64{{{{1, 2}, {3, 4}}}, {{{2, 5}, {2, 9}}}}),
			}},
			Final: []*graph.Node{nil, graph.Const(g, [][][]float64{{{0, 1}, {2, 3}}})},
		}
		var all []*graph.Node
		for _, m := range measures {
			all = append(all, m.Measure(nil, nil, output)) // [1]
		}
		return graph.Concatenate(all, 0)
	}).Value().([]float64)
	slope := 0.
	for c := range 4 {
		slope += 1 / math.Pow(math.Cosh(float64(c)), 2) / 4
	}
	check.Near(t, got, []float64{
		math.Sqrt((1 + 9) / 2.), // deviations of 1 and 3
		math.Sqrt(4 * 10),       // sums 3 and 5, 7 and 13
		slope,
	}, 1e-12, "trace, sum of gates, slope")
}
