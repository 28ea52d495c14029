package warp

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const yes, no, open = claim.Reproduced, claim.NotReproduced, claim.Undecided

// A lead is uniform if it is at all points, in all pairs, and small; it fails if it is large, or the other's.
func TestUniformly(t *testing.T) {
	rule := fig7Claims[0].Rule.(claim.Given).Then.(claim.Settled).Rule
	for name, c := range map[string]struct {
		ahead int       // points of 20 at which chrono leads on average
		leads []float64 // over all points, of each pair
		want  claim.Answer
	}{
		"small":     {19, []float64{0.01, 0.02}, yes},
		"not all":   {18, []float64{0.01, 0.02}, open},
		"one pair":  {20, []float64{-0.001, 0.02}, open},
		"too small": {20, []float64{0.0005, 0.0005}, open},
		"large":     {20, []float64{0.05, 0.06}, no},
		"reverse":   {1, []float64{-0.01, -0.02}, no},
	} {
		v := claim.Try(rule, func(claim.Quantity) (claim.Sample, error) {
			var s claim.Sample
			const ahead, behind = 1., -1.
			level := (float64(c.ahead)*ahead + float64(20-c.ahead)*behind) / 20
			for i := range 20 {
				at := behind
				if i < c.ahead {
					at = ahead
				}
				for k, lead := range c.leads {
					s = append(s, claim.Value{Trial: k, X: float64(i), V: lead + at - level})
				}
			}
			return s, nil
		})
		check.Equal(t, v.Answer, c.want, "%s", name)
	}
}

// Spikes are harmless if there are some, they are few, and no network ends above what it had, or had without learning.
func TestHarmless(t *testing.T) {
	rule := Harmless{
		Of: []claim.Arm{{Name: "a"}, {Name: "b"}}, Spike: spike, Few: claim.Threshold{Value: 0.05},
		Harm: claim.Threshold{Value: 0.1},
	}
	for name, c := range map[string]struct {
		spikes, above []float64 // of b; a has few, which do no harm
		want          claim.Answer
	}{
		"few":       {[]float64{0.02, 0.05}, []float64{0, 0.1}, yes},
		"some many": {[]float64{0.02, 0.06}, []float64{0, 0}, open},
		"many":      {[]float64{0.06, 0.07}, []float64{0, 0}, no},
		"some harm": {[]float64{0, 0}, []float64{0, 0.2}, open},
		"harm":      {[]float64{0, 0}, []float64{0.3, 0.2}, no},
	} {
		v := claim.Try(rule, func(q claim.Quantity) (claim.Sample, error) {
			switch q := q.(type) {
			case Spikes:
				if q.Of.Name == "b" {
					return made.Sample(c.spikes...), nil
				}
				return made.Sample(0.01, 0), nil
			case EndsAbove:
				if q.Of.Name == "b" {
					return made.Sample(c.above...), nil
				}
			}
			return made.Sample(0, 0), nil
		})
		check.Equal(t, v.Answer, c.want, "%s", name)
	}
	none := claim.Try(rule, func(claim.Quantity) (claim.Sample, error) { return made.Sample(0, 0), nil })
	check.Equal(t, none.Answer, open, "without spikes")
}

// Two implementations take as long, or neither gets there.
func TestSameTime(t *testing.T) {
	a, b := lossOf(claim.Arm{Name: "a"}, ""), lossOf(claim.Arm{Name: "b"}, "")
	for name, c := range map[string]struct {
		a, b claim.Sample
		want claim.Answer
	}{
		"alike":                 {made.Sample(10, 12), made.Sample(13, 15), yes},
		"overlap, but differ":   {made.Sample(10, 30), made.Sample(10, 11), open},
		"differ":                {made.Sample(10, 11), made.Sample(20, 22), no},
		"one ends":              {made.Sample(10, 11), made.Censored(10, 20), open},
		"neither gets there":    {made.Censored(20, 20), made.Censored(16, 20), yes},
		"one never gets there":  {made.Sample(5, 6), made.Censored(20), no},
		"neither, and both far": {made.Censored(5, 6), made.Censored(20), yes}, // both may take as long
	} {
		v := claim.Try(SameTime{a, b, sameTime}, func(q claim.Quantity) (claim.Sample, error) {
			if q.(claim.Series).Of.Name == "a" {
				return c.a, nil
			}
			return c.b, nil
		})
		check.Equal(t, v.Answer, c.want, "%s", name)
	}
}

