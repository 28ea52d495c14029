package contextual

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// A network that diverges has not learned where to begin: it is below any limit of what moved.
func TestMoved(t *testing.T) {
	r := &record.Record{
		Header: record.Header{
			Paper: "context", Figure: "fig5", Panel: "p", Updates: 2, Window: 1,
			Trials: []record.Trial{{Arm: learnedArm}, {Arm: learnedArm, Number: 1}},
		},
		Points: []record.Point{
			{Update: 1, Series: record.Train, Values: record.Values{4, 4}},
			{Update: 2, Series: record.Train, Values: record.Values{3, math.NaN()}},
		},
		End: &record.End{Updates: 2},
	}
	of := claim.Arm{Figure: "context/fig5", Panel: "p", Name: learnedArm}
	s, err := claim.Read(Moved{Kept{Series: claim.Series{Of: of, Name: record.Train, Stat: claim.Last}}}, claim.From(r))
	check.OK(t, err)
	check.Equal(t, s.Values(), []float64{0.25, math.Inf(-1)}, "change")
}
