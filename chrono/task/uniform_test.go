package task

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// What sequences have is uniform, by a χ² test at the level 0.001, at each place and together with what else they have.
// The seeds are fixed, so that a test that passes keeps passing.
func TestSequencesAreUniform(t *testing.T) {
	symbols := func(task Symbols, k int) []int {
		in, _ := sample(task, k)
		return integers(in)
	}
	sums := func(k int) (marks, numbers []int) {
		const T = 21
		in := make([]float32, 2*T)
		Adding{T}.Sample(chrono.RNG(1, k), in, make([]float32, 1))
		for step := range T {
			if numbers = append(numbers, int(50*in[2*step])); in[2*step+1] == 1 {
				marks = append(marks, step)
			}
		}
		return marks, numbers
	}
	questions := func(k int) []int {
		in, _ := question(Retrieval{4}, k)
		return integers(in)
	}
	for what, c := range map[string]struct {
		values int
		of     func(k int) []int // of sequence k, each below values
	}{
		"the first two letters, together": {CopyLetters * CopyLetters, func(k int) []int {
			in := symbols(Copy{1}, k)
			return []int{in[0]*CopyLetters + in[1]}
		}},
		// W: "the number of characters between the end of the sequence to copy and the signal character is drawn at
		// random between 1 and T".
		"characters between and the last letter, together": {25 * CopyLetters, func(k int) []int {
			in := symbols(VariableCopy{T: 25}, k)
			return []int{(slices.Index(in, CopySignal)-CopyLength-1)*CopyLetters + in[CopyLength-1]}
		}},
		"the first character of a warping": {WarpCharacters, func(k int) []int {
			return []int{symbols(Warp{20, 1, 1}, k)[0] - 1}
		}},
		// Two characters always fit in the sequence, so that cutting off does not favour short ones.
		"steps of the first two characters, together": {8 * 8, func(k int) []int {
			in, _ := sample(Warp{3 * 9, 2, 9}, k)
			all := runs(in)
			return []int{(all[0].steps-2)*8 + all[1].steps - 2}
		}},
		"steps of the characters of a uniform warping": {8, func(k int) []int {
			in, _ := sample(UniformWarp{2 * 9, 2, 9}, k)
			return []int{runs(in)[0].steps - 2}
		}},
		"zeros after the first character": {8, func(k int) []int {
			in := symbols(Pad{9, 0, 7}, k) // long enough for the first two, however far apart
			return []int{slices.IndexFunc(in[1:], func(symbol int) bool { return symbol != WarpDummy })}
		}},
		"marks in the two halves of 21 steps, together": {10 * 11, func(k int) []int {
			marks, _ := sums(k)
			return []int{marks[0]*11 + marks[1] - 10}
		}},
		"numbers to be added":             {50, func(k int) []int { _, numbers := sums(k); return numbers }},
		"the first letter of a retrieval": {RetrievalLetters, func(k int) []int { return questions(k)[:1] }},
		"the first two digits, together": {100, func(k int) []int {
			in := questions(k)
			return []int{10*(in[1]-RetrievalLetters) + in[3] - RetrievalLetters}
		}},
		"the initial value of a decay": {20, func(k int) []int { // x(0) ∼ U(2, 4)
			x, _, _ := drawn(lcd, k)
			_, high := lcd.XRange()
			return []int{min(19, int((unscaled(x[0], 0, high)/lcd.Height()-2)*10))}
		}},
		"the place asked for": {4, func(k int) []int {
			in := questions(k)
			return []int{slices.Index(in, in[len(in)-1]) / 2}
		}},
	} {
		const sequences = 10_000
		observed := make([]float64, c.values)
		for k := range sequences {
			for _, value := range c.of(k) {
				observed[value]++
			}
		}
		mean := floats.Sum(observed) / float64(c.values)
		expected := slices.Repeat([]float64{mean}, c.values)
		law := distuv.ChiSquared{K: float64(c.values - 1)}
		check.That(t, law.Survival(stat.ChiSquare(observed, expected)) >= 0.001, "%s: not uniform: %v", what, observed)
	}
}

func integers(in []int32) (out []int) {
	for _, symbol := range in {
		out = append(out, int(symbol))
	}
	return out
}
