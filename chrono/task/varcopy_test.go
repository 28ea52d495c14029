package task

import (
	"slices"
	"testing"
)

// W: "the number of characters between the end of the sequence to copy and the signal character is drawn at random
// between 1 and T".
func TestVariableCopyCharactersBetweenAreUniform(t *testing.T) {
	const T = 25
	counts := make([]int, T)
	byLetter := make([]int, 2*CopyLetters) // is the number independent of the letters?
	for k := range 10_000 {
		in, _ := sample(VariableCopy{T: T}, k)
		between := slices.Index(in, CopySignal) - 10
		counts[between-1]++
		if between <= 10 {
			byLetter[in[9]]++
		} else if between <= 20 {
			byLetter[CopyLetters+in[9]]++
		}
	}
	uniformly(t, "characters between", counts)
	uniformly(t, "characters between and letter, together", byLetter)
}
