package warp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// paperTasks returns what a figure trains at scale paper, by the names of its panels.
func paperTasks(t *testing.T, f figures.Figure) map[string][]experiment.Task {
	t.Helper()
	tasks, err := f.Tasks(experiment.Options{Scale: "paper", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]experiment.Task{}
	for _, task := range tasks {
		all[task.Panel.Name] = append(all[task.Panel.Name], task)
	}
	return all
}

// says compares a number of a declaration with W's.
func says(t *testing.T, of fmt.Stringer, what string, got, want any) {
	t.Helper()
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Errorf("%s: %s is %#v, the paper says %#v", of, what, got, want)
	}
}

// rmsprop checks what W says of the optimizer, at this rate.
func rmsprop(t *testing.T, e experiment.Task, rate float64) {
	t.Helper()
	says(t, e, "the moving average", e.Optimizer.Method.(trial.RMSprop).Alpha, 0.9)
	says(t, e, "the rate", e.Optimizer.Rates, []float64{rate})
	says(t, e, "the clipping", e.Optimizer.Clip, 0.0)
}

// warpedCourse checks what W says of the training of Figures 1 and 5.
func warpedCourse(t *testing.T, e experiment.Task) {
	t.Helper()
	rate := paperRate
	if strings.HasSuffix(e.Panel.Name, bestRate) {
		rate = map[string]float64{"rnn": 4e-3}[e.Part] // ours
		if rate == 0 {
			rate = 8e-3
		}
	}
	rmsprop(t, e, rate)
	says(t, e, "the rule", e.Schedule, trial.ReduceOnPlateau{Every: 100, Series: "valid_loss"})
	data := e.Data.(trial.Symbols)
	says(t, e, "the batch", data.Batch, 32)
	says(t, e, "the number of training sequences", data.Sequences, 50_000)
	says(t, e, "three passes, in whole updates", e.Length.Total(), 3*50_000/32)
	says(t, e, "the alphabet", data.Tasks[0].Alphabet(), 10)
	says(t, e, "the steps of a sequence", data.Steps(), 500)
	network := e.Network.(experiment.Recurrent)
	cells := map[string]cell.Cell{"rnn": cell.RNN{Hidden: 64}, "leaky": cell.Leaky{Hidden: 64}} // (2), (5)
	want, ok := cells[e.Part]
	if !ok {
		want = cell.Gated{Hidden: 64} // (10)
	}
	says(t, e, "the cell", network.Cell, want)
}

// trialsOf counts the trials of an arm at an x.
func trialsOf(trials []record.Trial) map[string]int {
	counts := map[string]int{}
	for _, trial := range trials {
		x := ""
		if trial.X != nil {
			x = fmt.Sprint(*trial.X)
		}
		counts[trial.Arm+" "+x]++
	}
	return counts
}

// Figure 1 is what W's Section 3 says of it, at scale paper.
func TestPapersNumbersFig1(t *testing.T) {
	panels := paperTasks(t, Fig1)
	if len(panels) != 8 {
		t.Fatalf("%d panels, want 8", len(panels))
	}
	for name, tasks := range panels {
		if len(tasks) != 3 {
			t.Errorf("%s: %d architectures, the paper has 3", name, len(tasks))
		}
		for _, e := range tasks {
			warpedCourse(t, e)
			for of, n := range trialsOf(e.Trials) {
				says(t, e, "the number of trials of "+of, n, 5)
			}
			test := e.Tests[len(e.Tests)-1]
			data := test.Data.(trial.Symbols)
			says(t, e, "the number of test sequences", test.Batches*data.Batch, 10_000)
			says(t, e, "the test sequences' passes", data.Sequences, 0) // each is new
			for i, of := range e.Data.(trial.Symbols).Tasks {
				says(t, e, "the test's task", data.Tasks[i], of)
				n := int(*e.Trials[i].X) // maximum_warping
				least := n
				if strings.HasPrefix(name, "variable") {
					least = 1
				}
				var want task.Symbols = task.Warp{Length: 500, Min: least, Max: n}
				if strings.Contains(name, "pad") {
					want = task.Pad{Length: 500, Min: least, Max: n}
				}
				says(t, e, "the task", of, want)
			}
		}
	}
}

