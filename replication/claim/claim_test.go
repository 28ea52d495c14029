package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// newRecord returns a finished record of three trials of each arm, with these losses after 100 updates.
func newRecord(panel string, scale record.Scale, losses map[string][]float64) *record.Record {
	r := &record.Record{
		Header: record.Header{Paper: "warp", Figure: "fig3", Panel: panel, Scale: scale, Updates: 100, Window: 50,
			Backend: "go"},
		End: &record.End{Updates: 100, Final: map[string]record.Values{}},
	}
	first, last := record.Point{Update: 50, Series: record.Train}, record.Point{Update: 100, Series: record.Train}
	for _, arm := range []string{"standard", "chrono"} {
		for number, loss := range losses[arm] {
			memoryless, best := 1.0, 0.0
			r.Trials = append(r.Trials, record.Trial{Arm: arm, Number: number, Memoryless: &memoryless, Best: &best})
			first.Values, last.Values = append(first.Values, 1), append(last.Values, loss)
		}
	}
	r.Points = []record.Point{first, last}
	r.End.Final["loss"] = last.Values
	return r
}

var (
	chronoWins = map[string][]float64{"standard": {0.9, 0.95, 1}, "chrono": {0.1, 0.2, 0.15}}
	chronoLost = map[string][]float64{"standard": {0.1, 0.2, 0.15}, "chrono": {0.9, 0.95, 1}}
	bothFail   = map[string][]float64{"standard": {0.99, 1, 1.01}, "chrono": {1, 0.99, 1.01}}
)

// beats is a claim as those of Figure 3 are.
func beats(panel string) Claim {
	return Claim{
		ID: "warp/fig3." + panel + ".beats-standard", Where: "Figure 3", Says: "On " + panel +
			", chrono is better than standard.",
		Criterion: "chrono's loss is lower by 0.1",
		Judge: Judging(func(r Reader) Finding {
			of := func(arm string) record.Spread { return r.Spread(r.Arm("warp/fig3", panel, arm).Losses("loss")) }
			chrono, standard := of("chrono"), of("standard")
			return Found(r.Below(chrono, standard, 0.1), "they do not differ visibly",
				fmt.Sprintf("chrono %v", chrono), fmt.Sprintf("standard %v", standard))
		}),
	}
}

// said is all that a judgement says.
func said(j Judgement) string {
	return strings.TrimPrefix(strings.Join(append([]string{j.Why}, j.Found...), ", "), ", ")
}

// always is a claim with the given answer at each scale.
func always(id string, answers map[record.Scale]Answer) Claim {
	return Claim{ID: id, Says: id + ".", Judge: func(e Evidence) Finding {
		if answers[e.Scale] == NotRun {
			return Missing("not enough at %s", e.Scale)
		}
		f := Finding{Answer: answers[e.Scale], Found: []string{"at " + string(e.Scale)}}
		if f.Answer == Inconclusive {
			f.Why = "not enough at " + string(e.Scale)
		}
		return f
	}}
}

func atAllScales() []*record.Record {
	var records []*record.Record
	for _, scale := range []record.Scale{record.Paper, record.Quick, record.Reduced} { // in no order
		records = append(records, newRecord("copy500", scale, chronoWins))
	}
	return records
}

// The largest scale that has all that a claim needs decides, whatever smaller ones say, and only the paper's own
// contradicts.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		quick, reduced, paper Answer
		verdict               Answer
		scale                 record.Scale
		why                   string
	}{
		{Reproduced, Reproduced, Reproduced, Reproduced, "paper", ""},
		{Reproduced, Reproduced, Contradicted, Contradicted, "paper", ""},
		{Reproduced, Reproduced, Inconclusive, Inconclusive, "paper", "not enough at paper"},
		{Contradicted, Contradicted, Reproduced, Reproduced, "paper", ""},
		{Reproduced, Inconclusive, NotRun, Inconclusive, "reduced", "not enough at reduced"},
		{Inconclusive, Reproduced, NotRun, Reproduced, "reduced", ""},
		{Reproduced, Contradicted, NotRun, Inconclusive, "reduced", "the reverse" + onlyPaper},
		{Contradicted, NotRun, NotRun, Inconclusive, "quick", "the reverse" + onlyPaper},
		{Reproduced, NotRun, NotRun, Reproduced, "quick", ""},
		{NotRun, NotRun, NotRun, NotRun, "", "not enough at paper"},
	} {
		claim := always("a", map[record.Scale]Answer{"quick": c.quick, "reduced": c.reduced, "paper": c.paper})
		j := Judge([]Claim{claim}, atAllScales())[0]
		found := ""
		if c.scale != "" {
			found = "at " + string(c.scale)
		}
		if j.Answer != c.verdict || j.Scale != c.scale || j.Why != c.why || strings.Join(j.Found, "") != found ||
			j.ID != "a" {
			t.Errorf("%v, %v, %v: %v at %q, found %q, because %q", c.quick, c.reduced, c.paper, j.Answer, j.Scale,
				j.Found, j.Why)
		}
	}
}

