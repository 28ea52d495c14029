package claim_test

import (
	"errors"
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/claim"
)

// of is a quantity of an arm.
func of(arm string) claim.Series { return claim.Series{Of: claim.Arm{Name: arm}} }

var sample, censored = made.Sample, made.Censored

// swept puts samples side by side, at x = 1, 10, 100.
func swept(at ...claim.Sample) claim.Sample {
	var s claim.Sample
	for i, values := range at {
		for _, v := range values {
			v.X = math.Pow(10, float64(i))
			s = append(s, v)
		}
	}
	return s
}

// samples are those that a rule is tried with, by arm.
type samples map[string]claim.Sample

func (s samples) try(r claim.Rule) claim.Verdict {
	return claim.Try(r, func(q claim.Quantity) (claim.Sample, error) {
		if f, ok := q.(claim.Falling); ok {
			return s["falling "+f.Of.Name], nil
		}
		arm := q.(claim.Series).Of.Name
		if len(s[arm]) == 0 {
			return nil, errors.New("no " + arm)
		}
		return s[arm], nil
	})
}

// Each rule answers each way, and neither answer is easier to reach than its opposite.
func TestRules(t *testing.T) {
	a, b := of("a"), of("b")
	tenth := claim.Threshold{Value: 0.1}
	half := claim.Threshold{Value: 0.5}
	atMost, atLeast := claim.AtMost{Q: a, Limit: tenth}, claim.AtLeast{Q: a, Limit: tenth}
	onAverage := claim.AtMost{Q: a, Limit: tenth, Over: claim.OnAverage}
	below := claim.Below{A: a, B: b, By: tenth}
	factor := claim.Below{A: a, B: b, By: tenth, Factor: half}
	means := claim.Below{A: a, B: b, By: tenth, Over: claim.OnAverage}
	settled := claim.Below{A: a, B: b, By: tenth, Settled: tenth}
	near := claim.Equivalent{A: a, B: b, Within: tenth}
	seven := claim.Ratio{Of: b, To: a, Median: true, About: 7, Within: claim.Threshold{Value: 1.4, From: 1}}
	twice := claim.Ratio{Of: b, To: a, AtLeast: claim.Threshold{Value: 2, From: 1}}
	sweep := claim.AtEveryX{Of: a, Rule: atMost}
	fromAFifth := claim.AtEveryX{Of: a, From: claim.Threshold{Value: 0.2}, Rule: atMost}
	upTo10, above1 := claim.AtEveryX{Of: a, UpTo: 10, Rule: atMost}, claim.AtEveryX{Of: a, Over: 1, Rule: atMost}
	some := claim.AtEveryX{Of: a, Some: true, Rule: atMost}
	failing := claim.AtEveryX{Of: b, Where: claim.Not{Rule: atMost}, Rule: below}
	pairs := claim.Below{A: a, B: b, By: tenth, Over: claim.InPairs}
	best := claim.Below{A: a, B: b, By: tenth, Over: claim.HighestTrial}
	about := claim.About{Q: a, Is: 2, Within: tenth}
	highest := claim.About{Q: a, Is: 2, Within: tenth, Over: claim.HighestTrial}
	still := claim.Settled{Of: []claim.Series{b}, By: tenth, Rule: atMost}
	opposite := claim.Settled{Of: []claim.Series{b}, By: tenth, Opposite: true, Rule: atMost}
	for name, c := range map[string]struct {
		rule claim.Rule
		samples
		want claim.Answer
	}{
		"at most":              {atMost, samples{"a": sample(0.05, 0.1)}, yes},
		"above":                {atMost, samples{"a": sample(0.11, 0.2)}, no},
		"one above":            {atMost, samples{"a": sample(0.01, 0.12)}, open},
		"one too little":       {atLeast, samples{"a": sample(0.09, 0.5)}, open},
		"never":                {atMost, samples{"a": censored(0.05, 0.05)}, open},
		"missing":              {atMost, samples{}, missing},
		"at least":             {atLeast, samples{"a": sample(0.1, 0.2)}, yes},
		"too little":           {atLeast, samples{"a": sample(0.05, 0.09)}, no},
		"mean":                 {onAverage, samples{"a": sample(0.05, 0.06, 0.07)}, yes},
		"mean of scattered":    {onAverage, samples{"a": sample(0.01, 0.05, 0.11)}, open},
		"mean, too short":      {onAverage, samples{"a": censored(0.05, 0.05, 0.05)}, open},
		"mean above":           {onAverage, samples{"a": sample(0.21, 0.2, 0.19)}, no},
		"below":                {below, samples{"a": sample(1, 2), "b": sample(2.5, 3)}, yes},
		"reverse":              {below, samples{"b": sample(1, 2), "a": sample(2.5, 3)}, no},
		"overlap":              {below, samples{"a": sample(1, 2), "b": sample(1.5, 3)}, open},
		"too near":             {below, samples{"a": sample(1, 1.01), "b": sample(1.02, 1.03)}, open},
		"diverged":             {below, samples{"a": sample(1, 2), "b": sample(3, math.Inf(1))}, yes},
		"accuracy diverged":    {below, samples{"a": sample(0.5, math.Inf(-1)), "b": sample(0.9, 0.9)}, yes},
		"all accuracies did":   {below, samples{"a": sample(math.Inf(-1), math.Inf(-1)), "b": sample(0.9, 0.9)}, yes},
		"a pair's did":         {pairs, samples{"a": sample(0.5, math.Inf(-1)), "b": sample(0.9, 0.9)}, yes},
		"both diverged":        {below, samples{"a": sample(1, math.Inf(1)), "b": sample(3, math.Inf(1))}, open},
		"half":                 {factor, samples{"a": sample(1, 2), "b": sample(3, 3)}, yes},
		"more than half":       {factor, samples{"a": sample(1, 2.5), "b": sample(3, 3)}, open},
		"means apart":          {means, samples{"a": sample(1, 1.1, 1.05), "b": sample(2, 2.1, 2.2)}, yes},
		"means of few":         {means, samples{"a": sample(1, 2, 3), "b": sample(2, 3, 5)}, open},
		"means, too short":     {means, samples{"a": censored(1, 1.1, 1.05), "b": sample(2, 2.1, 2.2)}, open},
		"behind settled":       {settled, samples{"a": sample(1), "b": sample(2), "falling b": sample(0.05)}, yes},
		"behind still falls":   {settled, samples{"a": sample(1), "b": sample(2), "falling b": sample(0.5)}, open},
		"reverse still falls":  {settled, samples{"b": sample(1), "a": sample(2), "falling a": sample(0.5)}, open},
		"near":                 {near, samples{"a": sample(1, 1.02), "b": sample(1.01, 1.03)}, yes},
		"near, too short":      {near, samples{"a": sample(1, 1.02), "b": censored(1.01, 1.03)}, open},
		"near but scattered":   {near, samples{"a": sample(1, 2), "b": sample(1.1, 2.05)}, open},
		"far":                  {near, samples{"a": sample(1, 2), "b": sample(3, 4)}, no},
		"far and scattered":    {near, samples{"a": sample(1, 2), "b": sample(1.5, 4)}, open},
		"seven times":          {seven, samples{"a": sample(10, 10, 10), "b": sample(60, 70, 90)}, yes},
		"seven, one too short": {seven, samples{"a": sample(10, 10, 10), "b": censored(60, 70, 90)}, yes},
		"seven, two too short": {seven, samples{"a": sample(10, 10), "b": censored(60, 70)}, open},
		"three times":          {seven, samples{"a": sample(10, 10, 10), "b": sample(20, 30, 90)}, no},
		"twice":                {twice, samples{"a": sample(10, 10.1), "b": sample(30, 30.2)}, yes},
		"not twice":            {twice, samples{"a": sample(10, 10.1), "b": sample(11, 11.1)}, no},
		"perhaps twice":        {twice, samples{"a": sample(10, 10.1), "b": sample(15, 30)}, open},
		"other way, too short": {twice, samples{"a": censored(10, 10), "b": sample(10, 10)}, no},
		"never ends":           {twice, samples{"a": sample(10, 11), "b": censored(40, 40)}, yes},
		"neither ends":         {twice, samples{"a": censored(10, 10), "b": censored(10, 10)}, open},
		"everywhere":           {sweep, samples{"a": swept(sample(0.01), sample(0.05), sample(0.1))}, yes},
		"not at one":           {sweep, samples{"a": swept(sample(0.01), sample(0.5), sample(0.1))}, no},
		"some at one":          {sweep, samples{"a": swept(sample(0.01, 0.01), sample(0.05, 0.5))}, open},
		"from a fifth on":      {fromAFifth, samples{"a": swept(sample(1), sample(1), sample(0.1))}, yes},
		"up to":                {upTo10, samples{"a": swept(sample(0), sample(0), sample(1))}, yes},
		"only above":           {above1, samples{"a": swept(sample(1), sample(0))}, yes},
		"somewhere":            {some, samples{"a": swept(sample(1), sample(0))}, yes},
		"nowhere":              {some, samples{"a": swept(sample(1), sample(1))}, no},
		"where it fails": {
			failing, samples{"a": swept(sample(0), sample(2)), "b": swept(sample(0), sample(3))}, yes,
		},
		"fails nowhere": {failing, samples{"a": swept(sample(0), sample(0)), "b": swept(sample(0), sample(0))}, no},
		"fails in some trials": {
			failing, samples{"a": swept(sample(0, 0), sample(0, 2)), "b": swept(sample(3, 3), sample(3, 3))}, open,
		},
		"missing at an x": {
			claim.AtEveryX{Of: b, Rule: below}, samples{"a": swept(sample(0)), "b": swept(sample(1), sample(1))},
			missing,
		},
		"pairs":                    {pairs, samples{"a": sample(1, 2), "b": sample(1.2, 2.2)}, yes},
		"pairs, one near":          {pairs, samples{"a": sample(1, 2), "b": sample(1.2, 2.05)}, open},
		"no pairs":                 {pairs, samples{"a": sample(1, 2), "b": sample(3)}, missing},
		"pairs, too short":         {pairs, samples{"a": censored(1, 2), "b": sample(1.2, 2.2)}, open},
		"best trial, too short":    {best, samples{"a": censored(2, 1.5), "b": sample(0, 2.2)}, open},
		"best trial":               {best, samples{"a": sample(1, 2), "b": sample(0, 2.2)}, yes},
		"best trial of the other":  {best, samples{"b": sample(1, 2), "a": sample(0, 2.2)}, no},
		"about, too short":         {about, samples{"a": censored(1.8, 2.25)}, open},
		"about":                    {about, samples{"a": sample(1.8, 2.25)}, yes},
		"all further":              {about, samples{"a": sample(2.2, 2.3)}, no},
		"mean further":             {about, samples{"a": sample(2.05, 2.3)}, open},
		"highest about":            {highest, samples{"a": sample(0, 2.05)}, yes},
		"highest further":          {highest, samples{"a": sample(0, 1.8)}, no},
		"ends":                     {claim.Ends{Q: a}, samples{"a": sample(1, 2)}, yes},
		"some end":                 {claim.Ends{Q: a}, samples{"a": censored(1, 2)}, open},
		"none ends":                {claim.Ends{Q: a}, samples{"a": censored(2)}, no},
		"no longer falls":          {still, samples{"a": sample(0), "falling b": sample(0.05, 0.1)}, yes},
		"still falls":              {still, samples{"a": sample(0), "falling b": sample(0, 0.3)}, open},
		"against, still falls":     {opposite, samples{"a": sample(1), "falling b": sample(0, 0.3)}, open},
		"for, still falls":         {opposite, samples{"a": sample(0), "falling b": sample(0, 0.3)}, yes},
		"against, no longer falls": {opposite, samples{"a": sample(1), "falling b": sample(0)}, no},
		"at the last where": {
			claim.AtEveryX{Of: a, Where: claim.Not{Rule: claim.AtMost{Q: b, Limit: tenth}}, Last: true, Rule: atMost},
			samples{"a": swept(sample(1), sample(0), sample(1)), "b": swept(sample(1), sample(1), sample(0))}, yes,
		},
		"at one x":           {claim.AtX{X: 10, Rule: atMost}, samples{"a": swept(sample(1), sample(0))}, yes},
		"all":                {claim.All{atMost, atMost}, samples{"a": sample(0)}, yes},
		"all but one":        {claim.All{atMost, below}, samples{"a": sample(0), "b": sample(-1)}, no},
		"no, and one open":   {claim.All{below, atMost}, samples{"a": sample(1, 0), "b": sample(-1)}, no},
		"yes, or one open":   {claim.Any{below, atMost}, samples{"a": sample(1, 0), "b": sample(2)}, yes},
		"all, one open":      {claim.All{atMost, below}, samples{"a": sample(0), "b": sample(0)}, open},
		"any":                {claim.Any{atMost, below}, samples{"a": sample(1), "b": sample(2)}, yes},
		"none of any":        {claim.Any{atMost, below}, samples{"a": sample(1), "b": sample(0)}, no},
		"any, one open":      {claim.Any{atMost, below}, samples{"a": sample(1), "b": sample(1)}, open},
		"not":                {claim.Not{Rule: atMost}, samples{"a": sample(1)}, yes},
		"not open":           {claim.Not{Rule: atMost}, samples{"a": sample(0, 1)}, open},
		"given":              {claim.Given{If: atMost, Then: below}, samples{"a": sample(0), "b": sample(1)}, yes},
		"not given":          {claim.Given{If: atMost, Then: below}, samples{"a": sample(1), "b": sample(2)}, open},
		"given, but not":     {claim.Given{If: atMost, Then: below}, samples{"a": sample(0), "b": sample(-1)}, no},
		"nothing to judge":   {claim.All{}, samples{}, open},
		"at every x of none": {claim.AtEveryX{Of: a, Over: 1000, Rule: atMost}, samples{"a": swept(sample(0))}, open},
	} {
		got := c.try(c.rule)
		check.That(t, got.Answer == c.want, "%s: %v (%s), want %v", name, got.Answer, got.Why, c.want)
	}
}

