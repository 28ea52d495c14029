package replication

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestHalving(t *testing.T) {
	nan := math.NaN()
	h := halving{Rates: []float64{1, 1, 1}}
	for i, step := range []struct {
		losses, rates []float64
		changed       bool
	}{
		{[]float64{2, 2, nan}, []float64{1, 1, 0.5}, true}, // the first loss is a decrease, unless it is none
		{[]float64{1, 2, 5}, []float64{1, 0.5, 0.5}, true}, // the same is no decrease
		{[]float64{0.5, 1, 4}, []float64{1, 0.5, 0.5}, false},
		{[]float64{0.8, 1.5, 3}, []float64{0.5, 0.25, 0.5}, true},
		{[]float64{0.6, 1.2, 2}, []float64{0.25, 0.125, 0.5}, true}, // below the last, but not below the lowest
		{[]float64{0.4, 0.9, nan}, []float64{0.25, 0.125, 0.25}, true},
	} {
		if changed := h.evaluate(step.losses); changed != step.changed || !slices.Equal(h.Rates, step.rates) {
			t.Errorf("evaluation %d: rates %v, changed %v; want %v, %v", i, h.Rates, changed, step.rates, step.changed)
		}
	}
}

// What a checkpoint keeps of the schedule and the curve comes back the same, with trials that diverged among them.
func TestProgressSurvivesJSON(t *testing.T) {
	h := halving{Rates: []float64{0.1, 1. / 3}}
	h.evaluate([]float64{math.NaN(), 1. / 7})
	p := progress{Step: 3, Seconds: 1.5, Sum: Values{math.Inf(1), 1e-300}, Count: 2, Last: Values{math.NaN(), 0.1}, Halving: h, Checkpoint: "c"}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var q progress
	if err := json.Unmarshal(data, &q); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q.Halving.Rates, h.Rates) || !slices.Equal(q.Halving.Best, h.Best) || !math.IsInf(q.Sum[0], 1) || q.Sum[1] != 1e-300 ||
		!math.IsNaN(q.Last[0]) || q.Count != 2 || q.Step != 3 {
		t.Errorf("%+v came back as %+v", p, q)
	}
}
