package claim_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/prose"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// made is a record of two arms, a and b, with a curve of each trial: ten points, a hundred updates apart.
func made(panel string, scale record.Scale, a, b []float64) *record.Record {
	r := &record.Record{Header: record.Header{
		Paper: "warp", Figure: "fig3", Panel: panel, Scale: scale, Updates: 1000, Window: 100,
	}}
	for i, final := range append(append([]float64{}, a...), b...) {
		arm, number := "a", i
		if i >= len(a) {
			arm, number = "b", i-len(a)
		}
		one := 1.
		r.Trials = append(r.Trials, record.Trial{Arm: arm, Number: number, Memoryless: &one})
		for k := range 10 {
			if len(r.Points) <= k {
				r.Points = append(r.Points, record.Point{Update: 100 * (k + 1), Series: record.Train})
			}
			r.Points[k].Values = append(r.Points[k].Values, final+max(0, 0.5-0.1*float64(k)))
		}
	}
	r.End = &record.End{Updates: 1000, Final: map[string]record.Values{}}
	return r
}

func arm(panel, name string) claim.Series {
	return claim.Series{
		Of: claim.Arm{Figure: "warp/fig3", Panel: panel, Name: name}, Name: record.Train, Stat: claim.Final,
		As: claim.OfMemoryless,
	}
}

// below is a set of one claim: that a ends below b, in panel p, or, under another condition, in panel q.
func below() claim.Set {
	return claim.Set{
		ID: "warp/fig3",
		Conditions: []claim.Condition{{Name: "main"}, {Name: "other", Swaps: []claim.Swap{
			{From: claim.Arm{Panel: "p"}, To: claim.Arm{Panel: "q"}},
		}}},
		Claims: []claim.Claim{{Name: "below", Rule: claim.Below{
			A: arm("p", "a"), B: arm("p", "b"), By: claim.Threshold{Value: 0.1},
		}}},
	}
}

func TestJudge(t *testing.T) {
	low, high, mixed := []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65}, []float64{0.1, 0.7, 0.15}
	// One network makes the difference: without it, the means are less than a tenth apart. Without the networks of its
	// number in both arms they are further apart.
	lucky, near := []float64{0.1, 0.3, 0.3}, []float64{0.32, 0.42, 0.42}
	for name, c := range map[string]struct {
		records        []*record.Record
		paper, smaller claim.Answer
		with           claim.Answer
		without        int
	}{
		"paper": {
			[]*record.Record{made("p", record.Paper, low, high)},
			claim.Reproduced, claim.NotRun, claim.Reproduced, 0,
		},
		"reverse": {
			[]*record.Record{made("p", record.Paper, high, low)},
			claim.NotReproduced, claim.NotRun, claim.NotReproduced, 0,
		},
		"mixed": {
			[]*record.Record{made("p", record.Paper, mixed, high)},
			claim.Undecided, claim.NotRun, claim.Undecided, 0,
		},
		"one network": {
			[]*record.Record{made("p", record.Paper, lucky, near)},
			claim.Undecided, claim.NotRun, claim.Reproduced, 1,
		},
		"smaller only": {
			[]*record.Record{made("p", record.Reduced, low, high)},
			claim.NotRun, claim.Reproduced, claim.NotRun, 0,
		},
		"smaller against": {
			[]*record.Record{made("p", record.Reduced, high, low)},
			claim.NotRun, claim.NotReproduced, claim.NotRun, 0,
		},
		"both": {
			[]*record.Record{made("p", record.Paper, mixed, high), made("p", record.Reduced, low, high)},
			claim.Undecided, claim.Reproduced, claim.Undecided, 0,
		},
		"quick says nothing": {
			[]*record.Record{made("p", record.Quick, low, high)},
			claim.NotRun, claim.NotRun, claim.NotRun, 0,
		},
		"two trials": {
			[]*record.Record{made("p", record.Paper, low[:2], high[:2])},
			claim.NotRun, claim.NotRun, claim.NotRun, 0,
		},
		"other panel": {
			[]*record.Record{made("q", record.Paper, low, high)},
			claim.NotRun, claim.NotRun, claim.NotRun, 0,
		},
	} {
		j := claim.Judge([]claim.Set{below()}, c.records)[0]
		if j.Verdict.Answer != c.paper || j.Smaller.Answer != c.smaller || j.Verdict.With != c.with ||
			len(j.Verdict.Without) != c.without {
			t.Errorf("%s: %v (with all %v, not without %v), smaller %v", name, j.Verdict.Answer, j.Verdict.With,
				j.Verdict.Without, j.Smaller.Answer)
		}
	}
}

