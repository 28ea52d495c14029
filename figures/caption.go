package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication"
)

// largest returns the complete record of the largest scale of a panel; nil if there is none.
func largest(records []*replication.Record, figure, panel string) *replication.Record {
	var best *replication.Record
	for _, r := range records {
		if r.Figure == figure && r.Panel == panel && r.End != nil &&
			(best == nil || slices.Index(replication.Scales, r.Scale) > slices.Index(replication.Scales, best.Scale)) {
			best = r
		}
	}
	return best
}

// panelRecords is what a panel is drawn from.
type panelRecords struct {
	records []*replication.Record
	missing []string // parts that were not run, though others were
}

// conditions says in one sentence under which conditions the records of each panel were made; panels with equal ones share it.
func conditions(panels []panelRecords) string {
	var said []string
	letters := map[string][]string{}
	for i, p := range panels {
		var each []string
		for _, r := range p.records {
			if s := condition(r); !slices.Contains(each, s) {
				each = append(each, s)
			}
		}
		s := strings.Join(each, " and ")
		if s == "" {
			s = "not run"
		} else if len(p.missing) > 0 {
			s += ", " + strings.Join(p.missing, " and ") + " not run"
		}
		if letters[s] == nil {
			said = append(said, s)
		}
		letters[s] = append(letters[s], letterOf(i))
	}
	for i, s := range said {
		if len(said) > 1 {
			s = "(" + strings.Join(letters[s], ","+nbsp) + ") " + s
		}
		said[i] = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.Join(said, "; ") + "."
}

// nbsp is a space that no line is broken at.
const nbsp = "\u00a0"

// letterOf names a panel.
func letterOf(i int) string { return string(rune('a' + i)) }

func condition(r *replication.Record) string {
	s := "scale " + r.Scale + ", backend " + r.Backend
	if r.Device != "" {
		s += " (" + r.Device + ")"
	}
	s += ": " + plural(trials(r), "trial")
	s += fmt.Sprintf(", %d"+nbsp+"steps", r.End.Steps)
	for _, x := range []struct{ setting, format string }{
		{"batch", " of %g" + nbsp + "sequences"}, {"hidden", ", %g" + nbsp + "units"},
	} {
		if v, ok := r.Number(x.setting); ok {
			s += fmt.Sprintf(x.format, v)
		}
	}
	if t, ok := r.Number("T"); ok && r.Part != "" { // where T is a length and not, as in the titles of the other panels, the task's own T
		s += fmt.Sprintf(", length"+nbsp+"%g", t)
	}
	if n := diverged(r); n > 0 {
		s += fmt.Sprintf(", %d of %d"+nbsp+"models diverged, where their curve ends", n, len(r.Models))
	}
	return s
}

// diverged returns how many models have a loss that is no number anywhere: the mean over the trials, and so the curve, is interrupted there.
func diverged(r *replication.Record) int {
	bad := map[int]bool{}
	mark := func(values []float64) {
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				bad[i] = true
			}
		}
	}
	for _, p := range r.Series("train") {
		mark(p.Values)
	}
	mark(r.End.Final["test_loss"])
	return len(bad)
}

// trials returns the number of trials of each arm (the smallest, if they differ).
func trials(r *replication.Record) int {
	n := map[string]int{}
	for _, m := range r.Models {
		key := m.Arm
		if m.X != nil {
			key += fmt.Sprint(" ", *m.X)
		}
		n[key]++
	}
	least := len(r.Models)
	for _, k := range n {
		least = min(least, k)
	}
	return least
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1" + nbsp + noun
	}
	return fmt.Sprintf("%d"+nbsp+"%ss", n, noun)
}
