package show

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
)

// What is kept are h and then c of every sequence, each trial's own. A figure of one record is of that record alone.
func TestInitialStatesAreKept(t *testing.T) {
	shown := capture(t)
	tasks, err := contextual.Fig5.Tasks(experiment.Options{Scale: "quick", Trials: 2, Seed: 1})
	check.OK(t, err)
	e := tasks[0] // zero
	network := e.Network.(contextual.Forecaster)
	network.Cell = cell.LSTM{Hidden: 3}
	network.InitialState = cell.Parts{Of: []cell.InitialState{
		cell.Constant{Values: []float64{0.5, 0.75}}, cell.Constant{Values: []float64{-2}},
	}}
	e.Network, e.Length.Epochs, e.Length.Updates, e.Window = network, 1, 2, 1
	e.Tests = []experiment.Test{InitialStatesOver(e.Data)}
	r := Watch(e)
	for k, want := range [][]float64{{0.5, 0.5, 0.5, -2, -2, -2}, {0.75, 0.75, 0.75, -2, -2, -2}} {
		states := InitialStates(r, k, r.Batch)
		check.Equal(t, len(states), r.Batch, "sequences")
		for _, state := range states {
			if !slices.Equal(state, want) {
				t.Errorf("trial %d: %v, want %v", k, state, want)
			}
		}
	}
	FigureOf("context/fig5", r)
	svg, _ := (*shown)[len(*shown)-1].Data[protocol.MIMEImageSVG].(string)
	check.Contains(t, svg, "drawn from records ", "decay.quick.zero")
	if strings.Contains(svg, "decay.quick.learned") {
		t.Error("its figure is of other records than its own")
	}
}

// States on a line, with a little across it.
func TestPrincipal(t *testing.T) {
	states := [][]float64{{3, 4, 1}, {0, 0, -1}, {-3, -4, -1}, {-6, -8, 1}, {6, 8, 0}}
	along, share := Principal(states)
	for i, want := range []float64{5, 0, -5, -10, 10} {
		if math.Abs(along[0][i]-want) > 0.5 {
			t.Errorf("component 1 of state %d is %g, want %g or so", i, along[0][i], want)
		}
	}
	// 250 along the line, and 4 across; the two are uncorrelated but for 2·(5·1 + 5·1 − 10) = 0.
	if want := 250. / 254; math.Abs(share[0]-want) > 1e-12 || math.Abs(share[0]+share[1]-1) > 1e-12 {
		t.Errorf("shares %g, want %g and the rest", share, want)
	}
	if along[0][4] < 0 || along[1][4] < 0 {
		t.Error("the last state is on the negative side")
	}
}

func TestMaps(t *testing.T) {
	shown := capture(t)
	chart := NewMap("map", "x", "unit", [][]float64{{-1, 9}, {2, 9}}, []int{0}, 10, 20, 1)
	if chart.X.Min != 5 || chart.X.Max != 25 {
		t.Errorf("columns from %g to %g, want 5 to 25: centred on 10 and 20", chart.X.Min, chart.X.Max)
	}
	Maps(1, chart, chart)
	const words = "map: 1 numbers (unit) for each of 2 values of x, from -1 to 2."
	if svg := (*shown)[0].Data[protocol.MIMEImageSVG].(string); !strings.Contains(svg, words+" "+words) {
		t.Errorf("in words it is %v", (*shown)[0].Metadata["alt"])
	}
}
