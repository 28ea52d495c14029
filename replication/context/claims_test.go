package context

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// In the paper's own world every claim is seen. For every claim there are worlds in which it is contradicted, and
// worlds in which it is undecided. The file holds what is said of each claim in each world, and why, and in the paper's
// own with which numbers.
func TestVerdicts(t *testing.T) {
	claims := Claims()
	answers := make([]map[claim.Answer]bool, len(claims))
	text := make([]bytes.Buffer, len(claims))
	for _, w := range worlds {
		for i, j := range claim.Judge(claims, w.records(t, experiment.Options{Scale: "paper"})) {
			if answers[i] == nil {
				answers[i] = map[claim.Answer]bool{}
				if j.Verdict != claim.Seen {
					t.Errorf("%s: %v where everything is %s: %s", j.ID, j.Verdict, w.name, j.Found)
				}
				fmt.Fprintf(&text[i], "%s\n  %s\n", j.ID, strings.ReplaceAll(j.Found, "; ", "\n  "))
			}
			answers[i][j.Verdict] = true
			if (j.Verdict == claim.Undecided) != (j.Why != "") || j.Found == "" || j.Scale != "paper" {
				t.Errorf("%s, %s: %v at scale %q because %q: %s", w.name, j.ID, j.Verdict, j.Scale, j.Why, j.Found)
			}
			fmt.Fprintf(&text[i], "    %-26s%s\n", w.name, strings.TrimSuffix(j.Verdict.String()+": "+j.Why, ": "))
		}
	}
	var all bytes.Buffer
	for i, c := range claims {
		fmt.Fprintf(&all, "%s\n", text[i].Bytes())
		for _, answer := range []claim.Answer{claim.Seen, claim.Contradicted, claim.Undecided} {
			// Two declarations are alike or not.
			if !answers[i][answer] && !(answer == claim.Undecided && c.ID == "context/fig2.same-settings") {
				t.Errorf("%s is %v in no world", c.ID, answer)
			}
		}
	}
	golden.Check(t, "testdata/verdicts.txt", all.Bytes())
}

// A claim is not run, with the reason, if anything is missing that it takes; nothing else changes.
func TestMissing(t *testing.T) {
	o := experiment.Options{Scale: "quick"}
	claims, whole := Claims(), world(asThePaperSays).records(t, o)
	notRun := map[string]bool{}
	without := func(what string, records []*record.Record) {
		for _, j := range claim.Judge(claims, records) {
			if !(j.Verdict == claim.Seen && j.Scale == "quick" || j.Verdict == claim.NotRun && j.Why != "") {
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

func TestClaimsAreWhole(t *testing.T) {
	id := regexp.MustCompile(`^context/(fig[256]|text|eq4|conclusion)\.[a-z0-9-]+$`)
	seen := map[string]bool{}
	for _, c := range Claims() {
		if !id.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("%q is no identifier, or is there twice", c.ID)
		}
		seen[c.ID] = true
		if c.Where == "" || c.Criterion == "" || !strings.HasSuffix(c.Says, ".") || strings.Contains(c.Says, "%!") ||
			strings.Contains(c.Criterion, "%!") {
			t.Errorf("%s: %q says %q, judged by %q", c.ID, c.Where, c.Says, c.Criterion)
		}
	}
	if len(seen) != 17 {
		t.Errorf("%d claims: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}