// A trial that is twice, or a record that has not ended, decides nothing.
func TestJudgeRefuses(t *testing.T) {
	r := made("p", record.Paper, []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65})
	unfinished := *r
	unfinished.End = nil
	for name, records := range map[string][]*record.Record{"twice": {r, r}, "unfinished": {&unfinished}} {
		if j := claim.Judge([]claim.Set{below()},
			records)[0]; j.Verdict.Answer != claim.NotRun || j.Verdict.Missing == nil {
			t.Errorf("%s: %v, %v", name, j.Verdict.Answer, j.Verdict.Missing)
		}
	}
}

// lastOf is the first number of the last point of a series of several.
type lastOf struct{ claim.Series }

func (q lastOf) Read(s claim.Source) claim.Sample {
	return s.Trials(q.Of).Each(func(t claim.Trial) float64 {
		points := t.Vectors(q.Name)
		return points[len(points)-1][0]
	})
}

// A training that ends early has no later points, of several numbers neither.
func TestEarlierEndOfVectors(t *testing.T) {
	r := made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.6, 0.6, 0.6})
	for k := range 10 {
		one := record.Values{float64(k)}
		r.Points = append(r.Points, record.Point{
			Update: 100 * (k + 1), Series: "vectors", Vectors: slices.Repeat([]record.Values{one}, 6),
		})
	}
	q := lastOf{arm("p", "a")}
	q.Name = "vectors"
	s := below()
	s.Claims[0].Rule = claim.AtLeast{Q: q, Limit: claim.Threshold{Value: 9, From: 9}}
	j := claim.Judge([]claim.Set{s}, []*record.Record{r})[0]
	check.Equal(t, j.Verdict.Answer, claim.Reproduced, "verdict")
	early := claim.Row{Kind: claim.EarlierEnd, Answer: claim.NotReproduced, With: claim.NotReproduced}
	check.Equal(t, j.Rows[len(j.Rows)-1], early, "the row of a training that ends early")
}

// Networks that are compared in pairs are left out together.
func TestLeavesOutPairs(t *testing.T) {
	s := below()
	rule := s.Claims[0].Rule.(claim.Below)
	rule.Over, rule.By = claim.InPairs, claim.Threshold{}
	minus := claim.AtMost{Q: claim.Minus{A: rule.A, B: rule.B}}
	for last, want := range map[float64]claim.Answer{0.4: claim.Reproduced, 0.35: claim.Undecided} {
		for _, r := range []claim.Rule{rule, minus} {
			s.Claims[0].Rule = r
			v := claim.Judge([]claim.Set{s}, []*record.Record{
				made("p", record.Paper, []float64{0.1, 0.3, 0.36}, []float64{0.2, 0.4, last}),
			})[0].Verdict
			check.Equal(t, v.Answer, want, "%T, without %v", r, v.Without)
		}
	}
}

// So are networks at several x.
func TestLeavesOutPairsOfSeveralX(t *testing.T) {
	var records []*record.Record
	times := func(name string) claim.Quotient {
		at := func(x claim.X) claim.At { return claim.At{Quantity: arm("p", name), X: x} }
		return claim.Quotient{A: at(10), B: at(1)}
	}
	for x, of := range map[float64][2][]float64{
		1: {{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}}, 10: {{0.1, 0.2, 0.3}, {0.3, 0.6, 0.9}},
	} {
		r := made("p", record.Paper, of[0], of[1])
		for i := range r.Trials {
			r.Trials[i].X = &x
		}
		records = append(records, r)
	}
	s := below()
	s.Claims[0].Rule = claim.Below{A: times("a"), B: times("b")}
	v := claim.Judge([]claim.Set{s}, records)[0].Verdict
	check.Equal(t, v.Answer, claim.Reproduced, "%s, without %v", v.Why, v.Without)
}

