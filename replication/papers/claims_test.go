package papers_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
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
				_, changed := c.In(of.Rule)
				return changed
			}) {
				t.Errorf("%s: no claim depends on the condition %q", s.ID, c.Name)
			}
		}
	}
}

// For programs, a name and a unit stand for one quantity. A need for the runs of a panel is for runs that are not
// there.
func TestNamesAndNeeds(t *testing.T) {
	named := map[[2]string]claim.Quantity{}
	ran := map[[2]string]bool{}
	for _, r := range check.Got(record.ReadAll("../records"))(t) {
		if r.Scale == record.Paper && r.End != nil {
			ran[[2]string{r.Paper + "/" + r.Figure, r.Panel}] = true
		}
	}
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
		for _, n := range j.Needs {
			check.That(t, n.Figure == "" || !ran[[2]string{n.Figure, n.Panel}], "%s needs %s %s, which has run", j.ID,
				n.Figure, n.Panel)
		}
	}
}

// Every rule can be met, can fail and can be left open: samples are drawn around the rule's own numbers until all
// three have been seen. Rules that hold together are tried one by one.
func TestEveryAnswerIsPossible(t *testing.T) {
	const tries = 20_000
	for _, s := range papers.All.Sets() {
		for _, c := range s.Claims {
			if c.Computed {
				continue
			}
			for i, rule := range together(c.Rule) {
				rng := rand.New(rand.NewPCG(1, 2))
				levels := append(claim.Numbers(rule), 0, 1)
				missing := map[claim.Answer]bool{
					claim.Reproduced: true, claim.NotReproduced: true, claim.Undecided: true,
				}
				for range tries {
					if len(missing) == 0 {
						break
					}
					drawn := map[string]claim.Sample{}
					of := drawer{rng, levels, levels[rng.IntN(len(levels))], rng.IntN(4) == 0}
					v := claim.Try(rule, func(q claim.Quantity) (claim.Sample, error) {
						name := fmt.Sprintf("%#v", q)
						if drawn[name] == nil {
							drawn[name] = of.sample()
						}
						return drawn[name], nil
					})
					delete(missing, v.Answer)
				}
				for answer := range missing {
					t.Errorf("%s, rule %d, can hardly be %v", s.ClaimID(c), i, answer)
				}
			}
		}
	}
}

// together are the rules that hold together.
func together(r claim.Rule) []claim.Rule {
	all, ok := r.(claim.All)
	if !ok {
		return []claim.Rule{r}
	}
	var rules []claim.Rule
	for _, r := range all {
		rules = append(rules, together(r)...)
	}
	return rules
}

// A drawer draws samples around some levels, one of which is common; if it is calm, on these levels.
type drawer struct {
	rng    *rand.Rand
	levels []float64
	common float64
	calm   bool
}

// sample draws one of three trials at three x, which scatter little or much.
func (d drawer) sample() claim.Sample {
	rng, level := d.rng, d.levels[d.rng.IntN(len(d.levels))]
	if rng.IntN(2) == 0 {
		level = d.common
	}
	factor := []float64{0, 0.3, 0.9, 1, 1.1, 3, 10}[rng.IntN(7)]
	scatter := []float64{0, 1e-3, 1}[rng.IntN(3)]
	rises := []float64{0, 1}[rng.IntN(2)]
	if d.calm {
		factor, scatter, rises = 1, 0, 0
	}
	never := !d.calm && rng.IntN(4) == 0 // at the largest x
	var s claim.Sample
	for i, x := range []float64{1, 10, 100} {
		for k := range 3 {
			v := level*factor*(1+scatter*rng.Float64()) + rises*float64(i)*level
			censored := !d.calm && rng.IntN(20) == 0 || never && i == 2
			s = append(s, claim.Value{Trial: k, X: x, V: v, Before: v, Censored: censored})
		}
	}
	return s
}

// No verdict and no number depends on a name or a sentence: with all of them replaced, in declarations and records
// alike, both are the same.
func TestVerdictsDoNotReadNames(t *testing.T) {
	name := func(of string) string {
		if of == "" { // empty fields of an arm stand for any
			return ""
		}
		return fmt.Sprintf("%x, T = 7", sha256.Sum256([]byte(of)))
	}
	// The format of records fixes two names of results. Quantities of the papers read some results that also stand in
	// rules: records keep these under both names.
	fixed := []record.Result{record.Train, record.Loss}
	inCode := []record.Result{experiment.TestLoss, experiment.ValidAccuracy, "valid_bits", "valid_entropy"}
	results := map[record.Result]bool{}
	renamed := func(part any) any {
		switch part := part.(type) {
		case claim.Condition:
			part.Name, part.Why = name(part.Name), name(part.Why)
			return part
		case claim.Claim:
			part.Says, part.Quote, part.Where = name(part.Says), name(part.Quote), name(part.Where)
			return part
		case claim.Arm:
			if paper, figure, ok := strings.Cut(part.Figure, "/"); ok {
				part.Figure = name(paper) + "/" + name(figure)
			}
			part.Panel, part.Name = name(part.Panel), name(part.Name)
			return part
		case record.Result:
			if !slices.Contains(fixed, part) {
				results[part], part = true, record.Result(name(string(part)))
			}
			return part
		}
		return part
	}
	sets := papers.All.Sets()
	before := claim.Judge(sets, all())
	for i, s := range sets {
		sets[i].Title, sets[i].Words = name(s.Title), claim.Words{}
		sets[i].Conditions = claim.Rewritten(s.Conditions, renamed)
		sets[i].Claims = claim.Rewritten(s.Claims, renamed)
	}
	names := func(result string) []string {
		// Figure 5 measures two results on long tests, too, and at several x.
		of, _, _ := strings.Cut(strings.TrimPrefix(result, "long_"), "@")
		other := strings.Replace(result, of, name(of), 1)
		switch {
		case !results[record.Result(of)]:
			return []string{result}
		case slices.Contains(inCode, record.Result(of)):
			return []string{other, result}
		}
		return []string{other}
	}
	var records []*record.Record
	for _, r := range all() {
		other, end := *r, *r.End
		other.Paper, other.Figure, other.Panel = name(r.Paper), name(r.Figure), name(r.Panel)
		other.Trials, other.Points = slices.Clone(r.Trials), nil
		for i, trial := range r.Trials {
			other.Trials[i].Arm = name(trial.Arm)
		}
		for _, p := range r.Points {
			for _, p.Series = range names(p.Series) {
				other.Points = append(other.Points, p)
			}
		}
		end.Final, end.Vectors = map[string]record.Values{}, map[string][]record.Values{}
		for result, values := range r.End.Final {
			for _, n := range names(result) {
				end.Final[n] = values
			}
		}
		for result, values := range r.End.Vectors {
			for _, n := range names(result) {
				end.Vectors[n] = values
			}
		}
		other.End = &end
		records = append(records, &other)
	}
	check.That(t, len(results) >= 10, "only the results %v were renamed", results)
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
	git := func(arguments ...string) string {
		out, err := exec.Command(need.Program(t, "git"), arguments...).Output()
		if err != nil {
			need.Skip(t, "history", fmt.Sprintf("git %q: %v", arguments, err))
		}
		return string(out)
	}
	now := string(check.Read(t, "rules.txt"))
	commits := strings.Fields(git("log", "--format=%H", promised+"^..", "--", "rules.txt"))
	for _, commit := range commits {
		check.That(t, strings.HasPrefix(now, git("show", commit+":./rules.txt")),
			"lines that rules.txt has at %s were changed or removed: only add lines", commit)
	}
	check.That(t, len(commits) != 0, "rules.txt has no history")
}
