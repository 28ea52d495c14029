package figures

import (
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// pixels draws the validation accuracies of networks that read images, beside the paper's own where the run is of the
// paper's size.
type pixels struct{ series }

// pixelAccuracies are those of Figure 6.
var pixelAccuracies = pixels{series{name: "valid_accuracy", percent: true, high: 102, levels: paperAccuracies}}

// facts say which images they are.
func (pixels) facts(r *record.Record) []string { return []string{warp.ImagesAt(r.Panel, r.Scale)} }

// paperAccuracies are the best ones that the paper gives, of permuted images only.
func paperAccuracies(p panel) []level {
	if p.Name != "pmnist" || p.records[0].Scale != record.Paper {
		return nil
	}
	var levels []level
	for _, arm := range p.Arms {
		levels = append(levels, level{"the paper's best, " + arm.Name, 100 * warp.PermutedBest[arm.Name]})
	}
	return levels
}
