package warp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// everyTask returns all that is declared, at the declared seed.
func everyTask(t *testing.T) []experiment.Task {
	var all []experiment.Task
	for _, figure := range Figures() {
		for _, scale := range record.Scales {
			if _, ok := figure.Panels[0].Sizes[scale]; !ok {
				continue
			}
			tasks, err := figure.Tasks(experiment.Options{Scale: scale, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tasks...)
		}
	}
	return all
}

// Whatever is changed about a declaration shows in this file.
func TestDeclarations(t *testing.T) {
	var text bytes.Buffer
	for _, task := range everyTask(t) {
		fmt.Fprintf(&text, "%s\n", task)
		for _, field := range fields(experiment.Encode(task.Experiment)) {
			fmt.Fprintf(&text, "  %s: %s\n", field.name, short(field.value))
		}
		text.WriteByte('\n')
	}
	golden.Check(t, "testdata/declarations.txt", text.Bytes())
}

// A field is one of a JSON object's, in the order of the text.
type field struct {
	name  string
	value json.RawMessage
}

func fields(object json.RawMessage) []field {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.Token() // the brace
	var all []field
	for decoder.More() {
		name, _ := decoder.Token()
		f := field{name: fmt.Sprint(name)}
		if err := decoder.Decode(&f.value); err != nil {
			panic(err)
		}
		all = append(all, f)
	}
	return all
}

// short writes a value of JSON for a reader: without quotes around names, and with equal neighbours in a list counted.
func short(value json.RawMessage) string {
	var parts []string
	switch value[0] {
	case '{':
		for _, f := range fields(value) {
			parts = append(parts, f.name+": "+short(f.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			panic(err)
		}
		for i := 0; i < len(list); {
			n := 1
			for i+n < len(list) && bytes.Equal(list[i], list[i+n]) {
				n++
			}
			part := short(list[i])
			if n > 1 {
				part = fmt.Sprintf("%d × %s", n, part)
			}
			parts = append(parts, part)
			i += n
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return string(value)
}

// A record is found by its name, and compared by its experiment: no two runs may have the same of either.
func TestEveryRunIsItsOwn(t *testing.T) {
	names, texts := map[string]bool{}, map[string]string{}
	for _, task := range everyTask(t) {
		if names[task.String()] {
			t.Errorf("two runs are called %s", task)
		}
		names[task.String()] = true
		text := string(experiment.Encode(task.Experiment))
		if texts[text] != "" {
			t.Errorf("%s and %s are the same experiment", task, texts[text])
		}
		texts[text] = task.String()
	}
}

// Every panel has the smallest scale and the paper's own, and nothing is declared that is not known.
func TestScales(t *testing.T) {
	for _, figure := range Figures() {
		for _, panel := range figure.Panels {
			for _, scale := range []string{"quick", "paper"} {
				if _, ok := panel.Sizes[scale]; !ok {
					t.Errorf("%s %s is not declared at scale %s", figure.ID(), panel.Name, scale)
				}
			}
			for scale := range panel.Sizes {
				if !slices.Contains(record.Scales, scale) {
					t.Errorf("%s %s is declared at scale %q", figure.ID(), panel.Name, scale)
				}
			}
			var arms []string
			for _, arm := range panel.Arms {
				arms = append(arms, arm.Name)
			}
			for _, run := range panel.Sizes["quick"].Runs([]uint64{1}) {
				for _, trial := range run.Trials {
					if !slices.Contains(arms, trial.Arm) {
						t.Errorf("%s %s trains an arm %q that the panel does not name", figure.ID(), panel.Name,
							trial.Arm)
					}
				}
			}
		}
	}
}

// Every committed record is what its figure declares today.
func TestCommittedRecords(t *testing.T) {
	records, err := record.ReadAll("../records")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]record.Header{}
	for _, task := range everyTask(t) {
		h := task.Header("")
		declared[h.Name()] = h
	}
	for _, r := range records {
		h, ok := declared[r.Name()]
		switch {
		case r.Paper != Paper:
		case !ok:
			t.Errorf("%s is declared nowhere", r.Path)
		case !r.SameExperiment(h):
			t.Errorf("%s is not what its figure declares:\n%s\n%s", r.Path, r.Experiment, h.Experiment)
		case strings.Contains(r.Commit, "+changes") || r.Commit == "unknown":
			t.Errorf("%s was made by a program of no commit: %s", r.Path, r.Commit)
		}
	}
}
