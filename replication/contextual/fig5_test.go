package contextual

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// The blocks of an LSTM are those of one matrix [I+H, 4H]: one limit for all of them, √(6 / (I + H + 4H)).
func TestJointGlorot(t *testing.T) {
	const inputs, hidden = 2, 100
	draws := cell.Draws{Seed: 1, WeightInit: JointGlorot{Inputs: inputs}, GateInit: forgetBias[0]}
	layer, err := cell.LSTM{Hidden: hidden}.Layer(inputs)
	check.OK(t, err)
	drawn := initialValues(draws, layer.Weights)
	limit := math.Sqrt(6 / float64(inputs+5*hidden))
	for _, name := range []string{"input", "recurrent"} {
		low, high := slices.Min(drawn[name]), slices.Max(drawn[name])
		if low < -limit || low > -0.95*limit || high > limit || high < 0.95*limit {
			t.Errorf("%s is from %g to %g, want almost all of ±%g", name, low, high, limit)
		}
	}
	got := draws.WeightInit.Draw(draws.RNG(), cell.Output, hidden, 1)
	if want := (cell.He{}).Draw(draws.RNG(), cell.Output, hidden, 1); !slices.Equal(got, want) {
		t.Error("the read-out is not He's")
	}
}

// Ten trials are five and five: the first five as where there are no more, and each part's record is found again.
func TestTrialsInParts(t *testing.T) {
	tasks := func(trials int) []experiment.Task {
		ours := Fig5.Experiments()
		ours.Panels = ours.Panels[:1]
		all, err := ours.Tasks(experiment.Options{Scale: record.Paper, Trials: trials, Seed: 7})
		check.OK(t, err)
		return all
	}
	five, ten := tasks(5), tasks(10)
	if len(five) != 2 || len(ten) != 4 {
		t.Fatalf("%d and %d parts, want 2 and 4", len(five), len(ten))
	}
	for i, task := range ten {
		if i < 2 && string(task.Header("").Experiment) != string(five[i].Header("").Experiment) {
			t.Errorf("%s is another one where there are more trials", task)
		}
		if first := 5 * (i / 2); task.Trials[0].Number != first || task.Trials[0].Seed != uint64(7000+first) {
			t.Errorf("%s begins with trial %+v", task, task.Trials[0])
		}
		declared, err := experiment.Declared(Paper.Trained(), &record.Record{Header: task.Header("go")})
		if err != nil || declared.Part != task.Part {
			t.Errorf("the record of %s is declared as %q: %v", task, declared.Part, err)
		}
	}
}