// An end is the median of a series: a quantity of its own, as a condition may put in place of a series.
type end struct{ claim.Series }

func (q end) Read(s claim.Source) claim.Sample { return q.Series.Read(s) }

// unknown is a quantity of no series.
type unknown struct{ Of claim.Arm }

func (q unknown) Read(s claim.Source) claim.Sample { return arm(q.Of.Panel, q.Of.Name).Read(s) }

func (unknown) Named(claim.Words) claim.Named { return claim.Named{} }

// What a rule wants settled is so under every condition: where nothing says whether it is, there is no answer.
func TestSettledUnderConditions(t *testing.T) {
	s := below()
	s.Claims[0].Rule = claim.Below{A: arm("p", "a"), B: arm("p", "b"), Settled: claim.Threshold{Value: 0.05}}
	r := made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.6, 0.6, 0.6})
	for k := range r.Points {
		for place := range 3 {
			r.Points[k].Values[3+place] = 2 - 0.1*float64(k)
		}
	}
	for want, to := range map[claim.Answer]claim.Quantity{
		claim.Undecided: end{arm("p", "b")}, claim.NotRun: unknown{arm("p", "b").Of},
	} {
		s.Conditions[1].Swaps = []claim.Swap{{From: arm("p", "b"), To: to}}
		j := claim.Judge([]claim.Set{s}, []*record.Record{r})[0]
		check.Equal(t, j.Under(s.Conditions[1]), want, "with %T", to)
	}
}

// Rows judge under other conditions, with half and double of each threshold, and at other ends.
func TestRows(t *testing.T) {
	main := made("p", record.Paper, []float64{0.1, 0.2, 0.15}, []float64{0.3, 0.32, 0.31})
	other := made("q", record.Paper, []float64{0.6, 0.7, 0.65}, []float64{0.1, 0.2, 0.15})
	j := claim.Judge([]claim.Set{below()}, []*record.Record{main, other})[0]
	check.Equal(t, j.Verdict.Answer, claim.Reproduced, "verdict")
	answers := map[claim.RowKind][]claim.Answer{}
	for _, r := range j.Rows {
		answers[r.Kind] = append(answers[r.Kind], r.Answer)
	}
	const yes, no, open = claim.Reproduced, claim.NotReproduced, claim.Undecided
	for kind, want := range map[claim.RowKind][]claim.Answer{
		claim.OtherCondition: {no}, claim.OtherThreshold: {yes, open}, claim.OtherEnd: {yes}, claim.EarlierEnd: {yes},
	} {
		check.Equal(t, answers[kind], want, "%s", kind)
	}
	check.Equal(t, j.Agreement(), "3/5", "agreement")
	check.Equal(t, j.Under(below().Conditions[1]), no, "the other condition")
	main.Scale, other.Scale = record.Reduced, record.Reduced
	j = claim.Judge([]claim.Set{below()}, []*record.Record{main, other})[0]
	check.Equal(t, j.Agreement(), "3/5", "agreement with the verdict of smaller runs")
	lucky := made("q", record.Reduced, []float64{0.1, 0.3, 0.3}, []float64{0.32, 0.42, 0.42}) // see TestJudge
	j = claim.Judge([]claim.Set{below()}, []*record.Record{main, lucky})[0]
	check.Equal(t, j.Agreement(), "4/5", "agreement with all networks")
	check.Equal(t, j.Under(below().Conditions[1]), open, "the other condition, where one network decides")
}

// A verdict shows what the claim asks for besides its rule.
func TestShow(t *testing.T) {
	s := below()
	s.Claims[0].Show = []claim.Quantity{arm("q", "a"), arm("p", "a"), arm("z", "a")}
	low, high := []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65}
	j := claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Reduced, low, high), made("q", record.Reduced, high, low),
	})[0]
	shown := j.Smaller.Shown[2:]
	check.Equal(t, len(shown), 2, "shown besides")
	check.Equal(t, shown[0].Sample.Values(), high, "shown of panel q")
	j = claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, low, high), made("q", record.Reduced, high, low),
	})[0]
	check.Equal(t, len(j.Verdict.Shown), 3, "shown of the paper's size")
	check.Equal(t, j.Smaller.Shown[len(j.Smaller.Shown)-1].Sample.Values(), high, "shown of smaller runs")
}

