package papers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// eachPaper runs a test for each paper.
func eachPaper(t *testing.T, test func(t *testing.T, paper figures.Paper)) {
	for _, paper := range papers.All {
		t.Run(paper.Name, func(t *testing.T) { test(t, paper) })
	}
}

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
			check.OK(t, err)
			all = append(all, tasks...)
		}
	}
	return all
}

// All that a paper's figures declare is in testdata/*/declarations.txt: whatever is changed about a declaration shows
// in that file. The first run of a panel stands there in full, and of each other run only what is different: the lines
// that it has in their place, and those that it lacks with a "-" before them. No two runs have the same name, by which
// records are found, nor the same experiment, by which they are compared.
func TestDeclarations(t *testing.T) { eachPaper(t, testDeclarations) }

func testDeclarations(t *testing.T, paper figures.Paper) {
	var text bytes.Buffer
	first := map[string][]field{} // by panel
	names, texts := map[string]bool{}, map[string]string{}
	for _, task := range declared(t, paper) {
		encoded := experiment.Encode(task.Experiment)
		if same := texts[string(encoded)]; names[task.String()] || same != "" {
			t.Errorf("two runs are called %s, or it is the same experiment as %q", task, same)
		}
		names[task.String()], texts[string(encoded)] = true, task.String()
		fmt.Fprintf(&text, "%s\n", task)
		panel := task.Place().Figure + " " + task.Panel.Name
		all := flat("", encoded)
		for _, f := range all {
			if !slices.Contains(first[panel], f) {
				fmt.Fprintf(&text, "  %s: %s\n", f.path, f.value)
			}
		}
		for _, f := range first[panel] {
			if !slices.ContainsFunc(all, func(other field) bool { return other.path == f.path }) {
				fmt.Fprintf(&text, "  - %s\n", f.path)
			}
		}
		if first[panel] == nil {
			first[panel] = all
		}
		text.WriteByte('\n')
	}
	golden.Check(t, filepath.Join("testdata", paper.Name, "declarations.txt"), text.Bytes())
}

// A field is a value deep inside a declaration, and where it stands there: "Network.Cell.Hidden".
type field struct{ path, value string }

// flat lists the fields of JSON, in the order of the text. Simple objects in a list that have the same fields have each
// field once, with a list of its values: "Trials.Arm: 3 × "standard", 3 × "chrono"".
func flat(path string, value json.RawMessage) []field {
	var all []field
	switch value[0] {
	case '{':
		decoder := json.NewDecoder(bytes.NewReader(value))
		decoder.Token() // the brace
		for decoder.More() {
			name, _ := decoder.Token()
			var inside json.RawMessage
			if err := decoder.Decode(&inside); err != nil {
				panic(err)
			}
			all = append(all, flat(strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), "."), inside)...)
		}
		return all
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			panic(err)
		}
		var elements [][]field
		for _, element := range list {
			elements = append(elements, flat(path, element))
		}
		paths := func(fields []field) (all []string) {
			for _, f := range fields {
				all = append(all, f.path)
			}
			return all
		}
		deep := func(element json.RawMessage) bool { return bytes.ContainsRune(element[1:], '{') }
		if slices.ContainsFunc(list, deep) ||
			slices.ContainsFunc(elements, func(e []field) bool { return !slices.Equal(paths(e), paths(elements[0])) }) {
			for i, element := range list {
				all = append(all, flat(fmt.Sprintf("%s[%d]", path, i), element)...)
			}
			return all
		}
		if len(elements) == 0 {
			return []field{{path, "[]"}}
		}
		for k, f := range elements[0] {
			var values []string
			for _, e := range elements {
				values = append(values, e[k].value)
			}
			all = append(all, field{f.path, "[" + counted(values) + "]"})
		}
		return all
	}
	return []field{{path, string(value)}}
}

// counted joins values, equal neighbours with their number, and a list that repeats with how often it does.
func counted(values []string) string {
	for period := 1; period <= len(values)/2; period++ {
		if len(values)%period == 0 && slices.Equal(values[period:], values[:len(values)-period]) {
			if period == 1 {
				return fmt.Sprintf("%d × %s", len(values), values[0])
			}
			return fmt.Sprintf("%d × (%s)", len(values)/period, counted(values[:period]))
		}
	}
	var parts []string
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n] == values[0] {
			n++
		}
		if n > 1 {
			parts = append(parts, fmt.Sprintf("%d × %s", n, values[0]))
		} else {
			parts = append(parts, values[0])
		}
		values = values[n:]
	}
	return strings.Join(parts, ", ")
}

// Every panel has the smallest scale and the paper's own, and none that is unknown, and it
// trains the arms that it names, at the smallest scale all of them.
func TestScales(t *testing.T) { eachPaper(t, testScales) }

func testScales(t *testing.T, paper figures.Paper) {
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

// Every committed record of a paper is what its figure declares today, made from a commit, and
// every part in it has a name that this program knows.
func TestCommittedRecords(t *testing.T) { eachPaper(t, testCommittedRecords) }

func testCommittedRecords(t *testing.T, paper figures.Paper) {
	records, err := record.ReadAll("../records")
	check.OK(t, err)
	headers := map[string]record.Header{}
	for _, task := range declared(t, paper) {
		h := task.Header("")
		headers[h.Name()] = h
		if string(record.PresentNames(h.Experiment)) != string(h.Experiment) {
			t.Errorf("%s is declared with a name that older records use for another", task)
		}
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
			t.Errorf("%s is not what its figure declares: %s", r.Path, r.Differences(h))
		case !r.Traceable():
			t.Errorf("%s was made by a program of no commit: %s", r.Path, r.Commit)
		}
		for _, at := range r.Resumed {
			if !at.Traceable() {
				t.Errorf("%s was resumed at update %d by a program of no commit: %s", r.Path, at.Update, at.Commit)
			}
		}
	}
}
