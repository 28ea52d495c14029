// Package papertest tests what every paper's package must keep to: that its declarations are whole and different, that
// the committed records are of them, and that every claim can be reproduced, contradicted and inconclusive.
package papertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// declared returns all that a paper's figures declare, at every scale, with the first seeds.
func declared(t *testing.T, paper figures.Paper) []experiment.Task {
	t.Helper()
	var all []experiment.Task
	for _, figure := range paper.Trained() {
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

// Declarations compares all that a paper's figures declare with testdata/declarations.txt: whatever is changed about a
// declaration shows in that file.
func Declarations(t *testing.T, paper figures.Paper) {
	t.Helper()
	var text bytes.Buffer
	for _, task := range declared(t, paper) {
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

// Names checks that no two runs have the same name, by which records are found, nor the same experiment, by which they
// are compared.
func Names(t *testing.T, paper figures.Paper) {
	t.Helper()
	names, texts := map[string]bool{}, map[string]string{}
	for _, task := range declared(t, paper) {
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

// Scales checks that every panel has the smallest scale and the paper's own, and none that is unknown, and that it
// trains the arms that it names, at the smallest scale all of them.
func Scales(t *testing.T, paper figures.Paper) {
	t.Helper()
	for _, figure := range paper.Trained() {
		for _, panel := range figure.Panels {
			for _, scale := range []record.Scale{record.Quick, record.Paper} {
				if _, ok := panel.Sizes[scale]; !ok {
					t.Errorf("%s %s is not declared at scale %s", figure.ID(), panel.Name, scale)
				}
			}
			for scale, size := range panel.Sizes {
				if !slices.Contains(record.Scales, scale) {
					t.Errorf("%s %s is declared at scale %q", figure.ID(), panel.Name, scale)
				}
				trained := map[string]bool{}
				for _, run := range size.Runs([]uint64{1}) {
					for _, trial := range run.Trials {
						trained[trial.Arm] = true
					}
				}
				for _, arm := range panel.Arms {
					if !trained[arm.Name] && scale == record.Quick {
						t.Errorf("%s %s at scale %s does not train %q", figure.ID(), panel.Name, scale, arm.Name)
					}
					delete(trained, arm.Name)
				}
				if len(trained) > 0 {
					t.Errorf("%s %s at scale %s trains %v, which it does not name", figure.ID(), panel.Name, scale,
						trained)
				}
			}
		}
	}
}

// partName is the name of a part in a declaration's text.
var partName = regexp.MustCompile(`"is":"([^"]*)"`)

// Records checks that every committed record of a paper is what its figure declares today, made from a commit, and that
// every part in it has a name that this program knows.
func Records(t *testing.T, paper figures.Paper) {
	t.Helper()
	records, err := record.ReadAll("../records")
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]record.Header{}
	for _, task := range declared(t, paper) {
		h := task.Header("")
		headers[h.Name()] = h
	}
	known := experiment.PartNames()
	for _, r := range records {
		for _, part := range partName.FindAllStringSubmatch(string(record.PresentNames(r.Experiment)), -1) {
			if r.Paper == paper.Name && !known[part[1]] {
				t.Errorf("%s has a part %q, which no type is named", r.Path, part[1])
			}
		}
		h, ok := headers[r.Name()]
		switch {
		case r.Paper != paper.Name:
		case !ok:
			t.Errorf("%s is declared nowhere", r.Path)
		case !r.SameExperiment(h):
			t.Errorf("%s is not what its figure declares:\n%s\n%s", r.Path, r.Experiment, h.Experiment)
		case strings.Contains(r.Commit, "+changes") || r.Commit == "unknown":
			t.Errorf("%s was made by a program of no commit: %s", r.Path, r.Commit)
		}
	}
}
