package warp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A row is what a panel of Figure 1 shows.
type row struct {
	panel  experiment.Panel
	sweeps map[string]sweep // of each architecture
}

// A sweep is an architecture's excess loss at each maximum_warping. It is a share, since a loss in nats per step means
// less the longer the warping.
type sweep map[float64]record.Spread

// inBothRows judges a panel at rate 1e-3 and at higher rates: the paper names none here. A claim that is about some
// architectures only does without records of the others.
func inBothRows(
	name string, predicate func(*reader, row) claim.Finding, about ...architecture,
) func(claim.Evidence) claim.Finding {
	if len(about) == 0 {
		about = []architecture{rnn, leaky, gated}
	}
	return judging(func(r *reader) claim.Finding {
		var readings []reading
		for _, end := range []string{"", bestRate} {
			p := r.row(panelOf(Fig1, name+end), about)
			_, rate, _ := strings.Cut(p.panel.Title, ", ")
			readings = append(readings, reading{rate, p.learned(), predicate(r, p)})
		}
		return underEvery(readings...)
	})
}

func (r *reader) row(panel experiment.Panel, about []architecture) row {
	p := row{panel, map[string]sweep{}}
	for _, t := range about {
		trials := r.arm(Fig1, panel, t.arms[0])
		p.sweeps[t.arms[0]] = sweep{}
		for _, x := range trials.Xs() {
			p.of(t)[x] = record.SpreadOf(r.take(trials.At(x).Excess("test_loss")))
		}
	}
	return p
}

func (p row) of(t architecture) sweep { return p.sweeps[t.arms[0]] }

// learned tells whether any trial at all solves the task at the smallest value.
func (p row) learned() bool {
	for _, s := range p.sweeps {
		if xs := s.xs(); len(xs) > 0 && s[xs[0]].Min <= visible {
			return true
		}
	}
	return false
}

// found has a statement for each architecture.
func (p row) found(which ...architecture) string {
	var found []string
	for _, t := range which {
		var at []string
		for _, x := range p.of(t).xs() {
			at = append(at, fmt.Sprintf("%v at %g", claim.Percent(p.of(t)[x]), x))
		}
		found = append(found, p.panel.Title+": excess loss in %, "+t.arms[0]+" "+strings.Join(at, ", "))
	}
	return strings.Join(found, "; ")
}

func (s sweep) xs() []float64 { return slices.Sorted(maps.Keys(s)) }

// from returns the values from a part of the largest on.
func (s sweep) from(part float64) []float64 {
	xs := s.xs()
	return slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x < part*xs[len(xs)-1] })
}

// solved answers whether the task is solved at all of these values. It is contradicted if there is one at which no
// trial solves it.
func (s sweep) solved(xs ...float64) claim.Answer {
	var answers []claim.Answer
	for _, x := range xs {
		answers = append(answers, claim.AtMost(s[x], visible))
	}
	return claim.Every(answers...)
}
