package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sums of equal numbers, whose roundings do not cancel, are off by a millionth at most.
func TestSumOfEqual(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(19, 20))
		a := make([]float32, 1<<24)
		worst := 0.0
		for round := range 3000 {
			n := round
			switch {
			case round%300 == 299:
				n = rng.IntN(len(a))
			case round > 2000:
				n = rng.IntN(20000)
			}
			x := 1 + rng.Float32()
			for i := range n {
				a[i] = x
			}
			want := float64(n) * float64(x)
			for _, got := range []float32{Sum(a[:n]), SumOf(a[:n])} {
				if n > 0 {
					worst = max(worst, math.Abs(float64(got)-want)/want)
				}
				if d := math.Abs(float64(got) - want); d > 1e-6*want {
					t.Fatalf("%d times %g: %g, want %g (off by %.1g)", n, x, got, want, d/want)
				}
			}
		}
		t.Log(worst)
	})
}
