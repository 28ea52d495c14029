package claim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// curves are the training losses of three trials of each arm, at 10, 20, … 100 % of the updates.
func curves(standard, chrono [3][]float64) *record.Record {
	r := newRecord("copy500", "paper", chronoWins)
	r.Points = nil
	for i := range 10 {
		p := record.Point{Update: 10 * (i + 1), Series: record.Train}
		for _, arm := range [][3][]float64{standard, chrono} {
			for _, values := range arm {
				p.Values = append(p.Values, values[min(i, len(values)-1)])
			}
		}
		r.Points = append(r.Points, p)
	}
	return r
}

func trials(a, b, c float64) [3][]float64 { return [3][]float64{{a}, {b}, {c}} }

var (
	gap    = Threshold{Name: "a gap of %s", Value: 0.1}
	enough = Threshold{Name: "%s right", Value: 0.9, Percent: true, From: 1}
)

// A claim is judged again at half and at twice its thresholds, at other end points and without one trial at a time.
func TestRobustness(t *testing.T) {
	late := [3][]float64{{1, 1, 1, 1, 1, 1, 1, 1, 0.1}, {1, 1, 1, 1, 1, 1, 1, 1, 0.1}, {1, 1, 1, 1, 1, 1, 1, 1, 0.1}}
	ends := func(r Reader) Finding {
		last := func(arm string) record.Spread {
			return SpreadOver(r.Curves(r.Arm("warp/fig3", "copy500", arm).Curves(record.Train)), 1, Curve.Last)
		}
		return Found(r.Below(last("chrono"), last("standard"), r.Threshold(gap)), "too close", "found")
	}
	tested := func(r Reader) Finding {
		chrono := r.Spread(r.Arm("warp/fig3", "copy500", "chrono").Losses("loss"))
		return Found(AtMost(chrono, r.Threshold(enough)), "some", "found")
	}
	for _, c := range []struct {
		name          string
		rule          func(Reader) Finding
		record        *record.Record
		want, without string
		tried         int
	}{
		{"far apart", ends, curves(trials(0.9, 1, 1), trials(0.1, 0.2, 0.1)), "stable", "", 7},
		{"by little", ends, curves(trials(0.9, 0.9, 0.9), trials(0.75, 0.75, 0.75)),
			"inconclusive with a gap of 0.2", "", 7},
		{"by too little", ends, curves(trials(0.9, 0.9, 0.9), trials(0.82, 0.82, 0.82)),
			"reproduced with a gap of 0.05", "", 7},
		{"but for one trial", ends, curves(trials(0.9, 0.9, 0.9), trials(0.1, 0.1, 1)),
			"reproduced without trial 2", "", 7},
		{"at the end", ends, curves(trials(1, 1, 1), late), "inconclusive at 80 % of the updates", "", 7},
		// half and twice of 0.9 lack 0.05 and 0.2 to 1
		{"tested", tested, newRecord("copy500", "paper", map[string][]float64{"chrono": {0.85, 0.85, 0.85}}),
			"contradicted with 80 % right",
			"earlier end points, since the networks are tested after training only", 5},
	} {
		claim := Claim{ID: "warp/fig3.a", Judge: Judging(c.rule)}
		j := Judge([]Claim{claim}, []*record.Record{c.record})[0]
		r := j.Robustness()
		if r.String() != c.want || r.Tried != c.tried || strings.Join(r.Without, "") != c.without {
			t.Errorf("%s: %v, then %v of %d, without %q; want %s of %d, %q", c.name, j.Answer, r, r.Tried, r.Without,
				c.want, c.tried, c.without)
		}
	}
}

// What contradicts a paper must not rest on one trial.
func TestContradictedIsStable(t *testing.T) {
	mean := Claim{ID: "warp/fig3.a", Judge: Judging(func(r Reader) Finding {
		chrono := r.Spread(r.Arm("warp/fig3", "copy500", "chrono").Losses("loss"))
		return Found(AtMost(Exactly(chrono.Mean), r.Threshold(gap)), "", "found")
	})}
	for _, c := range []struct {
		losses []float64
		want   Answer
		why    string
	}{
		{[]float64{0.5, 0.5, 0.5}, Contradicted, ""},
		{[]float64{0.15, 0.15, 0.15}, Contradicted, ""},
		{[]float64{0, 0, 1}, Inconclusive, "contradicted, but reproduced without trial 2"},
		{[]float64{0, 0.1, 0.3}, Inconclusive,
			"contradicted, but reproduced without trial 2"},
	} {
		of := newRecord("copy500", "paper", map[string][]float64{"chrono": c.losses})
		j := Judge([]Claim{mean}, []*record.Record{of})[0]
		if j.Answer != c.want || j.Why != c.why {
			t.Errorf("%v: %v because %q", c.losses, j.Answer, j.Why)
		}
	}
}

