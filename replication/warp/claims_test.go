package warp

import (
	"maps"
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
	papertest.Verdicts(t, Paper.Claims(), all, func(id string, _ claim.Answer) bool {
		return slices.ContainsFunc(Paper.Claims(), func(c claim.Claim) bool { return c.ID == id && c.Computed })
	})
}

func judgement(t *testing.T, records []*record.Record, id string) claim.Judgement {
	t.Helper()
	claims := Paper.Claims()
	i := slices.IndexFunc(claims, func(c claim.Claim) bool { return c.ID == "warp/"+id })
	if i < 0 {
		t.Fatalf("no claim %s", id)
	}
	return claim.Judge(claims[i:i+1], records)[0]
}

// A claim that is made of others is contradicted by one of them, and one of which one part is enough is reproduced in
// that, whatever is missing of the rest.
func TestContradictedInPart(t *testing.T) {
	records := world(theReverse).records(t, experiment.Options{Scale: "paper"})
	records = slices.DeleteFunc(records, func(r *record.Record) bool { return r.Panel == "copy2000" })
	if j := judgement(t, records, "fig4.with-fig3.all-synthetic"); j.Verdict != claim.Contradicted {
		t.Errorf("%v because %q", j.Verdict, j.Why)
	}
	for _, missing := range []string{"copy500", "copy2000"} {
		for _, c := range []struct {
			world
			want claim.Answer
		}{{asThePaperSays, claim.Reproduced}, {baselineStuck, claim.NotRun}} {
			records := c.records(t, experiment.Options{Scale: "paper"})
			records = slices.DeleteFunc(records, func(r *record.Record) bool { return r.Panel == missing })
			if j := judgement(t, records, "fig3.copy.standard-beats-memoryless"); j.Verdict != c.want {
				t.Errorf("without %s: %v because %q, want %v", missing, j.Verdict, j.Why, c.want)
			}
		}
	}
}

// A claim is not run, with the reason, if anything is missing that it takes; nothing else changes.
func TestMissing(t *testing.T) {
	o := experiment.Options{Scale: "quick"}
	claims, whole := Paper.Claims(), world(asThePaperSays).records(t, o)
	without := func(what string, claims []claim.Claim, records []*record.Record) {
		for _, j := range claim.Judge(claims, records) {
			if !(j.Verdict == claim.Reproduced && (j.Scale == "quick" || j.Computed) ||
				j.Verdict == claim.NotRun && j.Why != "" || standIns(j)) {
				t.Errorf("%s without %s: %v because %q", j.ID, what, j.Verdict, j.Why)
			}
		}
	}
	without("nothing", claims, whole)
	notRun := map[string]bool{}
	for i, r := range whole {
		rest := slices.Delete(slices.Clone(whole), i, i+1)
		without(r.Name(), claims, rest)
		for _, j := range claim.Judge(claims, rest) {
			if j.Verdict == claim.NotRun {
				notRun[j.ID] = true
			}
		}
		about := slices.DeleteFunc(slices.Clone(claims),
			func(c claim.Claim) bool { return c.Figure() != "warp/"+r.Figure })
		for _, name := range slices.Collect(maps.Keys(r.End.Final)) {
			values := r.End.Final[name]
			delete(r.End.Final, name)
			without(r.Name()+" "+name, about, whole)
			r.End.Final[name] = values
		}
		for _, name := range slices.Collect(maps.Keys(r.End.Vectors)) {
			values := r.End.Vectors[name]
			delete(r.End.Vectors, name)
			without(r.Name()+" "+name, about, whole)
			r.End.Vectors[name] = values
		}
		points := r.Points
		r.Points = nil
		without(r.Name()+" points", about, whole)
		r.Points = points
		for _, level := range []func(*record.Trial){
			func(t *record.Trial) { t.Memoryless = nil },
			func(t *record.Trial) { t.Best = nil },
			func(t *record.Trial) { t.X = nil },
		} {
			trials := slices.Clone(r.Trials)
			level(&r.Trials[0])
			without(r.Name()+" a level or x", about, whole)
			copy(r.Trials, trials)
		}
	}
	for _, c := range claims {
		// One T is enough for standard-beats-memoryless.
		if !notRun[c.ID] && !c.Computed && c.ID != "warp/fig3.copy.standard-beats-memoryless" {
			t.Errorf("%s does without any single record", c.ID)
		}
	}
	for _, r := range whole {
		r.Scale = "reduced"
	}
	for _, j := range claim.Judge(claims, whole) {
		if declaredAt("reduced", j.Figure()) || saidOfSafe(j.ID) || j.Computed {
			continue
		}
		if j.Verdict != claim.NotRun || !strings.Contains(j.Why, "is not declared at scale reduced") {
			t.Errorf("%s at an undeclared scale: %v because %q", j.ID, j.Verdict, j.Why)
		}
	}
	o.Trials = 2
	for _, j := range claim.Judge(claims, world(asThePaperSays).records(t, o)) {
		if j.Computed || (j.MinTrials == 1 || j.MinTrials == 2) && standIns(j) {
			continue // without trials, or with as few as the paper's own runs
		}
		if j.Verdict != claim.NotRun || !strings.Contains(j.Why, "2, wants 3") {
			t.Errorf("%s of two trials: %v because %q", j.ID, j.Verdict, j.Why)
		}
	}
}

// standIns tells whether a judgement says that there was nothing to judge by but data that stand in for the real.
func standIns(j claim.Judgement) bool {
	return j.Verdict == claim.Inconclusive && j.Scale == "quick" && j.Found != "" &&
		strings.HasPrefix(j.Why, "no ") && strings.HasSuffix(j.Why, " at this scale")
}

// declaredAt tells whether a figure has panels at a scale.
func declaredAt(scale record.Scale, id string) bool {
	return slices.ContainsFunc(Paper.Trained(), func(f experiment.Figure) bool {
		return f.ID() == id && slices.ContainsFunc(f.Panels, func(p experiment.Panel) bool {
			_, ok := p.Sizes[scale]
			return ok
		})
	})
}
