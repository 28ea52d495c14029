package contextual_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptime/warptime/replication/record"
)

// accuracies are the validation accuracies of a committed record of retrieval at the paper's size, one for each trial,
// every half epoch.
func accuracies(t *testing.T, figure, arm string) []record.Point {
	t.Helper()
	r, err := record.Read(filepath.Join("..", "records", "context", figure, "retrieval.paper."+arm+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return r.Series("valid_accuracy")
}

// Results that the lists of choices state, held against the committed records.
func TestStatedResults(t *testing.T) {
	t.Run("all have 99 % after 4 epochs", func(t *testing.T) {
		for _, arm := range []string{"zero", "free", "learned"} {
			if at := accuracies(t, "fig2", arm)[7].Values; slices.Min(at) < 0.99 {
				t.Errorf("%s: %.3f after 4 epochs", arm, at)
			}
		}
	})
	t.Run("with h0 alone, learned is neither ahead of zeros nor behind", func(t *testing.T) {
		mean := func(arm string) record.Spread { // over the first 4 epochs
			first := accuracies(t, "fig2", arm)[:8]
			means := make([]float64, len(first[0].Values))
			for _, p := range first {
				for trial, v := range p.Values {
					means[trial] += v / float64(len(first))
				}
			}
			return record.SpreadOf(means)
		}
		zero, learned := mean("zero"), mean("learned-h")
		if learned.Min > zero.Max || learned.Max < zero.Min {
			t.Errorf("zero %v, learned h0 %v", zero, learned)
		}
	})
	t.Run("authors' weights: within 60 epochs two with zeros never reach 99 %", func(t *testing.T) {
		for arm, want := range map[string]int{"zero": 2, "free": 0, "learned": 0} {
			points, never := accuracies(t, "beyond-start", arm), 0
			for trial := range points[0].Values {
				if !slices.ContainsFunc(points, func(p record.Point) bool { return p.Values[trial] >= 0.99 }) {
					never++
				}
			}
			if never != want || len(points) != 120 {
				t.Errorf("%s: %d never do in %d half epochs, want %d in 120", arm, never, len(points), want)
			}
		}
	})
}
