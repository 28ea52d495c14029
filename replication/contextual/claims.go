package contextual

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

const (
	solved    = 0.9 // an accuracy at which retrieval is learned
	tenth     = 0.1 // a squared error at which decay is learned, as a share of the best constant's
	visible   = 0.1 // two errors on a logarithmic axis differ visibly if they do by this share of the lesser
	someTrial = "it is so in some trials only"
)

// A reader is a claim's, for figures and panels as they are declared.
type reader struct{ *claim.Reader }

func judging(predicate func(*reader) claim.Finding) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r *claim.Reader) claim.Finding { return predicate(&reader{r}) })
}

// arm returns the trials of an arm of a figure's only panel.
func (r *reader) arm(f figures.Figure, arm string) claim.Trials {
	p := f.Panels[0]
	if _, ok := p.Sizes[r.Scale]; !ok {
		r.Miss(fmt.Errorf("%s %s is not declared at scale %s", f.ID(), p.Name, r.Scale))
	}
	return r.Arm(f.Paper, f.Name, p.Name, arm)
}

// curves returns the values of a series of each trial of an arm.
func (r *reader) curves(f figures.Figure, arm, series string) [][]float64 {
	trials := r.arm(f, arm)
	curves, err := trials.Curves(series)
	r.Miss(err)
	if r.Missed() {
		return nil
	}
	var values [][]float64
	for _, c := range curves {
		values = append(values, c.Values)
	}
	return values
}

// final returns a result of each trial of an arm.
func (r *reader) final(f figures.Figure, arm, name string) []float64 {
	values, err := r.arm(f, arm).Losses(name)
	r.Miss(err)
	return values
}

// constant is the error of the best constant.
func (r *reader) constant(f figures.Figure, arm string) float64 {
	levels, err := r.arm(f, arm).Memoryless()
	r.Miss(err)
	if len(levels) == 0 {
		return math.NaN()
	}
	return levels[0]
}

// spreadOf is the spread of one number of each curve. One that is no number is as bad as can be.
func spreadOf(curves [][]float64, worst float64, number func([]float64) float64) record.Spread {
	var values []float64
	for _, c := range curves {
		v := number(c)
		if math.IsNaN(v) {
			v = worst
		}
		values = append(values, v)
	}
	return record.SpreadOf(values)
}

func ofLast(curve []float64) float64 { return curve[len(curve)-1] }

func mean(curve []float64) float64 {
	sum := 0.
	for _, v := range curve {
		sum += v
	}
	return sum / float64(len(curve))
}

// A race is how many epochs the trials of an arm take until something is reached: infinitely many if they never do.
type race []float64

// raceTo takes curves with so many points in an epoch, the first after its part of one.
func raceTo(curves [][]float64, perEpoch float64, reached func(float64) bool) race {
	var epochs race
	for _, c := range curves {
		if at := slices.IndexFunc(c, reached); at >= 0 {
			epochs = append(epochs, float64(at+1)/perEpoch)
		} else {
			epochs = append(epochs, math.Inf(1))
		}
	}
	return epochs
}

// ends tells whether every trial gets there.
func (r race) ends() bool { return len(r) > 0 && !math.IsInf(slices.Max(r), 1) }

func (r race) String() string { return record.SpreadOf(r).String() }

// before answers whether every trial of a gets there, and before any of b.
func (a race) before(b race) claim.Answer {
	switch {
	case len(a) == 0 || len(b) == 0:
		return claim.Inconclusive
	case a.ends() && slices.Max(a) < slices.Min(b):
		return claim.Reproduced
	case b.ends() && slices.Max(b) < slices.Min(a):
		return claim.Contradicted
	}
	return claim.Inconclusive
}

// ratio is how many times longer b takes than a, with its interval; "" if one of them does not end.
func (a race) ratio(b race) string {
	if !a.ends() || !b.ends() {
		return ""
	}
	return ", ratio " + claim.RatioOf(b.durations(), a.durations()).String()
}

func (r race) durations() claim.Durations { return claim.Durations{AtLeast: r, AtMost: r} }
