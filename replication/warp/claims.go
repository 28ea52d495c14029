package warp

import (
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

// Losses count as shares of what there is to remember: 0 is the best model's, 1 that of the best without memory.
const (
	visibleShare = 0.05 // a smaller difference is none: a loss of at most this share is perfect
	farRatio     = 0.5  // one loss is far below another if it is at most half of it
)

// bothRates ends the criterion of a claim for which the paper names no learning rate.
const bothRates = "; so at each of the two rates at which anything is learned"

// someTrials is why a claim is inconclusive if not all trials say the same.
const someTrials = "it is so in some trials only"

var standardArm, chronoArm = initializations[0].Name, initializations[1].Name

// atLeast answers whether a value is enough in every trial. It is contradicted only if every trial's is at most little.
func atLeast(s record.Spread, enough, little float64) claim.Answer {
	switch {
	case s.Min >= enough:
		return claim.Reproduced
	case s.Max <= little:
		return claim.Contradicted
	}
	return claim.Inconclusive
}

// farBelow answers whether shares a are visibly below shares b, in every trial, and on average at most half of them.
// They are not if b is visibly below a.
func farBelow(a, b record.Spread) claim.Answer {
	answer := claim.Below(a, b, visibleShare)
	if answer == claim.Reproduced && a.Mean > farRatio*b.Mean {
		return claim.Inconclusive
	}
	return answer
}
