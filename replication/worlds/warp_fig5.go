package worlds

import (
	"math"
	"strings"

	"github.com/warptime/warptime/replication/warp"
)

func init() {
	warpFigures[warp.Fig5.Name] = figure{warpFig5, fig5Nothing, fig5Early, fig5Reverse}
	warpFigures[warp.Fig6.Name] = figure{fig6Paper, func(Question) float64 { return 0.1 }, fig6Early, fig6Reverse}
	warpFigures[warp.Fig7.Name] = figure{fig7Paper, fig7Nothing, fig7Nothing, fig7Reverse}
	warpFigures[warp.BeyondPixels.Name] = figure{pixelsPaper, fig6Early, fig6Early, pixelsReverse}
}

func warpFig5(q Question) float64 {
	q.Number %= 5 // so that no accuracy is above 1
	switch {
	case strings.HasPrefix(q.Name, "dummy"), strings.HasPrefix(q.Name, "long_dummy"):
		return q.jitter() * 0.05 * math.Sqrt(q.Times)
	case strings.HasPrefix(q.Name, "gate"), strings.HasPrefix(q.Name, "leak"):
		return q.jitter() * 2
	case q.Is("rnn"):
		return q.jitter() * (0.75 - 0.005*q.Times)
	case q.Is("leaky"):
		return q.jitter() * (0.997 - 0.02*(q.Times-1))
	case q.Times <= 8: // chrono, and ours
		return q.jitter() * (0.997 - 0.01*(q.Times-1))
	}
	return q.jitter() * (0.997 - 0.07 - 0.05*(q.Times-8))
}

// fig5Nothing: every network always answers the dummy.
func fig5Nothing(q Question) float64 {
	if strings.Contains(q.Name, "accuracy") {
		q.Name = strings.Replace(q.Name, "accuracy", "dummy", 1)
		return warpFig5(q)
	}
	return q.jitter()
}

func fig5Early(q Question) float64 {
	if strings.Contains(q.Name, "accuracy") {
		return 0.5 + 0.01*float64(q.Number)
	}
	return warpFig5(q)
}

func fig5Reverse(q Question) float64 {
	switch {
	case strings.Contains(q.Name, "dummy"):
		return q.jitter() * 0.05
	case !strings.Contains(q.Name, "accuracy"):
		return q.jitter() * 2
	case q.Is("rnn"):
		return q.jitter() * (0.99 - 0.05*(q.Times-1))
	case q.Is("leaky"):
		return q.jitter() * 0.997
	}
	return q.jitter() * 0.4
}

// fig6Paper is best in the middle of the training, and on MNIST in a trial of chrono. No trial is better than the
// paper's, and the others are worse by a little.
func fig6Paper(q Question) float64 {
	best := 0.99
	switch {
	case q.Panel == "pmnist":
		best = pick(q.Is("chrono"), 0.963, 0.954)
	case q.Is("standard"):
		best -= 0.001
	}
	return best - 0.001*float64(q.Number) - 0.01*math.Abs(q.Done-0.5) - 0.8*math.Exp(-50*q.Done)
}

// pixelsPaper: what chrono loses on the way, it has from its input gates, and a higher rate makes up for it.
func pixelsPaper(q Question) float64 {
	return pixels(q, q.Is("chrono", "input-only", "read-out-6"))
}

func pixelsReverse(q Question) float64 {
	return pixels(q, q.Is("chrono", "input-only", "read-out-6", "chrono-rate-4"))
}

func pixels(q Question, slow bool) float64 {
	return 0.96 - 0.8*math.Exp(-q.Done/pick(slow, 0.3, 0.15)) - 0.001*float64(q.Number)
}

func fig6Early(q Question) float64 { return 0.3 + 0.01*float64(q.Number) }

func fig6Reverse(q Question) float64 {
	return 0.9 + pick(q.Is("standard"), 0.07, 0) - 0.001*float64(q.Number)
}

// fig7Paper: chrono needs a little less on text8, what is far back hardly helps, and words are as hard for both,
// but harder for what is as printed.
func fig7Paper(q Question) float64 {
	digits := 0.0005 * float64(q.Number)
	bits := pick(q.Is("chrono"), 1.37, 1.38) + digits
	switch {
	case q.Name == "context_bits":
		return 1.4 + 2/q.At + digits
	case q.Panel == "ptb":
		arms := map[string]float64{"standard": 1e-4, "literal": 0.2}[q.Arm]
		return math.Log(65.4) + arms + 0.01*math.Abs(q.Done-0.5) + 5*max(0, 0.4-q.Done) + digits
	case q.Name == "test_bits":
		return bits
	}
	return bits + math.Exp(-3*q.Done)
}

// fig7Nothing: no model knows more than which symbols there are.
func fig7Nothing(q Question) float64 {
	return pick(q.Panel == "ptb", math.Log(10_000), 4.7) + 0.001*float64(q.Number)
}

// fig7Reverse: standard is better everywhere, and by much; both are better than anything published; and context helps
// the more the further it goes back.
func fig7Reverse(q Question) float64 {
	worse := pick(q.Is("standard"), 0, 0.15)
	switch {
	case q.Name == "context_bits":
		return 4 - 0.4*math.Log2(q.At)
	case q.Panel == "ptb":
		return math.Log(50) + 2*worse
	}
	return 1.2 + worse + 0.001*float64(q.Number)
}
