package warp

import "github.com/warptime/warptime/replication/claim"

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
	shortAndLong = bothRates + ", in short tests (as long as in training) and in long ones (ten of the longest warp)" +
		", with chrono's Tmax as trained and as tested"
	shared = "accuracies as shares of what always answering the dummy gets wrong: "
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "warp/fig5.networks.decent", Where: generalizing,
			Says: "Even with warps 10 times longer than trained on, all networks still have decent accuracy.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at least 65 %, and at least half of " +
				"what always answering the dummy gets wrong is right (its share)" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, decent),
		}, {
			ID: "warp/fig5.networks.not-perfect", Where: generalizing,
			Says:      "No network generalizes perfectly.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at most 99.5 %" + shortAndLong,
			Judge:     underEveryReading(lengths, tmaxes, notPerfect),
		}, {
			ID: "warp/fig5.chrono.from-100-to-75", Where: generalizing,
			Says: "Accuracy decreases from 100 % to around 75 %.",
			Criterion: "chrono, since plain RNNs are said never to be perfect: at least 99.5 % on the warps trained " +
				"on, and 65 to 85 % at 10 times" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, from100To75),
		}, {
			ID: "warp/fig5.rnn.below-80", Where: generalizing,
			Says:      "Plain RNNs are below 80 % even within the training range.",
			Criterion: "rnn: accuracy of at most 80 % on the warps trained on" + bothRates,
			Judge:     underEveryReading(lengths[:1], tmaxes[:1], below80),
		}, {
			ID: "warp/fig5.chrono.better-than-rnn", Where: generalizing,
			Says: "Overall, gated RNNs perform better than plain ones.",
			Criterion: shared + "averaged over all test warps, every chrono trial is above every plain RNN, on " +
				"average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(overall)),
		}, {
			ID: "warp/fig5.chrono.falls-faster", Where: generalizing,
			Says: "With warps 8 to 10 times longer than trained on, gated RNNs lose accuracy faster than plain ones.",
			Criterion: shared + "from 8 to 10 times, every chrono trial loses more than every plain RNN, on average " +
				"by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lostFrom8)),
		}, {
			ID: "warp/fig5.rnn.flatter", Where: generalizing,
			Says: "Beyond the training range, plain RNNs have a flatter performance.",
			Criterion: shared + "from the warps trained on to 10 times, every plain RNN loses less than every chrono " +
				"trial, on average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lost)),
		},
	}
}

func decent(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		of := n.arms[arm]
		answers = append(answers, claim.AtLeast(of.at10, around75Low), claim.AtLeast(of.share10, half))
	}
	return claim.Found(claim.Every(answers...), n.found(at10, share10), someTrials)
}

func notPerfect(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		answers = append(answers, claim.AtMost(n.arms[arm].at10, hundred))
	}
	return claim.Found(claim.Every(answers...), n.found(at10), someTrials)
}

func from100To75(n networks) claim.Finding {
	of := n.arms[n.chrono]
	around75 := claim.Every(claim.AtLeast(of.at10, around75Low), claim.AtMost(of.at10, around75High))
	return claim.Found(claim.Every(claim.AtLeast(of.trained, hundred), around75), n.found(trained, at10), someTrials)
}

func below80(n networks) claim.Finding {
	return claim.Found(claim.AtMost(n.arms[plain].trained, eighty), n.found(trained), someTrials)
}

// chronoAbovePlain judges that a quantity of the chrono network is visibly above the plain RNN's.
func chronoAbovePlain(q quantity) func(networks) claim.Finding {
	return func(n networks) claim.Finding {
		answer := claim.Below(q.of(n.arms[plain]), q.of(n.arms[n.chrono]), onePoint)
		return claim.Found(answer, n.found(q), "less than one point apart, or their trials overlap")
	}
}
