package warp

import (
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// Our choices of what is decent, "around 75 %", "100 %" and visible.
const (
	around75Low  = 0.65
	around75High = 0.85
	half         = 0.5 // of the steps that are not had for nothing
	hundred      = 0.995
	eighty       = 0.8
	onePoint     = 0.01
	mostSteps    = 0.9 // a network has learned something if it is right at so many
)

const (
	generalizing = "Appendix A, On the generalization capacity of recurrent architectures"
	underAll     = "; so at both rates, and with test sequences as short as those trained on and of ten warps"
	notForFree   = "an accuracy counts as a share of the steps that always answering the dummy gets wrong"

	// What is measured, for a statement.
	accuracyTrained = "accuracy on the warps trained on"
	accuracy10      = "accuracy at 10 times"
	of10            = "right at 10 times of what the dummy gets wrong"
	ofAll           = "right on average over all warps of what the dummy gets wrong"
	lostFrom8To10   = "lost from 8 to 10 times of what the dummy gets wrong"
	lostBeyond      = "lost from the warps trained on to 10 times of what the dummy gets wrong"
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "warp/fig5.networks.decent", Where: generalizing,
			Says: "Even with warps 10 times longer than trained on, all networks still have decent accuracy.",
			Criterion: "plain, leaky and chrono RNNs at 10 times: the accuracy is at least 65 %, and at least half of the steps that " +
				"always answering the dummy gets wrong are right" + underAll,
			Judge: underEveryReading(lengths, decent),
		}, {
			ID: "warp/fig5.networks.not-perfect", Where: generalizing,
			Says:      "No network generalizes perfectly.",
			Criterion: "plain, leaky and chrono RNNs at 10 times: the accuracy is at most 99.5 %" + underAll,
			Judge:     underEveryReading(lengths, notPerfect),
		}, {
			ID: "warp/fig5.chrono.from-100-to-75", Where: generalizing,
			Says:      "Accuracy decreases from 100 % to around 75 % (in chrono RNNs, for plain ones never have 100 %).",
			Criterion: "chrono: the accuracy is at least 99.5 % on the warps trained on, and 65 to 85 % at 10 times" + underAll,
			Judge:     underEveryReading(lengths, from100To75),
		}, {
			ID: "warp/fig5.rnn.below-80", Where: generalizing,
			Says:      "Plain RNNs are below 80 % even within the training range.",
			Criterion: "rnn: the accuracy is at most 80 % on the warps trained on; so at both rates",
			Judge:     underEveryReading(lengths[:1], below80),
		}, {
			ID: "warp/fig5.chrono.better-than-rnn", Where: generalizing,
			Says:      "Overall, gated RNNs perform better than plain ones.",
			Criterion: "averaged over all test warps: every chrono trial is above every RNN, by a point on average; " + notForFree + underAll,
			Judge:     underEveryReading(lengths, isLower(plain, chronoArm, ofAll, overall)),
		}, {
			ID: "warp/fig5.chrono.falls-faster", Where: generalizing,
			Says: "With warps 8 to 10 times longer than trained on, gated RNNs' performance decreases faster than plain ones'.",
			Criterion: "from 8 to 10 times, every chrono trial loses more than every RNN, by a point on average; " + notForFree +
				underAll,
			Judge: underEveryReading(lengths, isLower(plain, chronoArm, lostFrom8To10, lostFrom8)),
		}, {
			ID: "warp/fig5.rnn.flatter", Where: generalizing,
			Says: "Beyond the training range, plain RNNs have a flatter performance.",
			Criterion: "from the warps trained on to 10 times, every RNN loses less than every chrono trial, by a point on average; " +
				notForFree + underAll,
			Judge: underEveryReading(lengths, isLower(plain, chronoArm, lostBeyond, lost)),
		},
	}
}

func decent(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range theirs {
		answers = append(answers, claim.AtLeast(n.of(arm).at10, around75Low), claim.AtLeast(n.of(arm).share10, half))
	}
	return finding(claim.Every(answers...), n.found(accuracy10, at10, everyArm...)+"; "+n.found(of10, share10, everyArm...), someTrials)
}

func notPerfect(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range theirs {
		answers = append(answers, claim.AtMost(n.of(arm).at10, hundred))
	}
	return finding(claim.Every(answers...), n.found(accuracy10, at10, everyArm...), someTrials)
}

func from100To75(n networks) claim.Finding {
	c := n.of(chronoArm)
	answer := claim.Every(claim.AtLeast(c.trained, hundred), claim.AtLeast(c.at10, around75Low), claim.AtMost(c.at10, around75High))
	return finding(answer, n.found(accuracyTrained, trained, everyArm...)+"; "+n.found(accuracy10, at10, everyArm...), someTrials)
}

func below80(n networks) claim.Finding {
	return finding(claim.AtMost(n.of(plain).trained, eighty), n.found(accuracyTrained, trained, everyArm...), someTrials)
}

// isLower judges that what is measured of one arm is visibly lower than of another.
func isLower(a, b, what string, of func(network) record.Spread) func(networks) claim.Finding {
	return func(n networks) claim.Finding {
		answer := claim.Below(of(n.of(a)), of(n.of(b)), onePoint)
		return finding(answer, n.found(what, of, everyArm...), "less than one point apart, or their trials overlap")
	}
}
