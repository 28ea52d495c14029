package claim_test

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/internal/prose"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const yes, no, open, missing = claim.Reproduced, claim.NotReproduced, claim.Undecided, claim.NotRun

// trained is a record of two arms, a and b, with a curve of each trial: ten points, a hundred updates apart.
func trained(panel string, scale record.Scale, a, b []float64) *record.Record {
	var curves [][]float64
	for _, final := range slices.Concat(a, b) {
		var curve []float64
		for k := range 10 {
			curve = append(curve, final+max(0, 0.5-0.1*float64(k)))
		}
		curves = append(curves, curve)
	}
	r := made.Curves(record.Header{
		Paper: "warp", Figure: "fig3", Panel: panel, Scale: scale, Updates: 1000, Window: 100,
	}, "a", record.Train, curves...)
	for i := range b {
		r.Trials[len(a)+i].Arm, r.Trials[len(a)+i].Number = "b", i
	}
	return r
}

// three trials end at one value.
func three(value float64) []float64 { return []float64{value, value, value} }

// Trials of arms that are far apart.
var low, high = []float64{0.1, 0.2, 0.15}, []float64{0.6, 0.7, 0.65}

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

// judge judges the claim of a set.
func judge(s claim.Set, records ...*record.Record) claim.Judgement {
	return claim.Judge([]claim.Set{s}, records)[0]
}

// by is that set with another rule.
func by(r claim.Rule) claim.Set {
	s := below()
	s.Claims[0].Rule = r
	return s
}