// Of a trial that was trained twice the longer run counts, unless an arm asks for the other.
func TestRunsOfAnotherLength(t *testing.T) {
	short, long := made("p", record.Paper, []float64{0.9}, []float64{0.8}), made("p", record.Paper, []float64{0.3}, nil)
	long.Updates *= 2
	q := arm("p", "a")
	for updates, want := range map[int]float64{0: 0.3, 1000: 0.9, 2000: 0.3} {
		q.Of.Updates = updates
		check.Equal(t, q.Read(claim.From(short, long)).Values(), []float64{want}, "of runs of %d updates", updates)
	}
	long.Trials[0].Number = 1
	long.Points = append(long.Points, record.Point{Update: 1100, Series: record.Train, Values: record.Values{9}})
	q.Of.Updates, q.Stat = 0, claim.MeanOf
	check.Near(t, q.Read(claim.From(short, long)).Values()[1:], []float64{0.45}, 1e-12, "mean of as many updates")
	s := claim.Reaching{
		Of: q.Of, Name: record.Train, Level: claim.Threshold{Value: 0.5}, Longest: true,
	}.Read(claim.From(short, long))
	check.Equal(t, s, claim.Sample{{Trial: 1, X: claim.NoX, V: 400, Before: 300}}, "of the longest runs alone")
}

// Pages and JSON say where a number is a bound, and give a count of trials no other number.
func TestWrittenNumbers(t *testing.T) {
	s := below()
	s.Conditions = nil
	slow := claim.Reaching{Of: arm("p", "a").Of, Name: record.Train, Level: claim.Threshold{Value: 0.5}}
	s.Claims = []claim.Claim{
		{Name: "ends", Rule: claim.Ends{Q: slow}},
		{Name: "none", Rule: claim.AtMost{Q: arm("p", "b"), Limit: claim.Threshold{Value: 0.1}}},
		{Name: "all", Rule: claim.AtMost{Q: arm("p", "b"), Limit: claim.Threshold{Value: 0.7}}},
	}
	judgements := claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.7}, []float64{0.6, 0.6, 0.6}),
	})
	claim.Sections(claim.Groups(judgements), func(_ claim.Group, text string) {
		if mean := "> 333 [200, ∞]"; !strings.Contains(text, mean) { // 5 of 200 updates, one of more than 1000
			t.Errorf("%s: want %s", text, mean)
		}
	})
	text, err := claim.JSON(judgements[1:])
	check.OK(t, err)
	var written []struct {
		Paper struct{ Numbers []map[string]any } `json:"paper_size"`
	}
	check.OK(t, json.Unmarshal(text, &written))
	counted := written[0].Paper.Numbers[1]
	check.Equal(t, counted, map[string]any{"kind": "trials", "of": counted["of"], "met": 0., "trials": 3.}, "a count")
	wrong := prose.Check("All 3 of 3 end at 60 %, and 0 at 70 %. <!-- from: warp/fig3.all -->", judgements)
	check.Equal(t, len(wrong), 1, "numbers that the claim has not")
}

// Where all numbers stand above, a claim has those of all its parts.
func TestCountsOfAllParts(t *testing.T) {
	none := samples{"a": sample(1, 2)}.try(claim.Not{Rule: claim.AtMost{Q: of("a"), Limit: claim.Threshold{Value: 3}}})
	check.Equal(t, none.Numbers[1].Met, 0, "trials that are above a limit above them")

	s := below()
	s.Conditions = nil
	limit := claim.Threshold{Value: 0.5}
	both := claim.All{
		claim.AtMost{Q: arm("p", "a"), Limit: limit}, claim.AtMost{Q: arm("p", "b"), Limit: limit},
	}
	s.Claims = []claim.Claim{{Name: "one", Rule: both}, {Name: "two", Rule: both}}
	claim.Sections(claim.Groups(claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.6, 0.6, 0.6}),
	})), func(_ claim.Group, text string) { check.Contains(t, text, "Met in 3 of 6.") })
}

