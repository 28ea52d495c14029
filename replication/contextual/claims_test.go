package contextual

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/record"
)

func TestVerdicts(t *testing.T) {
	var all []papertest.World
	for _, w := range worlds {
		all = append(all, papertest.World{Name: w.name, Records: w.records(t, experiment.Options{Scale: "paper"})})
	}
	papertest.Verdicts(t, Paper.Claims(), all, func(string, claim.Answer) bool { return false })
}

// A claim is not run, with the reason, if anything is missing that it takes; nothing else changes.
func TestMissing(t *testing.T) {
	o := experiment.Options{Scale: "quick"}
	claims, whole := Paper.Claims(), world(asThePaperSays).records(t, o)
	notRun := map[string]bool{}
	without := func(what string, records []*record.Record) {
		for _, j := range claim.Judge(claims, records) {
			if !(j.Verdict == claim.Reproduced && j.Scale == "quick" || j.Verdict == claim.NotRun && j.Why != "") {
				t.Errorf("%s without %s: %v because %q", j.ID, what, j.Verdict, j.Why)
			}
			if j.Verdict == claim.NotRun {
				notRun[j.ID] = true
			}
		}
	}
	without("nothing", whole)
	if len(notRun) > 0 {
		t.Errorf("not run although all records are there: %v", notRun)
	}
	for i, r := range whole {
		without(r.Name(), slices.Delete(slices.Clone(whole), i, i+1))
		for _, results := range []func() (string, func()){
			func() (string, func()) { p := r.Points; r.Points = nil; return "points", func() { r.Points = p } },
			func() (string, func()) {
				f := r.End.Final
				r.End.Final = nil
				return "final", func() { r.End.Final = f }
			},
			func() (string, func()) {
				v := r.End.Vectors
				r.End.Vectors = nil
				return "vectors", func() { r.End.Vectors = v }
			},
			func() (string, func()) {
				trials := slices.Clone(r.Trials)
				r.Trials[0].Memoryless = nil
				return "a level", func() { copy(r.Trials, trials) }
			},
		} {
			what, back := results()
			without(r.Name()+" "+what, whole)
			back()
		}
	}
	for _, c := range claims {
		if !notRun[c.ID] {
			t.Errorf("%s does without any single record", c.ID)
		}
	}
	o.Trials = 2
	for _, j := range claim.Judge(claims, world(asThePaperSays).records(t, o)) {
		if j.Verdict != claim.NotRun || !strings.Contains(j.Why, "2, wants 3") {
			t.Errorf("%s of two trials: %v because %q", j.ID, j.Verdict, j.Why)
		}
	}
}
