package warp

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

func allSucceed(_ *reader, p row) claim.Finding {
	answer := claim.Every(p.of(rnn).solved(1), p.of(leaky).solved(1), p.of(gated).solved(1))
	found := p.panel.Title + ": excess loss in % at 1"
	for _, t := range []architecture{rnn, leaky, gated} {
		found += fmt.Sprintf(", %s %v", t.arms[0], claim.Percent(p.of(t)[1]))
	}
	return claim.Found(answer, found, someTrials)
}

func alwaysSolvedBy(t architecture) func(*reader, row) claim.Finding {
	return func(_ *reader, p row) claim.Finding {
		return claim.Found(p.of(t).solved(p.of(t).xs()...), p.found(t), someTrials)
	}
}

func opposite(predicate func(*reader, row) claim.Finding) func(*reader, row) claim.Finding {
	return func(r *reader, p row) claim.Finding {
		f := predicate(r, p)
		f.Answer = not(f.Answer)
		return f
	}
}

// gatedBeatsRNN looks where no RNN solves the task. If all of them solve it everywhere, the paper's sentence is
// contradicted: there is nothing to be better at.
func gatedBeatsRNN(_ *reader, p row) claim.Finding {
	gated, rnn, found := p.of(gated), p.of(rnn), p.found(gated, rnn)
	var answers []claim.Answer
	for _, x := range rnn.from(moderate) {
		if answer := farBelow(gated[x], rnn[x]); answer == claim.Contradicted || rnn[x].Min > visible {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		return claim.Found(not(rnn.solved(rnn.from(moderate)...)), found, "only some RNNs fail, at any value")
	}
	return claim.Found(claim.Every(answers...), found,
		"gated RNNs are not everywhere better by half, and in every trial")
}

// rnnFails: that it takes a large number of zeros is neither what the paper says nor the reverse.
func rnnFails(_ *reader, p row) claim.Finding {
	s, found := p.of(rnn), p.found(rnn)
	for _, x := range s.xs() {
		if s.solved(x) == claim.Contradicted {
			if x <= smallPadding {
				return claim.Found(claim.Reproduced, found, "")
			}
			return claim.Found(claim.Inconclusive, found,
				fmt.Sprintf("RNNs fail from %g zeros on, not a small number", x))
		}
	}
	return claim.Found(not(s.solved(s.xs()...)), found, someTrials)
}

// solvers are the trials of an architecture that solve the task, from a part of the largest maximum_warping on, and the
// maximum_warping of each.
func (r *reader) solvers(p row, t architecture, from float64) (solvers claim.Trials, warpings []float64) {
	trials := r.arm(Fig1, p.panel, t.arms[0])
	for _, x := range p.of(t).from(from) {
		at := trials.At(x)
		for k, excess := range r.take(at.Excess("test_loss")) {
			if excess <= visible {
				solvers, warpings = append(solvers, at[k]), append(warpings, x)
			}
		}
	}
	return solvers, warpings
}

func leaksFollowTheWarping(r *reader, p row) claim.Finding {
	solvers, warpings := r.solvers(p, leaky, 0)
	biases, err := solvers.Vectors(leaky.gate + "_bias")
	r.Miss(err)
	longer, pairs := 0, 0
	scales := map[float64][]float64{} // by the warping
	for i := range biases {
		scales[warpings[i]] = append(scales[warpings[i]], timeScale(biases[i]))
		for j := range biases {
			if warpings[i] < warpings[j] {
				pairs++
				if timeScale(biases[j]) > (1+visible)*timeScale(biases[i]) {
					longer++
				}
			}
		}
	}
	found := fmt.Sprintf("%s: of two leaky RNNs that solve it, the more warped has the longer 1/α in %d of %d pairs",
		p.panel.Title, longer, pairs)
	for i, warping := range slices.Sorted(maps.Keys(scales)) {
		separator := ", "
		if i == 0 {
			separator = "; " + p.panel.Title + ": median 1/α in steps, "
		}
		found += fmt.Sprintf("%s%v at %g", separator, record.SpreadOf(scales[warping]), warping)
	}
	if pairs < r.MinTrials*r.MinTrials {
		return claim.Found(claim.Inconclusive, found, "too few leaky RNNs solve the task")
	}
	share := claim.Exactly(float64(longer) / float64(pairs))
	return claim.Found(atLeast(share, mostPairs, somePairs), found, "it is so in some pairs of trials only")
}

// timeScale is the median of a leaky network's units: 1/α is 1/σ(bias) steps.
func timeScale(biases []float64) float64 {
	scales := make([]float64, len(biases))
	for i, b := range biases {
		scales[i] = chrono.TimeScale(-b)
	}
	return claim.Median(scales)
}

func gatesFollowTheClock(r *reader, p row) claim.Finding {
	solvers, _ := r.solvers(p, gated, moderate)
	changes, err := solvers.Vectors(gated.gate + "_at_change")
	r.Miss(err)
	others, err := solvers.Vectors(gated.gate + "_elsewhere")
	r.Miss(err)
	if r.Missed() || len(solvers) < r.MinTrials {
		return claim.Found(claim.Inconclusive, p.found(gated), "too few gated RNNs solve the task")
	}
	ratios := make([]float64, len(solvers))
	for i := range solvers {
		ratios[i] = record.SpreadOf(changes[i]).Mean / record.SpreadOf(others[i]).Mean
	}
	ratio := record.SpreadOf(ratios)
	found := fmt.Sprintf("%s: in %d gated RNNs that solve it, gates where the input changes are %v times the others",
		p.panel.Title, len(solvers), ratio)
	return claim.Found(atLeast(ratio, gateRatio, 1), found,
		"the gates differ by less than a factor of 3 in some trials")
}