func TestJudge(t *testing.T) {
	const paper, reduced = record.Paper, record.Reduced
	mixed := []float64{0.1, 0.7, 0.15}
	// One network makes the difference: without it, the means are less than a tenth apart. Without the networks of its
	// number in both arms they are further apart.
	lucky, near := []float64{0.1, 0.3, 0.3}, []float64{0.32, 0.42, 0.42}
	twice := trained("p", paper, low, high)
	unfinished := *twice
	unfinished.End = nil
	for name, c := range map[string]struct {
		records              []*record.Record
		paper, smaller, with claim.Answer
		without              int
	}{
		"paper":              {[]*record.Record{trained("p", paper, low, high)}, yes, missing, yes, 0},
		"reverse":            {[]*record.Record{trained("p", paper, high, low)}, no, missing, no, 0},
		"mixed":              {[]*record.Record{trained("p", paper, mixed, high)}, open, missing, open, 0},
		"one network":        {[]*record.Record{trained("p", paper, lucky, near)}, open, missing, yes, 1},
		"smaller only":       {[]*record.Record{trained("p", reduced, low, high)}, missing, yes, missing, 0},
		"smaller against":    {[]*record.Record{trained("p", reduced, high, low)}, missing, no, missing, 0},
		"quick says nothing": {[]*record.Record{trained("p", record.Quick, low, high)}, missing, missing, missing, 0},
		"two trials":         {[]*record.Record{trained("p", paper, low[:2], high[:2])}, missing, missing, missing, 0},
		"other panel":        {[]*record.Record{trained("q", paper, low, high)}, missing, missing, missing, 0},
		"a trial is twice":   {[]*record.Record{twice, twice}, missing, missing, missing, 0},
		"unfinished":         {[]*record.Record{&unfinished}, missing, missing, missing, 0},
		"both": {
			[]*record.Record{trained("p", paper, mixed, high), trained("p", reduced, low, high)}, open, yes, open, 0,
		},
	} {
		j := judge(below(), c.records...)
		v := j.Verdict
		check.Equal(t, []claim.Answer{v.Answer, j.Smaller.Answer, v.With}, []claim.Answer{c.paper, c.smaller, c.with},
			"%s: of the paper's size, smaller, and with all networks", name)
		check.Equal(t, len(v.Without), c.without, "%s: networks without which it is another", name)
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
	r := trained("p", record.Paper, three(0.1), three(0.6))
	for k := range 10 {
		one := record.Values{float64(k)}
		r.Points = append(r.Points, record.Point{
			Update: 100 * (k + 1), Series: "vectors", Vectors: slices.Repeat([]record.Values{one}, 6),
		})
	}
	q := lastOf{arm("p", "a")}
	q.Name = "vectors"
	j := judge(by(claim.AtLeast{Q: q, Limit: claim.Threshold{Value: 9, From: 9}}), r)
	check.Equal(t, j.Verdict.Answer, yes, "verdict")
	early := claim.Row{Kind: claim.EarlierEnd, Answer: no, With: no}
	check.Equal(t, j.Rows[len(j.Rows)-1], early, "the row of a training that ends early")
}

// Networks that are compared in pairs are left out together.
func TestLeavesOutPairs(t *testing.T) {
	rule := claim.Below{A: arm("p", "a"), B: arm("p", "b"), Over: claim.InPairs}
	minus := claim.AtMost{Q: claim.Minus{A: rule.A, B: rule.B}}
	for last, want := range map[float64]claim.Answer{0.4: yes, 0.35: open} {
		for _, r := range []claim.Rule{rule, minus} {
			v := judge(by(r), trained("p", record.Paper, []float64{0.1, 0.3, 0.36}, []float64{0.2, 0.4, last})).Verdict
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
	for x, b := range map[float64][]float64{1: {0.1, 0.2, 0.3}, 10: {0.3, 0.6, 0.9}} {
		r := trained("p", record.Paper, []float64{0.1, 0.2, 0.3}, b)
		for i := range r.Trials {
			r.Trials[i].X = &x
		}
		records = append(records, r)
	}
	v := judge(by(claim.Below{A: times("a"), B: times("b")}), records...).Verdict
	check.Equal(t, v.Answer, yes, "%s, without %v", v.Why, v.Without)
}

// An end is the median of a series: a quantity of its own, as a condition may put in place of a series.
type end struct{ claim.Series }

// unknown is a quantity of no series.
type unknown struct{ Of claim.Arm }

func (q unknown) Read(s claim.Source) claim.Sample { return arm(q.Of.Panel, q.Of.Name).Read(s) }

func (unknown) Named(claim.Words) claim.Named { return claim.Named{} }

// settled wants the arm behind settled.
var settled = claim.Below{A: arm("p", "a"), B: arm("p", "b"), Settled: claim.Threshold{Value: 0.05}}

// improving is a record in which some trials of b still improve at the end.
func improving(trials int) *record.Record {
	r := trained("p", record.Paper, three(0.1), three(0.6))
	for k := range r.Points {
		for place := range trials {
			r.Points[k].Values[3+place] = 2 - 0.1*float64(k)
		}
	}
	return r
}

// What a rule wants settled is so under every condition: where nothing says whether it is, there is no answer.
func TestSettledUnderConditions(t *testing.T) {
	s := by(settled)
	for want, to := range map[claim.Answer]claim.Quantity{
		open: end{arm("p", "b")}, missing: unknown{arm("p", "b").Of},
	} {
		s.Conditions[1].Swaps = []claim.Swap{{From: arm("p", "b"), To: to}}
		check.Equal(t, judge(s, improving(3)).Under(s.Conditions[1]), want, "with %T", to)
	}
}

// Where a series has one point, nothing says whether it still improves.
func TestOnePointIsNotSettled(t *testing.T) {
	r := trained("p", record.Paper, three(0.1), three(0.6))
	r.Points = r.Points[9:]
	v := judge(by(settled), r).Verdict
	check.Equal(t, v.Answer, missing, "answer")
}

// A network that has diverged does not hide that the others still improve.
func TestStillImprovesBesideOneThatDiverged(t *testing.T) {
	for _, from := range []int{2, 9} {
		r := improving(2)
		for k := from; k < len(r.Points); k++ {
			r.Points[k].Values[5] = math.NaN()
		}
		check.Equal(t, judge(by(settled), r).Verdict.With, open, "one has diverged from point %d on", from)
	}
}

// Rows judge under other conditions, with half and double of each threshold, and at other ends.
func TestRows(t *testing.T) {
	main := trained("p", record.Paper, low, []float64{0.3, 0.32, 0.31})
	other := trained("q", record.Paper, high, low)
	j := judge(below(), main, other)
	check.Equal(t, j.Verdict.Answer, yes, "verdict")
	answers := map[claim.RowKind][]claim.Answer{}
	for _, r := range j.Rows {
		answers[r.Kind] = append(answers[r.Kind], r.Answer)
	}
	check.Equal(t, answers, map[claim.RowKind][]claim.Answer{
		claim.OtherCondition: {no}, claim.OtherThreshold: {yes, open}, claim.OtherEnd: {yes}, claim.EarlierEnd: {yes},
	}, "rows")
	check.Equal(t, j.OtherWays(), "3+ 1− 1?", "other ways")
	check.Equal(t, j.Under(below().Conditions[1]), no, "the other condition")
	main.Scale, other.Scale = record.Reduced, record.Reduced
	check.Equal(t, judge(below(), main, other).OtherWays(), "3+ 1− 1?", "other ways in smaller runs")
	lucky := trained("q", record.Reduced, []float64{0.1, 0.3, 0.3}, []float64{0.32, 0.42, 0.42}) // see TestJudge
	j = judge(below(), main, lucky)
	check.Equal(t, j.OtherWays(), "4+ 1?", "other ways, of all networks")
	check.Equal(t, j.Under(below().Conditions[1]), open, "the other condition, where one network decides")
}

// Of a trial that was trained twice the longer run counts, unless an arm asks for the other.
func TestRunsOfAnotherLength(t *testing.T) {
	short := trained("p", record.Paper, []float64{0.9}, []float64{0.8})
	long := trained("p", record.Paper, []float64{0.3}, nil)
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
}

// Prose has no number that its claims have not: a count of trials has no other number.
func TestProse(t *testing.T) {
	limit := func(v float64) claim.Rule { return claim.AtMost{Q: arm("p", "b"), Limit: claim.Threshold{Value: v}} }
	s := by(limit(0.1))
	s.Claims = append(s.Claims, claim.Claim{Name: "all", Rule: limit(0.7)})
	judgements := claim.Judge([]claim.Set{s}, []*record.Record{trained("p", record.Paper, three(0.1), three(0.6))})
	wrong := prose.Check("All 3 of 3 end at 60 %, and 0 at 70 %. <!-- from: warp/fig3.all -->", judgements)
	check.Equal(t, len(wrong), 1, "numbers that the claim has not")
}

// A verdict is registered before if all of its records carry today's hash of the rule, and name a commit.
func TestRegistered(t *testing.T) {
	s := below()
	r, hash := trained("p", record.Paper, low, high), s.Hash(s.Claims[0])
	for _, c := range []struct {
		hash, commit string
		want         bool
	}{
		{"", "", false}, {"0123456789ab", "", false}, {hash, "", true}, {hash, "unknown", false},
		{hash, "0123456+changes", false},
	} {
		r.Rules, r.Commit = map[string]string{"warp/fig3.below": c.hash}, c.commit
		j := judge(s, r)
		check.Equal(t, j.Before, c.want, "with hash %q, of commit %q", c.hash, c.commit)
		counted := claim.CountOf([]claim.Judgement{j}).Before[j.Verdict.Answer] == 1
		check.Equal(t, counted, c.want, "hash %q, counted", c.hash)
	}
	check.That(t, s.Decides(s.Claims[0], r.Header), "a run of the main condition decides nothing")
	other := r.Header
	other.Panel = "z"
	check.That(t, !s.Decides(s.Claims[0], other), "a run that the claim does not read decides it")
}

// Networks that another run had trained before a rule was fixed are counted.
func TestKnown(t *testing.T) {
	s := below()
	registered := map[string]string{"warp/fig3.below": s.Hash(s.Claims[0])}
	for _, c := range []struct {
		started string
		rules   map[string]string
		first   float64 // of the earlier run's networks, where another would begin otherwise
		want    int
	}{
		{"2026-11-01", nil, 0.6, 6},
		{"2026-11-01", nil, 0.7, 5},
		{"2026-11-01", map[string]string{"warp/fig3.below": "of an earlier rule"}, 0.6, 6},
		{"2026-11-01", registered, 0.6, 0},
		{"2026-11-03", nil, 0.6, 0},
	} {
		r, other := trained("p", record.Paper, low, high), trained("z", record.Paper, low, high)
		r.Points[9].Values[5], other.Points[9].Values[5] = math.NaN(), math.NaN() // in both, one diverges
		r.Started, r.Rules = "2026-11-02", registered
		other.Started, other.Rules, other.Points[0].Values[0] = c.started, c.rules, c.first
		check.Equal(t, judge(s, r, other).Known, c.want, "%+v", c)
	}
}

// Quantities are read from records as defined.
func TestQuantities(t *testing.T) {
	r := trained("p", record.Paper, []float64{0.1, math.NaN()}, []float64{0.6})
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
	quotient := func(a, b claim.Quantity) claim.Quotient { // at the one x that there is
		return claim.Quotient{
			A: claim.At{Quantity: a, X: claim.X(claim.NoX)}, B: claim.At{Quantity: b, X: claim.X(claim.NoX)},
		}
	}
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
		"worst late": {stat(claim.WorstLate), []float64{0.1, inf}}, "at": {at, []float64{4, inf}},
		"swept":    {claim.Result{Of: of, Name: "error", Swept: true}, []float64{1, 2, 4, inf}},
		"minus":    {claim.Minus{A: stat(claim.First), B: stat(claim.Last)}, []float64{0.5, math.NaN()}},
		"quotient": {quotient(epochs, reaching), []float64{2. / 400, 0}},
	} {
		check.Near(t, c.q.Read(claim.From(r)).Values(), c.want, 1e-12, "%s", name)
	}
	s := reaching.Read(claim.From(r))
	check.That(t, !s[0].Censored && s[0].Before == 300 && s[1].Censored, "reaching: %+v", s)
	if s := quotient(stat(claim.First), reaching).Read(claim.From(r)); s[0].Censored || !s[1].Censored {
		t.Errorf("by a time that has not come: %+v", s)
	}
	half := quotient(epochs, reaching).Read(claim.From(r))[:1]
	check.Equal(t, claim.RatioOf(half, half), claim.Interval{Value: 1, High: inf}, "of equal quotients")
	_, err := claim.Read(claim.Minus{A: epochs, B: reaching}, claim.From(r))
	check.Rejected(t, "less a time that has not come", err, "ended before")
	_, err = claim.Read(claim.Result{Of: of, Name: "none"}, claim.From(r))
	check.Rejected(t, "a result that is not there", err, "none")
	_, err = claim.Read(nothing{series}, claim.From(r))
	check.Rejected(t, "a quantity of no trial", err, "no trial")
}

// nothing is a quantity without values.
type nothing struct{ claim.Series }

func (nothing) Read(claim.Source) claim.Sample { return nil }
