package contextual

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A world says what the declared experiments would have found if things were so.
type world func(question) float64

// A question asks for one number of a record.
type question struct {
	figure string
	record.Trial
	name   string  // of the series or result
	epoch  int     // 1 … epochs
	done   float64 // the part of the epochs done: 0 at the first, 1 at the last
	place  int     // in a result of several numbers
	period float64 // of samples and truths
}

// What comes before a period in the names of results.
const (
	truthAt   = string(truth) + "@"
	samplesAt = string(samples) + "@"
)

// records are those of every declared run at a scale, of the figures that have claims.
func (w world) records(t *testing.T, o experiment.Options) []*record.Record {
	t.Helper()
	o.Seed = 1
	var records []*record.Record
	for _, figure := range []figures.Figure{Fig2, Fig5, Fig6} {
		tasks, err := figure.Tasks(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			records = append(records, w.record(task))
		}
	}
	return records
}

func (w world) record(task experiment.Task) *record.Record {
	r := &record.Record{
		Header: task.Header("go"),
		End:    &record.End{Final: map[string]record.Values{}, Vectors: map[string][]record.Values{}},
	}
	ask := func(name string, epoch, numbers int) []record.Values {
		all := make([]record.Values, len(r.Trials))
		for k, trial := range r.Trials {
			q := question{figure: r.Figure, Trial: trial, name: name, epoch: epoch}
			q.done = float64(epoch-1) / float64(task.Length.Epochs-1)
			if before, period, ok := strings.Cut(name, "@"); ok {
				q.name = before + "@"
				fmt.Sscan(period, &q.period)
			}
			for q.place = range numbers {
				all[k] = append(all[k], w(q))
			}
		}
		return all
	}
	for _, test := range task.Tests {
		epochs := task.Length.Epochs
		if test.Every > 0 {
			epochs = task.Length.Total() / test.Every // points of a curve
		}
		for _, m := range test.Measures {
			switch n := numbersOf(m); {
			case test.Every == 0 && n > 1:
				r.End.Vectors[string(m.Name)] = ask(string(m.Name), epochs, n)
			case test.Every == 0:
				r.End.Final[string(m.Name)] = firsts(ask(string(m.Name), epochs, 1))
			case n > 1:
				for epoch := 1; epoch <= epochs; epoch++ {
					r.Points = append(r.Points, record.Point{
						Update: epoch * test.Every, Series: string(m.Name), Vectors: ask(string(m.Name), epoch, n),
					})
				}
			default:
				for epoch := 1; epoch <= epochs; epoch++ {
					r.Points = append(r.Points, record.Point{
						Update: epoch * test.Every, Series: string(m.Name),
						Values: firsts(ask(string(m.Name), epoch, 1)),
					})
				}
			}
		}
	}
	if rate := w(question{figure: r.Figure, Trial: r.Trials[0], name: "rate"}); rate != 1 {
		r.Experiment = bytes.Replace(r.Experiment, []byte(`"Rates":[0.001]`), fmt.Appendf(nil, `"Rates":[%g]`, rate), 1)
	}
	return r
}

// numbersOf is how many numbers a measure has for each trial.
func numbersOf(m experiment.Measure) int {
	switch of := m.Of.(type) {
	case Apart:
		return validatedDecay.Final
	case Trajectories:
		return of.Series * validatedDecay.Final
	case Truth:
		return validatedDecay.Final
	}
	return 1
}

func firsts(vectors []record.Values) record.Values {
	var values record.Values
	for _, v := range vectors {
		values = append(values, v[0])
	}
	return values
}

var decayConstant = validatedDecay.Memoryless()

