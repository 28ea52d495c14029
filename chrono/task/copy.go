package task

import (
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// The alphabet of the copy tasks, ten characters numbered from 0: the eight letters are 0 to 7, the paper's ninth
// character, the dummy, is 8, and its tenth, the signal, 9.
const (
	CopyLetters = 8  // letters that can be drawn: 0 … 7
	CopyDummy   = 8  // stands where there is nothing to read or to say
	CopySignal  = 9  // the signal to output the letters now
	CopyLength  = 10 // letters in a sequence
)

const copyAlphabet = 10

// Copy is the copy task of W Section 3, after Hochreiter & Schmidhuber 1997 and Arjovsky et al. 2016: remember ten
// letters. Sequences have T+20 steps:
//
//	step     0 … 9     10 … T+8   T+9      T+10 … T+19
//	input    letters   dummies    signal   dummies
//	target   dummies   dummies    dummy    the letters, in order
//
// The letters are uniform and independent. Both input and target have the alphabet of ten, although the target never is
// the signal. The loss counts every step.
type Copy struct {
	// T is 1 or more: T−1 dummies stand between the letters and the signal. The paper calls this “remembering an input
	// sequence for exactly T timesteps”; each letter is said T+10 steps after it was read.
	T int
}

func (c Copy) Steps() int    { return c.T + 2*CopyLength }
func (c Copy) Alphabet() int { return copyAlphabet }
func (c Copy) Classes() int  { return copyAlphabet }

// Memoryless returns 10·log 8/(T+20) (W Section 3), the loss of the best model that knows when to output letters but
// not which ones: it guesses among eight at ten steps, and is certain of the dummies.
func (c Copy) Memoryless() float64 {
	return CopyLength * math.Log(CopyLetters) / float64(c.Steps())
}

func (c Copy) Validate() error { return checkSize("copy", "T", c.T, 1, MaxSteps) }

func (c Copy) Sample(rng *rand.Rand, in, out []int32) { sampleCopy(rng, c.T-1, in, out) }

// sampleCopy draws a sequence with that many dummies between the last letter and the signal.
func sampleCopy(rng *rand.Rand, between int, in, out []int32) {
	given.RNG(rng)
	for t := range in {
		in[t], out[t] = CopyDummy, CopyDummy
	}
	for i := range CopyLength {
		in[i] = rng.Int32N(CopyLetters)
	}
	signal := CopyLength + between
	in[signal] = CopySignal
	copy(out[signal+1:], in[:CopyLength])
}
