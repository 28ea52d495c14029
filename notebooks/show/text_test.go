package show

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
)

// Symbols come as often as their logits say, also where exp of a logit is more than a float holds.
func TestDraw(t *testing.T) {
	const draws = 20_000
	rng, shares := chrono.RNG(1, "draw"), [3]float64{}
	for range draws {
		shares[Draw(rng, []float32{1000, 1000 + float32(math.Log(3)), -1000})] += 1. / draws
	}
	if math.Abs(shares[0]-0.25) > 0.02 || math.Abs(shares[1]-0.75) > 0.02 || shares[2] > 0 {
		t.Errorf("shares %v, want 1/4, 3/4 and 0", shares)
	}
}

func TestColumn(t *testing.T) {
	if got := Column([]int32{1, 2, 3, 4, 5, 6}, 1, 3); !slices.Equal(got, []int32{2, 5}) {
		t.Errorf("%v", got)
	}
	if got := Average([]float32{1, 2, 6}); got != 3 {
		t.Errorf("the mean is %g", got)
	}
}

func TestWriteReadsWhatItHasWritten(t *testing.T) {
	// The next symbol is the last one plus one for the first text, and plus two for the second.
	next := func(x []int32, t int) [][]float32 {
		logits := [][]float32{make([]float32, 9), make([]float32, 9)}
		for b := range logits {
			logits[b][x[2*t+b]+int32(b)+1] = 1000
		}
		return logits
	}
	x := Write(chrono.RNG(1, "test"), 2, 4, next)
	if want := []int32{0, 0, 1, 2, 2, 4, 3, 6}; !slices.Equal(x, want) {
		t.Errorf("%v, want %v", x, want)
	}
}
