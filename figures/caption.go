package figures

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/support/humanize"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A table says under which conditions the records of panels were made: a row for all panels that have the same, and
// several rows for a panel whose trainings differ in length, which name their arms if these are not all. The first row
// is its head; it is empty if nothing was run.
type table [][]string

func conditions(panels []Panel) table {
	head := []string{"scale", "trials", "updates", "batch", "steps", "units"}
	if slices.ContainsFunc(panels, func(p Panel) bool { return p.first.Averaged }) {
		head = append(head, "averaged over (updates)")
	}
	var rows [][]string
	var letters [][]string
	for _, p := range panels {
		byLength := map[int][]*record.Record{} // in updates
		for _, r := range p.Records {
			if slices.ContainsFunc(p.Arms, func(a experiment.Arm) bool { return len(p.shown(r, a)) > 0 }) {
				byLength[r.Updates] = append(byLength[r.Updates], r)
			}
		}
		for _, length := range slices.Backward(slices.Sorted(maps.Keys(byLength))) {
			different := make([][]string, len(head))
			for _, r := range byLength[length] {
				for k, cell := range cellsOf(r, byLength[length])[:len(head)] {
					if !slices.Contains(different[k], cell) {
						different[k] = append(different[k], cell)
					}
				}
			}
			cells := xslices.Map(different, func(all []string) string { return strings.Join(all, " or ") })
			at := slices.IndexFunc(rows, func(row []string) bool { return slices.Equal(row, cells) })
			if at < 0 {
				at = len(rows)
				rows, letters = append(rows, cells), append(letters, nil)
			}
			letters[at] = append(letters[at], p.letters...)
			letters[at][len(letters[at])-1] += p.only(byLength[length])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > 1 && letters[0][0] != "" { // not one panel only, which has no letter
		head = slices.Insert(head, 0, "panel")
		for i, row := range rows {
			rows[i] = slices.Insert(row, 0, runs(letters[i]))
		}
	}
	return append(table{head}, rows...)
}

// only names the arms of some of a panel's records, if others have more.
func (p Panel) only(records []*record.Record) string {
	var all, labels []string
	for _, arm := range p.Arms {
		if has(p.Records, arm) {
			all = append(all, arm.Label)
		}
		if has(records, arm) {
			labels = append(labels, arm.Label)
		}
	}
	if len(labels) == len(all) {
		return ""
	}
	return ": " + strings.Join(labels, "; ")
}

// cellsOf are what a table says of a record.
func cellsOf(r *record.Record, panel []*record.Record) []string {
	sizes := []int{trialsOf(r, panel), r.Updates, r.Batch, r.Steps, r.Units, r.Window}
	return append([]string{string(r.Scale)}, xslices.Map(sizes, Thousands)...)
}

// notes are sentences about a figure's panels that were run: once what they have in common, and by their letters what
// differs.
func notes(panels []Panel) (sentences []string) {
	letters := map[string][]string{}
	note := func(p Panel, text string) {
		if text == "" {
			return
		}
		if !slices.Contains(sentences, text) {
			sentences = append(sentences, text)
		}
		letters[text] = append(letters[text], p.letters...)
	}
	var all, notRun []string // titles: those in a row of which nothing was run have no letter
	for _, p := range panels {
		if len(p.Records) == 0 {
			notRun = append(notRun, p.Title)
			continue
		}
		all = append(all, p.letters...)
		note(p, p.Size().Data)
		models, diverged := 0, 0
		for _, r := range p.Records {
			for _, arm := range p.Arms {
				shown := p.shown(r, arm)
				models += len(shown)
				for _, d := range r.Diverged {
					if slices.Contains(shown, d.Trial) {
						diverged++
					}
				}
			}
		}
		if diverged > 0 {
			note(p, fmt.Sprintf("%d of %s diverged; the median ends there", diverged, count(models, "model")))
		}
		if len(p.missing) > 0 {
			note(p, "not run: "+strings.Join(p.missing, "; "))
		}
		note(p, p.first.Cut)
	}
	for i, text := range sentences {
		if !slices.Equal(letters[text], all) {
			text += nbsp + "(" + runs(letters[text]) + ")"
		}
		sentences[i] = strings.ToUpper(text[:1]) + text[1:] + "."
	}
	if notRun != nil {
		sentences = append(sentences, "Not run: "+strings.Join(notRun, "; ")+".")
	}
	return sentences
}

// runs writes three letters and more that follow each other as "a-c".
func runs(names []string) string {
	slices.Sort(names)
	var short []string
	for i := 0; i < len(names); {
		k := i
		for k+1 < len(names) && len(names[k]) == 1 && names[k+1] == string(names[k][0]+1) {
			k++
		}
		if k > i+1 {
			short = append(short, names[i]+"-"+names[k])
		} else {
			short = append(short, names[i:k+1]...)
		}
		i = k + 1
	}
	return strings.Join(short, ","+nbsp)
}

// trialsOf returns the number of trials in some records of each arm that a record has, at each x; the smallest, if they
// differ.
func trialsOf(r *record.Record, panel []*record.Record) int {
	n := map[string]int{}
	for _, other := range panel {
		for _, t := range other.Trials {
			n[curveLabel(t, t.Arm)]++
		}
	}
	return slices.Min(xslices.Map(r.Trials, func(t record.Trial) int { return n[curveLabel(t, t.Arm)] }))
}

// nbsp is a space that no line is broken at.
const nbsp = "\u00a0"

// count writes a number of things: "1 trial", "30,000 updates".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + nbsp + noun
}

// Thousands writes a number with a comma before every three digits.
func Thousands(n int) string {
	return strings.ReplaceAll(humanize.Underscores(n), "_", ",")
}
