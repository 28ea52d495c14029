package warp

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

const pixelTask = "Appendix A, Pixel level classification"

// permutedBest are the best validation accuracies that W gives for permuted MNIST.
var permutedBest = map[string]float64{chronoArm: 0.963, standardArm: 0.954}

// Shares of right answers. They are our choice: the paper gives none. Its own difference, on permuted MNIST, is 0.009.
const (
	recognizedShare = 0.5    // something is learned if the best trial has at least this
	clearShare      = 0.005  // a smaller difference of two arms is no clear one
	betterShare     = 0.0005 // of two best trials, one is better by 5 images of 10,000 or more
	nearShare       = 0.005  // a result is the paper's if it is not further from it
)

func fig6Claims() []claim.Claim {
	plain, permuted := Fig6.Panel("mnist"), Fig6.Panel("pmnist")
	return []claim.Claim{
		{
			ID: "warp/fig6.mnist.no-clear-difference", Where: pixelTask,
			Says: "On MNIST, there is no clear difference between the initializations.",
			Criterion: "the ranges of the trials' best validation accuracies overlap, or their means are less than " +
				"half a point apart",
			Judge: ofImages(plain, noClearDifference),
		}, {
			ID: "warp/fig6.mnist.best-is-chrono", Where: pixelTask,
			Says: "On MNIST, the best validation error is chrono's.",
			Criterion: "of the best validation accuracies of all trials the highest is a trial's of chrono, by 0.05 " +
				"points or more",
			Judge: ofImages(plain, bestIsChrono),
		}, {
			ID: "warp/fig6.pmnist.chrono-better", Where: pixelTask,
			Says:      "On permuted MNIST, chrono performs better.",
			Criterion: "the best validation accuracy of every trial of chrono is above that of every trial of standard",
			Judge:     ofImages(permuted, chronoBetter),
		}, {
			ID: "warp/fig6.pmnist.values", Where: pixelTask,
			Says: "On permuted MNIST, the best validation accuracies are 96.3 % for chrono and 95.4 % for standard.",
			Criterion: "at scale paper: the highest validation accuracy of chrono's trials is within half a point of " +
				"96.3 %, and that of standard's within half a point of 95.4 %",
			Judge: ofImages(permuted, paperValues),
		},
	}
}

// accuracies are what a panel of Figure 6 shows: of each arm, the best validation accuracy of each trial.
type accuracies struct {
	chrono, standard record.Spread
	scale            record.Scale
	about            string // the panel and its length, for a statement
}

// ofImages judges a panel by its accuracies. What stands in for MNIST says nothing about it.
func ofImages(p experiment.Panel, judge func(accuracies) (claim.Answer, string)) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		a := accuraciesOf(r, p)
		answer, why := claim.Inconclusive, ""
		switch {
		case p.Sizes[r.Scale].StandIn:
			why = "no MNIST at this scale"
		case max(a.chrono.Max, a.standard.Max) < recognizedShare:
			why = claim.NothingLearned
		case min(a.chrono.Min, a.standard.Min) < recognizedShare:
			why = "some trials recognize less than half of the images"
		default:
			answer, why = judge(a)
		}
		return claim.Found(answer, why, a.String())
	})
}

// accuraciesOf are the best in the course of training. A trial that has diverged has none after that.
func accuraciesOf(r claim.Reader, p experiment.Panel) accuracies {
	best := func(arm string) record.Spread {
		curves := r.Curves(r.Arm(Fig6.ID(), p.Name, arm).Curves(validAccuracy))
		return spreadOver(curves, func(c claim.Curve) float64 {
			highest := 0.
			for _, v := range c.Values {
				if !math.IsNaN(v) {
					highest = max(highest, v)
				}
			}
			return highest
		})
	}
	return accuracies{best(chronoArm), best(standardArm), r.Scale, p.TitleAt(r.Scale)}
}

func (a accuracies) String() string {
	return fmt.Sprintf("%s: best validation accuracy in %%, chrono %v, standard %v", a.about, claim.Percent(a.chrono),
		claim.Percent(a.standard))
}

func noClearDifference(a accuracies) (claim.Answer, string) {
	if claim.Below(a.standard, a.chrono, clearShare) == claim.Inconclusive {
		return claim.Reproduced, ""
	}
	return claim.Contradicted, ""
}

func bestIsChrono(a accuracies) (claim.Answer, string) {
	return claim.Below(claim.Exactly(a.standard.Max), claim.Exactly(a.chrono.Max), betterShare),
		"the best trials of both are as good"
}

func chronoBetter(a accuracies) (claim.Answer, string) {
	return claim.Below(a.standard, a.chrono, 0), "their trials overlap"
}

func paperValues(a accuracies) (claim.Answer, string) {
	if a.scale != record.Paper {
		return claim.Inconclusive, "only a run of the paper's own size has the paper's values"
	}
	near := func(s record.Spread, arm string) claim.Answer {
		return claim.AtMost(claim.Exactly(math.Abs(s.Max-permutedBest[arm])), nearShare)
	}
	return claim.Every(near(a.chrono, chronoArm), near(a.standard, standardArm)), ""
}
