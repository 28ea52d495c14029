package replication

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A world is a set of records to judge, and ways to change it.
type world []*Record

// paperWorld has records of Figures 1, 3, 4 and 5 in which everything is as the paper says, at one scale, with three trials.
func paperWorld(scale string) world {
	var w world
	for _, panel := range []string{"uniform-warp", "uniform-pad", "variable-warp", "variable-pad"} {
		for _, architecture := range architectures {
			// How much of what is to be remembered is missing where the warping is moderate. No warping is easy for all.
			excess := 0.01
			if architecture == "rnn" || architecture == "leaky" && strings.HasPrefix(panel, "variable") {
				excess = 0.5
			}
			r := newRecord("fig1", panel, scale, architecture)
			for _, x := range []float64{1, 10, 50, 100} {
				for trial := range 3 {
					r.Models = append(r.Models, Model{Arm: architecture, X: &x, Trial: trial})
					e := 0.01
					if x >= 20 {
						e = excess
					}
					r.add("best_loss", 0.1)
					r.add("memoryless_loss", 2.1)
					r.add("test_loss", 0.1+2*e+0.001*float64(trial))
				}
			}
			w = append(w, r)
		}
	}
	for _, panel := range []string{"copy500", "copy2000", "varcopy500", "varcopy1000"} {
		standard := 1.0 // of the memoryless loss
		if panel == "copy500" {
			standard = 0.9
		}
		if panel == "varcopy500" {
			standard = 0.02
		}
		w = append(w, curves("fig3", panel, scale, "loss", func(arm string, share float64) float64 {
			end := standard
			if arm == "chrono" {
				end = 0.01
			}
			return 0.04 * max(end, math.Exp(-10*share))
		}))
	}
	for panel, slowness := range map[string]float64{"adding200": 3, "adding750": 7} {
		w = append(w, curves("fig4", panel, scale, "mse", func(arm string, share float64) float64 {
			if arm == "standard" {
				share /= slowness
			}
			if share < 0.1 { // a chrono trial has learned it after a tenth of the steps
				return 0.04
			}
			return 0.0001
		}))
	}
	for architecture, accuracy := range map[string][]float64{ // trained on, and on test warps up to 100, 400 and 500
		"rnn": {0.75, 0.72, 0.71, 0.70}, "leaky": {0.9, 0.85, 0.8, 0.75}, "gated": {0.999, 0.97, 0.83, 0.76},
	} {
		r := newRecord("fig5", "generalization", scale, architecture)
		r.Settings["train_warp"] = 50
		for trial := range 3 {
			r.Models = append(r.Models, Model{Arm: architecture, Trial: trial})
			for i, name := range []string{"valid_accuracy", "test_accuracy@100", "test_accuracy@400", "test_accuracy@500"} {
				r.add(name, accuracy[i]+0.0003*float64(trial*i)) // the trials differ a little
			}
		}
		w = append(w, r)
	}
	return w
}

func newRecord(figure, panel, scale, part string) *Record {
	return &Record{
		Header: Header{Figure: figure, Panel: panel, Scale: scale, Part: part, Settings: map[string]any{}, Backend: "go"},
		End:    &End{Steps: 1000, Seconds: 1, Final: map[string]Values{}},
	}
}

func (r *Record) add(final string, v float64) { r.End.Final[final] = append(r.End.Final[final], v) }

// curves makes a record with three trials of standard and chrono, whose losses are a function of the share of steps done. Memoryless is 0.04.
func curves(figure, panel, scale, final string, loss func(arm string, share float64) float64) *Record {
	r := newRecord(figure, panel, scale, "")
	r.Settings["memoryless"] = 0.04
	r.Settings["T"] = 500
	for i := range 6 {
		r.Models = append(r.Models, Model{Arm: []string{"standard", "chrono"}[i/3], Trial: i % 3})
	}
	for step := 5; step <= r.End.Steps; step += 5 {
		p := Point{Step: step, Series: "train"}
		for _, m := range r.Models {
			p.Values = append(p.Values, loss(m.Arm, float64(step)/float64(r.End.Steps))*(1+0.001*float64(m.Trial)))
		}
		r.Points = append(r.Points, p)
	}
	r.End.Final[final] = slices.Clone(r.Points[len(r.Points)-1].Values)
	return r
}

