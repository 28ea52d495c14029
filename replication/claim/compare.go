package claim

import (
	"math"

	"github.com/warptime/warptime/replication/record"
)

// The answers of this file take all trials: where some say one thing and some another, a claim is inconclusive.

// rounding is the largest relative difference that is taken for the rounding of float32 sums over a training.
const rounding = 1e-4

// Exactly returns the spread of one number, to compare others with.
func Exactly(value float64) record.Spread {
	return record.Spread{N: 1, Mean: value, Min: value, Max: value}
}

// Below answers whether a is below b: Reproduced if every trial of a is below every trial of b and their means differ
// by more than visible, and by more than rounding; Contradicted if b is below a in this way; else Inconclusive. It
// notes how often luck alone gives this order of all trials.
func (r Reader) Below(a, b record.Spread, visible float64) Answer {
	r.notes.apart(a.N, b.N)
	return Below(a, b, visible)
}

// Below answers as Reader.Below does, for a rule that does not want this order: it notes nothing.
func Below(a, b record.Spread, visible float64) Answer {
	lower := func(a, b record.Spread) bool {
		return a.Max < b.Min && b.Mean-a.Mean > max(visible, rounding*math.Abs(a.Mean))
	}
	switch {
	case lower(a, b):
		return Reproduced
	case lower(b, a):
		return Contradicted
	}
	return Inconclusive
}

// AtMost answers whether the values of all trials are at most limit: Contradicted if none is, and Inconclusive if some
// are.
func AtMost(s record.Spread, limit float64) Answer {
	switch {
	case s.Max <= limit:
		return Reproduced
	case s.Min > limit:
		return Contradicted
	}
	return Inconclusive
}

// AtLeast answers whether the values of all trials are at least limit: Contradicted if none is, and Inconclusive if
// some are.
func AtLeast(s record.Spread, limit float64) Answer {
	switch {
	case s.Min >= limit:
		return Reproduced
	case s.Max < limit:
		return Contradicted
	}
	return Inconclusive
}

// Percent returns a spread of shares in percent, for a text; what is below 1 % is rounded to hundredths.
func Percent(s record.Spread) record.Spread {
	round := func(share float64) float64 {
		if math.Abs(share) >= 0.01 {
			return 100 * share
		}
		return math.Round(1e4*share) / 100
	}
	return record.Spread{N: s.N, Mean: round(s.Mean), Min: round(s.Min), Max: round(s.Max)}
}
