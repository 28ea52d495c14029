package figures

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// A kind makes a chart of a panel that was run.
type kind interface {
	chart(title string, p panel) Chart
	facts(r *record.Record) []string // for the caption, besides what it says of every record
}

// curves draws the training losses.
type curves struct{}

func (curves) chart(title string, p panel) Chart {
	c := CurveChart{Title: title, X: p.X, Y: p.Y}
	for _, arm := range p.Arms {
		for _, r := range p.records {
			if trials := r.Arm(arm.Name); len(trials) > 0 {
				c.Lines = append(c.Lines, trainingLine(arm.Label, p.style(arm.Name), r, trials))
			}
			c.End = max(c.End, float64(r.Updates))
		}
	}
	c.compare(p.records)
	return c
}

func (curves) facts(r *record.Record) []string {
	return []string{"curves averaged over " + count(r.Window, "update")}
}

// trainingLine is the training losses of some trials of a record, each in the middle of the updates that it is the mean
// over.
func trainingLine(label string, style int, r *record.Record, trials []int) Line {
	l := Line{Label: label, Style: style}
	before := 0
	for _, point := range r.Series(record.Train) {
		values := make([]float64, len(trials))
		for i, trial := range trials {
			values[i] = point.Values[trial]
		}
		l.X = append(l.X, float64(before+point.Update)/2)
		l.Y = append(l.Y, record.SpreadOf(values))
		before = point.Update
	}
	return l
}

// memorylessLabel is what every chart calls the loss of the best model without memory.
const memorylessLabel = "memoryless"

// compare adds the records' memoryless loss, if they have one, and cuts off what is above one and a half times of it.
func (c *CurveChart) compare(records []*record.Record) {
	if loss, ok := memoryless(records); ok {
		c.References = []Reference{{memorylessLabel, []float64{0, c.End}, []float64{loss, loss}}}
		c.High = 1.5 * loss
	}
}

// sweep draws a final loss against the swept value, on a logarithmic axis.
type sweep struct {
	final     string  // name of the result
	low, high float64 // the axis's ends
}

func (s sweep) chart(title string, p panel) Chart {
	c := SweepChart{Title: title, X: p.X, Y: p.Y, Log: true, Low: s.low, High: s.high}
	memoryless := results{}
	for _, arm := range p.Arms {
		losses := results{}
		for _, r := range p.records {
			final, ok := r.End.Final[s.final]
			for _, k := range r.Arm(arm.Name) {
				if t := r.Trials[k]; ok && t.X != nil && t.Memoryless != nil {
					losses.add(*t.X, final[k])
					memoryless.add(*t.X, *t.Memoryless)
				}
			}
		}
		if len(losses) > 0 {
			c.Lines = append(c.Lines, losses.line(arm.Label, p.style(arm.Name)))
		}
	}
	c.References = memoryless.references(memorylessLabel)
	return c
}

func (sweep) facts(*record.Record) []string { return nil }

// generalization draws shares of right answers against how far the test is from the training.
type generalization struct {
	prefix         string // on a test away from the training, a result's name is prefix + name + "@" + how far
	result, chance string // names: the shares, and what is had for nothing
	label          string // what chance is
}

func (g generalization) chart(title string, p panel) Chart {
	c := SweepChart{Title: title, X: p.X, Y: p.Y, Least: "train", High: 100}
	chance := results{}
	for _, arm := range p.Arms {
		shares := results{}
		for _, r := range p.records {
			for _, k := range r.Arm(arm.Name) {
				shares.addNamed(r.End.Final, k, g.result, g.prefix)
				chance.addNamed(r.End.Final, k, g.chance, g.prefix)
			}
		}
		if len(shares) > 0 {
			c.Lines = append(c.Lines, shares.line(arm.Label, p.style(arm.Name)))
		}
	}
	c.References = chance.references(g.label)
	return c
}

func (generalization) facts(*record.Record) []string { return nil }

// results are those of all trials at each x.
type results map[float64][]float64

func (rs results) add(x, value float64) { rs[x] = append(rs[x], value) }

// addNamed adds a trial's shares, in percent. That on what was trained on has no x: it is put a step before the others.
func (rs results) addNamed(final map[string]record.Values, trial int, name, prefix string) {
	var xs []float64
	for at, values := range final {
		if far, ok := strings.CutPrefix(at, prefix+name+"@"); ok {
			if x, err := strconv.ParseFloat(far, 64); err == nil {
				rs.add(x, 100*values[trial])
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	if values, ok := final[name]; ok && len(xs) > 1 {
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