// A table of what another condition changes says which claims have not run under it.
func TestChangesNameWhatHasNotRun(t *testing.T) {
	s := below()
	low := func(arms ...string) (rules claim.All) {
		for _, name := range arms {
			rules = append(rules, claim.AtMost{Q: arm("p", name), Limit: claim.Threshold{Value: 0.5}})
		}
		return rules
	}
	s.Claims = []claim.Claim{{Name: "one", Rule: low("a")}, {Name: "two", Rule: low("a", "b")}}
	claim.Sections(claim.Groups(claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1}),
		made("q", record.Paper, []float64{0.6, 0.6, 0.6}, nil),
	})), func(_ claim.Group, text string) { check.Contains(t, text, "| other | a −, b 0 |") })
}

// A verdict is registered before if all of its records carry today's hash of the rule, and name a commit.
func TestRegistered(t *testing.T) {
	s := below()
	r := made("p", record.Paper, []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65})
	for hash, want := range map[string]bool{"": false, "0123456789ab": false, s.Hash(s.Claims[0]): true} {
		r.Rules = map[string]string{"warp/fig3.below": hash}
		check.Equal(t, claim.Judge([]claim.Set{s}, []*record.Record{r})[0].Before, want, "with hash %q", hash)
	}
	r.Rules = map[string]string{"warp/fig3.below": s.Hash(s.Claims[0])}
	for _, commit := range []string{"unknown", "0123456+changes"} {
		r.Commit = commit
		check.Equal(t, claim.Judge([]claim.Set{s}, []*record.Record{r})[0].Before, false, "of commit %s", commit)
	}
	if !s.Decides(s.Claims[0], r.Header) {
		t.Error("a run of the main condition decides nothing")
	}
	other := r.Header
	other.Panel = "z"
	if s.Decides(s.Claims[0], other) {
		t.Error("a run that the claim does not read decides it")
	}
}

// A hash changes with everything that a verdict depends on, and with no sentence.
func TestHash(t *testing.T) {
	s := below()
	hash := s.Hash(s.Claims[0])
	c := s.Claims[0]
	c.Says, c.Quote, c.Where, c.Name = "a", "b", "c", "d"
	check.Equal(t, s.Hash(c), hash, "with other sentences")
	seen := map[string]bool{hash: true}
	rule := c.Rule.(claim.Below)
	for _, change := range []func(*claim.Below){
		func(r *claim.Below) { r.By.Value = 0.2 }, func(r *claim.Below) { r.Over = claim.OnAverage },
		func(r *claim.Below) { r.A = arm("q", "a") }, func(r *claim.Below) { r.A, r.B = r.B, r.A },
		func(r *claim.Below) { q := arm("p", "a"); q.Stat = claim.Last; r.A = q },
		func(r *claim.Below) { r.Factor.Value = 0.5 },
	} {
		r := rule
		change(&r)
		c.Rule = r
		if h := s.Hash(c); seen[h] {
			t.Errorf("%+v has the hash of another rule", r)
		} else {
			seen[h] = true
		}
	}
	c.Rule, c.MinTrials = rule, 5
	if seen[s.Hash(c)] {
		t.Error("the number of trials is not in the hash")
	}
}

