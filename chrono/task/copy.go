package task

import (
	"fmt"
	"math/rand/v2"
)

// The alphabet of the copy tasks, ten characters numbered from 0: the eight letters are 0 to 7, the paper's ninth character,
// the dummy, is 8, and its tenth, the signal, 9.
const (
	CopyLetters = 8 // letters that can be drawn: 0 … 7
	CopyDummy   = 8 // stands where there is nothing to read or to say
	CopySignal  = 9 // tells the network to give its output now
	CopyLength  = 10
)

const copyAlphabet = 10

// Copy is the copy task of W Section 3, after Hochreiter & Schmidhuber 1997 and Arjovsky et al. 2016: remember ten letters for
// exactly T steps. Sequences have T+20 steps:
//
//	step     0 … 9     10 … T+8   T+9      T+10 … T+19
//	input    letters   dummies    signal   dummies
//	target   dummies   dummies    dummy    the letters, in order
//
// The letters are uniform and independent. Both input and target have the alphabet of ten, although the target never is the signal. The loss
// counts every step. It can be brought to 0; without memory of the letters, to [CopyMemoryless].
type Copy struct {
	T int // steps for which each letter must be remembered, 1 or more
}

// Name returns "copy T=…".
func (c Copy) Name() string { return fmt.Sprintf("copy T=%d", c.T) }

// Steps returns T+20.
func (c Copy) Steps() int { return c.T + 2*CopyLength }

// Alphabet returns 10.
func (c Copy) Alphabet() int { return copyAlphabet }

// Classes returns 10.
func (c Copy) Classes() int { return copyAlphabet }

// Validate refuses a T below 1 or above [MaxSteps].
func (c Copy) Validate() error { return checkSize("copy", "T", c.T, 1) }

// Sample draws a sequence.
func (c Copy) Sample(rng *rand.Rand, in, out []int32) { sampleCopy(rng, c.T, in, out) }

// sampleCopy draws a sequence whose signal stands distance steps after the last letter.
func sampleCopy(rng *rand.Rand, distance int, in, out []int32) {
	fill(in, CopyDummy)
	fill(out, CopyDummy)
	for i := range CopyLength {
		in[i] = rng.Int32N(CopyLetters)
	}
	signal := CopyLength - 1 + distance
	in[signal] = CopySignal
	copy(out[signal+1:], in[:CopyLength])
}
