package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// conditions says under which conditions the records of a figure's panels were made: once what they have in common, and
// by their letters what differs. lines says what lines and bands are.
func conditions(panels []Panel, of View, lines string) string {
	run := slices.DeleteFunc(slices.Clone(panels), func(p Panel) bool { return len(p.Records) == 0 })
	if len(run) == 0 {
		return "Not run."
	}
	var parts []string
	phrases := make([][]string, len(run))
	for i, p := range run {
		phrases[i] = p.phrases(of)
	}
	for k := range phrases[0] {
		var different, letters []string
		for i, p := range run {
			at := slices.Index(different, phrases[i][k])
			if at < 0 {
				at = len(different)
				different, letters = append(different, phrases[i][k]), append(letters, "")
			}
			letters[at] = join(letters[at], p.letters)
		}
		for i, phrase := range different {
			if phrase != "" && len(different) > 1 {
				phrase += nbsp + "(" + letters[i] + ")"
			}
			parts = append(parts, phrase)
		}
	}
	notRun := ""
	for _, p := range panels {
		if len(p.Records) == 0 {
			notRun = join(notRun, p.letters)
		}
	}
	if notRun != "" {
		parts = append(parts, "not run"+nbsp+"("+notRun+")")
	}
	text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
	if lines == "" {
		lines = "Lines are means over the trials, bands their range."
	}
	return lines + " " + strings.ToUpper(text[:1]) + text[1:] + "."
}

func join(letters, more string) string {
	if letters == "" {
		return more
	}
	return letters + "," + nbsp + more
}

// phrases say how a panel that was run was run, one for each thing that can be said, empty where there is nothing to
// say.
func (p Panel) phrases(of View) []string {
	more := func(*record.Record) []string { return nil }
	if v, ok := of.(interface {
		Facts(r *record.Record) []string
	}); ok {
		more = v.Facts
	}
	var different [][]string // of each fact, what the parts of the panel say
	models, diverged := 0, 0
	for i, r := range p.Records {
		models, diverged = models+len(r.Trials), diverged+divergedOf(r)
		for k, fact := range append(facts(r, p.Records), more(r)...) {
			if i == 0 {
				different = append(different, nil)
			}
			if !slices.Contains(different[k], fact) {
				different[k] = append(different[k], fact)
			}
		}
	}
	var phrases []string
	for _, facts := range different {
		phrases = append(phrases, together(facts))
	}
	phrases = append(phrases, p.Size().Data)
	divergence, missing := "", ""
	if diverged > 0 {
		divergence = fmt.Sprintf("%d of %s diverged, where their curve ends", diverged, count(models, "model"))
	}
	if len(p.missing) > 0 {
		missing = strings.Join(p.missing, " and ") + " not run"
	}
	cut := ""
	if v, ok := of.(interface{ Cut(p Panel) string }); ok {
		cut = v.Cut(p)
	}
	return append(phrases, divergence, missing, cut)
}

// together joins facts, and writes words once with which all of them begin and end: "sequences of 10 and 25 steps".
func together(facts []string) string {
	first := strings.Fields(facts[0])
	same := func(fact string, from int) bool { // the fact differs from the first in this word only
		words := strings.Fields(fact)
		return len(words) == len(first) && slices.Equal(words[:from], first[:from]) &&
			slices.Equal(words[from+1:], first[from+1:])
	}
	for i := 1; i < len(first)-1 && len(facts) > 1; i++ {
		var words []string
		for _, fact := range facts {
			if same(fact, i) {
				words = append(words, strings.Fields(fact)[i])
			}
		}
		if n := len(words); n == len(facts) {
			list := strings.Join(words[:n-1], ", ") + " and " + words[n-1]
			return strings.Join(slices.Concat(first[:i], []string{list}, first[i+1:]), " ")
		}
	}
	return strings.Join(facts, " and ")
}

// facts are what a caption says of every record of a panel.
func facts(r *record.Record, panel []*record.Record) []string {
	backend := "backend " + r.Backend
	if r.Device != "" {
		backend += " on " + r.Device
	}
	return []string{
		"scale " + string(r.Scale), backend, count(trialsOf(r, panel), "trial"), count(r.Updates, "update"),
		"batches of " + count(r.Batch, "sequence"), "sequences of " + count(r.Steps, "step"), count(r.Units, "unit"),
	}
}

// trialsOf returns the number of trials in a panel of each arm that a record has, at each x; the smallest, if they
// differ.
func trialsOf(r *record.Record, panel []*record.Record) int {
	n := map[string]int{}
	for _, other := range panel {
		for _, t := range other.Trials {
			n[curveLabel(t, t.Arm)]++
		}
	}
	least := math.MaxInt
	for _, t := range r.Trials {
		least = min(least, n[curveLabel(t, t.Arm)])
	}
	return least
}

// divergedOf returns how many models have a loss or result that is no number: the mean over the trials, and so the
// curve, is interrupted there.
func divergedOf(r *record.Record) int {
	all := []record.Values{}
	for _, p := range r.Points {
		all = append(all, p.Values)
	}
	for _, final := range r.End.Final {
		all = append(all, final)
	}
	bad := map[int]bool{}
	for _, values := range all {
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				bad[i] = true
			}
		}
	}
	return len(bad)
}
