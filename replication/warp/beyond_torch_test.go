package warp

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/torch"
)

// Networks with PyTorch's own losses agree with PyTorch's, however long training is taken to be.
func TestPyTorchAgreesWithItself(t *testing.T) {
	tasks := check.Got(BeyondTorch.Tasks(experiment.Options{Scale: record.Paper, Seed: 1}))(t)
	var records []*record.Record
	for _, task := range tasks {
		all := torch.Of(task.Panel.Name)
		curves := map[string][]claim.Curve{}
		records = append(records, made.Record(task, func(of record.Trial, done float64) float64 {
			if curves[of.Arm] == nil {
				curves[of.Arm] = torchCurves(claim.Source{}, task.Panel.Name, of.Arm)
			}
			c := curves[of.Arm][of.Number]
			return *of.Memoryless * c.Values[slices.Index(c.Updates, int(math.Round(done*float64(all.Updates))))]
		}))
	}
	set := BeyondTorch.Set()
	set.Claims[0].Rule = agree(torchAdding, 0.05) // which all chrono networks reach in the last fifth of training
	j := claim.Judge([]claim.Set{set}, records)[0]
	for _, row := range append(j.Rows, claim.Row{With: j.Verdict.With}) {
		check.Equal(t, row.With, yes, "%+v", row)
	}
}
