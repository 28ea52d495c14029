package task

import (
	"cmp"
	"math/rand/v2"
)

// VariableCopy is the variable copy task of W Section 3, after Henaff et al. 2016: as [Copy], except that the signal
// may come at any time. The number N of characters between the last letter and the signal is uniform in 1 … T and
// drawn anew for each sequence:
//
//	step     0 … 9     10 … N+9   N+10     N+11 … N+20   N+21 … T+20
//	input    letters   dummies    signal   dummies       dummies
//	target   dummies   dummies    dummy    letters       dummies
//
// It is our choice that all sequences have T+21 steps, whatever N is, and that dummies follow the output in both input
// and target. This makes batches rectangular, and the longest case, N = T, equal to Copy{T+1}. The loss counts every
// step.
type VariableCopy struct {
	T int // the most characters between the last letter and the signal, 1 or more

	// Between, if not 0, is N in every sequence, 1 … T, to measure how the loss of a model trained with a varying N
	// depends on it.
	Between int
}

func (c VariableCopy) Steps() int    { return c.T + 1 + 2*CopyLength }
func (c VariableCopy) Alphabet() int { return copyAlphabet }
func (c VariableCopy) Classes() int  { return copyAlphabet }

// Memoryless returns 10·log 8/(T+21), the loss of the best model that sees the signal, but knows nothing of the
// letters: see [Copy.Memoryless].
func (c VariableCopy) Memoryless() float64 { return Copy{T: c.T + 1}.Memoryless() }

func (c VariableCopy) Validate() error {
	return cmp.Or(checkSize("variable copy", "T", c.T, 1, MaxSteps),
		checkSize("variable copy", "Between", c.Between, 0, c.T))
}

func (c VariableCopy) Sample(rng *rand.Rand, in, out []int32) {
	between := c.Between
	if between == 0 {
		between = uniform(rng, 1, c.T)
	}
	sampleCopy(rng, between, in, out)
}
