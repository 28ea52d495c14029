package papertest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Stated are what a paper says of some of its runs, as their declarations write it.
type Stated struct {
	Of   string // a regular expression for names of runs, "warp/fig1 uniform-warp paper rnn"
	Says []string
}

// PapersNumbers checks that what a paper's figures declare at scale paper has the paper's numbers.
func PapersNumbers(t *testing.T, paper figures.Paper, numbers []Stated) {
	t.Helper()
	texts := map[string]string{}
	for _, f := range paper.Trained() {
		tasks, err := f.Tasks(experiment.Options{Scale: record.Paper, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			texts[task.String()] = string(experiment.Encode(task.Experiment))
		}
	}
	for _, n := range numbers {
		of, found := regexp.MustCompile(n.Of), false
		for name, text := range texts {
			if !of.MatchString(name) {
				continue
			}
			found = true
			for _, says := range n.Says {
				if !strings.Contains(text, says) {
					t.Errorf("%s has no %s", name, says)
				}
			}
		}
		if !found {
			t.Errorf("no run is called %s", n.Of)
		}
	}
}
