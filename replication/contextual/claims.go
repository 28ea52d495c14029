package contextual

import ()

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

const solvedShare = 0.1

// Why a claim is inconclusive.
const (
	someTrials   = "only some trials meet the rule"
	uncertain    = "the order of their means is not certain"
	closeOrMixed = "less than a tenth apart, or their trials overlap"
)

// inItsInterval is how before decides.
const inItsInterval = "all of the 95 % interval of the ratio; if a trial does not get there, the ratios of all pairs " +
	"of trials"
