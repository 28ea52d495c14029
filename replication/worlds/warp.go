package worlds

import (
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/warp"
)

// Warp are worlds of the first paper. In the first of them every claim is reproduced.
var Warp = []World{
	{Name: "as the paper says", Answer: warpPaper},
	{Name: "nothing learns", Answer: func(q Question) float64 { return ofWarp(q).nothing(q) }},
	{Name: "ends early", Answer: func(q Question) float64 { return ofWarp(q).early(q) }},
	{Name: "one trial diverges", Answer: oneDiverges},
	{Name: "rounding only", Answer: roundingOnly},
	{Name: "the reverse", Answer: func(q Question) float64 { return ofWarp(q).reverse(q) }},
	{Name: "baseline stuck", Answer: baselineStuck("copy", "varcopy")},
	{Name: "baseline stuck in copy", Answer: baselineStuck("copy")},
	{Name: "at one rate only", Answer: atOneRate(func(q Question) float64 { return ofWarp(q).reverse(q) })},
	{Name: "one rate learns", Answer: atOneRate(func(q Question) float64 { return ofWarp(q).nothing(q) })},
	{Name: "at one length only", Answer: oneLength},
	{Name: "with one Tmax only", Answer: oneTmax},
	{Name: "standard never converges", Answer: standardNeverConverges},
	{Name: "a Tmax wrong by 10 is too far", Answer: tmaxTooFar},
}

// A figure's answers in the worlds that every figure has. The file that has them adds them to warpFigures.
type figure struct{ paper, nothing, early, reverse Answer }

var warpFigures = map[string]figure{}

// ofWarp are the answers of a question's figure. Where it has none, no claim is about it.
func ofWarp(q Question) figure {
	if f, ok := warpFigures[q.Figure]; ok {
		return f
	}
	return figure{memoryless, memoryless, memoryless, memoryless}
}

func warpPaper(q Question) float64 { return ofWarp(q).paper(q) }

// memoryless: every model is as good as one without memory.
func memoryless(q Question) float64 { return q.jitter() }

// oneDiverges: the first trial of every arm with gates has diverged.
func oneDiverges(q Question) float64 {
	if q.Number == 0 && !q.Is("rnn", "standard") {
		return math.NaN()
	}
	return warpPaper(q)
}

// roundingOnly: all have solved everything, and differ in the last digits only.
func roundingOnly(q Question) float64 {
	digits := 1e-9*float64(q.Number) + pick(q.Is("rnn", "standard"), 1e-8, 0)
	switch {
	case strings.Contains(q.Name, "dummy"):
		return 0.05
	case strings.Contains(q.Name, "accuracy"):
		return 1 - digits
	case q.Figure == warp.Fig3.Name, q.Figure == warp.Fig4.Name, q.Figure == warp.BeyondSafe.Name:
		return math.Exp(-20*q.Done) + digits
	case strings.HasSuffix(q.Name, "_loss"):
		return 1e-9 + digits
	}
	return 2 + digits
}

// baselineStuck: chrono learns all, and standard nothing in panels whose names begin so.
func baselineStuck(panels ...string) Answer {
	return func(q Question) float64 {
		stuck := func(panel string) bool { return strings.HasPrefix(q.Panel, panel) }
		if q.Is("standard") && slices.ContainsFunc(panels, stuck) {
			return 1
		}
		return warpPaper(q)
	}
}

// atOneRate: only at the higher rates things are as the paper says.
func atOneRate(otherwise Answer) Answer {
	return func(q Question) float64 {
		if (q.Figure == warp.Fig1.Name || q.Figure == warp.Fig5.Name) && !strings.HasSuffix(q.Panel, "-best") {
			return otherwise(q)
		}
		return warpPaper(q)
	}
}

// oneLength: only tests as long as in training show what the paper says.
func oneLength(q Question) float64 {
	if strings.HasPrefix(q.Name, "long_") {
		return ofWarp(q).reverse(q)
	}
	return warpPaper(q)
}

// oneTmax: only the chrono network that knows of the longest warp tested does what the paper says.
func oneTmax(q Question) float64 {
	if q.Figure == warp.Fig5.Name && q.Is("chrono") {
		return ofWarp(q).reverse(q)
	}
	return warpPaper(q)
}

// standardNeverConverges: on the adding task.
func standardNeverConverges(q Question) float64 {
	if q.Figure == warp.Fig4.Name && q.Is("standard") {
		return 1
	}
	return warpPaper(q)
}

// tmaxTooFar: a Tmax that is wrong by a factor of 10 does harm, and one that is by 3 does not.
func tmaxTooFar(q Question) float64 {
	if strings.HasPrefix(q.Panel, "tmax") && max(q.Sweep, 1/q.Sweep) > 5 {
		return LearnsAfter(q, 0.5)
	}
	return warpPaper(q)
}
