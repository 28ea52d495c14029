package figures

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Curves draws the training losses of one record, of any panel: of each arm, and of each swept value, the mean over its
// trials and their range. Arms have the styles that they have in the panel's figure; the curves of one arm at several
// swept values differ in their marks. The record need not be finished, so that a notebook can draw it while it grows
// (record.ReadPartial). What is above one and a half times the memoryless loss is cut off.
func Curves(r *record.Record) Chart {
	p := panel{records: []*record.Record{r}}
	if d, declared, ok := declaredPanel(r.Header); ok {
		p.Panel, p.styles = declared, d.styles()
	} else {
		p.Panel = experiment.Panel{Title: r.Panel}
	}
	c := CurveChart{Title: p.title(), X: "updates", Y: "training loss", End: float64(r.Updates)}
	var xs []float64
	for _, t := range r.Trials {
		if !slices.Contains(p.styles, t.Arm) { // it is not declared
			p.styles = append(p.styles, t.Arm)
		}
		if t.X != nil {
			xs = append(xs, *t.X)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	var labels []string
	trials := map[string][]int{}
	for i, t := range r.Trials {
		label := t.Arm
		if arm := slices.IndexFunc(p.Arms, func(a experiment.Arm) bool { return a.Name == t.Arm }); arm >= 0 {
			label = p.Arms[arm].Label
		}
		if len(xs) > 1 {
			label = curveLabel(t, label)
		}
		if trials[label] == nil {
			labels = append(labels, label)
		}
		trials[label] = append(trials[label], i)
	}
	for _, label := range labels {
		of := r.Trials[trials[label][0]]
		l := trainingLine(label, p.style(of.Arm), r, trials[label])
		if of.X != nil {
			l.Swept = slices.Index(xs, *of.X)
		}
		c.Lines = append(c.Lines, l)
	}
	c.compare(p.records)
	return c
}

// curveLabel says which curve a trial belongs to.
func curveLabel(t record.Trial, arm string) string {
	if t.X == nil {
		return arm
	}
	return fmt.Sprintf("%s, %g", arm, *t.X)
}

// Panel returns the charts of the panel that some finished records are of, mostly one, as they are in its figure. It is
// an error, of one line, if there are no records, or if they are of no figure that is known.
func Panel(records ...*record.Record) ([]Chart, error) {
	if len(records) == 0 {
		return nil, errors.New("no records to draw a panel of: want at least one")
	}
	d, declared, ok := declaredPanel(records[0].Header)
	if !ok {
		return nil, fmt.Errorf("no figure draws records of %s", records[0].Name())
	}
	p := d.find(records, declared)
	if len(p.records) == 0 {
		return nil, fmt.Errorf("the record of %s is unfinished: see Curves", records[0].Name())
	}
	var charts []Chart
	for _, v := range d.views {
		charts = append(charts, v.kind.chart(p.title()+v.heading, p))
	}
	return charts, nil
}

// declaredPanel finds the panel that a record is of.
func declaredPanel(h record.Header) (drawing, experiment.Panel, bool) {
	for _, d := range drawings {
		for _, p := range d.Panels {
			if isOf(h, d.Figure, p) {
				return d, p, true
			}
		}
	}
	return drawing{}, experiment.Panel{}, false
}

// PanelSVG returns a chart, with its legend, as SVG of a size for a notebook.
func PanelSVG(c Chart) ([]byte, error) {
	f := single(c)
	canvas := vgsvg.New(f.size())
	f.draw(draw.New(canvas))
	return encodeSVG(canvas, Alt(c))
}

// PanelPNG returns what PanelSVG does as PNG of twice as many pixels as a notebook should show it with, so that it is
// sharp: its display width is half its own.
func PanelPNG(c Chart) ([]byte, error) { return single(c).png(notebookDPI) }

// single is a figure of one chart.
func single(c Chart) *Figure {
	t := tile{title: c.Plot().Title.Text, chart: c}
	return &Figure{rows: [][]tile{{t}}, width: notebookWidth, height: notebookHeight}
}