func (w world) find(t *testing.T, figure, panel, part string) *Record {
	t.Helper()
	r, err := evidence(w).record(figure, panel, part)
	check(t, err)
	return r
}

// set sets a final result of the given models (all if none).
func (r *Record) set(final string, v float64, models ...int) {
	for i := range r.End.Final[final] {
		if len(models) == 0 || slices.Contains(models, i) {
			r.End.Final[final][i] = v
		}
	}
}

// train sets the training curve of the given models to v at every point from share of it on.
func (r *Record) train(v, share float64, models ...int) {
	for i := int(share * float64(len(r.Points))); i < len(r.Points); i++ {
		for _, m := range models {
			r.Points[i].Values[m] = v
		}
	}
}

func judgement(t *testing.T, records []*Record, id string) Judgement {
	t.Helper()
	for _, j := range Judge(Claims(), records) {
		if j.ID == id {
			return j
		}
	}
	t.Fatalf("no claim %s", id)
	return Judgement{}
}

func TestEveryClaimHoldsInThePapersWorld(t *testing.T) {
	seen := map[string]bool{}
	for _, j := range Judge(Claims(), paperWorld("paper")) {
		if j.Verdict != Reproduced || j.Scale != "paper" || j.Found == "" {
			t.Errorf("%s: %v (%s): %s", j.ID, j.Verdict, j.Scale, j.Found)
		}
		if j.Where == "" || j.Says == "" || j.Criterion == "" || seen[j.ID] {
			t.Errorf("%s: incomplete or twice", j.ID)
		}
		seen[j.ID] = true
	}
	for _, j := range Judge(Claims(), paperWorld("reduced")) {
		if j.Verdict != ReproducedReduced || j.Scale != "reduced" {
			t.Errorf("%s: %v (%s): %s", j.ID, j.Verdict, j.Scale, j.Found)
		}
	}
}

