package task

import (
	"fmt"
	"math/rand/v2"
)

// Adding is the adding task of W Section 3, after Hochreiter & Schmidhuber 1997 and Arjovsky et al. 2016: add two numbers seen long
// ago. Each of the T steps has two inputs: a number uniform in [0, 1), and a mark. The mark is 0 but for two steps, where it is 1: one
// uniform in the first half, steps 0 … ⌊T/2⌋−1, one uniform in the second, ⌊T/2⌋ … T−1. The target is the sum of
// the two marked numbers. The loss is the mean squared error; without memory it can be brought to [AddingMemoryless].
type Adding struct {
	T int // steps, 2 or more
}

// Name returns "adding T=…".
func (a Adding) Name() string { return fmt.Sprintf("adding T=%d", a.T) }

// Steps returns T.
func (a Adding) Steps() int { return a.T }

// Features returns 2: the number, then the mark.
func (a Adding) Features() int { return 2 }

// Validate refuses a T below 2 or above [MaxSteps].
func (a Adding) Validate() error { return checkSize("adding", "T", a.T, 2) }

// Sample draws a sequence.
func (a Adding) Sample(rng *rand.Rand, in, target []float32) {
	for t := range a.T {
		in[2*t], in[2*t+1] = rng.Float32(), 0
	}
	half := a.T / 2
	first, second := rng.IntN(half), half+rng.IntN(a.T-half)
	in[2*first+1], in[2*second+1] = 1, 1
	target[0] = in[2*first] + in[2*second]
}