// Quantities are read from records as defined.
func TestQuantities(t *testing.T) {
	r := made("p", record.Paper, []float64{0.1, math.NaN()}, []float64{0.6})
	r.End.Final["error@5"] = record.Values{1, 2, 3}
	r.End.Final["error@10"] = record.Values{4, math.NaN(), 6}
	best := 0.5
	for i := range r.Trials {
		r.Trials[i].Best = &best
	}
	of := claim.Arm{Figure: "warp/fig3", Panel: "p", Name: "a"}
	series := claim.Series{Of: of, Name: record.Train}
	stat := func(s claim.Stat) claim.Series { q := series; q.Stat = s; return q }
	excess := stat(claim.Last)
	excess.As = claim.Excess
	reaching := claim.Reaching{Of: of, Name: record.Train, Level: claim.Threshold{Value: 0.3}}
	epochs := reaching
	epochs.Epoch = 2
	inf := math.Inf(1)
	r.Header.Series = map[string]int{"often": 50}
	for k := range 20 {
		p := record.Point{Update: 50 * (k + 1), Series: "often", Values: record.Values{1 - 0.1*float64(k), 1, 1}}
		r.Points = append(r.Points, p)
	}
	often := epochs
	often.Name = "often"
	at := claim.At{Quantity: claim.Result{Of: of, Name: "error", Swept: true}, X: 10}
	worst := stat(claim.WorstLate)
	for name, c := range map[string]struct {
		q    claim.Quantity
		want []float64
	}{
		"final": {stat(claim.Final), []float64{0.1, inf}}, "last": {stat(claim.Last), []float64{0.1, inf}},
		"first": {stat(claim.First), []float64{0.6, inf}}, "mean": {stat(claim.MeanOf), []float64{0.25, inf}},
		"excess":   {excess, []float64{-0.8, inf}},
		"falling":  {claim.Falling{Series: series}, []float64{0, 0}},
		"reaching": {reaching, []float64{400, 1000}}, "epochs": {epochs, []float64{2, 5}},
		"epochs of two points, of a series that has more": {often, []float64{4, 10}},
		"worst late": {worst, []float64{0.1, inf}}, "at": {at, []float64{4, inf}},
		"swept":    {claim.Result{Of: of, Name: "error", Swept: true}, []float64{1, 2, 4, inf}},
		"minus":    {claim.Minus{A: stat(claim.First), B: stat(claim.Last)}, []float64{0.5, math.NaN()}},
		"quotient": {claim.Quotient{A: epochs, B: reaching}, []float64{2. / 400, 0}},
	} {
		check.Near(t, c.q.Read(claim.From(r)).Values(), c.want, 1e-12, "%s", name)
	}
	s := reaching.Read(claim.From(r))
	if s[0].Censored || s[0].Before != 300 || !s[1].Censored {
		t.Errorf("reaching: %+v", s)
	}
	if s := (claim.Quotient{A: stat(claim.First), B: reaching}).Read(claim.From(r)); s[0].Censored || !s[1].Censored {
		t.Errorf("by a time that has not come: %+v", s)
	}
	half := claim.Quotient{A: epochs, B: reaching}.Read(claim.From(r))[:1]
	check.Equal(t, claim.RatioOf(half, half), claim.Interval{Value: 1, High: inf}, "of equal quotients")
	_, err := claim.Read(claim.Minus{A: epochs, B: reaching}, claim.From(r))
	check.Rejected(t, "less a time that has not come", err, "ended before")
	_, err = claim.Read(claim.Result{Of: of, Name: "none"}, claim.From(r))
	check.Rejected(t, "a result that is not there", err, "none")
	_, err = claim.Read(nothing{series}, claim.From(r))
	check.Rejected(t, "a quantity of no trial", err, "no trial")
}

// nothing is a quantity without values. A rule of it, in one of several, is not run, and not passed over.
type nothing struct{ claim.Series }

func (nothing) Read(claim.Source) claim.Sample { return nil }

func TestNothing(t *testing.T) {
	s, none := below(), nothing{claim.Series{Name: record.Train}}
	rule := s.Claims[0].Rule
	main := made("p", record.Paper, []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65})
	for want, of := range map[claim.Answer]claim.All{
		claim.Reproduced: {rule, rule}, claim.NotRun: {rule, claim.Below{A: none, B: none}},
	} {
		s.Claims[0].Rule = of
		check.Equal(t, claim.Judge([]claim.Set{s}, []*record.Record{main})[0].Verdict.Answer, want, "%d rules", len(of))
	}
}

// A condition stands in for the main one until there are runs of the paper's size under that, and is not registered.
func TestMeanwhile(t *testing.T) {
	s := below()
	chrono := claim.Arm{Figure: "warp/fig3", Panel: "p"}
	s.Conditions = []claim.Condition{
		{Name: "main"},
		{Name: "older", Meanwhile: true, Swaps: []claim.Swap{{From: chrono, To: claim.Arm{Panel: "o"}}}},
	}
	older := made("o", record.Paper, []float64{0.6, 0.7, 0.65}, []float64{0.1, 0.2, 0.15})
	older.Rules = map[string]string{"warp/fig3.below": s.Hash(s.Claims[0])}
	main := made("p", record.Paper, []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65})
	main.Rules = older.Rules
	for _, c := range []struct {
		records   []*record.Record
		want      claim.Answer
		meanwhile string
	}{
		{[]*record.Record{older}, claim.NotReproduced, "older"},
		{[]*record.Record{older, main}, claim.Reproduced, ""},
	} {
		j := claim.Judge([]claim.Set{s}, c.records)[0]
		check.Equal(t, j.Verdict.Answer, c.want, "with %d records", len(c.records))
		check.Equal(t, j.Meanwhile, c.meanwhile, "the condition")
		check.Equal(t, j.Before, c.meanwhile == "", "registered before")
	}
}

