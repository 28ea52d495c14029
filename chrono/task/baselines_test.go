package task

import (
	"math"
	"slices"
	"testing"
)

// predictor predicts targets from nothing but a feature of the step.
type predictor struct {
	task    Symbols
	feature func(in []int32, t int) int
	counts  map[[2]int]float64 // of feature and target
	totals  map[int]float64    // of the feature
}

// fit makes the best predictor there is on sequences first … first+n−1: it predicts the frequencies of the targets there.
func fit(task Symbols, feature func(in []int32, t int) int, first, n int) predictor {
	p := predictor{task, feature, map[[2]int]float64{}, map[int]float64{}}
	for k := first; k < first+n; k++ {
		in, out := sample(task, k)
		for t, target := range out {
			f := feature(in, t)
			p.counts[[2]int{f, int(target)}]++
			p.totals[f]++
		}
	}
	return p
}

// loss is the predictor's mean cross entropy per step on sequences first … first+n−1, and the standard error of that mean.
func (p predictor) loss(first, n int) (mean, standardError float64) {
	sum, squares := 0.0, 0.0
	for k := first; k < first+n; k++ {
		in, out := sample(p.task, k)
		loss := 0.0
		for t, target := range out {
			f := p.feature(in, t)
			loss -= math.Log(p.counts[[2]int{f, int(target)}]/p.totals[f]) / float64(len(out))
		}
		sum += loss
		squares += loss * loss
	}
	mean = sum / float64(n)
	return mean, math.Sqrt(max(0, squares/float64(n)-mean*mean) / float64(n))
}

// Each baseline, against the best predictor there is for the knowledge that it allows. On the sequences that it was fitted to, the
// predictor is expected to be a little better than any can be in general, and on others a little worse: the baseline must lie between,
// to four standard errors.
func TestMemorylessLosses(t *testing.T) {
	// A model without memory of the letters knows how many steps ago the signal was: 1 … 10 where a letter is due.
	sinceSignal := func(in []int32, t int) int {
		if signal := slices.Index(in[:t], CopySignal); signal >= 0 && t-signal <= CopyLength {
			return t - signal
		}
		return 0
	}
	symbol := func(in []int32, t int) int { return int(in[t]) }
	for _, c := range []struct {
		task    Symbols
		want    float64
		feature func(in []int32, t int) int
	}{
		{Copy{1}, CopyMemoryless(1), sinceSignal},
		{Copy{60}, CopyMemoryless(60), sinceSignal},
		{VariableCopy{60}, CopyMemoryless(60), sinceSignal},
		{Warp{500, 1, 1}, WarpMemoryless(Warp{500, 1, 1}), symbol},
		{Warp{500, 30, 30}, WarpMemoryless(Warp{500, 30, 30}), symbol},
		{Warp{500, 1, 50}, WarpMemoryless(Warp{500, 1, 50}), symbol},
		{Warp{100, 60, 120}, WarpMemoryless(Warp{100, 60, 120}), symbol}, // some sequences have only one character
		{Pad{500, 0, 0}, PadMemoryless(Pad{500, 0, 0}), symbol},
		{Pad{500, 30, 30}, PadMemoryless(Pad{500, 30, 30}), symbol},
		{Pad{500, 1, 50}, PadMemoryless(Pad{500, 1, 50}), symbol},
		{Pad{40, 0, 60}, PadMemoryless(Pad{40, 0, 60}), symbol},
	} {
		n := 300_000 / c.task.Steps()
		best := fit(c.task, c.feature, 0, n)
		low, lowError := best.loss(0, n)
		high, highError := best.loss(n, n)
		if !(c.want > low-4*lowError && c.want < high+4*highError) {
			t.Errorf("%s: the best predictor has loss %.5f ± %.5f where fitted and %.5f ± %.5f elsewhere, the baseline is %.5f",
				c.task.Name(), low, lowError, high, highError, c.want)
		}
		if high-low > 0.05*c.want+8*highError { // else the two would hardly bound it
			t.Errorf("%s: too few sequences: %.5f where fitted, %.5f elsewhere", c.task.Name(), low, high)
		}
	}
	// One character alone, whose target is the dummy throughout: nothing to guess.
	if got := WarpMemoryless(Warp{10, 10, 20}); got != 0 {
		t.Errorf("a single character: WarpMemoryless %v, want 0", got)
	}
	if got := PadMemoryless(Pad{10, 10, 20}); got != 0 {
		t.Errorf("a single character: PadMemoryless %v, want 0", got)
	}
}

// The paper gives the formula 10·log 8/(T+20).
func TestCopyMemorylessFigures(t *testing.T) {
	for T, want := range map[int]float64{500: 0.0400, 2000: 0.0103} {
		if got := CopyMemoryless(T); math.Abs(got-want) > 0.00005 {
			t.Errorf("CopyMemoryless(%d) = %.5f, want %.4f", T, got, want)
		}
	}
}
