package figures

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Figure is one figure: what is trained for it, how that is drawn, what its caption says, and what its paper claims
// of it.
type Figure struct {
	Paper  string // the name of its Paper: figures of two papers may have the same name
	Name   string // "fig3"; one that does not begin with "fig" is ours, and in no paper
	Title  string // for a list of figures
	Panels []experiment.Panel
	Others []experiment.Panel // trained for other conditions of the claims, and not drawn

	Views   []View   // of each panel, side by side
	Charts  []Chart  // in place of views, where the figure has no panels: nothing is trained for it
	Found   string   // what came out of our records, for the caption: not of scale quick, which decides nothing
	Caption string   // what is shown; how to read the charts, and what is special about the records, follows
	Layout  Layout   // how the charts are arranged
	Arms    []string // names in the order of their styles; nil: as the panels have them

	Conditions []claim.Condition // under which its claims are judged, the main one first
	Claims     []claim.Claim     // what the paper says was found
}

// Set is the figure's claims.
func (f Figure) Set() claim.Set {
	title := strings.TrimPrefix(f.called()+": "+f.Title, ": ")
	return claim.Set{ID: f.ID(), Title: title, Figure: true, Conditions: f.Conditions, Claims: f.Claims}
}

// Inch is for the heights of rows.
const Inch = vg.Inch

// Layout is how the charts of a figure are arranged.
type Layout struct {
	Columns int       // 0: two
	Height  vg.Length // of a row; 0: 2.1 inches
	Alike   bool      // vertical axes of one quantity have one range
	Legends bool      // each row has a legend of its own
}

// Experiments is what is trained for the figure.
func (f Figure) Experiments() experiment.Figure {
	return experiment.Figure{Paper: f.Paper, Name: f.Name, Title: f.Title, Panels: slices.Concat(f.Panels, f.Others)}
}

// Drawn reports whether the figure is drawn: one without views or charts is trained for its claims alone.
func (f Figure) Drawn() bool { return len(f.Views)+len(f.Charts) > 0 }

// ID is the figure's identifier, "warp/fig3".
func (f Figure) ID() string { return f.Experiments().ID() }

// Tasks returns what has to be trained for the figure, checked: see experiment.Figure.
func (f Figure) Tasks(o experiment.Options) ([]experiment.Task, error) {
	return f.Experiments().Tasks(o)
}

// Panel finds a panel that the figure declares. It panics if there is none of that name.
func (f Figure) Panel(name string) experiment.Panel {
	declared := f.Experiments()
	i := slices.Index(declared.PanelNames(), name)
	if i < 0 {
		panic(fmt.Sprintf("%s declares no panel %q", f.ID(), name))
	}
	return declared.Panels[i]
}

// Shown returns those of the records that the figure shows in a panel.
func (f Figure) Shown(records []*record.Record, panel string) []*record.Record {
	return f.find(records, f.Panel(panel)).Records
}

// Draw draws the figure from those of the records that are its own. Of several records of a panel it takes those of the
// largest scale.
func (f Figure) Draw(records []*record.Record) *Page {
	f.Layout.Columns, f.Layout.Height = cmp.Or(f.Layout.Columns, 2), cmp.Or(f.Layout.Height, 2.1*vg.Inch)
	page := &Page{Figure: f, width: figureWidth}
	sentences := []string{cmp.Or(f.called(), "Beyond the paper") + "."}
	tiles := xslices.Map(f.Charts, func(c Chart) tile { return tile{Chart: c} })
	var panels []Panel
	single := len(f.Panels)*len(f.Views) == 1
	for _, declared := range f.Panels {
		p := f.find(records, declared)
		for i, v := range f.Views {
			letter := string(rune('a' + len(tiles)))
			title := "(" + letter + ") "
			if single {
				title, letter = "", ""
			}
			p.letters = append(p.letters, letter)
			t := tile{Chart: Chart{Title: title + p.Title + v.Heading(), Drawing: notRun{}}}
			if len(p.Records) > 0 {
				t.Chart = p.chart(v, title+p.TitleAt(p.Records[0].Scale)+v.Heading())
				t.remark = p.remark(page.inner() / vg.Length(f.Layout.Columns))
			}
			if i == 0 {
				p.first = t.Chart
			}
			tiles = append(tiles, t)
		}
		for _, r := range p.Records {
			page.sources = append(page.sources, filepath.ToSlash(record.Path("", r.Header))+" "+r.End.SHA256)
		}
		panels = append(panels, p)
	}
	var remarks []string
	for _, t := range tiles {
		if t.run() {
			remarks = append(remarks, t.remark)
		}
	}
	if remarks = slices.Compact(remarks); len(remarks) == 1 {
		page.remark = remarks[0]
		for i := range tiles {
			tiles[i].remark = ""
		}
	}
	for row := range slices.Chunk(tiles, f.Layout.Columns) {
		if slices.ContainsFunc(row, tile.run) {
			page.rows = append(page.rows, row)
		}
	}
	isQuick := func(p Panel) bool { return len(p.Records) > 0 && p.Records[0].Scale == record.Quick }
	if f.Found != "" && !slices.ContainsFunc(panels, isQuick) {
		sentences = append(sentences, f.Found)
	}
	sentences = append(sentences, f.Caption)
	for _, t := range tiles {
		if reading := t.reading(); reading != "" && !slices.Contains(sentences, reading) {
			sentences = append(sentences, reading)
		}
	}
	if len(panels) > 0 && f.Drawn() {
		page.Table = conditions(panels)
		sentences = append(sentences, notes(panels)...)
	}
	page.Caption = strings.ReplaceAll(strings.Join(sentences, " "), " %", nbsp+"%")
	return page
}

// called is what its paper calls the figure; nothing, if it is ours.
func (f Figure) called() string {
	if number, ok := strings.CutPrefix(f.Name, "fig"); ok {
		return "Figure " + number
	}
	return ""
}

// styles are the names of a figure's arms, each at the place of its style. An arm that several panels have is one.
func (f Figure) styles() []string {
	names := slices.Clone(f.Arms)
	for _, p := range f.Experiments().Panels {
		for _, arm := range p.Arms {
			if !slices.Contains(names, arm.Name) {
				names = append(names, arm.Name)
			}
		}
	}
	return names
}

// panel is one of the figure, drawn from some records.
func (f Figure) panel(declared experiment.Panel, records ...*record.Record) Panel {
	return Panel{Panel: declared, Records: records, styles: f.styles()}
}

// has tells whether some of the records are of an arm.
func has(records []*record.Record, arm experiment.Arm) bool {
	return slices.ContainsFunc(records, func(r *record.Record) bool { return len(r.Arm(arm.Name)) > 0 })
}

// find returns a panel with its records of the largest scale that has all of its arms, or else of the largest that has
// any. A scale whose data stand in for others counts only where there is no other.
func (f Figure) find(records []*record.Record, declared experiment.Panel) Panel {
	best := f.panel(declared)
	for _, scale := range record.Scales { // ascending
		at := f.panel(declared)
		for _, r := range records {
			if f.Experiments().Has(declared, r.Header) && r.Scale == scale && r.End != nil {
				at.Records = append(at.Records, r)
			}
		}
		at.Records = experiment.Together([]experiment.Figure{f.Experiments()}, at.Records)
		for _, arm := range declared.Arms {
			if !has(at.Records, arm) {
				at.missing = append(at.missing, arm.Label)
			}
		}
		if len(at.Records) > 0 && (len(at.missing) == 0 || len(best.Records) == 0 || len(best.missing) > 0 ||
			best.Size().StandIn) {
			best = at
		}
	}
	return best
}
