package task

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
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

// With as many characters between as there can be, it is the copy task of T+1, sequence for sequence.
func TestLongestVariableCopyIsACopy(t *testing.T) {
	for _, T := range []int{1, 7, 100} {
		variable, fixed := VariableCopy{T: T, Between: T}, Copy{T + 1}
		if variable.Steps() != fixed.Steps() || variable.Memoryless() != fixed.Memoryless() {
			t.Fatalf("T=%d: %d steps and memoryless loss %g, want those of %#v, %d and %g", T,
				variable.Steps(), variable.Memoryless(), fixed, fixed.Steps(), fixed.Memoryless())
		}
		in, out := make([]int32, T+21), make([]int32, T+21)
		wantIn, wantOut := make([]int32, T+21), make([]int32, T+21)
		for k := range 20 {
			variable.Sample(chrono.RNG(1, k), in, out)
			fixed.Sample(chrono.RNG(1, k), wantIn, wantOut)
			if !slices.Equal(in, wantIn) || !slices.Equal(out, wantOut) {
				t.Errorf("T=%d: %v, %v, want %v, %v", T, in, out, wantIn, wantOut)
			}
		}
	}
}