// Ratios have the intervals of closed forms.
func TestRatioOf(t *testing.T) {
	// logs of 1, 2, 4 over those of 1, 1, 1: mean log 2, half = t(2; 0.975)·√(log²2/3) = 4.30265·0.400189
	r := claim.RatioOf(sample(1, 2, 4), sample(1, 1, 1))
	half := math.Exp(4.302653 * 0.4001885)
	check.Near(t, []float64{r.Value, r.Low, r.High}, []float64{2, 2 / half, 2 * half}, 1e-4, "interval")
	r = claim.RatioOf(censored(10, 20), sample(5, 5))
	check.That(t, r.AtLeast && !r.AtMost && r.Low == 2 && math.IsInf(r.High, 1), "%+v", r)
	same := sample(10, 10)
	for i := range same {
		same[i].Before = 8
	}
	if r = claim.RatioOf(same, same); r.Value != 1 || r.Low != 0.8 || r.High != 1.25 {
		t.Errorf("between two points of a curve: %+v", r)
	}
	r = claim.RatioOf(sample(4), sample(2)) // of one trial each there is no interval of t
	check.Equal(t, r, claim.Interval{Value: 2, High: math.Inf(1)}, "one trial each")
	m := claim.MedianRatio(sample(4, 4, 4), censored(1, 2, 2))
	check.That(t, m.Value == 2 && !m.AtMost, "a censored trial at the median moved it: %+v", m)
	m = claim.MedianRatio(sample(4), censored(2))
	check.Equal(t, m, claim.Interval{Value: 2, High: 2, AtMost: true}, "a bound")
	m = claim.MedianRatio(censored(39, 45, 60), sample(6.6, 6.6, 6.6))
	check.That(t, !m.AtLeast && math.Abs(m.Value-45/6.6) < 1e-9, "a censored trial above the median moved it: %+v", m)
}

