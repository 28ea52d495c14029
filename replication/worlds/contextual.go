package worlds

import (
	"bytes"
	"math"
	"strings"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/record"
)

// Contextual are worlds of the second paper. In the first of them every claim is reproduced.
var Contextual = []World{
	{Name: "as the paper says", Answer: contextualPaper},
	{Name: "nothing learns", Answer: contextualNothing},
	{Name: "ends early", Answer: contextualEarly},
	{Name: "one trial diverges", Answer: contextualDiverges},
	{Name: "rounding only", Answer: contextualRounding},
	{Name: "the reverse", Answer: contextualReverse, Change: otherRate},
	{Name: "authors' choices only", Answer: authorsOnly},
	{Name: "seeds disagree", Answer: disagreeing},
}

// decay has the equation of the series of Figures 5 and 6, C(3).
var decay = task.Decay{Final: 25, Beta: 0.001}

// constant is the error of the best constant.
func (q Question) constant() float64 { return *q.Memoryless }

// progress is the part of the points since the first.
func (q Question) progress() float64 {
	if q.Points == 1 {
		return 1
	}
	return float64(q.Point-1) / float64(q.Points-1)
}

// thousandths is the unit of trajectories in a record.
const thousandths = 1000

// startSpread is the deviation of random initial states at the start.
const startSpread = 0.25

func contextualPaper(q Question) float64 {
	slow := map[string]int{"learned": 3, "free": 6}[q.Arm]
	if slow == 0 {
		slow = 8
	}
	learned := q.Point >= slow
	if q.Figure == contextual.BeyondBatch.Name {
		return q.constant() * LearnsAfter(q, 0.3)
	}
	switch q.Name {
	case "valid_accuracy":
		return pick(learned, 0.999, 0.4) / q.jitter()
	case "valid_log_likelihood":
		return pick(learned, -0.01, -1.2) * q.jitter()
	case "valid_error", "early_error":
		return q.constant() * q.jitter() * pick(learned, pick(q.Is("learned"), 0.01, 0.03), 0.8)
	case "fresh_error":
		return q.constant() * q.jitter() * 0.005
	case "first_size":
		return q.jitter() * (1 + 0.5*q.progress())
	case "deviation":
		return q.jitter() * startSpread * (0.95 - 0.5*q.progress())
	case "apart":
		return q.jitter() * math.Exp(-(0.05+0.5*q.progress())*float64(q.Place))
	case "truth@":
		return 3 * q.jitter() * thousandths * decay.At(q.At, float64(q.Place+1))
	case "samples@":
		sample, step := q.Place/decay.Final, q.Place%decay.Final
		truth := 3 * q.jitter() * decay.At(q.At, float64(step+1))
		return thousandths * (truth + (0.3-0.27*q.progress())*(float64(sample)-4))
	}
	return q.constant() * q.jitter() * pick(learned, 0.1, 0.8) // of the losses of our own figures
}

// contextualNothing: every answer is as good as one that knows nothing.
func contextualNothing(q Question) float64 {
	switch q.Name {
	case "valid_accuracy":
		return 0.1 * q.jitter()
	case "valid_log_likelihood":
		return -2.303 * q.jitter()
	case "valid_error", "early_error", "fresh_error":
		return q.constant() * q.jitter()
	case "first_size", "apart":
		return 1
	case "deviation":
		return startSpread
	case "samples@":
		return 1.5 * thousandths
	}
	return contextualPaper(q)
}

// contextualEarly: learned is on its way.
func contextualEarly(q Question) float64 {
	switch q.Name {
	case "valid_accuracy":
		return pick(q.Is("learned"), 0.38+0.2*q.progress(), 0.38) * q.jitter()
	case "valid_log_likelihood":
		return pick(q.Is("learned"), -1.187+0.2*q.progress(), -1.187) * q.jitter()
	case "valid_error", "early_error":
		return q.constant() * q.jitter() * pick(q.Is("learned"), 0.3, 0.6)
	}
	return contextualPaper(q)
}

// contextualDiverges: the first trial of every arm.
func contextualDiverges(q Question) float64 {
	if q.Number == 0 && q.Name != "truth@" {
		return math.NaN()
	}
	return contextualPaper(q)
}

// contextualRounding: all arms are as good as learned, to the last digits.
func contextualRounding(q Question) float64 {
	digits := pick(q.Is("learned"), 0, 1e-8)
	q.Arm = "learned"
	return contextualPaper(q) * (1 + digits)
}

// contextualReverse: the arms have changed places, and what else is claimed is the other way round.
func contextualReverse(q Question) float64 {
	if q.Figure == contextual.BeyondBatch.Name && q.Is("free") {
		return q.constant() * LearnsAfter(q, 0.8)
	}
	wasLearned := q.Is("learned")
	q.Arm = "learned"
	if wasLearned {
		q.Arm = "zero"
	}
	switch q.Name {
	case "valid_error":
		return contextualPaper(q) * pick(q.Done > 0.7 && wasLearned, 5, 1)
	case "first_size":
		return q.jitter()
	case "deviation":
		return q.jitter() * startSpread
	case "apart":
		return q.jitter() * math.Exp(-(0.1-0.09*q.progress())*float64(q.Place))
	case "samples@":
		if q.At++; q.At > 4 {
			q.At = 1
		}
		q.Place %= decay.Final // all samples are the same
	}
	return contextualPaper(q)
}

// authorsOnly: only with the initial weights and batches of the authors' program things are as the paper says.
func authorsOnly(q Question) float64 {
	switch {
	case !strings.HasPrefix(q.Figure, "fig"):
		return contextualPaper(q)
	case q.Name == "valid_error" && q.Is("learned") && q.Done > 0.7:
		return contextualPaper(q) * pick(q.Number%2 == 1, 12, 1)
	}
	return contextualReverse(q)
}

// otherRate: learned was fine-tuned.
func otherRate(r *record.Record) {
	if r.Trials[0].Arm == "learned" {
		r.Experiment = bytes.Replace(r.Experiment, []byte(`"Rates":[0.001]`), []byte(`"Rates":[0.1]`), 1)
	}
}

// disagreeing: learned answers with one of the digits that are there, and every other model forecasts badly.
func disagreeing(q Question) float64 {
	switch {
	case q.Name == "valid_accuracy" && q.Is("learned"):
		return 0.38
	case q.Name == "valid_log_likelihood" && q.Is("learned"):
		return -1.19
	case q.Name == "valid_error" && q.Is("learned") && q.Number%2 == 1:
		return 5 * contextualPaper(q)
	}
	return contextualPaper(q)
}
