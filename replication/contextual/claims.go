package contextual

import (
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

const (
	solvedAccuracy = 0.9 // retrieval is learned
	solvedShare    = 0.1 // of the best constant's squared error, at which decay is learned
	visibleShare   = 0.1 // two errors on a logarithmic axis differ visibly if they do by this share of the lesser
)

// someTrials is why a claim is inconclusive if not all trials say the same.
const someTrials = "it is so in some trials only"

// A reader takes numbers of a figure's only panel.
type reader struct{ claim.Reader }

func judging(predicate func(reader) claim.Finding) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding { return predicate(reader{r}) })
}

func (r reader) arm(f figures.Figure, arm string) claim.Trials {
	return r.Arm(f.ID(), f.Panels[0].Name, arm)
}

// curves returns a series of each trial of an arm.
func (r reader) curves(f figures.Figure, arm string, series record.Result) []claim.Curve {
	return r.Curves(r.arm(f, arm).Curves(series))
}

// constant is the error of the best constant.
func (r reader) constant(f figures.Figure, arm string) float64 {
	return r.Values(r.arm(f, arm).Memoryless())[0]
}

// epochs are how many an arm takes until its curves reach something, and how they are written: unlike updates, those
// of a trial that never gets there are ∞.
type epochs struct{ claim.Durations }

// epochsUntil takes curves with a point in every window of the record; the result is in epochs.
func (r reader) epochsUntil(
	f figures.Figure, arm string, series record.Result, windows int, reached func(float64) bool,
) epochs {
	epoch := r.arm(f, arm)[0].Record.Window * windows // in updates
	return epochs{claim.DurationsUntil(r.curves(f, arm, series), epoch, reached)}
}

func (e epochs) String() string { return record.SpreadOf(e.AtMost).String() }

// ratio is how many times longer another arm takes, with its interval; "" if one of them does not end.
func (e epochs) ratio(other epochs) string {
	if !e.End() || !other.End() {
		return ""
	}
	return ", ratio " + claim.RatioOf(other.Durations, e.Durations).String()
}
