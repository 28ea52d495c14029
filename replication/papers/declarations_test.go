package papers_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/golden"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
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
			all = append(all, check.Got(figure.Tasks(experiment.Options{Scale: scale, Seed: 1}))(t)...)
		}
	}
	return all
}

// Whatever changes in a declaration changes a line of testdata/declarations.txt, which has the name of each run and the
// hash of its text. No two runs have the same name, by which records are found, nor the same text, by which they are
// compared.
func TestDeclarations(t *testing.T) {
	var lines bytes.Buffer
	seen := map[string]experiment.Task{}
	for _, task := range declared(t) {
		text := experiment.Encode(task.Experiment)
		check.That(t, bytes.Equal(record.PresentNames(text), text),
			"%s is declared with a name that older records use for another", task)
		hash := fmt.Sprintf("%.8x", sha256.Sum256(text))
		for _, key := range []string{task.String(), hash} {
			other, ok := seen[key]
			check.That(t, !ok, "%s and %s have the same name, or are the same experiment", other, task)
			seen[key] = task
		}
		fmt.Fprintf(&lines, "%s %s\n", hash, task)
	}
	golden.Check(t, filepath.Join("testdata", "declarations.txt"), lines.Bytes())
}

// Every panel has the smallest scale and the paper's own, and none that is unknown. It trains the arms that it names,
// at the smallest scale all of them. Asked for another number of trials than is declared, it trains as many of each arm
// at every x. A size whose data stand in for the paper's says so in its title and its caption.
func TestScales(t *testing.T) {
	for _, figure := range papers.All.Trained() {
		for _, panel := range figure.Panels {
			for _, scale := range []record.Scale{record.Quick, record.Paper} {
				_, ok := panel.Sizes[scale]
				check.That(t, ok, "%s %s is not declared at scale %s", figure.ID(), panel.Name, scale)
			}
			for scale, size := range panel.Sizes {
				here := fmt.Sprintf("%s %s at scale %q", figure.ID(), panel.Name, scale)
				check.That(t, slices.Contains(record.Scales, scale), "%s is of no scale", here)
				if size.StandIn && (size.Data == "" || panel.TitleAt(scale) == panel.Title) {
					t.Errorf("%s does not say that its data are not the paper's", here)
				}
				trained := map[string]bool{}
				for _, run := range size.Runs([]uint64{1}) {
					for _, trial := range run.Trials {
						trained[trial.Arm] = true
					}
				}
				for _, arm := range panel.Arms {
					if !trained[arm.Name] && scale == record.Quick {
						t.Errorf("%s does not train %q", here, arm.Name)
					}
					delete(trained, arm.Name)
				}
				check.Equal(t, trained, map[string]bool{}, "%s: arms that it trains and does not name", here)
				for _, n := range []int{4, 8} {
					places, networks := map[claim.Network]bool{}, map[claim.Network]bool{}
					for _, run := range size.Runs(make([]uint64, n)) {
						for _, of := range run.Trials {
							at := claim.Network{Arm: claim.Arm{Name: of.Arm}}
							if of.X != nil {
								at.X = claim.X(*of.X)
							}
							places[at] = true
							at.Number = of.Number
							networks[at] = true
						}
					}
					check.That(t, len(networks) == n*len(places) || n == size.Trials,
						"%s has %d networks of %d arms, asked for %d of each", here, len(networks), len(places), n)
				}
			}
		}
	}
}

// Every committed record is what its figure declares today.
func TestCommittedRecords(t *testing.T) {
	check.OK(t, experiment.CheckDeclared(papers.All.Trained(), all()))
}
