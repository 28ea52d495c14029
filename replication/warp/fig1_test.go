package warp

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Each architecture trains at the rate whose last validation losses have the lowest mean; none where one diverges.
func TestNormalRates(t *testing.T) {
	for _, of := range normalArchitectures.arms {
		grid := check.Got(record.Read("../records/warp/fig1/normal-rates.paper." + of.Name + ".jsonl"))(t)
		last := check.Got(claim.Read(claim.Series{
			Of:   claim.Arm{Figure: "warp/fig1", Panel: "normal-rates", Name: of.Name},
			Name: experiment.ValidLoss, Stat: claim.Last, As: claim.Excess,
		}, claim.From(grid)))(t)
		best, lowest := 0., math.Inf(1)
		for _, rate := range ratesTried {
			at := last.At(float64(rate))
			check.Equal(t, len(at), 8, "networks at %d", rate)
			if mean := at.Mean(); mean < lowest {
				best, lowest = float64(rate), mean
			}
		}
		check.Equal(t, of.times, best, "the rate of %s, with %g", of.Name, lowest)
	}
}