// The mean of 1, 2 and 3 is known to t(2; 0.975)/√3, and its difference from that of 2, 3 and 4 to t(4; 0.975)·√(2/3).
func TestIntervalsOfMeans(t *testing.T) {
	a, b := of("a"), of("b")
	tried := samples{"a": sample(1, 2, 3), "b": sample(2, 3, 4)}
	n := tried.try(claim.AtMost{Q: a, Over: claim.OnAverage}).Numbers[0]
	third := 4.302653 / math.Sqrt(3)
	check.Near(t, []float64{n.Low, n.High}, []float64{2 - third, 2 + third}, 1e-6, "interval")
	least := tried.try(claim.AtMost{Q: a}).Numbers[0]
	check.That(t, n.Confidence == 0.95 && least.Confidence == 0, "confidence: %g, %g", n.Confidence, least.Confidence)
	most := 1 + 2.776445*math.Sqrt(2./3)
	for within, want := range map[float64]claim.Answer{most - 1e-5: claim.Undecided, most + 1e-5: claim.Reproduced} {
		got := tried.try(claim.Equivalent{A: a, B: b, Within: claim.Threshold{Value: within}}).Answer
		check.Equal(t, got, want, "equivalent within %g", within)
	}
	met := tried.try(claim.AtMost{Q: a, Limit: claim.Threshold{Value: 2}}).Numbers[1]
	check.Equal(t, [2]int{met.Met, met.Trials}, [2]int{2, 3}, "trials that meet a limit")
	met = tried.try(claim.AtLeast{Q: a, Limit: claim.Threshold{Value: 3}}).Numbers[1]
	check.Equal(t, [2]int{met.Met, met.Trials}, [2]int{1, 3}, "trials that meet a limit from above")
	met = tried.try(claim.Not{Rule: claim.AtMost{Q: a, Limit: claim.Threshold{Value: 3}}}).Numbers[1]
	check.Equal(t, met.Met, 0, "trials that are above a limit above them")
}
