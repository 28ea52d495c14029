package claim

import (
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// Two choices with two readings each.
var (
	rate   = Choice{Open: "rate", Readings: []Reading{{Name: "at low", Is: ""}, {Name: "at high", Is: "-high"}}}
	length = Choice{Open: "length", Readings: []Reading{{Name: "on short", Is: "s"}, {Name: "on long", Is: "l"}}}
)

// A claim is judged once for each combination of readings. What decides is not hidden by what does not, and a choice
// that makes no difference is not counted.
func TestReadings(t *testing.T) {
	yes, no := Found(Reproduced, "", "yes"), Found(Contradicted, "", "no")
	unclear, nothing := Found(Inconclusive, "it is unclear", "unclear"), Unlearned("nothing")
	missing := Missing("no record")
	for _, c := range []struct {
		name                      string
		low, high, lowLong, high2 Finding // short and long
		want                      Answer
		short, why                string
	}{
		{"all", yes, yes, yes, yes, Reproduced, "reproduced", ""},
		{"none", no, no, no, no, Contradicted, "contradicted", ""},
		{"one rate", yes, no, yes, no, Depends, "depends (1 of 2)",
			"reproduced at low; contradicted at high"},
		{"one length", yes, yes, no, no, Depends, "depends (1 of 2)",
			"reproduced on short; contradicted on long"},
		{"one of four", yes, no, no, unclear, Depends, "depends (1 of 4)", "reproduced at low on short; " +
			"contradicted at low on long, or at high on short; inconclusive at high on long (it is unclear)"},
		{"three of four", yes, no, yes, yes, Depends, "depends (3 of 4)",
			"reproduced at low or on long; contradicted at high on short"},
		{"unclear with one rate", yes, unclear, yes, unclear, Depends, "depends (1 of 2)",
			"reproduced at low; inconclusive at high (it is unclear)"},
		{"nothing learns with one rate", nothing, yes, nothing, yes, Reproduced, "reproduced", ""},
		{"nothing learns with one rate, the reverse with the other", nothing, no, nothing, no, Contradicted,
			"contradicted", ""},
		{"nothing learns", nothing, nothing, nothing, nothing, Inconclusive, "inconclusive", NothingLearned},
		{"not all contradict", no, unclear, no, unclear, Inconclusive, "inconclusive",
			"contradicted at low; inconclusive at high (it is unclear)"},
		{"unclear", unclear, unclear, unclear, unclear, Inconclusive, "inconclusive", "it is unclear"},
		{"one rate not run", yes, missing, yes, missing, Reproduced, "reproduced",
			"not run at high"},
		{"one rate not run, the reverse with the other", no, missing, no, missing, Inconclusive, "inconclusive",
			"contradicted at low; not run at high"},
		{"one of four not run", yes, yes, no, missing, Depends, "depends (2 of 3)",
			"reproduced on short; contradicted on long; not run at high on long"},
		{"not run", missing, missing, missing, missing, NotRun, "not run", "no record"},
	} {
		claim := Claim{ID: "a", Open: []Choice{rate, length}, Judge: func(e Evidence) Finding {
			return map[string]Finding{"s": c.low, "-highs": c.high, "l": c.lowLong, "-highl": c.high2}[e.Read(rate)+
				e.Read(length)]
		}}
		j := Judge([]Claim{claim}, []*record.Record{newRecord("copy500", "paper", chronoWins)})[0]
		if j.Answer != c.want || j.Short() != c.short || j.Why != c.why {
			t.Errorf("%s: %s because %q, want %s because %q", c.name, j.Short(), j.Why, c.short, c.why)
		}
		if n := len(j.Found); c.want == Depends && n < 1 {
			t.Errorf("%s: nothing found: %q", c.name, j.Found)
		}
	}
}

// The number of several readings is one number with ranges, one of each answer, or one of each reading.
func TestNumberOfReadings(t *testing.T) {
	found := func(a Answer, number string) Finding { return Found(a, "close").With("%s", number) }
	for _, c := range []struct {
		low, high Finding
		want      string
	}{
		{found(Reproduced, "gain 2.5 %"), found(Reproduced, "gain 10 %"), "gain 2.5 to 10 %"},
		{found(Reproduced, "gain -3 at T = 4"), found(Reproduced, "gain -1e-3 at T = 4"), "gain -3 to -1e-3 at T = 4"},
		{found(Reproduced, "same"), found(Reproduced, "same"), "same"},
		{found(Reproduced, "gain 2"), found(Reproduced, "loss 1"), "at low: gain 2; at high: loss 1"},
		{found(Reproduced, "gain 2"), found(Contradicted, "gain 1"), "gain 2 (reproduced); gain 1 (contradicted)"},
		{found(Contradicted, "gain 1"), Missing("no record"), "gain 1"},
	} {
		claim := Claim{ID: "a", Open: []Choice{rate}, Judge: func(e Evidence) Finding {
			return map[string]Finding{"": c.low, "-high": c.high}[e.Read(rate)]
		}}
		j := Judge([]Claim{claim}, []*record.Record{newRecord("copy500", "paper", chronoWins)})[0]
		check.Equal(t, j.Number, c.want, "%q and %q", c.low.Number, c.high.Number)
	}
}

// The largest scale decides at which any reading was run, unless it is inconclusive for want of those by which a
// smaller one decides.
func TestReadingsAtScales(t *testing.T) {
	for _, c := range []struct {
		runs  string // a scale and a rate each; ! for the reverse
		want  Answer
		scale record.Scale
	}{
		{"quick quick-high paper paper-high", Reproduced, "paper"},
		{"quick quick-high paper", Reproduced, "paper"},
		{"quick", Reproduced, "quick"},
		{"quick quick-high paper!", Inconclusive, "paper"},
		{"quick quick-high! paper!", Inconclusive, "paper"},
		{"quick quick-high! paper", Depends, "quick"},
		{"quick quick-high! paper! paper-high!", Contradicted, "paper"},
		{"quick! quick-high! paper!", Inconclusive, "paper"},
		{"", NotRun, ""},
	} {
		runs := strings.Fields(c.runs)
		claim := Claim{ID: "a", Open: []Choice{rate}, Judge: func(e Evidence) Finding {
			for _, run := range runs {
				switch run {
				case string(e.Scale) + e.Read(rate):
					return Found(Reproduced, "", "yes")
				case string(e.Scale) + e.Read(rate) + "!":
					return Found(Contradicted, "", "no")
				}
			}
			return Missing("no record of %s", e.Read(rate))
		}}
		if j := Judge([]Claim{claim}, atAllScales())[0]; j.Answer != c.want || j.Scale != c.scale {
			t.Errorf("%q: %v at %q, want %v at %q", c.runs, j.Answer, j.Scale, c.want, c.scale)
		}
	}
}

// A rule must not read what its claim does not declare.
func TestUndeclaredReading(t *testing.T) {
	defer func() {
		if says, _ := recover().(string); !strings.Contains(says, `"rate"`) {
			t.Errorf("panic %q", says)
		}
	}()
	Judge([]Claim{{ID: "a", Judge: func(e Evidence) Finding { return Missing("%s", e.Read(rate)) }}}, atAllScales())
}
