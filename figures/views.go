package figures

import (
	"maps"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A View makes a chart of a panel that was run. It may also have methods that add to what is written:
//
//	Heading() string                // after the panel's title, where a figure has several views
//	Facts(r *record.Record) []string // for the caption, besides what that says of every record
//	Cut(p Panel) string             // for the caption: which part of what was run is not shown; "" for none
type View interface {
	Chart(title string, p Panel) Chart
}

func heading(v View) string {
	if v, ok := v.(interface{ Heading() string }); ok {
		return v.Heading()
	}
	return ""
}

// memorylessLabel is what every chart calls the loss of the best model without memory.
const memorylessLabel = "memoryless"

// Finals shows a loss after training against the swept value, on a logarithmic axis.
type Finals struct {
	Of        record.Result
	Low, High float64 // the axis's ends
}

// Chart implements View.
func (v Finals) Chart(title string, p Panel) Chart {
	c := SweepChart{Title: title, X: p.X, Y: p.Y, Log: true, Low: v.Low, High: v.High}
	memoryless := results{}
	for _, arm := range p.Arms {
		losses := results{}
		for _, r := range p.Records {
			final, ok := r.End.Final[string(v.Of)]
			for _, k := range r.Arm(arm.Name) {
				if t := r.Trials[k]; ok && t.X != nil && t.Memoryless != nil {
					losses.add(*t.X, final[k])
					memoryless.add(*t.X, *t.Memoryless)
				}
			}
		}
		if len(losses) > 0 {
			c.Lines = append(c.Lines, losses.line(arm.Label, p.Style(arm.Name)))
		}
	}
	c.References = memoryless.references(memorylessLabel)
	return c
}

// Shares shows the share of right answers, in percent, against how far the test is from the training, beside what can
// be had without a memory.
type Shares struct {
	Of, Chance        record.Result // swept: away from the training
	Trained, ChanceAt record.Result // on what was trained on, the leftmost points
	ChanceLabel       string
	After             string // see Heading
}

// Heading says which tests they are.
func (v Shares) Heading() string { return v.After }

// Chart implements View.
func (v Shares) Chart(title string, p Panel) Chart {
	c := SweepChart{Title: title, X: p.X, Y: p.Y, Least: "train", High: 100}
	chance := results{}
	for _, arm := range p.Arms {
		shares := results{}
		for _, r := range p.Records {
			for _, k := range r.Arm(arm.Name) {
				shares.addSwept(r.End.Final, k, v.Of, v.Trained)
				chance.addSwept(r.End.Final, k, v.Chance, v.ChanceAt)
			}
		}
		if len(shares) > 0 {
			c.Lines = append(c.Lines, shares.line(arm.Label, p.Style(arm.Name)))
		}
	}
	c.References = chance.references(v.ChanceLabel)
	return c
}

// results are those of all trials at each x.
type results map[float64][]float64

func (rs results) add(x, value float64) { rs[x] = append(rs[x], value) }

// addSwept adds a trial's shares, in percent. That on what was trained on has no x: it is put a step before the others.
func (rs results) addSwept(final map[string]record.Values, trial int, of, trained record.Result) {
	xs := of.Swept(final)
	for _, x := range xs {
		rs.add(x, 100*final[string(of.At(x))][trial])
	}
	if values, ok := final[string(trained)]; ok && len(xs) > 1 {
		rs.add(xs[0]-(xs[1]-xs[0]), 100*values[trial])
	}
}

// line is the trials' spread at each x.
func (rs results) line(label string, style int) Line {
	l := Line{Label: label, Style: style, X: slices.Sorted(maps.Keys(rs))}
	for _, x := range l.X {
		l.Y = append(l.Y, record.SpreadOf(rs[x]))
	}
	return l
}

// references is the trials' mean at each x, if there is any.
func (rs results) references(label string) []Reference {
	if len(rs) == 0 {
		return nil
	}
	line := rs.line(label, 0)
	r := Reference{Label: label, X: line.X}
	for _, s := range line.Y {
		r.Y = append(r.Y, s.Mean)
	}
	return []Reference{r}
}