// recorded is a record of an arm "chrono" of warp/fig3 "p": a series of each trial, a point every update.
func recorded(series record.Result, curves ...[]float64) *record.Record {
	at := record.Header{Paper: "warp", Figure: "fig3", Panel: "p", Updates: len(curves[0]), Window: 1}
	return made.Curves(at, chronoArm, series, curves...)
}

// flat is a curve of 50 points, with others at some places.
func flat(value float64, at map[int]float64) []float64 {
	curve := make([]float64, 50)
	for i := range curve {
		curve[i] = value
		if v, ok := at[i]; ok {
			curve[i] = v
		}
	}
	return curve
}

// Quantities are read from records as defined.
func TestQuantities(t *testing.T) {
	both := bothOf("warp/fig3", "p")
	chrono, standard := both[0], both[1]
	falls, up := flat(0.2, nil), flat(0.2, nil)
	for i := range 10 {
		falls[i] = 5 / float64(i+1)
	}
	for i := 30; i < 50; i++ {
		up[i] = 0.5
	}
	spiked := recorded(record.Train,
		flat(0.2, map[int]float64{20: 0.7, 30: 0.7}), // two spikes
		flat(0.01, map[int]float64{20: 0.05}),        // invisible
		falls,                                        // a steep fall is none
		up,                                           // ends higher
		flat(2.6, nil),                               // never learns, and ends above the memoryless loss
		flat(0.2, map[int]float64{49: math.NaN()}),
	)
	tested := recorded(record.Train, flat(1, nil), flat(1, nil), flat(1, nil))
	for x, losses := range map[float64]record.Values{1: {0.25, 0.5, 1}, 2: {0.5, 0.5, 2}} {
		tested.End.Final[string(lossBetween.At(x))] = losses
	}
	words := recorded(validEntropy, []float64{3, 2, 2.5})
	words.Points = append(words.Points, recorded(testEntropy, []float64{3, math.Log(9), 1}).Points...)
	below := recorded(validBits, flat(2, map[int]float64{0: 9, 1: 9, 2: 9})) // the first points do not count
	above := recorded(validBits, flat(2.5, nil))
	above.Trials[0].Arm = standardArm
	bits := record.Values{2, 2, 2, 2, 1.2, 1.2, 1, 1, 1, 1} // of contexts of 1, 2, 4, … characters
	below.End.Vectors[string(contextual)] = []record.Values{bits}
	learned := DistanceSpread{[]claim.Arm{chrono}, something} // a network that has learned nothing says nothing
	for _, c := range []struct {
		q    claim.Quantity
		of   claim.Source
		want []float64
	}{
		{Spikes{chrono, spike, visible}, claim.From(spiked), []float64{0.04, 0, 0, 0, 0, 0.02}},
		{EndsAbove{chrono}, claim.From(spiked), []float64{0, 0, 0, 0.3, 1.6, math.Inf(1)}},
		{TestLoss{chrono}, claim.From(tested), []float64{0.375, 0.5, 1.5}},
		{learned, claim.From(tested), []float64{0.25, 0}},
		{TestPerplexity{chrono}, claim.From(words), []float64{9}},
		{Ahead{chrono, standard}, claim.From(below, above), flat(0.5, nil)[3:]},
		{FarShare{chrono}, claim.From(below), []float64{0.2}},
		{AverageBias{longestPTB}, claim.From(), []float64{(11*math.Log(11) - 10) / 10}},
	} {
		check.Near(t, c.q.Read(c.of).Values(), c.want, 1e-9, "%T", c.q)
	}
}

// A table of numbers joins those of panels with one name: only tasks with one or other input weights have one.
func TestPanelsHaveNamesOfTheirOwn(t *testing.T) {
	panels := map[string]string{}
	for panel, name := range Paper.Words.Panels {
		panel = strings.TrimSuffix(panel, normal)
		if other := panels[name]; other != "" && other != panel {
			t.Errorf("%s and %s are both %q", other, panel, name)
		}
		panels[name] = panel
	}
}
