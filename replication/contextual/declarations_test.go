package contextual

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
)

// The sizes that C names: 2.2.1 and 2.2.2.
func TestPaperSizes(t *testing.T) {
	for _, c := range []struct {
		figure figures.Figure
		want   []string
	}{
		{Fig2, []string{
			`"Pairs":4`, `"Split":"train","Batch":128,"Sequences":100000`, `"Sequences":20000`,
			`"is":"cell.FastWeights","Hidden":50`,
			`{"is":"trial.Adam"`, `"Rates":[0.001]`, `"Updates":782`,
		}},
		{Fig5, []string{
			`"Final":25,"Alpha":0,"Beta":0.001,"Low":2,"High":4`,
			`"Drawn":[0.5,1.5,2.5,3.5,4.5]}],"Split":"train","Batch":128,"Series":5000`,
			`"Drawn":[1,2,3,4]}],"Split":"valid","Batch":500,"Series":2000`, `"is":"cell.LSTM","Hidden":128`,
			`"Rates":[0.0002]`, `"Epochs":65,"Updates":40`,
		}},
	} {
		tasks, err := c.figure.Tasks(experiment.Options{Scale: "paper", Seed: 1})
		check.OK(t, err)
		for _, task := range tasks {
			text := string(experiment.Encode(task.Experiment))
			check.Contains(t, text, c.want...)
		}
	}
	if g := paperForecast.learned().(cell.Normal).Mean.(cell.Contextual); !slices.Equal(g.Hidden, []int{50}) {
		t.Errorf("the initial state's network has hidden layers of %v units, want one of 50", g.Hidden)
	}
}

// "An example of a generated sequence is shown in Figure 4": 4.004 at t = 0, 0.004 at t = 100, waves whose heights fall
// as 1 − t/t_f, and between them, at t = 12.5 and so on, β·x(0) = 0.004.
func TestFigure4(t *testing.T) {
	at := func(x, want float64) {
		t.Helper()
		if got := fig4Series.at(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("x(%g) is %g, want %g", x, got, want)
		}
	}
	for wave := range 5 {
		top := 25 * float64(wave)
		at(top, 4*((100-top)/100)+0.004)
		if wave < 4 {
			at(top+12.5, 0.004)
			for _, step := range []float64{1, 6, 12} {
				if !(fig4Series.at(top+step) < fig4Series.at(top+step-1)) ||
					!(fig4Series.at(top+12.5+step) > fig4Series.at(top+12.5)) {
					t.Errorf("no wave from t = %g on", top)
				}
			}
		}
	}
	for x := range 101 { // C(3), written out
		want := 4 * ((100-float64(x))/100*(1+math.Cos(2*4*math.Pi*float64(x)/100))/2 + 0.001)
		at(float64(x), want)
	}
}
