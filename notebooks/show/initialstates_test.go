package show

import (
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
)

// constant is the same number in every state of a trial.
type constant struct{ Of []float64 }

func (c constant) Build(_ *model.Scope, g *graph.Graph, want []shapes.Shape, _ []uint64,
	_ []*graph.Node) []*graph.Node {
	numbers := graph.Reshape(graph.ConstAsDType(g, want[0].DType, c.Of), -1, 1, 1)
	return []*graph.Node{graph.BroadcastToShape(numbers, want[0])}
}

// What is kept are h and then c of every sequence, each trial's own. A figure of one record is of that record alone.
func TestInitialStatesAreKept(t *testing.T) {
	shown := capture(t)
	e := check.Got(contextual.Fig5.Tasks(experiment.Options{Scale: "quick", Trials: 2, Seed: 1}))(t)[0] // zero
	network := e.Network.(contextual.Forecaster)
	network.Cell = cell.LSTM{Hidden: 3}
	network.InitialState = cell.Parts{Of: []cell.InitialState{
		constant{[]float64{0.5, 0.75}}, constant{[]float64{-2, -2}},
	}}
	e.Network, e.Length.Epochs, e.Length.Updates, e.Window = network, 1, 2, 1
	e.Tests = []experiment.Test{InitialStatesOver(e.Data)}
	r := Watch(e)
	for k, want := range [][]float64{{0.5, 0.5, 0.5, -2, -2, -2}, {0.75, 0.75, 0.75, -2, -2, -2}} {
		check.Equal(t, InitialStates(r, k, r.Batch), slices.Repeat([][]float64{want}, r.Batch), "trial %d", k)
	}
	FigureOf("context/fig5", r)
	svg, _ := (*shown)[len(*shown)-1].Data[protocol.MIMEImageSVG].(string)
	check.Contains(t, svg, "drawn from records ", "decay.quick.zero")
	check.That(t, !strings.Contains(svg, "decay.quick.learned"), "its figure is of other records than its own")
}

// States on a line, with a little across it.
func TestPrincipal(t *testing.T) {
	states := [][]float64{{3, 4, 1}, {0, 0, -1}, {-3, -4, -1}, {-6, -8, 1}, {6, 8, 0}}
	along, share := Principal(states)
	check.Near(t, along[0], []float64{5, 0, -5, -10, 10}, 0.5, "component 1")
	// 250 along the line, and 4 across; the two are uncorrelated but for 2·(5·1 + 5·1 − 10) = 0.
	check.Near(t, share[:2], []float64{250. / 254, 4. / 254}, 1e-12, "shares")
	check.That(t, along[1][4] >= 0, "the last state is on the negative side")
}

func TestMaps(t *testing.T) {
	shown := capture(t)
	chart := NewMap("map", "x", "unit", [][]float64{{-1, 9}, {2, 9}}, []int{0}, 10, 20, 1)
	check.Equal(t, [2]float64{chart.X.Min, chart.X.Max}, [2]float64{5, 25}, "columns, centred on 10 and 20")
	Maps(1, chart, chart)
	const words = "map: 1 numbers (unit) for each of 2 values of x, from -1 to 2."
	check.Contains(t, (*shown)[0].Data[protocol.MIMEImageSVG].(string), words+" "+words)
}
