package task

import "math/rand/v2"

// Pad is the padded form of the warping task, W Section 3: the text of [Warp], but each character lasts for one step
// and is followed by zeros. Their number is drawn for each character, uniform in Min … Max (uniform padding: Min = Max;
// variable padding: Min = 1). At a character, the target is the previous character, or the dummy at the first one. The
// zero and the dummy are the same symbol, 0. Sequences are cut off after Length steps. [PadText] shows the task on a
// text.
//
// Two definitions are our choice. The paper does not define the target where the input is zero. Here it is zero, and
// these steps count in the loss, so the target is the target of the unwarped task, padded as the input is. (The paper
// regards padding as a warping in continuous time, of an “input sequence that is nonzero at certain points in time
// only”.) And “padding of length n” means n zeros after each character, so one character every n+1 steps.
type Pad struct {
	Length   int // steps, 1 or more; 500 in the paper
	Min, Max int // the least and most zeros after a character, 0 ≤ Min ≤ Max
}

func (p Pad) Steps() int    { return p.Length }
func (p Pad) Alphabet() int { return warpAlphabet }
func (p Pad) Classes() int  { return warpAlphabet }

// Memoryless returns the loss of the best model that sees only the current symbol. It is sure of the zeros. Of the n
// characters expected in a sequence, one is the first, so its loss is n/Length times that of [Warp.Memoryless] with
// p = 1/n.
func (p Pad) Memoryless() float64 {
	n := p.characters()
	return n / float64(p.Length) * guess(1/n)
}

// characters is the expected number of characters in a sequence. Character by character, the steps at which one
// stands are a renewal process: at[t], the probability of one at step t, is the mean of at[t−d] over the distances d
// = Min+1 … Max+1.
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

func (p Pad) Validate() error { return checkSpan("pad", p.Length, p.Min, p.Max, 0) }

func (p Pad) Sample(rng *rand.Rand, in, out []int32) {
	previous := int32(WarpDummy)
	for t := 0; t < p.Length; {
		current := nextCharacter(rng, previous)
		t += strike(in[t:], out[t:], current, previous, WarpDummy, uniform(rng, p.Min, p.Max))
		previous = current
	}
}

// strike writes a character, its target, the character before, and that many zeros in both. It returns the steps
// written, fewer if in ends before.
func strike[E any](in, out []E, current, previous, zero E, zeros int) int {
	in[0], out[0] = current, previous
	return 1 + hold(in[1:], out[1:], zero, zero, zeros)
}

// PadText pads a text as [Pad] does a random one: character i is followed by zeros[i] times the symbol zero, in the
// input and in the target; the target's first character is zero too. It panics if there is not one entry of zeros per
// character, 0 or more.
func PadText(text string, zeros []int, zero rune) (in, out string) {
	return lay(text, zeros, zero, 1, func(in, out []rune, current, previous rune, n int) int {
		return strike(in, out, current, previous, zero, n)
	})
}
