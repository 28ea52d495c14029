package replication

import (
	"fmt"
	"math"
)

const (
	// "around 75 %" is taken to ten points, and what is above it or within them is "decent".
	around75 = 0.75
	readable = 0.1

	// What would be printed as 100 % is perfect.
	perfectAccuracy = 0.995
)

const generalizationWhere = "Appendix A, On the generalization capacity of recurrent architectures; Figure 5"

func fig5Claims() []Claim {
	return []Claim{
		{
			ID:        "fig5.decent",
			Where:     generalizationWhere,
			Says:      "Even with warps 10 times longer than trained on, all networks keep a decent accuracy.",
			Criterion: "at 10 times the training range every network's accuracy is at least 65 %",
			judge: func(e evidence) (bool, string, error) {
				return allNetworks(e, func(g generalization) bool { return g.at10.Min >= around75-readable })
			},
		},
		{
			ID:        "fig5.not-perfect",
			Where:     generalizationWhere,
			Says:      "No network generalizes perfectly.",
			Criterion: "at 10 times the training range every network's accuracy is below 99.5 %",
			judge: func(e evidence) (bool, string, error) {
				return allNetworks(e, func(g generalization) bool { return g.at10.Max < perfectAccuracy })
			},
		},
		{
			ID:        "fig5.gated.from-100-to-75",
			Where:     generalizationWhere,
			Says:      "Accuracy falls from 100 % to around 75 % (gated RNNs, since plain ones never have 100 %).",
			Criterion: "gated: at least 99.5 % on the training range, 65 % to 85 % on average at 10 times it",
			judge: func(e evidence) (bool, string, error) {
				g, err := generalizationOf(e, "gated")
				return g.valid.Min >= perfectAccuracy && math.Abs(g.at10.Mean-around75) <= readable, g.String(), err
			},
		},
		{
			ID:        "fig5.rnn.below-80",
			Where:     generalizationWhere,
			Says:      "A plain RNN is below 80 % even within the training range.",
			Criterion: "rnn: accuracy on the training range below 80 %",
			judge: func(e evidence) (bool, string, error) {
				g, err := generalizationOf(e, "rnn")
				return g.valid.Max < 0.8, g.String(), err
			},
		},
		{
			ID:        "fig5.gated-better",
			Where:     generalizationWhere,
			Says:      "Overall, gated RNNs do better than plain ones.",
			Criterion: "accuracy averaged over all test warps: the worst gated trial is above the best RNN",
			judge: func(e evidence) (bool, string, error) {
				return gatedAndRNN(e, func(gated, rnn generalization) bool { return gated.overall.Min > rnn.overall.Max })
			},
		},
		{
			ID:        "fig5.gated-falls-faster",
			Where:     generalizationWhere,
			Says:      "With warps 8 to 10 times longer than trained on, gated RNNs lose accuracy faster than plain ones.",
			Criterion: "the mean loss of accuracy from 8 to 10 times is above that of every RNN, and the mean RNN's below that of every gated trial",
			judge: func(e evidence) (bool, string, error) {
				return gatedAndRNN(e, func(gated, rnn generalization) bool { return apart(gated.from8to10, rnn.from8to10) })
			},
		},
		{
			ID:        "fig5.rnn-flatter",
			Where:     generalizationWhere,
			Says:      "Beyond the training range, a plain RNN's accuracy is flatter.",
			Criterion: "the mean loss of accuracy from the training range to 10 times it is below that of every gated trial, and the mean gated one's above that of every RNN",
			judge: func(e evidence) (bool, string, error) {
				return gatedAndRNN(e, func(gated, rnn generalization) bool { return apart(gated.beyond, rnn.beyond) })
			},
		},
	}
}

// apart reports whether a is above b: each mean is outside the other's range.
func apart(a, b Spread) bool { return a.Mean > b.Max && b.Mean < a.Min }

// generalization is what Figure 5 shows of one architecture, as accuracies between 0 and 1.
type generalization struct {
	architecture string
	valid        Spread // on the range of warps trained on
	at10         Spread // on warps up to 10 times longer
	overall      Spread // mean over all test warps
	from8to10    Spread // accuracy lost from 8 times to 10 times
	beyond       Spread // accuracy lost from the training range to 10 times
}

func (g generalization) String() string {
	return fmt.Sprintf("%s, in %%: %v trained on, %v overall, %v at 10 × (lost since 8 ×: %v; %d trials)",
		g.architecture, g.valid.percent(), g.overall.percent(), g.at10.percent(), g.from8to10.percent(), g.valid.N)
}

func generalizationOf(e evidence, architecture string) (generalization, error) {
	g := generalization{architecture: architecture}
	r, err := e.record("fig5", "generalization", architecture)
	if err != nil {
		return g, err
	}
	trained, ok := r.Number("train_warp")
	if !ok {
		return g, missing("no train_warp in the record of fig5 generalization")
	}
	models, err := r.trials(architecture, nil)
	if err != nil {
		return g, err
	}
	valid, err := r.accuracy("valid_accuracy", models)
	if err != nil {
		return g, err
	}
	at8, err := r.accuracy(TestAccuracy(8*trained), models)
	if err != nil {
		return g, err
	}
	at10, err := r.accuracy(TestAccuracy(10*trained), models)
	if err != nil {
		return g, err
	}
	overall := make([]float64, len(models))
	tests := r.TestWarps()
	for _, warp := range tests {
		accuracy, err := r.accuracy(TestAccuracy(warp), models)
		if err != nil {
			return g, err
		}
		for i, a := range accuracy {
			overall[i] += a / float64(len(tests))
		}
	}
	lost := func(from, to []float64) Spread {
		diff := make([]float64, len(from))
		for i := range diff {
			diff[i] = from[i] - to[i]
		}
		return SpreadOf(diff)
	}
	g.valid, g.at10, g.overall = SpreadOf(valid), SpreadOf(at10), SpreadOf(overall)
	g.from8to10, g.beyond = lost(at8, at10), lost(valid, at10)
	return g, nil
}

// accuracy returns final accuracies. A model that gives NaN gets nothing right.
func (r *Record) accuracy(name string, models []int) ([]float64, error) {
	values, err := r.final(name, models)
	return diverged(values, 0), err
}

func allNetworks(e evidence, holds func(generalization) bool) (bool, string, error) {
	all, found := true, ""
	for i, architecture := range architectures {
		g, err := generalizationOf(e, architecture)
		if err != nil {
			return false, "", err
		}
		all = all && holds(g)
		if i > 0 {
			found += "; "
		}
		found += g.String()
	}
	return all, found, nil
}

func gatedAndRNN(e evidence, holds func(gated, rnn generalization) bool) (bool, string, error) {
	gated, err := generalizationOf(e, "gated")
	if err != nil {
		return false, "", err
	}
	rnn, err := generalizationOf(e, "rnn")
	if err != nil {
		return false, "", err
	}
	return holds(gated, rnn), gated.String() + "; " + rnn.String(), nil
}