// Where a series has one point, nothing says whether it still improves.
func TestOnePointIsNotSettled(t *testing.T) {
	r := made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.6, 0.6, 0.6})
	r.Points = r.Points[9:]
	s := below()
	s.Claims[0].Rule = claim.Below{A: arm("p", "a"), B: arm("p", "b"), Settled: claim.Threshold{Value: 0.05}}
	v := claim.Judge([]claim.Set{s}, []*record.Record{r})[0].Verdict
	check.Equal(t, v.Answer, claim.NotRun, "%v", v.Missing)
}

// Numbers of one result, as a share of the memoryless loss and as it was recorded, each have their unit.
func TestUnitsOfOneName(t *testing.T) {
	share, recorded := arm("p", "a"), arm("p", "b")
	recorded.As = claim.Recorded
	s := below()
	s.Claims[0].Rule = claim.All{claim.AtMost{Q: share}, claim.AtMost{Q: recorded}}
	j := claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, []float64{0.2, 0.2, 0.2}, []float64{0.7, 0.7, 0.7}),
	})[0]
	check.Contains(t, j.Number(), "20 %", "b 0.7")
}

// The number of a ratio names both of its sides.
func TestNumberOfARatio(t *testing.T) {
	s := below()
	s.Claims[0].Rule = claim.Ratio{Of: arm("p", "b"), To: arm("p", "a"), AtLeast: claim.Threshold{Value: 2}}
	j := claim.Judge([]claim.Set{s}, []*record.Record{
		made("p", record.Paper, []float64{0.2, 0.2, 0.2}, []float64{0.6, 0.6, 0.6}),
	})[0]
	check.Contains(t, j.Number(), "b / a 3")
}

// A table of a sweep has what neighbours share once, and each trial where only some meet a rule.
func TestSweepOnAPage(t *testing.T) {
	errors := []float64{0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.9}
	r := made("p", record.Paper, errors, nil)
	for i, x := range []float64{1, 1, 1, 10, 10, 10, 100, 100, 100} {
		r.Trials[i].X, r.Trials[i].Number = &x, i%3
	}
	r.End.Final["error"] = errors
	a := claim.Result{Of: arm("p", "a").Of, Name: "error", As: claim.OfMemoryless}
	s := below()
	s.Claims[0].Rule = claim.AtEveryX{Of: a, Rule: claim.AtMost{Q: a, Limit: claim.Threshold{Value: 0.3}}}
	judgements := claim.Judge([]claim.Set{s}, []*record.Record{r})
	claim.Sections(claim.Groups(judgements), func(_ claim.Group, text string) {
		check.Contains(t, text, "a 1 to 10: 20, 100: 20 20 90")
	})
}

// A network that has diverged does not hide that the others still improve.
func TestStillImprovesBesideOneThatDiverged(t *testing.T) {
	for _, from := range []int{2, 9} {
		r := made("p", record.Paper, []float64{0.1, 0.1, 0.1}, []float64{0.6, 0.6, 0.6})
		for k := range r.Points {
			for _, place := range []int{3, 4} {
				r.Points[k].Values[place] = 2 - 0.1*float64(k)
			}
			if k >= from {
				r.Points[k].Values[5] = math.NaN()
			}
		}
		s := below()
		s.Claims[0].Rule = claim.Below{A: arm("p", "a"), B: arm("p", "b"), Settled: claim.Threshold{Value: 0.05}}
		v := claim.Judge([]claim.Set{s}, []*record.Record{r})[0].Verdict
		check.Equal(t, v.With, claim.Undecided, "one has diverged from point %d on", from)
	}
}
