package task

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// Numbers of [0, 1) and a mark in each half of the steps; the target is the sum of the marked ones.
func TestAddingFollowsTheDefinition(t *testing.T) {
	for _, T := range []int{2, 3, 4, 5, 17, 200, 750} {
		task := Adding{T}
		check.Equal(t, []int{task.Steps(), task.Features()}, []int{T, 2}, "steps and features")
		in, target := make([]float32, 2*T), make([]float32, 1)
		for k := range 200 {
			for i := range in {
				in[i] = -1 // what was there before must not matter
			}
			task.Sample(chrono.RNG(1, T, k), in, target)
			numbers, marks := make([]float32, T), make([]float32, T)
			for step := range T {
				numbers[step], marks[step] = in[2*step], in[2*step+1]
			}
			first, second := slices.Index(marks[:T/2], 1), T/2+slices.Index(marks[T/2:], 1)
			want := make([]float32, T)
			want[max(first, 0)], want[second] = 1, 1
			sum := numbers[max(first, 0)] + numbers[second]
			check.Must(t, second >= T/2 && slices.Equal(marks, want) && slices.Min(numbers) >= 0 &&
				slices.Max(numbers) < 1 && target[0] == sum, "T=%d: %v, marks %v, target %v", T, numbers, marks, target)
		}
	}
}
