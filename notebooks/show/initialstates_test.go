package show

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
)

// An initial state made of a context is the same where the context is, and a constant one is kept as that constant: h
// and then c of every sequence, each trial's own.
func TestFirstIsKept(t *testing.T) {
	shown := capture(t)
	tasks, err := contextual.Fig5.Tasks(experiment.Options{Scale: "quick", Trials: 2, Seed: 1})
	check.OK(t, err)
	e := tasks[1]
	network := e.Network.(contextual.Forecaster)
	network.Cell = cell.LSTM{Hidden: 3}
	noisy := e.Data.(trial.Noise)
	noisy.Width = 6
	contexts := Contexts{Task: network.Task, Starts: []float64{2, 3}, Periods: []float64{1, 2, 1}}
	e.Data, e.Network, e.Length.Epochs, e.Length.Updates, e.Window = noisy, network, 1, 2, 1
	e.Tests = []experiment.Test{InitialStatesOver(trial.NoNoise{Of: contexts, Width: 6})}
	r := Watch(e)
	for k := range r.Trials {
		states := InitialStates(r, k, 6)
		if len(states) != 6 || len(states[0]) != 6 {
			t.Fatalf("%d states of %d numbers, want 6 of 6", len(states), len(states[0]))
		}
		if !slices.Equal(states[0], states[2]) || slices.Equal(states[0], states[1]) ||
			slices.Equal(states[0], states[3]) {
			t.Errorf("trial %d: states %v do not go with their contexts", k, states)
		}
	}

	FigureOf("context/fig5", r)
	svg, _ := (*shown)[len(*shown)-1].Data[protocol.MIMEImageSVG].(string)
	if !strings.Contains(svg, "drawn from records ") || !strings.Contains(svg, "decay.quick.learned") ||
		strings.Contains(svg, "decay.quick.zero") {
		t.Errorf("its figure is of other records than its own: …%s", svg[max(0, len(svg)-200):])
	}

	bare := tasks[0].Network.(contextual.Forecaster)
	bare.Cell, bare.InitialState = network.Cell, cell.Parts{Of: []cell.InitialState{
		cell.Constant{Values: []float64{0.5, 0.75}}, cell.Constant{Values: []float64{-2}},
	}}
	e.Data, e.Network, e.Tests = noisy.Of, bare, []experiment.Test{InitialStatesOver(contexts)}
	r = Watch(e)
	for k, want := range [][]float64{{0.5, 0.5, 0.5, -2, -2, -2}, {0.75, 0.75, 0.75, -2, -2, -2}} {
		for _, state := range InitialStates(r, k, 6) {
			if !slices.Equal(state, want) {
				t.Errorf("trial %d: %v, want %v", k, state, want)
			}
		}
	}
}

// Contexts are what the task says of each x(0) and T, the same for all trials.
func TestContexts(t *testing.T) {
	decay := task.Decay{
		Final: 4, Beta: 0.001, Low: 2, High: 4, Trained: []float64{1, 2}, Drawn: []float64{1},
	}
	c := Contexts{Task: decay, Starts: []float64{2, 4}, Periods: []float64{1, 1.5, 2}}
	batches, err := c.Open([]uint64{1, 2})
	check.OK(t, err)
	inputs, labels, err := batches.Batch(3)
	check.OK(t, err)
	x, known := inputs[0].Value().([][][][]float32), inputs[1].Value().([][][]float32)
	y := labels[0].Value().([][][]float32)
	wantX, wantKnown, wantY := make([]float32, 4), make([]float32, 2), make([]float32, 4)
	decay.Series(4, 1.5, wantX, wantKnown, wantY) // the second start and period
	for trial := range 2 {
		if !slices.Equal(known[trial][4], wantKnown) {
			t.Errorf("context %v, want %v", known[trial][4], wantKnown)
		}
		for step := range 4 {
			if x[step][trial][4][0] != wantX[step] || y[step][trial][4] != wantY[step] {
				t.Errorf("step %d: %g, %g, want %g, %g", step, x[step][trial][4][0], y[step][trial][4], wantX[step],
					wantY[step])
			}
		}
	}
	if batch, steps := c.Shape(); batch != 6 || steps != 4 || inputs[0].Shape().Dim(2) != 6 {
		t.Errorf("shape %d, %d", batch, steps)
	}
	c.Periods = nil
	if _, err := c.Open([]uint64{1}); err == nil {
		t.Error("no periods are not refused")
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

func TestDue(t *testing.T) {
	// 10·row + 3·column: variances 100·(2/3) and 9·(1/4).
	var states [][]float64
	for row := range 3 {
		for column := range 2 {
			states = append(states, []float64{10*float64(row) + 3*float64(column), 7})
		}
	}
	rows, columns := 100*2./3, 9./4
	for name, c := range map[string]struct {
		group func(int) int
		want  float64
	}{
		"rows":    {func(i int) int { return i / 2 }, rows / (rows + columns)},
		"columns": {func(i int) int { return i % 2 }, columns / (rows + columns)},
	} {
		if got := Due(states, c.group); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

func TestShared(t *testing.T) {
	if got := Shared([][]float64{{3, 1}, {3, -1}}); math.Abs(got-0.9) > 1e-12 {
		t.Errorf("%g, want 9 of 10", got)
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

// White is 0, and the further from it the darker, on both sides.
func TestSigned(t *testing.T) {
	grey := func(v float64) int { return int(color.GrayModel.Convert(signed(v)).(color.Gray).Y) }
	if grey(0) != 255 {
		t.Errorf("0 is %d", grey(0))
	}
	for _, sign := range []float64{-1, 1} {
		for v := 0.; v < 1; v += 0.125 {
			if grey(sign*v) <= grey(sign*(v+0.125)) {
				t.Errorf("%g is as dark as %g", sign*v, sign*(v+0.125))
			}
		}
		if signed(2*sign) != signed(sign) {
			t.Errorf("%g is not cut off", 2*sign)
		}
	}
	if red := signed(1).(color.RGBA); red.R < red.B {
		t.Error("positive is blue")
	}
}