// Every claim has a change of the paper's world under which it, and nothing that is not named beside it, does not hold any more.
func TestEveryClaimCanFail(t *testing.T) {
	const chrono2 = 5 // the last trial of chrono: one trial is enough to refute
	cases := []struct {
		ids    string
		change func(t *testing.T, w world)
	}{
		{"fig1.unwarped.all-succeed", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-warp", "rnn").set("test_loss", 0.5, 0) }},
		{"fig1.uniform-warp.gated-perfect", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-warp", "gated").set("test_loss", 0.3, 11) }},
		{"fig1.uniform-pad.gated-perfect", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-pad", "gated").set("test_loss", 0.3, 11) }},
		{"fig1.variable-warp.gated-perfect", func(t *testing.T, w world) { w.find(t, "fig1", "variable-warp", "gated").set("test_loss", 0.3, 11) }},
		{"fig1.variable-pad.gated-perfect", func(t *testing.T, w world) {
			w.find(t, "fig1", "variable-pad", "gated").set("test_loss", math.NaN(), 3) // diverged, where the warping is not moderate yet
		}},
		{"fig1.uniform-warp.leaky-perfect", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-warp", "leaky").set("test_loss", 0.3, 5) }},
		{"fig1.uniform-pad.leaky-perfect", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-pad", "leaky").set("test_loss", 0.3, 5) }},
		{"fig1.variable-warp.leaky-suboptimal", func(t *testing.T, w world) { w.find(t, "fig1", "variable-warp", "leaky").set("test_loss", 0.1, 11) }},
		{"fig1.variable-pad.leaky-suboptimal", func(t *testing.T, w world) { w.find(t, "fig1", "variable-pad", "leaky").set("test_loss", 0.1, 11) }},
		{"fig1.uniform-warp.rnn-fails fig1.uniform-warp.gated-beats-rnn", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-warp", "rnn").set("test_loss", 0.1, 11) }},
		{"fig1.uniform-pad.rnn-fails fig1.uniform-pad.gated-beats-rnn", func(t *testing.T, w world) { w.find(t, "fig1", "uniform-pad", "rnn").set("test_loss", 0.1, 11) }},
		{"fig1.variable-warp.rnn-fails fig1.variable-warp.gated-beats-rnn", func(t *testing.T, w world) { w.find(t, "fig1", "variable-warp", "rnn").set("test_loss", 0.1, 11) }},
		{"fig1.variable-pad.rnn-fails fig1.variable-pad.gated-beats-rnn", func(t *testing.T, w world) { w.find(t, "fig1", "variable-pad", "rnn").set("test_loss", 0.1, 11) }},

		{"fig3.copy500.no-plateau", func(t *testing.T, w world) { w.find(t, "fig3", "copy500", "").set("loss", 0.021, chrono2) }},
		{"fig3.copy500.no-plateau fig3.copy500.beats-standard fig4.with-fig3.all-synthetic", func(t *testing.T, w world) { w.find(t, "fig3", "copy500", "").set("loss", math.NaN(), chrono2) }},
		{"fig3.copy500.beats-standard fig4.with-fig3.all-synthetic", func(t *testing.T, w world) {
			w.find(t, "fig3", "copy500", "").set("loss", 0.0003, 0) // a lucky trial of standard
		}},
		{"fig3.copy500.standard-beats-memoryless", func(t *testing.T, w world) { w.find(t, "fig3", "copy500", "").set("loss", 0.04, 0) }},
		{"fig3.copy500.standard-plateau", func(t *testing.T, w world) { w.find(t, "fig3", "copy500", "").train(0.01, 0.5, 2) }},
		{"fig3.copy2000.beats-standard fig4.with-fig3.all-synthetic", func(t *testing.T, w world) { w.find(t, "fig3", "copy2000", "").set("loss", 0.0001, 0) }},
		{"fig3.copy2000.no-plateau", func(t *testing.T, w world) { w.find(t, "fig3", "copy2000", "").set("loss", 0.021, chrono2) }},
		{"fig3.copy2000.standard-plateau fig3.spikes.harmless", func(t *testing.T, w world) { w.find(t, "fig3", "copy2000", "").train(0.06, 0.5, 2) }},
		{"fig3.varcopy500.even fig3.varcopy500.both-well", func(t *testing.T, w world) { w.find(t, "fig3", "varcopy500", "").set("loss", 0.04, 0, 1, 2) }},
		{"fig3.varcopy500.even", func(t *testing.T, w world) { w.find(t, "fig3", "varcopy500", "").set("loss", 0.015, 0, 1, 2) }},
		{"fig3.varcopy500.both-well", func(t *testing.T, w world) { w.find(t, "fig3", "varcopy500", "").set("loss", 0.03) }},
		{"fig3.varcopy1000.beats-standard fig4.with-fig3.all-synthetic", func(t *testing.T, w world) { w.find(t, "fig3", "varcopy1000", "").set("loss", 0.03, 3, 4, 5) }},
		{"fig3.spikes.harmless", func(t *testing.T, w world) {
			r := w.find(t, "fig3", "copy500", "")
			for i := range r.Points { // too many
				if i%15 == 0 {
					r.Points[i].Values[3] = 1
				}
			}
		}},
		{"fig3.spikes.harmless", func(t *testing.T, w world) {
			w.find(t, "fig3", "copy500", "").train(0.003, 0.9, 3) // one that lasts: to 7.5 % of the memoryless loss, from 1 %
		}},

		{"fig4.adding200.faster", func(t *testing.T, w world) {
			r := w.find(t, "fig4", "adding200", "")
			r.train(0.001, 0.05, 0) // a lucky trial of standard
			r.train(0.04, 0.9, 0)
		}},
		{"fig4.adding200.outperforms fig4.with-fig3.all-synthetic", func(t *testing.T, w world) { w.find(t, "fig4", "adding200", "").train(0.03, 0.12, 3) }},
		{"fig4.adding750.faster fig4.adding750.7x fig4.adding750.outperforms fig4.with-fig3.all-synthetic", func(t *testing.T, w world) {
			w.find(t, "fig4", "adding750", "").train(0.04, 0, chrono2) // never converges
		}},
		{"fig4.adding750.7x", func(t *testing.T, w world) { w.find(t, "fig4", "adding750", "").train(0.0001, 0.3, 0, 1, 2) }}, // 3 × faster

		{"fig5.decent", func(t *testing.T, w world) {
			w.find(t, "fig5", "generalization", "leaky").set("test_accuracy@500", 0.6, 1)
		}},
		{"fig5.decent", func(t *testing.T, w world) {
			w.find(t, "fig5", "generalization", "leaky").set("test_accuracy@500", math.NaN(), 1)
		}},
		{"fig5.not-perfect", func(t *testing.T, w world) {
			w.find(t, "fig5", "generalization", "leaky").set("test_accuracy@500", 1, 1)
		}},
		{"fig5.gated.from-100-to-75", func(t *testing.T, w world) {
			w.find(t, "fig5", "generalization", "gated").set("valid_accuracy", 0.99, 1)
		}},
		{"fig5.rnn.below-80", func(t *testing.T, w world) { w.find(t, "fig5", "generalization", "rnn").set("valid_accuracy", 0.81, 1) }},
		{"fig5.gated-better", func(t *testing.T, w world) {
			w.find(t, "fig5", "generalization", "gated").set("test_accuracy@100", 0.3, 1)
		}},
		{"fig5.gated-falls-faster", func(t *testing.T, w world) {
			r := w.find(t, "fig5", "generalization", "gated")
			r.set("test_accuracy@400", 0.76)
		}},
		{"fig5.rnn-flatter fig5.rnn.below-80", func(t *testing.T, w world) { w.find(t, "fig5", "generalization", "rnn").set("valid_accuracy", 0.99) }},
	}
	tested := map[string]bool{}
	for _, c := range cases {
		w := paperWorld("paper")
		c.change(t, w)
		var failed []string
		for _, j := range Judge(Claims(), w) {
			if j.Verdict == NotReproduced {
				failed = append(failed, j.ID)
			}
		}
		want := strings.Fields(c.ids)
		slices.Sort(want)
		slices.Sort(failed)
		if !slices.Equal(failed, want) {
			t.Errorf("failed: %q, want %q", failed, want)
		}
		for _, id := range want {
			tested[id] = true
		}
	}
	for _, c := range Claims() {
		if !tested[c.ID] {
			t.Errorf("%s: never seen to fail", c.ID)
		}
	}
}

// The largest scale that has all that a claim needs decides, whatever smaller ones say.
func TestTheLargestScaleDecides(t *testing.T) {
	const id = "fig3.copy500.beats-standard"
	quick, reduced, paper := paperWorld("quick"), paperWorld("reduced"), paperWorld("paper")
	reduced.find(t, "fig3", "copy500", "").set("loss", 0.04)

	if j := judgement(t, slices.Concat(reduced, quick), id); j.Verdict != NotReproduced || j.Scale != "reduced" {
		t.Errorf("reduced refutes what quick showed, but the verdict is %v (%s)", j.Verdict, j.Scale)
	}
	if j := judgement(t, slices.Concat(paper, reduced, quick), id); j.Verdict != Reproduced {
		t.Errorf("paper shows it, but the verdict is %v (%s)", j.Verdict, j.Scale)
	}
	r := paper.find(t, "fig3", "copy500", "") // only two trials of each
	r.Models[2].Arm, r.Models[5].Arm = "other", "other"
	if j := judgement(t, slices.Concat(paper, quick), id); j.Verdict != ReproducedReduced || j.Scale != "quick" || !strings.Contains(j.Found, "chrono") {
		t.Errorf("paper is too small: %v (%s): %s", j.Verdict, j.Scale, j.Found)
	}
	if j := judgement(t, paper, id); j.Verdict != NotRun || !strings.Contains(j.Found, "2 trials of chrono") {
		t.Errorf("too few trials: %v: %s", j.Verdict, j.Found)
	}
}

func TestNotRun(t *testing.T) {
	for _, j := range Judge(Claims(), nil) {
		if j.Verdict != NotRun || j.Found != "no records" {
			t.Errorf("%s without records: %v: %s", j.ID, j.Verdict, j.Found)
		}
	}
	w := paperWorld("paper")
	for _, r := range w {
		r.End = nil
	}
	for _, j := range Judge(Claims(), w) {
		if j.Verdict != NotRun {
			t.Errorf("%s on unfinished records: %v", j.ID, j.Verdict)
		}
	}
	for _, c := range []struct {
		id, found string
		change    func(w world)
	}{
		{"fig3.copy500.no-plateau", "no memoryless loss", func(w world) { delete(w.find(t, "fig3", "copy500", "").Settings, "memoryless") }},
		{"fig3.copy500.no-plateau", "no loss in the record", func(w world) { delete(w.find(t, "fig3", "copy500", "").End.Final, "loss") }},
		{"fig1.uniform-pad.rnn-fails", "no memoryless_loss", func(w world) { delete(w.find(t, "fig1", "uniform-pad", "rnn").End.Final, "memoryless_loss") }},
		{"fig1.uniform-pad.rnn-fails", "not above the best loss", func(w world) { w.find(t, "fig1", "uniform-pad", "rnn").set("memoryless_loss", 0.1, 4) }},
		{"fig1.uniform-pad.rnn-fails", "2 values of maximum_warping above 1", func(w world) {
			r := w.find(t, "fig1", "uniform-pad", "rnn")
			r.Models = r.Models[:9]
		}},
		{"fig5.decent", "no test_accuracy@400", func(w world) { delete(w.find(t, "fig5", "generalization", "rnn").End.Final, "test_accuracy@400") }},
		{"fig5.decent", "no train_warp", func(w world) { delete(w.find(t, "fig5", "generalization", "rnn").Settings, "train_warp") }},
		{"fig3.spikes.harmless", "only 50 points", func(w world) {
			r := w.find(t, "fig3", "copy500", "")
			r.Points = r.Points[:50]
		}},
	} {
		w := paperWorld("paper")
		c.change(w)
		if j := judgement(t, w, c.id); j.Verdict != NotRun || !strings.Contains(j.Found, c.found) {
			t.Errorf("%s: %v: %q, want %q", c.id, j.Verdict, j.Found, c.found)
		}
	}
}

// Shares are given in percent, as the criteria are.
func TestFoundInPercent(t *testing.T) {
	w := paperWorld("paper")
	if j := judgement(t, w, "fig1.uniform-pad.rnn-fails"); !strings.Contains(j.Found, "rnn excess loss in %: 1.05 [1, 1.1] at 10, ") {
		t.Error(j.Found)
	}
	if j := judgement(t, w, "fig5.rnn.below-80"); !strings.Contains(j.Found, "rnn, in %: 75 [75, 75] trained on") {
		t.Error(j.Found)
	}
}

// A few short spikes are what the paper says there are.
func TestFewSpikesAreHarmless(t *testing.T) {
	w := paperWorld("paper")
	r := w.find(t, "fig3", "copy500", "")
	r.Points[100].Values[3], r.Points[101].Values[3], r.Points[150].Values[3] = 1, math.NaN(), 2 // 3 of 200 points
	j := judgement(t, w, "fig3.spikes.harmless")
	if j.Verdict != Reproduced || !strings.Contains(j.Found, "of 24 curves, the worst has 1.5 %") {
		t.Errorf("%v: %s", j.Verdict, j.Found)
	}
}

// A standard that has not converged gives a lower bound, and the table says so.
func TestSpeedUpOfWhatNeverConverges(t *testing.T) {
	w := paperWorld("paper")
	w.find(t, "fig4", "adding750", "").train(0.04, 0, 0, 1, 2)
	j := judgement(t, w, "fig4.adding750.7x")
	if j.Verdict != Reproduced || !strings.Contains(j.Found, "ratio ≥ 10") { // chrono needs a tenth of all steps
		t.Errorf("%v: %s", j.Verdict, j.Found)
	}
}

// A run that ends before standard converges says that chrono is faster if standard has not even begun by then, but not by how much.
func TestSpeedUpInAShortRun(t *testing.T) {
	w := paperWorld("paper")
	r := w.find(t, "fig4", "adding750", "")
	r.train(0.04, 0, 0, 1, 2, 3, 4, 5) // the memoryless error
	r.train(0.001, 0.7, 3, 4, 5)       // chrono converges after 70 % of the steps
	if j := judgement(t, w, "fig4.adding750.faster"); j.Verdict != Reproduced {
		t.Errorf("%v: %s", j.Verdict, j.Found)
	}
	if j := judgement(t, w, "fig4.adding750.7x"); j.Verdict != NotRun || !strings.Contains(j.Found, "ends before standard converges") {
		t.Errorf("%v: %s", j.Verdict, j.Found)
	}
	r.train(0.015, 0, 1) // one standard trial is on its way, below half of it
	if j := judgement(t, w, "fig4.adding750.faster"); j.Verdict != NotReproduced {
		t.Errorf("%v: %s", j.Verdict, j.Found)
	}
}

func TestSpread(t *testing.T) {
	if s := SpreadOf([]float64{1, 2, 6}); s != (Spread{3, 3, 1, 6}) || s.String() != "3 [1, 6]" {
		t.Errorf("%+v", s)
	}
	for _, values := range [][]float64{nil, {1, math.NaN()}} {
		if s := SpreadOf(values); !math.IsNaN(s.Mean) || !math.IsNaN(s.Min) || !math.IsNaN(s.Max) {
			t.Errorf("of %v: %+v", values, s)
		}
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median %g, want 2.5", m)
	}
}

// spaces are those that align the verdicts.
var spaces = regexp.MustCompile(`(\S) +`)

func TestTable(t *testing.T) {
	w := paperWorld("quick")
	w.find(t, "fig3", "copy500", "").set("loss", 0.04)
	w = slices.DeleteFunc(w, func(r *Record) bool { return r.Figure == "fig5" })
	judgements := Judge(Claims(), w)
	md := Markdown(judgements)
	for _, want := range []string{
		"| **not reproduced** (quick) |", "| **reproduced at reduced scale** (quick) |", "| not run |", "no record of fig5 generalization rnn",
		"**Figure 4**", "`fig3.copy500.beats-standard` · Section 3",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in the table:\n%s", want, md)
		}
	}
	for _, line := range strings.Split(md, "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 5 {
			t.Errorf("a row without 4 cells: %s", line)
		}
	}
	var text strings.Builder
	check(t, WriteText(&text, judgements))
	for _, j := range judgements {
		want := fmt.Sprintf("%s %v (quick)\n    %s\n", j.ID, j.Verdict, j.Found)
		if j.Verdict == NotRun {
			want = fmt.Sprintf("%s %v\n", j.ID, j.Found) // "not run: no record of …", once
		}
		if got := spaces.ReplaceAllString(text.String(), "$1 "); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}

	readme := []byte("# Title\n\n" + TableBegin + "\nyesterday\n" + TableEnd + "\n\nmore\n")
	if err := CheckTable(readme, w); err == nil || !strings.Contains(err.Error(), "-readme") {
		t.Errorf("an outdated table passed: %v", err)
	}
	current, err := ReplaceTable(readme, md)
	check(t, err)
	check(t, CheckTable(current, w))
	if s := string(current); !strings.HasPrefix(s, "# Title\n") || !strings.HasSuffix(s, "\n\nmore\n") || strings.Contains(s, "yesterday") {
		t.Errorf("document:\n%s", s)
	}
	for _, bad := range []string{"no markers", TableEnd + "\n" + TableBegin + "\n", string(readme) + string(readme)} {
		if _, err := ReplaceTable([]byte(bad), md); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// The records that figures and claims are drawn from all read, and are judged without a panic.
func TestCommittedRecords(t *testing.T) {
	records, err := ReadAll("records")
	check(t, err)
	for _, j := range Judge(Claims(), records) {
		if j.Verdict != NotRun && j.Found == "" {
			t.Errorf("%s: %v without numbers", j.ID, j.Verdict)
		}
	}
}
