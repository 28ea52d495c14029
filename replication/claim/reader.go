package claim

import "github.com/warptime/warptime/replication/record"

// A Reader takes numbers from evidence for a predicate. Where something is missing, the predicate ends there, and its
// claim is not run: a predicate need not look after it.
type Reader struct{ Evidence }

// missing is what a Reader panics with, and Judging recovers.
type missing struct{ error }

// Judging makes a claim's Judge of a predicate.
func Judging(predicate func(Reader) Finding) func(Evidence) Finding {
	return func(e Evidence) (f Finding) {
		defer func() {
			switch m := recover().(type) {
			case nil:
			case missing:
				f = Missing("%v", m)
			default:
				panic(m)
			}
		}()
		return predicate(Reader{e})
	}
}

// Need ends the predicate if err says that something is missing.
func (r Reader) Need(err error) {
	if err != nil {
		panic(missing{err})
	}
}

// Arm returns the trials of an arm of a panel of a figure, "warp/fig3".
func (r Reader) Arm(figure, panel, arm string) Trials {
	trials, err := r.Evidence.Arm(figure, panel, arm)
	r.Need(err)
	return trials
}

// Values returns what a method of Trials gives, such as Excess.
func (r Reader) Values(values []float64, err error) []float64 {
	r.Need(err)
	return values
}

// Spread returns the spread of what a method of Trials gives.
func (r Reader) Spread(values []float64, err error) record.Spread {
	return record.SpreadOf(r.Values(values, err))
}

// Curves returns what a method of Trials gives, such as Shares.
func (r Reader) Curves(curves []Curve, err error) []Curve {
	r.Need(err)
	return curves
}

// Cut returns curves that are in no record, such as another program's, up to where the evidence ends.
func (r Reader) Cut(curves []Curve) []Curve {
	if r.vary.end == 0 {
		return curves
	}
	cut := make([]Curve, len(curves))
	for i, c := range curves {
		n := 0
		for n < len(c.Updates) && 100*c.Updates[n] <= r.vary.end*c.Updates[len(c.Updates)-1] {
			n++
		}
		cut[i] = Curve{c.Updates[:n], c.Values[:n]}
	}
	return cut
}

// Vectors returns what a method of Trials gives: a list of numbers of each trial.
func (r Reader) Vectors(vectors [][]float64, err error) [][]float64 {
	r.Need(err)
	return vectors
}

// Before answers whether a ended in every trial before b did in any, as Below does.
func (r Reader) Before(a, b Durations) Answer {
	return r.Below(record.SpreadOf(a.AtMost), record.SpreadOf(b.AtMost), 0)
}