// Nor may what contradicts it under one of several readings.
func TestContradictedReadingIsStable(t *testing.T) {
	arms := Choice{Open: "the arm", Readings: []Reading{
		{Name: "with chrono", Is: "chrono"}, {Name: "with standard", Is: "standard"},
	}}
	mean := Claim{ID: "warp/fig3.a", Open: []Choice{arms}, Judge: Judging(func(r Reader) Finding {
		losses := r.Spread(r.Arm("warp/fig3", "copy500", r.Read(arms)).Losses("loss"))
		return Found(AtMost(Exactly(losses.Mean), r.Threshold(gap)), "", "found")
	})}
	for _, c := range []struct {
		losses     []float64
		why        string
		robustness string
	}{
		{[]float64{0.5, 0.5, 0.5}, "reproduced with chrono; contradicted with standard", "stable"},
		{[]float64{0.15, 0.15, 0.15}, "reproduced with chrono; contradicted with standard",
			"reproduced with a gap of 0.2"},
		{[]float64{0, 0, 1},
			"reproduced with chrono; inconclusive with standard (contradicted, but reproduced without trial 2)",
			"reproduced without trial 2"},
	} {
		of := newRecord("copy500", "paper", map[string][]float64{"chrono": {0, 0, 0}, "standard": c.losses})
		j := Judge([]Claim{mean}, []*record.Record{of})[0]
		if r := j.Robustness(); j.Short() != "depends (1 of 2)" || j.Why != c.why || r.String() != c.robustness {
			t.Errorf("%v: %s because %q, then %v", c.losses, j.Short(), j.Why, r)
		}
	}
}

// What cannot be judged again says so.
func TestNotJudgedAgain(t *testing.T) {
	one := newRecord("copy500", "paper", map[string][]float64{"chrono": {0.1}})
	j := Judge([]Claim{
		{ID: "warp/fig3.a", MinTrials: 1, Judge: Judging(func(r Reader) Finding {
			return Found(AtMost(r.Spread(r.Arm("warp/fig3", "copy500", "chrono").Losses("loss")), 1), "", "found")
		})},
		{ID: "warp/fig3.b", Judge: Judging(func(r Reader) Finding { return Missing("nothing") })},
		{ID: "warp/fig3.c", Computed: true, Judge: func(Evidence) Finding { return Found(Reproduced, "", "2") }},
	}, []*record.Record{one})
	if r := j[0].Robustness(); r.String() != "–" || fmt.Sprint(r.Without) != "[other thresholds, since the "+
		"rule has none earlier end points, since the networks are tested after training only fewer trials, since "+
		"there is one only]" {
		t.Errorf("%v without %q", r, r.Without)
	}
	for _, j := range j[1:] {
		if r := j.Robustness(); r.String() != "–" || r.Tried > 0 {
			t.Errorf("%s: %v", j.ID, r)
		}
	}
}

// The chance that luck alone orders all trials is one of all the ways to choose those of one arm.
func TestLuck(t *testing.T) {
	for n, want := range map[int]string{1: "", 2: "1 in 6", 3: "1 in 20", 5: "1 in 252"} {
		var a, b []float64
		for i := range n {
			a, b = append(a, float64(i)), append(b, float64(10+i))
		}
		of := newRecord("copy500", "paper", map[string][]float64{"standard": b, "chrono": a})
		claim := Claim{ID: "warp/fig3.a", MinTrials: 1, Judge: Judging(func(r Reader) Finding {
			of := func(arm string) record.Spread { return r.Spread(r.Arm("warp/fig3", "copy500", arm).Losses("loss")) }
			return Found(r.Below(of("chrono"), of("standard"), 0), "", "found")
		})}
		if j := Judge([]Claim{claim}, []*record.Record{of})[0]; j.Luck != want || j.Answer != Reproduced {
			t.Errorf("%d and %d trials: %q, %v, want %q", n, n, j.Luck, j.Answer, want)
		}
	}
}

