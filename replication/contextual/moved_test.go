package contextual

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// A network that diverges has not learned where to begin: it is below any limit of what moved.
func TestMoved(t *testing.T) {
	at := record.Header{Paper: "context", Figure: "fig5", Panel: "p", Updates: 2, Window: 1}
	r := made.Curves(at, learned.Name, record.Train, []float64{4, 3}, []float64{4, math.NaN()})
	of := claim.Arm{Figure: "context/fig5", Panel: "p", Name: learned.Name}
	s, err := claim.Read(Moved{Kept{Series: claim.Series{Of: of, Name: record.Train, Stat: claim.Last}}}, claim.From(r))
	check.OK(t, err)
	check.Equal(t, s.Values(), []float64{0.25, math.Inf(-1)}, "change")
}
