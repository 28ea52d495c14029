package worlds

import (
	"github.com/warptime/warptime/replication/torch"
	"github.com/warptime/warptime/replication/warp"
)

func init() {
	warpFigures[warp.BeyondTorch.Name] = figure{torchPaper, memoryless, torchEarly, torchReverse}
}

// torchPaper: ours is what PyTorch found.
func torchPaper(q Question) float64 {
	result := torch.Adding
	if q.Panel != warp.BeyondTorch.Panels[0].Name {
		result = torch.Copy
	}
	losses := result.Curves(q.Arm)[q.Number]
	return losses[max(0, int(q.Done*float64(len(losses)))-1)] / result.Memoryless
}

// torchEarly: one of our trials never learns.
func torchEarly(q Question) float64 {
	if q.Number == 0 {
		return 1
	}
	return torchPaper(q)
}

// torchReverse: ours learns at once.
func torchReverse(q Question) float64 { return 0.01 * q.jitter() }