// lstms checks what W says of the LSTMs of Figures 3 and 4.
func lstms(t *testing.T, e experiment.Task, tmax float64) {
	t.Helper()
	rmsprop(t, e, 1e-3)
	says(t, e, "the rule", e.Schedule, trial.ConstantRate{})
	network := e.Network.(experiment.Recurrent)
	says(t, e, "the cell", network.Cell, cell.LSTM{Hidden: 128})
	for i, of := range e.Trials {
		want := chrono.GateInit(chrono.Standard{Forget: 1})
		if of.Arm == "chrono" {
			want = chrono.Chrono{Tmax: tmax}
		}
		says(t, e, of.Arm, network.GateInit[i], want)
	}
}

// Figures 3 and 4 are what W's Section 3 says of them, at scale paper.
func TestPapersNumbersFig3And4(t *testing.T) {
	fig3, fig4 := paperTasks(t, Fig3), paperTasks(t, Fig4)
	if len(fig3) != 4 || len(fig4) != 2 {
		t.Fatalf("%d and %d panels, want 4 and 2", len(fig3), len(fig4))
	}
	for name, want := range map[string]struct {
		task  task.Symbols
		steps int
		tmax  float64
	}{
		"copy500":     {task.Copy{T: 500}, 520, 750},
		"copy2000":    {task.Copy{T: 2000}, 2020, 3000},
		"varcopy500":  {task.VariableCopy{T: 500}, 521, 500},
		"varcopy1000": {task.VariableCopy{T: 1000}, 1021, 1000},
	} {
		e := fig3[name][0]
		lstms(t, e, want.tmax)
		data := e.Data.(trial.Symbols)
		says(t, e, "the task", data.Tasks, []task.Symbols{want.task})
		says(t, e, "the steps", data.Steps(), want.steps)
		says(t, e, "the alphabet", data.Tasks[0].Alphabet(), 10)
	}
	for name, length := range map[string]int{"adding200": 200, "adding750": 750} {
		e := fig4[name][0]
		lstms(t, e, float64(length))
		says(t, e, "the task", e.Data.(trial.Regression).Tasks, []task.Regression{task.Adding{T: length}})
	}
}

// Figure 5 is what W's Appendix A says of it, at scale paper.
func TestPapersNumbersFig5(t *testing.T) {
	panels := paperTasks(t, Fig5)
	if len(panels) != 2 {
		t.Fatalf("%d panels, want 2", len(panels))
	}
	tmaxes := map[string]float64{"chrono": 50, "chrono-tested": 500} // which of them, W does not say
	for _, tasks := range panels {
		var arms []string
		for _, e := range tasks {
			warpedCourse(t, e)
			says(t, e, "the training task", e.Data.(trial.Symbols).Tasks,
				[]task.Symbols{task.Warp{Length: 500, Min: 1, Max: 50}})
			for arm, n := range trialsOf(e.Trials) {
				arms = append(arms, strings.TrimSpace(arm))
				says(t, e, "the number of trials", n, 5) // ours, as in Figure 1
			}
			for i, of := range e.Trials {
				if tmax := tmaxes[of.Arm]; tmax > 0 {
					biases := e.Network.(experiment.Recurrent).GateInit
					says(t, e, of.Arm, biases[i], chrono.Chrono{Tmax: tmax})
				}
			}
			var longest []int
			for _, test := range e.Tests[2:] { // after those on the validation and the training range
				warp := test.Data.(trial.Symbols).Tasks[0].(task.Warp)
				says(t, e, "the shortest warp tested", warp.Min, 100)
				if warp.Length == 500 {
					longest = append(longest, warp.Max)
				} else {
					says(t, e, "the long tests' steps", warp.Length, 10*warp.Max)
				}
				says(t, e, "the number of test sequences", test.Batches*test.Data.(trial.Symbols).Batch, 1_024) // ours
			}
			if longest[0] != 100 || slices.Max(longest) != 500 || !slices.IsSorted(longest) {
				t.Errorf("%s is tested on warps up to %v, want 100 to ten times those trained on", e, longest)
			}
		}
		slices.Sort(arms)
		says(t, tasks[0], "the arms", arms, []string{"chrono", "chrono-tested", "gated", "leaky", "rnn"})
	}
}
