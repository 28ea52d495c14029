package papers_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// Every claim has a name of its own and a sentence, and where its verdict is open it says what would decide it. Every
// condition but the main one matters to some claim.
func TestClaims(t *testing.T) {
	seen := map[string]bool{}
	for _, j := range check.Got(papers.Judge("../records", all()))(t) {
		check.That(t, !seen[j.ID], "%s is twice", j.ID)
		seen[j.ID] = true
		check.That(t, j.Name != "" && j.Where != "" && strings.HasSuffix(j.Says, "."),
			"%s: a name, a place and a sentence are wanted", j.ID)
		if a := j.Verdict.Answer; (a == claim.Undecided || a == claim.NotRun) && len(j.Needs) == 0 && !j.Ours {
			t.Errorf("%s is %v, and nothing says what would decide it", j.ID, a)
		}
	}
	for _, s := range papers.All.Sets() {
		for i, c := range s.Conditions {
			if i > 0 && !slices.ContainsFunc(s.Claims, func(of claim.Claim) bool {
				return !reflect.DeepEqual(c.In(of.Rule), of.Rule)
			}) {
				t.Errorf("%s: no claim depends on the condition %q", s.ID, c.Name)
			}
		}
	}
}

// For programs, a name and a unit stand for one quantity.
func TestNames(t *testing.T) {
	named := map[[2]string]claim.Quantity{}
	for _, j := range check.Got(papers.Judge("../records", all()))(t) {
		w := j.Set.Words
		w.ByID = true
		for _, s := range slices.Concat(j.Verdict.Shown, j.Smaller.Shown) {
			name := [2]string{claim.Text(s.Quantity, w), s.Quantity.Named(w).Unit.Name}
			if q, ok := named[name]; ok && !reflect.DeepEqual(q, s.Quantity) {
				t.Errorf("%s: %s, in %q, is two quantities: %v and %v", j.ID, name[0], name[1], q, s.Quantity)
			}
			named[name] = s.Quantity
		}
	}
}

// Every rule can be met, can fail and can be left open: samples are drawn around the rule's own numbers until all
// three have been seen. Rules that hold together are tried one by one.
func TestEveryAnswerIsPossible(t *testing.T) {
	for _, s := range papers.All.Sets() {
		for _, c := range s.Claims {
			calculated := len(parts.Of[claim.Arm](c.Rule)) == 0
			for i, rule := range together(c.Rule) {
				rng := rand.New(rand.NewPCG(1, 2))
				levels := append(parts.Of[float64](rule), 0, 1)
				seen := map[claim.Answer]bool{}
				for tries := 0; tries < 20_000 && len(seen) < 3 && !calculated; tries++ {
					drawn, common, calm := map[string]claim.Sample{}, one(rng, levels...), rng.IntN(4) == 0
					v := claim.Try(rule, func(q claim.Quantity) (claim.Sample, error) {
						name := fmt.Sprintf("%#v", q)
						if drawn[name] == nil {
							drawn[name] = draw(rng, one(rng, common, one(rng, levels...)), calm)
						}
						return drawn[name], nil
					})
					if v.Answer != claim.NotRun {
						seen[v.Answer] = true
					}
				}
				check.That(t, len(seen) == 3 || calculated, "%s, rule %d, is hardly ever other than %v", s.ClaimID(c),
					i, seen)
			}
		}
	}
}

// together are the rules that hold together.
func together(r claim.Rule) (rules []claim.Rule) {
	all, ok := r.(claim.All)
	if !ok {
		return []claim.Rule{r}
	}
	for _, r := range all {
		rules = append(rules, together(r)...)
	}
	return rules
}

func one(rng *rand.Rand, of ...float64) float64 { return of[rng.IntN(len(of))] }

// draw draws a sample of three trials at three x around a level, which scatter little or much; if it is calm, on it.
func draw(rng *rand.Rand, level float64, calm bool) (s claim.Sample) {
	factor, scatter, rises := one(rng, 0, 0.3, 0.9, 1, 1.1, 3, 10), one(rng, 0, 1e-3, 1), one(rng, 0, 1)
	if calm {
		factor, scatter, rises = 1, 0, 0
	}
	never := !calm && rng.IntN(4) == 0 // at the largest x
	for i, x := range []float64{1, 10, 100} {
		for k := range 3 {
			v := level*factor*(1+scatter*rng.Float64()) + rises*float64(i)*level
			censored := !calm && rng.IntN(20) == 0 || never && i == 2
			s = append(s, claim.Value{Trial: k, X: x, V: v, Before: v, Censored: censored})
		}
	}
	return s
}