// A predicate sees the finished records of one scale, and how many trials its claim takes.
func TestJudgeSelectsTheEvidence(t *testing.T) {
	records := atAllScales()
	records = append(records, newRecord("copy2000", "quick", chronoWins),
		newRecord("unfinished", "reduced", chronoWins))
	records[4].End = nil
	var got []string
	for _, minTrials := range []int{0, 2} {
		Judge([]Claim{{ID: "a", MinTrials: minTrials, Judge: func(e Evidence) Finding {
			for _, r := range e.Records {
				got = append(got, fmt.Sprint(e.Scale, " ", e.MinTrials, " ", r.Name()))
			}
			return Finding{}
		}}}, records)
	}
	want := []string{
		"quick 3 warp/fig3 copy500 quick", "quick 3 warp/fig3 copy2000 quick", "reduced 3 warp/fig3 copy500 reduced",
		"paper 3 warp/fig3 copy500 paper",
		"quick 2 warp/fig3 copy500 quick", "quick 2 warp/fig3 copy2000 quick", "reduced 2 warp/fig3 copy500 reduced",
		"paper 2 warp/fig3 copy500 paper",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the claim sees\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestJudgeARealClaim(t *testing.T) {
	few := map[string][]float64{"standard": {0.9, 0.95, 1}, "chrono": {0.1, 0.2}}
	for _, c := range []struct {
		name      string
		records   []*record.Record
		minTrials int
		verdict   Answer
		says      string
	}{
		{"as the paper says", []*record.Record{newRecord("copy500", "paper", chronoWins)}, 0, Reproduced,
			"chrono 0.15 [0.1, 0.2], standard 0.95 [0.9, 1]"},
		{"the reverse", []*record.Record{newRecord("copy500", "paper", chronoLost)}, 0, Contradicted,
			"chrono 0.95 [0.9, 1], standard 0.15 [0.1, 0.2]"},
		{"the reverse in a small run", []*record.Record{newRecord("copy500", "quick", chronoLost)}, 0, Inconclusive,
			"the reverse was found"},
		{"nothing learns", []*record.Record{newRecord("copy500", "paper", bothFail)}, 0, Inconclusive,
			"do not differ visibly"},
		{"too few trials", []*record.Record{newRecord("copy500", "paper", few)}, 0, NotRun,
			"trials of chrono in warp/fig3 copy500: 2, wants 3"},
		{"as few as it takes", []*record.Record{newRecord("copy500", "paper", few)}, 2, Reproduced, "chrono 0.15"},
		{"another panel", []*record.Record{newRecord("copy2000", "paper", chronoWins)}, 0, NotRun,
			"no record of warp/fig3 copy500"},
		{"nothing", nil, 0, NotRun, "no records"},
	} {
		claim := beats("copy500")
		claim.MinTrials = c.minTrials
		j := Judge([]Claim{claim}, c.records)[0]
		if j.Answer != c.verdict || !strings.Contains(said(j), c.says) {
			t.Errorf("%s: %v: %s", c.name, j.Answer, said(j))
		}
	}
}

func TestEvery(t *testing.T) {
	for _, c := range []struct {
		answers []Answer
		want    Answer
	}{
		{nil, NotRun},
		{[]Answer{Reproduced, Reproduced}, Reproduced},
		{[]Answer{Reproduced, Inconclusive}, Inconclusive},
		{[]Answer{Reproduced, Inconclusive, NotRun}, NotRun},
		{[]Answer{NotRun, Inconclusive, Contradicted, Reproduced}, Contradicted},
	} {
		check.Equal(t, Every(c.answers...), c.want, "%v", c.answers)
	}
}

func TestCompare(t *testing.T) {
	s := func(values ...float64) record.Spread { return record.SpreadOf(values) }
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b    record.Spread
		visible float64
		want    Answer
	}{
		{s(0.1, 0.2), s(0.8, 0.9), 0.5, Reproduced},
		{s(0.1, 0.2), s(0.8, 0.9), 0.75, Inconclusive},     // not visible
		{s(0.1, 0.85), s(0.8, 0.9), 0, Inconclusive},       // one trial overlaps
		{s(0.5, 0.5), s(0.5, 0.5), 0, Inconclusive},        // the same
		{s(0.5), s(0.50001), 0, Inconclusive},              // rounding
		{s(1e-9), s(2e-9), 1e-6, Inconclusive},             // both have solved the task
		{s(0.5), s(0.51), 0, Reproduced},                   // far beyond rounding
		{s(0.1, 0.2), s(0.8, inf), 0.5, Reproduced},        // a trial that diverged
		{s(0.1, inf), s(0.8, 0.9), 0.5, Inconclusive},      // one of ours did
		{s(inf, inf), s(inf, inf), 0, Inconclusive},        // all did
		{s(nan, 0.1), s(0.8, 0.9), 0, Inconclusive},        // no number
		{s(), s(0.8, 0.9), 0, Inconclusive},                // no trials
		{s(0.1, 0.2), Exactly(1), 0.5, Reproduced},         // a level
		{s(-0.9, -0.8), s(-0.2, -0.1), 0.5, Reproduced},    // negative
		{s(-0.00001, -0.00001), s(0.00001), 0, Reproduced}, // of opposite signs
		{s(0.5, 0.5, 0.5), s(0.4, 0.6), 0, Inconclusive},   // the same mean
		{s(0, 0, 0), s(0, 0, 0.0001), 0.01, Inconclusive},  // all but one the same
	} {
		reverse := map[Answer]Answer{Reproduced: Contradicted, Inconclusive: Inconclusive}[c.want]
		check.Equal(t, (Reader{}).Below(c.a, c.b, c.visible), c.want, "%v below %v by %g", c.a, c.b, c.visible)
		check.Equal(t, (Reader{}).Below(c.b, c.a, c.visible), reverse, "%v below %v by %g", c.b, c.a, c.visible)
	}
	for _, c := range []struct {
		s               record.Spread
		atMost, atLeast Answer // 1
	}{
		{s(0.1, 0.9), Reproduced, Contradicted},
		{s(0.1, 1), Reproduced, Inconclusive},
		{s(0.9, 1.5), Inconclusive, Inconclusive},
		{s(0.5, 1.1), Inconclusive, Inconclusive},
		{s(1, 1), Reproduced, Reproduced},
		{s(1.1, inf), Contradicted, Reproduced},
		{s(nan), Inconclusive, Inconclusive},
	} {
		if a, b := AtMost(c.s, 1), AtLeast(c.s, 1); a != c.atMost || b != c.atLeast {
			t.Errorf("%v: at most 1 %v, at least 1 %v", c.s, a, b)
		}
	}
	if p := Percent(record.Spread{N: 3, Mean: 0.55848, Min: 1e-7, Max: 1}).String(); p != "55.8 [0, 100]" {
		t.Errorf("in percent %s", p)
	}
}

// A claim that is computed takes no records, and says so.
func TestComputed(t *testing.T) {
	c := Claim{ID: "warp/fig7.sum", Says: "One and one are two.", Computed: true, Judge: func(Evidence) Finding {
		return Found(Reproduced, "", "2")
	}}
	judged := Judge([]Claim{c}, nil)
	check.Equal(t, Count(judged), "Of 1 claim, 1 is reproduced.", "count")
	page := Page{Judgements: judged}.Table()
	if !strings.Contains(page, "| **reproduced** by computation | 2 | – |") {
		t.Error(page)
	}
}
