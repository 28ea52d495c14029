package task

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Adding is the adding task of W Section 3, after Hochreiter & Schmidhuber 1997 and Arjovsky et al. 2016: add two
// numbers seen long ago. Each of the T steps has two inputs: a number uniform in [0, 1), and a mark. The mark is 0
// but for two steps, where it is 1: one uniform in the first half, steps 0 … ⌊T/2⌋−1, one uniform in the second,
// ⌊T/2⌋ … T−1. The target is the sum of the two marked numbers. The loss is the mean squared error.
type Adding struct {
	T int // steps, 2 or more
}

func (a Adding) Steps() int { return a.T }

// Features returns 2: the number, then the mark.
func (a Adding) Features() int { return 2 }

// Memoryless returns 2/12 ≈ 0.167, the loss of always answering 1, the mean of the sum of two uniform numbers: it is
// the sum's variance (W Section 3).
func (a Adding) Memoryless() float64 { return 2. / 12 }

func (a Adding) Validate() error { return checkSize("adding", "T", a.T, 2, MaxSteps) }

func (a Adding) Sample(rng *rand.Rand, in, target []float32) {
	given.RNG(rng)
	for t := range a.T {
		in[2*t], in[2*t+1] = rng.Float32(), 0
	}
	half := a.T / 2
	first, second := uniform(rng, 0, half-1), uniform(rng, half, a.T-1)
	in[2*first+1], in[2*second+1] = 1, 1
	target[0] = in[2*first] + in[2*second]
}
