package papers_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// contextRecords are made-up records of C's figures, as declared: the arms are solved one after the other, decay's
// errors fall, and what is generated spreads around the truth, the less the later.
func contextRecords() []*record.Record {
	var records []*record.Record
	for _, figure := range contextual.Paper.Trained() {
		tasks, err := figure.Tasks(experiment.Options{Scale: "paper", Seed: 1})
		if err != nil {
			panic(err)
		}
		for i, task := range tasks {
			records = append(records, contextRecord(task, i))
		}
	}
	return records
}

func contextRecord(task experiment.Task, arm int) *record.Record {
	rng := rand.New(rand.NewPCG(2, uint64(arm)))
	r := &record.Record{Header: task.Header("go"), End: &record.End{
		Updates: task.Length.Total(), Final: map[string]record.Values{}, Vectors: map[string][]record.Values{},
	}}
	each := func(value func(trial int) float64) record.Values {
		var values record.Values
		for k := range r.Trials {
			values = append(values, value(k))
		}
		return values
	}
	for update := r.Window; update <= r.Updates; update += r.Window {
		level := *r.Trials[0].Memoryless
		losses := each(func(k int) float64 { return level / (1 + math.Exp(float64(update)/200-2-float64(arm+k))) })
		r.Points = append(r.Points, record.Point{Update: update, Series: record.Train, Values: losses})
	}
	for _, test := range task.Tests {
		for _, m := range test.Measures {
			for update := test.Every; test.Every > 0 && update <= r.Updates; update += test.Every {
				p := record.Point{Update: update, Series: string(m.Name)}
				epoch := float64(update) / float64(task.Length.Updates)
				unsolved := func(k int) float64 { return 1 / (1 + math.Exp(2*(epoch-2-float64(arm))+float64(k))) }
				switch {
				case m.Name == "valid_accuracy":
					p.Values = each(func(k int) float64 { return 1 - 0.9*unsolved(k) })
				case m.Name == "valid_log_likelihood":
					p.Values = each(func(k int) float64 { return -2.3 * unsolved(k) })
				case strings.HasPrefix(string(m.Name), "samples@"):
					for range r.Trials {
						p.Vectors = append(p.Vectors, generated(rng, 10, 0.6/math.Sqrt(epoch)))
					}
				case m.Name == "apart":
					p.Vectors = []record.Values{}
					for range r.Trials {
						p.Vectors = append(p.Vectors, make(record.Values, 25))
					}
				default:
					p.Values = each(func(k int) float64 {
						return 0.05 * math.Exp(-epoch/10) * (1 + 0.3*float64(arm+k%5))
					})
				}
				r.Points = append(r.Points, p)
			}
			if strings.HasPrefix(string(m.Name), "truth@") {
				for range r.Trials {
					name := string(m.Name)
					r.End.Vectors[name] = append(r.End.Vectors[name], generated(rng, 1, 0))
				}
			}
		}
	}
	return r
}

// generated are trajectories around one that falls, in thousandths.
func generated(rng *rand.Rand, samples int, spread float64) record.Values {
	var values record.Values
	for range samples {
		off := spread * rng.NormFloat64()
		for t := range 25 {
			values = append(values, math.Round(1000*(3*(1-float64(t+1)/25)+off*math.Sqrt(float64(t+1))/5)))
		}
	}
	return values
}

func TestContextCaptions(t *testing.T) {
	records := contextRecords()
	for id, want := range map[string][]string{
		"context/fig1": {"Figure 1.", "100 → 50 + 50²", "100 units, then 10 answers"},
		"context/fig2": {
			"(a) retrieval, 4 pairs", "knows the digits, not whose they are",
			"knows nothing",
			"the axis ends at twice the time that it took until every model once had 99 %, and 200 epochs were trained",
			"learned's network on a constant",
		},
		"context/fig3": {"ReLU 50", "128 units", "x25"},
		"context/fig4": {"At t = 0 it is 4.004."},
		"context/fig5": {"best constant", "learned distribution", "5 trials; 2,600 updates"},
		"context/fig6": {
			"(a) generated, T = 2, last epoch", "(i) generated, T = 2, epoch 1", "Thin lines are samples",
		},
		"context/beyond-start":   {"Beyond the paper", "knows the digits"},
		"context/beyond-order":   {"Beyond the paper", "told T at every step"},
		"context/beyond-warping": {"Beyond both papers", "memoryless"},
		"context/beyond-chrono":  {"Beyond both papers", "learned distribution, chrono"},
	} {
		got := strings.ReplaceAll(textOf(t, svgOf(t, id, records)), nbsp, " ")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in: %s", id, w, got)
			}
		}
		if strings.Contains(got, "not run") {
			t.Errorf("%s is not run: %s", id, got)
		}
	}
}