// asThePaperSays is a world in which every claim is reproduced.
func asThePaperSays(q question) float64 {
	jitter := 1 + 0.001*float64(q.Number) // trials differ a little
	slow := map[string]int{learnedArm: 3, freeArm: 6}[q.Arm]
	if slow == 0 {
		slow = 8
	}
	learned := q.epoch >= slow
	switch q.name {
	case "rate":
		return 1
	case validAccuracy:
		return pick(learned, 0.999, 0.4) / jitter
	case validLikelihood:
		return pick(learned, -0.01, -1.2) * jitter
	case validError, earlyError:
		return decayConstant * jitter * pick(learned, pick(q.Arm == learnedArm, 0.01, 0.03), 0.8)
	case freshError:
		return decayConstant * jitter * 0.005
	case firstSize:
		return jitter * (1 + 0.5*q.done)
	case deviation:
		return jitter * startSpread * (0.95 - 0.5*q.done)
	case apart:
		return jitter * math.Exp(-(0.05+0.5*q.done)*float64(q.place))
	case truthAt:
		return 3 * jitter * thousandths * validatedDecay.At(q.period, float64(q.place+1))
	case samplesAt:
		sample, step := q.place/validatedDecay.Final, q.place%validatedDecay.Final
		truth := 3 * jitter * validatedDecay.At(q.period, float64(step+1))
		return thousandths * (truth + 0.03*(float64(sample)-4))
	}
	return math.NaN()
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// nothingLearns: every answer is as good as one that knows nothing.
func nothingLearns(q question) float64 {
	jitter := 1 + 0.001*float64(q.Number)
	switch q.name {
	case validAccuracy:
		return 0.1 * jitter
	case validLikelihood:
		return -2.303 * jitter
	case validError, earlyError, freshError:
		return decayConstant * jitter
	case firstSize, apart:
		return 1
	case deviation:
		return startSpread
	case samplesAt:
		return 1.5 * thousandths
	}
	return asThePaperSays(q)
}

// endsEarly: learned is on its way.
func endsEarly(q question) float64 {
	jitter := 1 + 0.001*float64(q.Number)
	switch q.name {
	case validAccuracy:
		return pick(q.Arm == learnedArm, 0.38+0.1*q.done, 0.38) * jitter
	case validLikelihood:
		return pick(q.Arm == learnedArm, -1.187+0.1*q.done, -1.187) * jitter
	case validError, earlyError:
		return decayConstant * jitter * pick(q.Arm == learnedArm, 0.3, 0.6)
	}
	return asThePaperSays(q)
}

// oneDiverges: the first trial of every arm.
func oneDiverges(q question) float64 {
	if q.Number == 0 && q.name != "rate" && q.name != truthAt {
		return math.NaN()
	}
	return asThePaperSays(q)
}

// roundingOnly: all arms are as good as learned, to the last digits.
func roundingOnly(q question) float64 {
	arm := q.Arm
	q.Arm = learnedArm
	return asThePaperSays(q) * (1 + pick(arm == learnedArm, 0, 1e-8))
}

// theReverse: the arms have changed places, and what else is claimed is the other way round.
func theReverse(q question) float64 {
	jitter := 1 + 0.001*float64(q.Number)
	arm := q.Arm
	if q.Arm == learnedArm {
		q.Arm = zeroArm
	} else {
		q.Arm = learnedArm
	}
	switch q.name {
	case "rate":
		return pick(arm == learnedArm, 0.1, 1)
	case validError:
		return asThePaperSays(q) * pick(q.done == 1 && arm == learnedArm, 1+float64(q.Number), 1)
	case firstSize:
		return jitter
	case deviation:
		return jitter * startSpread
	case apart:
		return jitter * math.Exp(-(0.1-0.09*q.done)*float64(q.place))
	case samplesAt:
		if q.period++; q.period > 4 {
			q.period = 1
		}
		q.place %= validatedDecay.Final // all samples are the same
		return asThePaperSays(q)
	}
	return asThePaperSays(q)
}

// unbound: learned answers with one of the digits that are there.
func unbound(q question) float64 {
	switch {
	case q.name == validAccuracy && q.Arm == learnedArm:
		return 0.38
	case q.name == validLikelihood && q.Arm == learnedArm:
		return -1.19
	}
	return asThePaperSays(q)
}

var worlds = []struct {
	name string
	world
}{
	{"as the paper says", asThePaperSays},
	{"nothing learns", nothingLearns},
	{"ends early", endsEarly},
	{"one trial diverges", oneDiverges},
	{"rounding only", roundingOnly},
	{"the reverse", theReverse},
	{"learned binds nothing", unbound},
}