// A claim that names a size is answered by runs of that size alone.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		scale  record.Scale
		losses map[string][]float64
		want   Answer
		why    string
	}{
		{"paper", chronoWins, Reproduced, ""},
		{"paper", chronoLost, Contradicted, ""},
		{"reduced", chronoWins, Inconclusive, "only T = 500 answers it; T = 200: reproduced"},
		{"reduced", chronoLost, Inconclusive, "only T = 500 answers it; T = 200: the reverse"},
		{"quick", bothFail, Inconclusive, "only T = 500 answers it; T = 60: inconclusive: they do not differ visibly"},
	} {
		claim := beats("copy500")
		claim.Size = func(s record.Scale) string {
			return map[record.Scale]string{"paper": "T = 500", "reduced": "T = 200", "quick": "T = 60"}[s]
		}
		j := Judge([]Claim{claim}, []*record.Record{newRecord("copy500", c.scale, c.losses)})[0]
		if j.Answer != c.want || j.Why != c.why || (j.Other != "") != (c.scale != "paper") {
			t.Errorf("at %s: %v because %q, of another size %q", c.scale, j.Answer, j.Why, j.Other)
		}
	}
}

// An arm improves if its curves still fall, or rise, over their last two fifths.
func TestImproving(t *testing.T) {
	curve := func(values ...float64) Curve { return Curve{Values: values} }
	falling := curve(1, 1, 1, 1, 1, 1, 0.6, 0.5, 0.4, 0.3)
	spiking := curve(1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
	flat := curve(1, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3)
	for _, c := range []struct {
		name   string
		curves []Curve
		sign   float64
		want   bool
	}{
		{"falls", []Curve{falling}, 1, true}, {"an accuracy that falls", []Curve{falling}, -1, false},
		{"flat", []Curve{flat}, 1, false}, {"a spike before", []Curve{spiking}, 1, false},
		{"one of two falls", []Curve{falling, flat}, 1, true}, {"one point", []Curve{curve(1)}, 1, false},
		{"none", nil, 1, false},
	} {
		check.Equal(t, Improving(c.curves, c.sign, 0.05), c.want, "%s", c.name)
	}
}

// Curves of other programs end where the evidence does.
func TestCut(t *testing.T) {
	whole := []Curve{{Updates: []int{5, 8, 9, 10}, Values: []float64{4, 3, 2, 1}}}
	for end, want := range map[int]float64{0: 1, 80: 3, 90: 2} {
		cut := Reader{Evidence{vary: variation{end: end}}}.Cut(whole)
		if got := cut[0].Last(); got != want || len(whole[0].Values) != 4 {
			t.Errorf("at %d %%: %g, want %g", end, got, want)
		}
	}
}

// Runs that have been made are not asked for again, and larger ones only after smaller ones.
func TestLeft(t *testing.T) {
	more := Run{Figure: "warp/fig3", Panel: "copy500", Scale: record.Reduced, Trials: 4}
	full := Run{Figure: "warp/fig3", Panel: "copy500", Scale: record.Paper}
	words := Run{Needs: "another measure"}
	claim := beats("copy500")
	claim.DecidedBy = []Run{full, more, words}
	chrono := map[string][]float64{"chrono": {1, 1, 1}}
	four := map[string][]float64{"standard": {1, 1, 1, 1}, "chrono": {1, 1, 1, 1}}
	for _, c := range []struct {
		name    string
		records []*record.Record
		want    []Run
	}{
		{"none made", nil, []Run{more, words}},
		{"too few trials", []*record.Record{newRecord("copy500", "reduced", bothFail)}, []Run{more, words}},
		{"more trials", []*record.Record{newRecord("copy500", "reduced", four)}, []Run{full, words}},
		{"one arm", []*record.Record{newRecord("copy500", "reduced", four), newRecord("copy500", "paper", chrono)},
			[]Run{full, words}},
		{"all made", []*record.Record{newRecord("copy500", "paper", bothFail)}, []Run{words}},
	} {
		check.Equal(t, Judge([]Claim{claim}, c.records)[0].Left(), c.want, "%s: runs that are left", c.name)
	}
}