// No verdict and no number depends on a sentence, or on the name of a figure, panel or arm: with all of them replaced,
// in declarations and records alike, both are the same.
func TestVerdictsDoNotReadNames(t *testing.T) {
	name := func(of string) string {
		if of == "" { // empty fields of an arm stand for any
			return ""
		}
		return fmt.Sprintf("%x, T = 7", sha256.Sum256([]byte(of)))
	}
	renamed := func(part any) (any, bool) {
		switch part := part.(type) {
		case claim.Condition:
			part.Name, part.Why = name(part.Name), name(part.Why)
			return part, false
		case claim.Claim:
			part.Says, part.Quote, part.Where = name(part.Says), name(part.Quote), name(part.Where)
			return part, false
		case claim.Arm:
			if paper, figure, ok := strings.Cut(part.Figure, "/"); ok {
				part.Figure = name(paper) + "/" + name(figure)
			}
			part.Panel, part.Name = name(part.Panel), name(part.Name)
			return part, true
		}
		return part, false
	}
	sets := papers.All.Sets()
	before := claim.Judge(sets, all())
	for i, s := range sets {
		sets[i].Title, sets[i].Words = name(s.Title), claim.Words{}
		sets[i].Conditions = parts.Rewritten(s.Conditions, renamed)
		sets[i].Claims = parts.Rewritten(s.Claims, renamed)
	}
	var records []*record.Record
	for _, r := range all() {
		other := *r
		other.Paper, other.Figure, other.Panel = name(r.Paper), name(r.Figure), name(r.Panel)
		other.Trials = slices.Clone(r.Trials)
		for i, trial := range r.Trials {
			other.Trials[i].Arm = name(trial.Arm)
		}
		records = append(records, &other)
	}
	numbers := func(j claim.Judgement) string {
		all := []any{len(j.Rows)}
		for _, row := range j.Rows {
			all = append(all, row.Answer)
		}
		for _, v := range []claim.Verdict{j.Verdict, j.Smaller} {
			all = append(all, v.Answer)
			for _, n := range v.Numbers {
				all = append(all, n.Interval)
			}
		}
		return fmt.Sprint(all...) // which has NaN equal to NaN
	}
	for i, after := range claim.Judge(sets, records) {
		check.Equal(t, numbers(after), numbers(before[i]), "%s", before[i].ID)
	}
}

// The verdicts depend on constants in rules' code, too. Whoever changes one changes all hashes: see claim.Set.Hash.
func TestConstantsOfRules(t *testing.T) {
	want := map[string]string{
		"claim.finalPart": "0.2", "claim.confidence": "0.95", "claim.rounding": "1e-4", "warp.enough": "9",
		"warp.skippedShare": "0.05", "warp.rounding": "1e-9", "warp.spikeAround": "10", "warp.allWarps": "0",
		"contextual.solvedShare": "0.1",
	}
	got := map[string]string{}
	constant := regexp.MustCompile(`(?m)^\s*(?:const )?(\w+) += ([\d.e-]+)`)
	for _, path := range check.Got(filepath.Glob("../[cw]*/*.go"))(t) {
		for _, m := range constant.FindAllStringSubmatch(string(check.Read(t, path)), -1) {
			if name := filepath.Base(filepath.Dir(path)) + "." + m[1]; want[name] != "" {
				got[name] = m[2]
			}
		}
	}
	check.Equal(t, got, want, "constants of rules")
}

// rules.txt ends with today's rule of every claim.
func TestRulesAreRegistered(t *testing.T) {
	for claim, hash := range papers.Unregistered() {
		t.Errorf("add this line to rules.txt, with the date and why: DATE %s %s WHY", hash, claim)
	}
}

// No line of rules.txt was changed or removed since it promises so: each version that was committed begins the present
// one.
func TestRulesAreAppendOnly(t *testing.T) {
	const promised = "ecd35e036ad537a00fc93a65021b723ca8764ced"
	now := string(check.Read(t, "rules.txt"))
	commits := strings.Fields(need.Git(t, "log", "--format=%H", promised+"^..", "--", "rules.txt"))
	for _, commit := range commits {
		check.That(t, strings.HasPrefix(now, need.Git(t, "show", commit+":./rules.txt")),
			"lines that rules.txt has at %s were changed or removed: only add lines", commit)
	}
	check.That(t, len(commits) != 0, "rules.txt has no history")
}
