package figures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Paper is what is replicated of one paper.
type Paper struct {
	Name    string      // the first part of every identifier: "warp"
	Title   string      // with its authors and year
	Terms   string      // what its claims call things, in a sentence or two
	Words   claim.Words // what its rules call things
	Figures []Figure    // in the paper's order, and then ours
	Text    claim.Set   // what only the paper's text claims
	Open    string      // what it leaves open, what we do, and why: a page with a table below each heading

	Hours map[string]float64 // see claim.Set
}

// Papers are several of them, in their order.
type Papers []Paper

// Figures are those of all papers.
func (ps Papers) Figures() (all []Figure) {
	for _, p := range ps {
		all = append(all, p.Figures...)
	}
	return all
}

// Trained are what is trained for the figures that have panels.
func (ps Papers) Trained() (all []experiment.Figure) {
	for _, f := range ps.Figures() {
		if len(f.Panels) > 0 {
			all = append(all, f.Experiments())
		}
	}
	return all
}

// Sets are the claims of all papers: of each, those of the figures, in their order, and then those of the text.
func (ps Papers) Sets() (all []claim.Set) {
	for _, p := range ps {
		for _, s := range append(xslices.Map(p.Figures, Figure.Set), p.Text) {
			s.Words, s.Hours = p.Words, p.Hours
			all = append(all, s)
		}
	}
	return all
}

// Figure returns the figure of an identifier, "warp/fig3". An error names those that there are.
func (ps Papers) Figure(id string) (Figure, error) {
	var ids []string
	for _, f := range ps.Figures() {
		if f.ID() == id {
			return f, nil
		}
		ids = append(ids, f.ID())
	}
	return Figure{}, fmt.Errorf("unknown figure %q: choose from %s", id, strings.Join(ids, ", "))
}

// Open are the rows of what a paper leaves open in a figure: below the figure's name, and then below each heading of
// several figures, "Figures 1 and 5", that has its number.
func (ps Papers) Open(id string) (rows string) {
	for _, p := range ps {
		name, own := strings.CutPrefix(id, p.Name+"/")
		for _, section := range strings.Split(p.Open, "\n## ")[1:] {
			heading, text, _ := strings.Cut(section, "\n")
			_, table, _ := strings.Cut(text, "|:--|:--|:--|\n")
			numbers := strings.Fields(strings.ReplaceAll(heading, ",", ""))
			switch table = strings.TrimSpace(table) + "\n"; {
			case own && heading == name:
				rows = table + rows
			case own && slices.Contains(numbers, strings.TrimPrefix(name, "fig")):
				rows += table
			}
		}
	}
	return rows
}

// Draw draws the figures that have records, and those that need none. Records of others are passed over. Unless the
// records are ours, nothing is said of what came out.
func (ps Papers) Draw(records []*record.Record, ours bool) (pages []*Page) {
	for _, f := range ps.Figures() {
		if !ours {
			f.Found = ""
		}
		ran := func(p experiment.Panel) bool { return len(f.find(records, p).Records) > 0 }
		if f.Drawn() && (len(f.Panels) == 0 || slices.ContainsFunc(f.Panels, ran)) {
			pages = append(pages, f.Draw(records))
		}
	}
	return pages
}

// Curves draws the training losses of one record, in the styles and with the labels of its figure: of each arm, and of
// each swept value, its trials and their median. The record may be of no figure, and need not be finished,
// so that it can be drawn while it grows (record.ReadPartial). What is above one and a half times the memoryless loss
// is cut off.
func (ps Papers) Curves(r *record.Record) Chart {
	f, panel, _ := ps.PanelOf(r.Header)
	return f.panel(panel, r).losses()
}

// PanelCharts returns the charts of the panel that some finished records are of, mostly one, as they are in its figure.
// It is an error, of one line, if there are no records, or if they are of no figure that is known.
func (ps Papers) PanelCharts(records ...*record.Record) ([]Chart, error) {
	if len(records) == 0 {
		return nil, errors.New("no records to draw a panel of: want at least one")
	}
	f, declared, ok := ps.PanelOf(records[0].Header)
	if !ok {
		return nil, fmt.Errorf("no figure draws records of %s", records[0].Name())
	}
	p := f.find(records, declared)
	if len(p.Records) == 0 {
		return nil, fmt.Errorf("the record of %s is unfinished: see Curves", records[0].Name())
	}
	var charts []Chart
	for _, v := range f.Views {
		charts = append(charts, p.chart(v, p.FullTitle()+v.Heading()))
	}
	return charts, nil
}

// PanelOf finds the panel that a record is of, and its figure. Where there is none, they have the names in the record.
func (ps Papers) PanelOf(h record.Header) (Figure, experiment.Panel, bool) {
	for _, f := range ps.Figures() {
		if panel, ok := f.Experiments().PanelOf(h); ok {
			return f, panel, true
		}
	}
	unknown := experiment.Panel{Name: h.Panel, Title: h.Panel}
	for _, t := range h.Trials {
		if arm := (experiment.Arm{Name: t.Arm, Label: t.Arm}); !slices.Contains(unknown.Arms, arm) {
			unknown.Arms = append(unknown.Arms, arm)
		}
	}
	return Figure{Panels: []experiment.Panel{unknown}}, unknown, false
}

// Growing draws a panel as far as its runs are, in one chart, from records that need not be finished: as in its figure,
// where that shows curves of all that is trained, else the training losses. The records, of which there must be some,
// are of one panel at one scale.
func (ps Papers) Growing(records []*record.Record) Chart {
	f, panel, _ := ps.PanelOf(records[0].Header)
	p := f.panel(panel, records...)
	losses := p.losses()
	for _, v := range f.Views {
		if c := p.chart(v, p.FullTitle()); !c.Points && len(c.Lines) >= len(losses.Lines) {
			return c
		}
	}
	return losses
}
