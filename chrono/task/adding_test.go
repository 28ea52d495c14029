package task

import (
	"testing"

	"github.com/warptime/warptime/chrono"
)

func TestAddingFollowsTheDefinition(t *testing.T) {
	for _, T := range []int{2, 3, 4, 5, 17, 200, 750} {
		task := Adding{T}
		if task.Steps() != T || task.Features() != 2 {
			t.Fatalf("%d steps of %d features, want %d of 2", task.Steps(), task.Features(), T)
		}
		in, target := make([]float32, 2*T), make([]float32, 1)
		for k := range 200 {
			for i := range in {
				in[i] = -1 // what was there before must not matter
			}
			task.Sample(chrono.RNG(1, T, k), in, target)
			var marks, early int
			var sum float32
			for step := range T {
				number, mark := in[2*step], in[2*step+1]
				if number < 0 || number >= 1 {
					t.Fatalf("T=%d: number %v outside [0, 1)", T, number)
				}
				switch mark {
				case 0:
				case 1:
					marks++
					sum += number
					if step < T/2 {
						early++
					}
				default:
					t.Fatalf("T=%d: mark %v, want 0 or 1", T, mark)
				}
			}
			if marks != 2 || early != 1 {
				t.Fatalf("T=%d: %d marks, %d in the first half, want 2 and 1", T, marks, early)
			}
			if target[0] != sum {
				t.Fatalf("T=%d: target %v, want %v", T, target[0], sum)
			}
		}
	}
}
