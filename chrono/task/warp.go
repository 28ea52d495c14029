package task

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// The alphabet of the warping tasks, ten symbols: the dummy, which is also the zero of the padded sequences, and nine
// characters, 1 to 9.
const (
	WarpDummy      = 0
	WarpCharacters = 9 // characters that can be drawn: 1 … 9
)

const warpAlphabet = WarpCharacters + 1

// Warp is the task of pure warping, W Section 3 and Figure 2: output the previous character of a random text that is
// played at a varying speed. Characters are uniform, except that neighbours differ. Each lasts for a number of steps
// uniform in Min … Max, drawn for each character; Min = Max is the paper's uniform warping, Min = 1 its variable one,
// and both larger and different is its test of generalization (Appendix A). Input and target are warped alike, so
// while a character lasts, the target is the character before it; while the first lasts, there is none, and the
// target is the dummy. The dummy is never an input. What does not fit in Length steps is cut off. [WarpText] shows it
// on a text. The loss counts every step. All targets are certain, even in a variable warping: neighbours differ, so the
// next character is visible at the very step at which the target changes.
type Warp struct {
	Length   int // steps, 1 or more; 500 in the paper
	Min, Max int // the least and most steps for which a character lasts, 1 ≤ Min ≤ Max
}

func (w Warp) Steps() int    { return w.Length }
func (w Warp) Alphabet() int { return warpAlphabet }
func (w Warp) Classes() int  { return warpAlphabet }

// Memoryless returns the loss of the best model that sees only the current symbol. With the probability p that a step
// belongs to the first character, the target is the dummy; otherwise it is one of the eight other characters with equal
// probability. This does not depend on the current symbol, so the loss is h(p) + (1−p)·log 8, where h is the binary
// entropy, in nats.
func (w Warp) Memoryless() float64 {
	inFirst := 0.0 // the expected number of steps that the first character takes, if it is not cut off
	for steps := w.Min; steps <= w.Max; steps++ {
		inFirst += float64(min(steps, w.Length))
	}
	inFirst /= float64(w.Max - w.Min + 1)
	return guess(inFirst / float64(w.Length))
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

func (w Warp) Validate() error { return checkSpan("warp", w.Length, w.Min, w.Max, 1) }

func (w Warp) Sample(rng *rand.Rand, in, out []int32) {
	previous := int32(WarpDummy)
	for t := 0; t < w.Length; {
		current := nextCharacter(rng, previous)
		t += hold(in[t:], out[t:], current, previous, uniform(rng, w.Min, w.Max))
		previous = current
	}
}

// hold writes a character that lasts for that many steps, and the target of those steps, the character before. It
// returns the steps written, fewer if in ends before.
func hold[E any](in, out []E, current, previous E, steps int) int {
	steps = min(steps, len(in))
	for t := range steps {
		in[t], out[t] = current, previous
	}
	return steps
}

// WarpText warps a text as [Warp] does a random one: character i lasts for steps[i] steps, in the input and in the
// target, and the target begins with the dummy. It panics if there is not one entry of steps per character, 0 or more.
func WarpText(text string, steps []int, dummy rune) (in, out string) {
	return lay(text, steps, dummy, 0, hold[rune])
}

// lay writes a text character by character. Each takes as many steps as its entry says, and extra.
func lay(text string, steps []int, dummy rune, extra int,
	write func(in, out []rune, current, previous rune, steps int) int) (string, string) {
	characters := []rune(text)
	if len(steps) != len(characters) {
		panic(fmt.Errorf("task: %d numbers of steps for %d characters", len(steps), len(characters)))
	}
	length := 0
	for i, n := range steps {
		if n < 0 {
			panic(fmt.Errorf("task: %d steps for character %d, want 0 or more", n, i))
		}
		length += n + extra
	}
	in, out := make([]rune, length), make([]rune, length)
	t, previous := 0, dummy
	for i, current := range characters {
		t += write(in[t:], out[t:], current, previous, steps[i])
		previous = current
	}
	return string(in), string(out)
}

// nextCharacter draws a character that differs from the previous one; after the dummy it may be any.
func nextCharacter(rng *rand.Rand, previous int32) int32 {
	given.RNG(rng)
	if previous == WarpDummy {
		return 1 + rng.Int32N(WarpCharacters)
	}
	// Go on from the previous one by 1 … 8 places, round a circle of 9.
	return 1 + (previous+rng.Int32N(WarpCharacters-1))%WarpCharacters
}

// uniform draws a number uniform in low … high.
func uniform(rng *rand.Rand, low, high int) int {
	given.RNG(rng)
	return low + rng.IntN(high-low+1)
}

// checkSpan checks the sizes that Warp and Pad share; a character takes at least low steps or zeros.
func checkSpan(task string, length, least, most, low int) error {
	return cmp.Or(checkSize(task, "Length", length, 1, MaxSteps), checkSize(task, "Min", least, low, MaxSteps),
		checkSize(task, "Max", most, least, MaxSteps))
}
