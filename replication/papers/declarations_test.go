package papers_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// declared returns all that the papers' figures declare, at every scale, with the first seeds.
func declared(t *testing.T) []experiment.Task {
	t.Helper()
	var all []experiment.Task
	for _, figure := range papers.All.Trained() {
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

// Whatever changes in a declaration changes a line of testdata/declarations.txt, which has the name of each run and the
// hash of its text. No two runs have the same name, by which records are found, nor the same text, by which they are
// compared.
func TestDeclarations(t *testing.T) {
	var text bytes.Buffer
	seen := map[string]experiment.Task{}
	for _, task := range declared(t) {
		hash := fmt.Sprintf("%.8x", sha256.Sum256(experiment.Encode(task.Experiment)))
		for _, key := range []string{task.String(), hash} {
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have the same name, or are the same experiment", other, task)
			}
			seen[key] = task
		}
		fmt.Fprintf(&text, "%s %s\n", hash, task)
	}
	golden.Check(t, filepath.Join("testdata", "declarations.txt"), text.Bytes())
}

// Every panel has the smallest scale and the paper's own, and none that is unknown. It trains the arms that it names,
// at the smallest scale all of them. A size whose data stand in for the paper's says so in its title and its caption.
func TestScales(t *testing.T) {
	for _, figure := range papers.All.Trained() {
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
				if size.StandIn && (size.Data == "" || panel.TitleAt(scale) == panel.Title) {
					t.Errorf("%s %s at scale %s does not say that its data are not the paper's", figure.ID(),
						panel.Name, scale)
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

// Every committed record is what its figure declares today, made from a commit, and every part in it has a name that
// this program knows.
func TestCommittedRecords(t *testing.T) {
	headers := map[string]record.Header{}
	for _, task := range declared(t) {
		h := task.Header("")
		headers[h.Name()] = h
		if string(record.PresentNames(h.Experiment)) != string(h.Experiment) {
			t.Errorf("%s is declared with a name that older records use for another", task)
		}
	}
	known := experiment.PartNames()
	for _, r := range all() {
		for _, part := range partName.FindAllStringSubmatch(string(record.PresentNames(r.Experiment)), -1) {
			if !known[part[1]] {
				t.Errorf("%s has a part %q, which no type is named", r.Path, part[1])
			}
		}
		if h, ok := headers[r.Name()]; !ok || !r.SameExperiment(h) {
			t.Errorf("%s is not what its figure declares: %s", r.Path, r.Differences(h))
		}
		made := []record.Environment{r.Environment}
		for _, at := range r.Resumed {
			made = append(made, at.Environment)
		}
		for _, e := range made {
			if !e.Traceable() {
				t.Errorf("%s was made by a program of no commit: %s", r.Path, e.Commit)
			}
		}
	}
}
