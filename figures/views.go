package figures

import (
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A View makes a chart of a panel that was run; of records that are not finished, of what there is. Most views show the
// trials of which the panel has no longer run. One that chooses otherwise also has this method, by which a caption's
// table of conditions goes:
//
//	Shows(p Panel, r *record.Record, trial int) bool
type View interface {
	Chart(title string, p Panel) Chart
	Heading() string // after the panel's title, where a figure has several views
}

// After is a view's heading: ", long tests"; empty where a figure has one view.
type After string

func (a After) Heading() string { return string(a) }

// Finals shows how far a loss after training is from the best, in percent of what there is to gain over the best model
// without memory, against the swept value. So a failure looks alike in tasks whose losses differ.
type Finals struct {
	Of     record.Result
	Low    float64     // both axes are logarithmic, and the vertical one begins here; 0: linear ones
	High   float64     // the axis's end, unless a mean is above it; 0: as high as the points
	Levels []Reference // to compare with
	After
}

func (v Finals) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: p.Y, Log: v.Low > 0, Low: v.Low, High: v.High, Points: true}
	c.References = v.Levels
	c.Lines = p.finals(func(excess *Line, r *record.Record, trial int) {
		final, ok := r.End.Final[string(v.Of)]
		if t := r.Trials[trial]; ok && t.X != nil && t.Memoryless != nil && t.Best != nil {
			excess.add(*t.X, 100*(final[trial]-*t.Best)/(*t.Memoryless-*t.Best))
		}
	})
	return c
}

// Shares shows the share of right answers, in percent, against how far the test is from the training, beside what is
// possible without a memory.
type Shares struct {
	Of, Chance        record.Result         // swept: away from the training
	Trained, ChanceAt record.Result         // on what was trained on, the leftmost points
	At                func(p Panel) float64 // where these points stand
	ChanceLabel       string
	Levels            []Reference
	After
}

func (v Shares) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: p.Y, High: 100, Points: true}
	chance := Line{Label: v.ChanceLabel}
	c.Lines = p.finals(func(shares *Line, r *record.Record, trial int) {
		shares.addSwept(r.End.Final, trial, v.Of, v.Trained, v.At(p))
		chance.addSwept(r.End.Final, trial, v.Chance, v.ChanceAt, v.At(p))
	})
	if len(chance.X) > 0 {
		mean := Reference{Label: chance.Label, X: chance.X}
		for i := range chance.X {
			mean.Y = append(mean.Y, chance.spread(i).Mean)
		}
		c.References = []Reference{mean}
	}
	c.References = append(c.References, v.Levels...)
	return c
}

// lines has one for each arm with results: what add adds of its trials, in whatever records they are.
func (p Panel) lines(add func(to *Line, r *record.Record, trial int)) (lines []Line) {
	for _, arm := range p.Arms {
		l := Line{Label: arm.Label, Style: p.Style(arm.Name)}
		for _, r := range p.Records {
			for _, trial := range r.Arm(arm.Name) {
				add(&l, r, trial)
			}
		}
		if len(l.X) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

// finals are lines of finished records. Of a trial that was trained twice, the longer run counts.
func (p Panel) finals(add func(to *Line, r *record.Record, trial int)) []Line {
	p.Records = slices.DeleteFunc(slices.Clone(p.Records), func(r *record.Record) bool { return r.End == nil })
	return p.lines(func(to *Line, r *record.Record, trial int) {
		if !p.longer(r, trial) {
			add(to, r, trial)
		}
	})
}

// add adds a trial's value to those at x, of which there may be none yet.
func (l *Line) add(x, value float64) {
	i, there := slices.BinarySearch(l.X, x)
	if !there {
		l.X, l.Trials = slices.Insert(l.X, i, x), slices.Insert(l.Trials, i, nil)
	}
	l.Trials[i] = append(l.Trials[i], value)
}

// addSwept adds a trial's shares, in percent, and that on what was trained on at its place.
func (l *Line) addSwept(final map[string]record.Values, trial int, of, trained record.Result, at float64) {
	for _, at := range of.Swept(final) {
		l.add(at.X, 100*at.Values[trial])
	}
	if values, ok := final[string(trained)]; ok {
		l.add(at, 100*values[trial])
	}
}
