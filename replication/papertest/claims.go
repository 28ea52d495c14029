// Package papertest tests what the claims of every paper must keep to: each can be reproduced, contradicted and
// inconclusive, and is not run where something is missing.
package papertest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/worlds"
)

// Verdicts checks that every claim is reproduced in the first world, the paper's own, and that there are worlds in
// which it is contradicted, and worlds in which it is inconclusive, unless it is computed. The file
// testdata/verdicts.txt holds what is said of each claim in each world, and why, and in the paper's own with which
// numbers.
func Verdicts(t *testing.T, paper figures.Paper, all []worlds.World) {
	t.Helper()
	claims := paper.Claims()
	answers := make([]map[claim.Answer]bool, len(claims))
	text := make([]bytes.Buffer, len(claims))
	for k, w := range all {
		for i, j := range claim.Judge(claims, w.Records(paper.Trained(), experiment.Options{Scale: record.Paper})) {
			if k == 0 {
				answers[i] = map[claim.Answer]bool{}
				if j.Answer != claim.Reproduced {
					t.Errorf("%s: %v where everything is %s: %s", j.ID, j.Answer, w.Name, j.Found)
				}
				fmt.Fprintf(&text[i], "%s\n  %s\n", j.ID, strings.Join(j.Found, "\n  "))
			}
			answers[i][j.Answer] = true
			unsure := j.Answer == claim.Inconclusive || j.Answer == claim.Depends
			if unsure != (j.Why != "") || len(j.Found) == 0 || j.Scale != record.Paper &&
				!j.Computed {
				t.Errorf("%s, %s: %v at scale %q because %q: %s", w.Name, j.ID, j.Answer, j.Scale, j.Why, j.Found)
			}
			fmt.Fprintf(&text[i], "    %-26s%s\n", w.Name, strings.TrimSuffix(j.Answer.String()+": "+j.Why, ": "))
		}
	}
	var verdicts bytes.Buffer
	for i, c := range claims {
		fmt.Fprintf(&verdicts, "%s\n", text[i].Bytes())
		for _, answer := range claim.Answers {
			if !answers[i][answer] && !c.Computed && (answer != claim.Depends || len(c.Open) > 0) {
				t.Errorf("%s is %v in no world", c.ID, answer)
			}
		}
	}
	golden.Check(t, "testdata/verdicts.txt", verdicts.Bytes())
}

// Missing checks that a claim which is reproduced in a world is not run, with the reason, if anything is missing that
// it takes, and stays reproduced else. Every claim takes some record, but for those that are named: one of several is
// enough for them.
func Missing(t *testing.T, paper figures.Paper, world worlds.World, enough ...string) {
	t.Helper()
	claims := paper.Claims()
	trained := paper.Trained()
	whole := world.Records(trained, experiment.Options{Scale: record.Quick})
	takesRecord := map[string]bool{}
	without := func(what string, claims []claim.Claim, records []*record.Record) {
		t.Helper()
		for _, j := range claim.Judge(claims, records) {
			switch {
			case j.Answer == claim.NotRun && j.Why != "" && what != "nothing":
			case reproduced(j) && (j.Scale == record.Quick || j.Computed), standIns(j):
			default:
				t.Errorf("%s without %s: %v because %q", j.ID, what, j.Answer, j.Why)
			}
		}
	}
	without("nothing", claims, whole)
	for i, r := range whole {
		rest := slices.Delete(slices.Clone(whole), i, i+1)
		without(r.Name(), claims, rest)
		for _, j := range claim.Judge(claims, rest) {
			takesRecord[j.ID] = takesRecord[j.ID] || !reproduced(j) || j.Answer == claim.Reproduced && j.Why != ""
		}
		about := slices.DeleteFunc(slices.Clone(claims), func(c claim.Claim) bool { // of another trained figure
			return c.Figure() != r.Paper+"/"+r.Figure &&
				slices.ContainsFunc(whole, func(r *record.Record) bool { return c.Figure() == r.Paper+"/"+r.Figure })
		})
		lacking := func(what string, change func(r *record.Record)) {
			t.Helper()
			changed, end := *r, *r.End
			end.Final, end.Vectors, changed.End = maps.Clone(end.Final), maps.Clone(end.Vectors), &end
			changed.Trials = slices.Clone(r.Trials)
			change(&changed)
			whole[i] = &changed
			without(r.Name()+" "+what, about, whole)
			whole[i] = r
		}
		for name := range r.End.Final {
			lacking(name, func(r *record.Record) { delete(r.End.Final, name) })
		}
		for name := range r.End.Vectors {
			lacking(name, func(r *record.Record) { delete(r.End.Vectors, name) })
		}
		lacking("points", func(r *record.Record) { r.Points = nil })
		lacking("the memoryless loss", func(r *record.Record) { r.Trials[0].Memoryless = nil })
		lacking("the best loss", func(r *record.Record) { r.Trials[0].Best = nil })
		lacking("x", func(r *record.Record) { r.Trials[0].X = nil })
	}
	for _, c := range claims {
		if !takesRecord[c.ID] && !c.Computed && !slices.Contains(enough, c.ID) {
			t.Errorf("%s does without any single record", c.ID)
		}
	}
	for _, j := range claim.Judge(claims, world.Records(trained, experiment.Options{Scale: record.Quick, Trials: 2})) {
		if j.Computed || (j.MinTrials == 1 || j.MinTrials == 2) && standIns(j) {
			continue // without trials, or with as few as the paper's own runs
		}
		if j.Answer != claim.NotRun || !strings.Contains(j.Why, "2, wants 3") {
			t.Errorf("%s of two trials: %v because %q", j.ID, j.Answer, j.Why)
		}
	}
}

// reproduced tells whether a judgement says so, be it of another size than the one that the claim names.
func reproduced(j claim.Judgement) bool {
	return j.Answer == claim.Reproduced ||
		j.Other != "" && strings.HasPrefix(j.Why, "only ") && strings.HasSuffix(j.Why, ": reproduced")
}

// standIns tells whether a judgement says that there was nothing to judge by but data that stand in for the real.
func standIns(j claim.Judgement) bool {
	return j.Answer == claim.Inconclusive && j.Scale == record.Quick && len(j.Found) > 0 &&
		strings.HasPrefix(j.Why, "no ") && strings.HasSuffix(j.Why, " at this scale")
}
