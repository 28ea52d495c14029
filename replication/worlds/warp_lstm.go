package worlds

import (
	"strings"

	"github.com/warptime/warptime/replication/warp"
)

func init() {
	warpFigures[warp.Fig3.Name] = figure{copyPaper, memoryless, lstmEarly, copyReverse}
	warpFigures[warp.BeyondLong.Name] = figure{longPaper, memoryless, lstmEarly, copyReverse}
	warpFigures[warp.Fig4.Name] = figure{addingPaper, memoryless, lstmEarly, addingReverse}
	warpFigures[warp.BeyondSafe.Name] = figure{safePaper, memoryless, lstmEarly, safeReverse}
	warpFigures[warp.BeyondTied.Name] = figure{tiedPaper, memoryless, lstmEarly, tiedReverse}
}

// LSTMCurve falls after a while: standard's on the adding task eight times later, on a copy task to where little is
// learned. It is the models' test loss too.
func LSTMCurve(q Question) float64 {
	falls, end := 0.1, 0.01
	if q.Is("standard") {
		switch {
		case q.Figure == warp.Fig4.Name:
			falls = 0.8
		case q.Panel != "varcopy500":
			end = 0.95
		}
	}
	return pick(q.Done < falls, 1, end)
}

func copyPaper(q Question) float64 {
	share := q.jitter() * LSTMCurve(q)
	if (q.Panel == "copy500" || q.Panel == "varcopy500") && q.Is("chrono") && q.Number == 1 && q.Done == 0.5 {
		share += 0.5 // a spike
	}
	return share
}

// longPaper: standard learns little, whatever T is.
func longPaper(q Question) float64 {
	if q.Is("standard") {
		q.Panel = "copy"
	}
	return q.jitter() * LSTMCurve(q)
}

func addingPaper(q Question) float64 { return q.jitter() * LSTMCurve(q) }

// lstmEarly: nothing is solved yet, but chrono is on its way.
func lstmEarly(q Question) float64 { return pick(q.Is("chrono"), 1-0.08*q.Done, q.jitter()) }

// swapped asks about the other arm.
func swapped(q Question) Question {
	q.Arm = map[string]string{"standard": "chrono", "chrono": "standard"}[q.Arm]
	return q
}

func copyReverse(q Question) float64 {
	switch {
	case q.Name == "loss@" && (q.At == 500 || q.At == 1000):
		return 0.5 // only the shorter distances are learned
	case q.Panel == "varcopy500" && q.Is("chrono"):
		return 1
	}
	return q.jitter() * LSTMCurve(swapped(q))
}

func addingReverse(q Question) float64 {
	switch {
	case q.Is("standard") && q.Done == 0.3:
		return 0.5 // a spike
	case q.Is("standard") && q.Done > 0.9:
		return 0.2 // from which it does not recover
	}
	return q.jitter() * LSTMCurve(swapped(q))
}

// LearnsAfter is a training loss that falls after this part of the updates, a little later in each trial.
func LearnsAfter(q Question, part float64) float64 {
	return pick(q.Done < part*(1+0.02*float64(q.Number)), 1, 0.01)
}

// safePaper: biases of 1 and 2 are as good as chrono over 10 steps only, and a wrong Tmax or none does little harm.
func safePaper(q Question) float64 {
	switch {
	case q.Is("bias0"):
		return LearnsAfter(q, pick(q.Sweep == 100 && q.Number > 0, 2, 0.9)) // at 100 only the first trial learns
	case q.Is("bias1", "bias2") && q.Sweep != 10:
		return LearnsAfter(q, 0.6)
	case q.Is("unknown"), strings.HasPrefix(q.Panel, "tmax") && q.Sweep != 1:
		return LearnsAfter(q, 0.12)
	}
	return LearnsAfter(q, 0.1)
}

// safeReverse: the lower the constant bias the better, chrono is slow, and without the right Tmax it never learns.
func safeReverse(q Question) float64 {
	switch {
	case q.Is("bias0"):
		return LearnsAfter(q, 0.05)
	case q.Is("bias1", "bias2"):
		return LearnsAfter(q, 0.1)
	case q.Is("unknown"), strings.HasPrefix(q.Panel, "tmax") && q.Sweep != 1:
		return 1
	}
	return LearnsAfter(q, 0.4)
}

// tiedPaper: gates that are kept tied learn a little later than those that only begin tied.
func tiedPaper(q Question) float64 {
	after := map[string]float64{"chrono": 0.2, "tied-chrono": 0.24, "standard": 0.8, "tied-standard": 0.7}
	return LearnsAfter(q, after[q.Arm])
}

// tiedReverse: tied gates are much later.
func tiedReverse(q Question) float64 {
	return LearnsAfter(q, pick(q.Is("chrono", "standard"), 0.2, 0.7))
}
