package task

import (
	"math"
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

// The best constant is the mean of the targets, and its mean squared error their variance.
func TestAddingMemoryless(t *testing.T) {
	const n = 100_000
	task := Adding{10}
	in, target := make([]float32, 20), make([]float32, 1)
	sum, squares := 0.0, 0.0
	for k := range n {
		task.Sample(chrono.RNG(1, k), in, target)
		sum += float64(target[0])
		squares += float64(target[0]) * float64(target[0])
	}
	mean := sum / n
	// Standard errors: of the mean √(1/6n) = 0.0013, of the variance 0.0006. Four of each.
	if math.Abs(mean-1) > 0.005 {
		t.Errorf("the best constant is %.4f, want 1", mean)
	}
	if loss := squares/n - mean*mean; math.Abs(loss-task.Memoryless()) > 0.0025 {
		t.Errorf("loss of the best constant %.4f, Memoryless %.4f", loss, task.Memoryless())
	}
	if math.Abs(task.Memoryless()-0.167) > 0.0005 {
		t.Errorf("Memoryless %.4f, want the paper's 0.167", task.Memoryless())
	}
}
