package contextual

import (
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

var (
	solvedAccuracy = claim.Threshold{Name: "an accuracy of %s", Value: 0.9, From: 1, Percent: true}
	fullAccuracy   = claim.Threshold{Name: "a full accuracy of %s", Value: 0.99, From: 1, Percent: true}

	// Of the best constant's squared error, at which decay is learned.
	solved = claim.Threshold{
		Name: "a task solved at %s of the best constant's error", Value: solvedShare, Percent: true,
	}

	// Two errors on a logarithmic axis differ visibly if they do by this share of the lesser.
	visibleError = claim.Threshold{Name: "a visible difference of %s of the error", Value: 0.1, Percent: true}
)

const solvedShare = 0.1

// Why a claim is inconclusive.
const (
	someTrials   = "only some trials meet the rule"
	uncertain    = "the order of their means is not certain"
	closeOrMixed = "less than a tenth apart, or their trials overlap"
)

// A reader takes numbers from the runs of one reading of a choice.
type reader struct {
	claim.Reader
	place string // a figure and its panel: "context/fig5 decay"
}

// judging makes a claim's Judge of a predicate that reads a choice whose readings are places. Each statement begins
// with the reading.
func judging(choice claim.Choice, predicate func(reader) claim.Finding) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		f := predicate(reader{r, r.Read(choice)})
		for i, statement := range f.Found {
			f.Found[i] = r.ReadingName(choice) + ", " + statement
		}
		return f
	})
}

func (r reader) arm(arm string) claim.Trials {
	figure, panel, _ := strings.Cut(r.place, " ")
	return r.Arm(figure, panel, arm)
}

// curves returns a series of each trial of an arm.
func (r reader) curves(arm string, series record.Result) []claim.Curve {
	return r.Curves(r.arm(arm).Curves(series))
}

// constant is the error of the best constant.
func (r reader) constant(arm string) float64 { return r.Values(r.arm(arm).Memoryless())[0] }

// epochs are how many an arm takes until its curves reach something, and how they are written: unlike updates, those
// of a trial that never gets there are ∞.
type epochs struct{ claim.Durations }

// epochsUntil takes curves with a point in every window of the record; the result is in epochs.
func (r reader) epochsUntil(arm string, series record.Result, windows int, reached func(float64) bool) epochs {
	epoch := r.arm(arm)[0].Record.Window * windows // in updates
	return epochs{claim.DurationsUntil(r.curves(arm, series), epoch, reached)}
}

// ratio is how many times longer another arm takes, with its interval; "" if one of them does not end.
func (e epochs) ratio(other epochs) string {
	if !e.End() || !other.End() {
		return ""
	}
	return ", ratio " + claim.RatioOf(other.Durations, e.Durations).String()
}

// inItsInterval is how before decides.
const inItsInterval = "all of the 95 % interval of the ratio; if a trial does not get there, the ratios of all pairs " +
	"of trials"

// before answers whether one arm takes fewer epochs than another on average: Contradicted if the other does.
func (r reader) before(one, other epochs) claim.Answer {
	switch claim.Reproduced {
	case r.RatioOf(one.Durations, other.Durations).Below(1):
		return claim.Reproduced
	case r.RatioOf(other.Durations, one.Durations).Below(1):
		return claim.Contradicted
	}
	return claim.Inconclusive
}
