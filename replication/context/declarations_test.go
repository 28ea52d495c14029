package context

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// everyTask returns all that is declared, at the declared seed.
func everyTask(t *testing.T) []experiment.Task {
	t.Helper()
	var all []experiment.Task
	for _, figure := range Figures() {
		for _, scale := range record.Scales {
			if _, ok := figure.Panels[0].Sizes[scale]; !ok {
				continue
			}
			tasks, err := figure.Tasks(experiment.Options{Scale: scale, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tasks...)
		}
	}
	return all
}

// Whatever is changed about a declaration shows in this file.
func TestDeclarations(t *testing.T) {
	var text bytes.Buffer
	for _, task := range everyTask(t) {
		fmt.Fprintf(&text, "%s\n", task)
		decoder := json.NewDecoder(bytes.NewReader(experiment.Encode(task.Experiment)))
		decoder.Token() // the brace
		for decoder.More() {
			name, _ := decoder.Token()
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "  %s: %s\n", name, value)
		}
		text.WriteByte('\n')
	}
	golden.Check(t, "testdata/declarations.txt", text.Bytes())
}

// A record is found by its name, and compared by its experiment: no two runs may have the same of either.
func TestEveryRunIsItsOwn(t *testing.T) {
	names, texts := map[string]bool{}, map[string]string{}
	for _, task := range everyTask(t) {
		if names[task.String()] {
			t.Errorf("two runs are called %s", task)
		}
		names[task.String()] = true
		text := string(experiment.Encode(task.Experiment))
		if texts[text] != "" {
			t.Errorf("%s and %s are the same experiment", task, texts[text])
		}
		texts[text] = task.String()
	}
}

// Every panel has the smallest scale and the paper's own, and trains the arms that it names.
func TestScales(t *testing.T) {
	for _, figure := range Figures() {
		for _, panel := range figure.Panels {
			for _, scale := range []string{"quick", "paper"} {
				if _, ok := panel.Sizes[scale]; !ok {
					t.Errorf("%s %s is not declared at scale %s", figure.ID(), panel.Name, scale)
				}
			}
			for scale, size := range panel.Sizes {
				trained := map[string]bool{}
				for _, run := range size.Runs([]uint64{1}) {
					for _, trial := range run.Trials {
						trained[trial.Arm] = true
					}
				}
				for _, arm := range panel.Arms {
					if !trained[arm.Name] {
						t.Errorf("%s %s at scale %s does not train %q", figure.ID(), panel.Name, scale, arm.Name)
					}
					delete(trained, arm.Name)
				}
				if len(trained) > 0 {
					t.Errorf("%s %s at scale %s trains %v, which it does not name", figure.ID(), panel.Name, scale,
						trained)
				}
			}
		}
	}
}

// The sizes that C names: 2.2.1 and 2.2.2.
func TestPaperSizes(t *testing.T) {
	for _, c := range []struct {
		figure experiment.Figure
		want   []string
	}{
		{Fig2, []string{
			`"Pairs":4`, `"Split":"train","Batch":128,"Sequences":100000`, `"Sequences":20000`,
			`"is":"cell.FastWeights","Hidden":50`,
			`{"is":"trial.Adam"`, `"Rates":[0.001]`, `"Epochs":200,"Updates":782`,
		}},
		{Fig5, []string{
			`"Final":25,"Alpha":0,"Beta":0.001,"Low":2,"High":4`,
			`"Drawn":[0.5,1.5,2.5,3.5,4.5]}],"Split":"train","Batch":128,"Series":5000`,
			`"Drawn":[1,2,3,4]}],"Split":"valid","Batch":500,"Series":2000`, `"is":"cell.LSTM","Hidden":128`,
			`"Rates":[0.0002]`, `"Epochs":65,"Updates":40`,
		}},
	} {
		tasks, err := c.figure.Tasks(experiment.Options{Scale: "paper", Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			text := string(experiment.Encode(task.Experiment))
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s has no %s", task, want)
				}
			}
		}
	}
	_, first := ForecasterSketch()
	if g := first.Mean.(cell.Contextual); !slices.Equal(g.Hidden, []int{50}) {
		t.Errorf("the first state's network has hidden layers of %v units, want one of 50", g.Hidden)
	}
}

// "An example of a generated sequence is shown in Figure 4": 4.004 at t = 0, 0.004 at t = 100, waves whose heights fall
// as 1 − t/t_f, and between them, at t = 12.5 and so on, β·x(0) = 0.004.
func TestFigure4(t *testing.T) {
	at := func(x, want float64) {
		t.Helper()
		if got := Fig4.At(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("x(%g) is %g, want %g", x, got, want)
		}
	}
	for wave := range 5 {
		top := 25 * float64(wave)
		at(top, 4*((100-top)/100)+0.004)
		if wave < 4 {
			at(top+12.5, 0.004)
			for _, step := range []float64{1, 6, 12} {
				if !(Fig4.At(top+step) < Fig4.At(top+step-1)) || !(Fig4.At(top+12.5+step) > Fig4.At(top+12.5)) {
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

// Every committed record is what its figure declares today.
func TestCommittedRecords(t *testing.T) {
	records, err := record.ReadAny("../records")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]record.Header{}
	for _, task := range everyTask(t) {
		h := task.Header("")
		declared[h.Name()] = h
	}
	for _, r := range records {
		h, ok := declared[r.Name()]
		switch {
		case r.Paper != Paper:
		case !ok:
			t.Errorf("%s is declared nowhere", r.Path)
		case !r.SameExperiment(h):
			t.Errorf("%s is not what its figure declares:\n%s\n%s", r.Path, r.Experiment, h.Experiment)
		case strings.Contains(r.Commit, "+changes") || r.Commit == "unknown":
			t.Errorf("%s was made by a program of no commit: %s", r.Path, r.Commit)
		}
	}
}
