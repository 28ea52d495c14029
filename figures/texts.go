package figures

import (
	"math"

	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// texts draws how well models of characters or of words predict a validation set: what is measured of them is the first
// of its series that a panel's records have.
type texts struct{ of []series }

// predictions are those of Figure 7: bits per character, and perplexities.
var predictions = texts{[]series{
	{name: "valid_bits", levels: best(func(loss float64, _ int) float64 { return loss / math.Ln2 })},
	{name: "valid_entropy", convert: math.Exp, levels: best(func(loss float64, steps int) float64 {
		return math.Exp(loss / float64(steps)) // the loss is summed over the steps
	})},
}}

// chart shows what is below the curves' first tenth, where models still learn which symbols there are.
func (t texts) chart(title string, p panel) Chart {
	for _, s := range t.of {
		if len(p.records[0].Series(s.name)) > 0 {
			c := s.chart(title, p).(CurveChart)
			c.Low, c.High = frame(c)
			return c
		}
	}
	return CurveChart{Title: title, X: p.X, Y: p.Y}
}

// frame is from a little below all points and levels to a little above the highest mean at the end of a line's first
// tenth, or at the end of a line that is higher.
func frame(c CurveChart) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, y := range l.Y {
			if finite(y.Min) {
				low = min(low, y.Min)
			}
		}
		for _, at := range []int{len(l.Y) / 10, len(l.Y) - 1} {
			if y := l.Y[at].Mean; finite(y) {
				high = max(high, y)
			}
		}
	}
	for _, r := range c.References {
		low = min(low, r.Y[0])
	}
	if !(high > low) {
		return 0, 0
	}
	margin := 0.05 * (high - low)
	return max(0, low-margin), high + margin
}

// facts say which text it is.
func (texts) facts(r *record.Record) []string { return []string{warp.TextAt(r.Panel, r.Scale)} }

// best is what the lowest loss that any model can have amounts to, where the text is made up, so that it is known.
func best(of func(loss float64, steps int) float64) func(p panel) []level {
	return func(p panel) []level {
		r := p.records[0]
		if loss := r.Trials[0].Best; loss != nil {
			return []level{{"best possible", of(*loss, r.Steps)}}
		}
		return nil
	}
}
