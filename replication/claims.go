package replication

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Claim is one thing that a paper says was found, and the condition on records under which we say so too.
type Claim struct {
	ID        string // figure, panel, what: "fig3.copy500.beats-standard"
	Where     string // in the paper
	Says      string // what the paper says, in other words
	Criterion string // what must hold for it, in every trial unless it says otherwise

	// judge decides on the records of one scale, and gives the numbers it looked at. An error says why it cannot: a record is missing, or trials.
	judge func(evidence) (holds bool, found string, err error)
}

// A Verdict is what the records say about a claim.
type Verdict int

const (
	NotRun Verdict = iota
	NotReproduced
	ReproducedReduced // reproduced, but smaller than in the paper
	Reproduced        // reproduced at the paper's own scale
)

func (v Verdict) String() string {
	return [...]string{"not run", "not reproduced", "reproduced at reduced scale", "reproduced"}[v]
}

// A Judgement is a claim's verdict, the scale it was judged at ("" if not run), and the numbers found, or the reason why there are none.
type Judgement struct {
	Claim
	Verdict Verdict
	Scale   string
	Found   string
}

// Claims returns every claim there is, in the order of the papers' figures.
func Claims() []Claim {
	return slices.Concat(fig1Claims(), fig3Claims(), fig4Claims(), fig5Claims())
}

// Judge gives a verdict on each claim, at the largest scale that has all the records the claim needs.
func Judge(claims []Claim, records []*Record) []Judgement {
	judgements := make([]Judgement, len(claims))
	for i, c := range claims {
		j := Judgement{Claim: c, Found: "no records"}
		for _, scale := range Scales { // ascending: a larger scale takes the verdict over
			var e evidence
			for _, r := range records {
				if r.Scale == scale && r.End != nil {
					e = append(e, r)
				}
			}
			if len(e) == 0 {
				continue
			}
			holds, found, err := c.judge(e)
			switch {
			case err != nil:
				if j.Verdict == NotRun {
					j.Found = err.Error()
				}
				continue
			case !holds:
				j.Verdict = NotReproduced
			case scale == "paper":
				j.Verdict = Reproduced
			default:
				j.Verdict = ReproducedReduced
			}
			j.Scale, j.Found = scale, found
		}
		judgements[i] = j
	}
	return judgements
}

// minTrials is how many trials of each arm a claim takes at least, so that one lucky seed decides nothing.
const minTrials = 3

// errMissing is why a claim cannot be judged.
var errMissing = errors.New("not run")

func missing(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errMissing}, args...)...)
}

// evidence is the complete records of one scale.
type evidence []*Record

// record returns the record of a panel, or of a part of it.
func (e evidence) record(figure, panel, part string) (*Record, error) {
	for _, r := range e {
		if r.Figure == figure && r.Panel == panel && r.Part == part {
			return r, nil
		}
	}
	return nil, missing("no record of %s", strings.TrimSuffix(figure+" "+panel+" "+part, " "))
}

// trials returns the models of an arm at a swept value (nil if none is swept).
func (r *Record) trials(arm string, x *float64) ([]int, error) {
	var models []int
	for _, i := range r.Arm(arm) {
		if m := r.Models[i]; x == nil || m.X != nil && *m.X == *x {
			models = append(models, i)
		}
	}
	if len(models) < minTrials {
		return nil, missing("%d trials of %s in %s %s, needs %d", len(models), arm, r.Figure, r.Panel, minTrials)
	}
	return models, nil
}

// final returns a final result of some models.
func (r *Record) final(name string, models []int) ([]float64, error) {
	all, ok := r.End.Final[name]
	if !ok {
		return nil, missing("no %s in the record of %s %s", name, r.Figure, r.Panel)
	}
	return pick(all, models), nil
}

// losses returns the final losses of an arm's trials. A model that diverged to NaN has lost infinitely.
func (r *Record) losses(name, arm string) ([]float64, error) {
	models, err := r.trials(arm, nil)
	if err != nil {
		return nil, err
	}
	values, err := r.final(name, models)
	return diverged(values, math.Inf(1)), err
}

// memoryless returns the loss of the best model without memory.
func (r *Record) memoryless() (float64, error) {
	m, ok := r.Number("memoryless")
	if !ok || !(m > 0) {
		return 0, missing("no memoryless loss in the record of %s %s", r.Figure, r.Panel)
	}
	return m, nil
}

// curve returns the training losses of one model, and the steps they end at.
func (r *Record) curve(model int) (steps []int, losses []float64) {
	for _, p := range r.Series("train") {
		steps, losses = append(steps, p.Step), append(losses, p.Values[model])
	}
	return steps, diverged(losses, math.Inf(1))
}

// pick returns some of a record's values.
func pick(values []float64, models []int) []float64 {
	picked := make([]float64, len(models))
	for i, m := range models {
		picked[i] = values[m]
	}
	return picked
}

// diverged replaces NaN, in place, by the worst that there is.
func diverged(values []float64, worst float64) []float64 {
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = worst
		}
	}
	return values
}
