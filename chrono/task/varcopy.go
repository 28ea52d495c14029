package task

import (
	"fmt"
	"math/rand/v2"
)

// VariableCopy is the variable copy task of W Section 3, after Henaff et al. 2016: as [Copy], except that the signal may come at any
// time. Its distance D to the last letter is uniform in 1 … T and drawn anew for each sequence:
//
//	step     0 … 9     10 … D+8   D+9      D+10 … D+19   D+20 … T+19
//	input    letters   dummies    signal   dummies       dummies
//	target   dummies   dummies    dummy    letters       dummies
//
// Two things are our choice. All sequences have T+20 steps, whatever D is, and what follows the output is dummies, in input and target: so
// batches are rectangular, the longest case, D = T, is the copy task, and the memoryless loss is the copy task's, [CopyMemoryless]. And D
// counts the steps from the last letter to the signal. The paper draws the number of characters *between* the two in
// 1 … T; read to the letter, that is D−1, and its longest case would be one step longer than the copy task, where T−1
// characters stand between.
type VariableCopy struct {
	T int // the largest distance from the last letter to the signal, 1 or more
}

// Name returns "variable copy T=…".
func (c VariableCopy) Name() string { return fmt.Sprintf("variable copy T=%d", c.T) }

// Steps returns T+20.
func (c VariableCopy) Steps() int { return c.T + 2*CopyLength }

// Alphabet returns 10.
func (c VariableCopy) Alphabet() int { return copyAlphabet }

// Classes returns 10.
func (c VariableCopy) Classes() int { return copyAlphabet }

// Validate refuses a T below 1 or above [MaxSteps].
func (c VariableCopy) Validate() error { return checkSize("variable copy", "T", c.T, 1) }

// Sample draws a sequence.
func (c VariableCopy) Sample(rng *rand.Rand, in, out []int32) {
	sampleCopy(rng, 1+rng.IntN(c.T), in, out)
}
