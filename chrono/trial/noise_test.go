package trial

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/internal/check"
)

func noiseOf(t *testing.T, batches Batches, n int) []float32 {
	t.Helper()
	inputs, _, err := batches.Batch(n)
	check.OK(t, err)
	return tensors.MustCopyFlatData[float32](inputs[len(inputs)-1])
}

// Noise leaves the data as they are, and is a function of seed, split, batch and place alone: the same when begun
// anywhere, alone or among others; and no two places, batches, splits or seeds have the same.
func TestNoise(t *testing.T) {
	const width, batch = 3, 4
	// Passes over 8: two batches each.
	data := Sampled[task.Regression]{[]task.Regression{task.Adding{T: 6}}, "train", batch, 8}
	noisy := Noise{data, width, "train"}
	seeds := []uint64{5, 6}
	if b, steps := noisy.Shape(); b != batch || steps != 6 {
		t.Errorf("Shape is %d, %d", b, steps)
	}
	seen := map[float32]bool{}
	for n := range 4 {
		inputs, labels, err := open(t, noisy, seeds...).Batch(n)
		check.OK(t, err)
		plain, plainLabels, err := open(t, data, seeds...).Batch(n)
		check.OK(t, err)
		if len(inputs) != 2 || !inputs[0].Equal(plain[0]) || len(labels) != 1 || !labels[0].Equal(plainLabels[0]) {
			t.Error("the data are not what they are without noise")
		}
		if got := inputs[1].Shape().String(); got != "(Float32)[2, 4, 3]" {
			t.Fatalf("noise is %s", got)
		}
		noise := tensors.MustCopyFlatData[float32](inputs[1])
		for _, v := range noise {
			if seen[v] {
				t.Errorf("batch %d: %g a second time", n, v)
			}
			seen[v] = true
		}
		own := noise[batch*width:] // of the last trial
		check.Equal(t, noiseOf(t, open(t, noisy, seeds[1]), n), own, "batch %d: %v among others", n, own)
		for _, v := range noiseOf(t, open(t, Noise{data, width, "samples"}, seeds...), n) {
			if seen[v] {
				t.Errorf("batch %d: two splits share %g", n, v)
			}
		}
		none := noiseOf(t, open(t, NoNoise{data, width}, seeds...), n)
		check.Equal(t, none, make([]float32, len(seeds)*batch*width), "batch %d: NoNoise", n)
	}
}

// 40,000 numbers have the first four moments of a standard normal distribution, within five standard errors.
func TestNoiseIsNormal(t *testing.T) {
	data := Sampled[task.Regression]{[]task.Regression{task.Adding{T: 2}}, "train", 100, 0}
	noise := noiseOf(t, open(t, Noise{data, 400, "train"}, 1), 0)
	for power, want := range map[int]struct{ moment, variance float64 }{1: {0, 1}, 2: {1, 2}, 3: {0, 15}, 4: {3, 96}} {
		var mean float64
		for _, v := range noise {
			mean += math.Pow(float64(v), float64(power)) / float64(len(noise))
		}
		if math.Abs(mean-want.moment) > 5*math.Sqrt(want.variance/float64(len(noise))) {
			t.Errorf("moment %d is %g, want %g", power, mean, want.moment)
		}
	}
}
