package task

import "math"

// CopyMemoryless is the mean cross entropy per step, in nats, of the best model that knows when to say what but nothing of
// the letters: 10·log 8/(T+20) (W Section 3). It guesses among eight letters at ten steps, and is sure of the dummies. It is the same
// for [Copy] and [VariableCopy].
func CopyMemoryless(t int) float64 {
	return CopyLength * math.Log(CopyLetters) / float64(t+2*CopyLength)
}

// AddingMemoryless is the mean squared error of always answering 1, the mean of the sum of two uniform numbers: the sum's variance,
// 2/12 ≈ 0.167 (W Section 3).
func AddingMemoryless() float64 { return 2. / 12 }

// BestLoss is the mean cross entropy per step, in nats, of the best model there can be for [Warp] and [Pad], uniform or variable, at
// any size: nothing in their targets is left to chance. What a variable warping hides is when the next character comes;
// but it shows at the very step whose target changes with it. And while the first lasts, the target is the dummy, which is
// right as long as no change was seen.
const BestLoss = 0

// WarpMemoryless is the mean cross entropy per step, in nats, of the best model that sees only the current symbol. Whatever that is, the
// target is the dummy with the probability p that a step belongs to the first character, and else each of the
// eight other characters alike: the loss is h(p) + (1−p)·log 8, where h is the entropy of a yes or no.
func WarpMemoryless(w Warp) float64 {
	inFirst := 0.0 // the expected number of steps that the first character takes, if it is not cut off
	for steps := w.Min; steps <= w.Max; steps++ {
		inFirst += float64(min(steps, w.Length))
	}
	inFirst /= float64(w.Max - w.Min + 1)
	return guess(inFirst / float64(w.Length))
}

// PadMemoryless is the mean cross entropy per step, in nats, of the best model that sees only the current symbol. It is sure of the zeros.
// Of the n characters expected in a sequence, one is the first, so its loss is n/Length times that of [WarpMemoryless] with p = 1/n.
func PadMemoryless(p Pad) float64 {
	n := p.characters()
	return n / float64(p.Length) * guess(1/n)
}

// characters is the expected number of characters in a sequence. Character by character, the steps at which one stands are a renewal
// process: at[t], the probability of one at step t, is the mean of at[t−d] over the distances d = Min+1 … Max+1.
func (p Pad) characters() float64 {
	at := make([]float64, p.Length)
	at[0] = 1
	sum, window := 1.0, 0.0 // window: the sum of at over the steps from t−Max−1 to t−Min−1
	for t := 1; t < p.Length; t++ {
		if t > p.Min {
			window += at[t-p.Min-1]
		}
		if t > p.Max+1 {
			window -= at[t-p.Max-2]
		}
		at[t] = window / float64(p.Max-p.Min+1)
		sum += at[t]
	}
	return sum
}

// guess is the entropy, in nats, of a target that is the dummy with probability p, and else one of eight characters.
func guess(p float64) float64 {
	loss := (1 - p) * math.Log(WarpCharacters-1)
	for _, q := range []float64{p, 1 - p} {
		if q > 0 {
			loss -= q * math.Log(q)
		}
	}
	return loss
}
