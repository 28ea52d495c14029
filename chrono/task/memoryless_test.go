package task

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// predictor predicts targets from nothing but a feature of the step.
type predictor struct {
	task    Symbols
	feature func(in []int32, t int) int
	counts  map[[2]int]float64 // of feature and target
	totals  map[int]float64    // of the feature
}

// fit makes the best predictor there is on sequences first … first+n−1: it predicts the frequencies of the targets
// there.
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

// loss is the predictor's mean cross entropy per step on sequences first … first+n−1, and the standard error of that
// mean.
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

// Each memoryless loss, against the best predictor there is for the knowledge that it allows. On the sequences that
// it was fitted to, the predictor is expected to be a little better than any can be in general, and on others a
// little worse: the memoryless loss must lie between, to four standard errors.
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
		feature func(in []int32, t int) int
	}{
		{Copy{1}, sinceSignal}, {Copy{60}, sinceSignal},
		{VariableCopy{60, 0}, sinceSignal}, {VariableCopy{60, 20}, sinceSignal}, {VariableCopy{1, 0}, sinceSignal},
		{Warp{500, 1, 1}, symbol}, {Warp{500, 30, 30}, symbol}, {Warp{500, 1, 50}, symbol},
		{Warp{100, 60, 120}, symbol}, // some sequences have only one character
		{UniformWarp{500, 1, 50}, symbol},
		{Pad{500, 0, 0}, symbol}, {Pad{500, 30, 30}, symbol}, {Pad{500, 1, 50}, symbol}, {Pad{40, 0, 60}, symbol},
	} {
		n, want := 300_000/c.task.Steps(), c.task.Memoryless()
		best := fit(c.task, c.feature, 0, n)
		low, lowError := best.loss(0, n)
		high, highError := best.loss(n, n)
		check.That(t, want > low-4*lowError && want < high+4*highError,
			"%#v: the best predictor: %.5f ± %.5f where fitted, %.5f ± %.5f elsewhere, Memoryless: %.5f", c.task, low,
			lowError, high, highError, want)
		// Else the two would hardly bound it.
		check.That(t, high-low <= 0.05*want+8*highError, "%#v: too few sequences: %.5f where fitted, %.5f elsewhere",
			c.task, low, high)
	}
	// One character alone, whose target is the dummy throughout: nothing to guess.
	for _, task := range []Symbols{Warp{10, 10, 20}, Pad{10, 10, 20}} {
		check.Equal(t, task.Memoryless(), 0, "%#v, a single character: Memoryless", task)
	}
}

// The error of the constant that is best on what is trained on, against what is drawn, and against the papers' figures.
func TestBestConstants(t *testing.T) {
	sums := func(k int) []float32 {
		in, target := make([]float32, 20), make([]float32, 1)
		Adding{10}.Sample(chrono.RNG(1, k), in, target)
		return target
	}
	changes := func(d Decay) func(k int) []float32 {
		return func(k int) []float32 { _, _, change := drawn(d, k); return change }
	}
	for _, c := range []struct {
		task           Task
		trained, drawn func(k int) []float32
		paper, within  float64
	}{
		{Adding{10}, sums, sums, 0.167, 0.0005},                      // W
		{lcdValid, changes(lcd), changes(lcdValid), 0.0533, 0.00005}, // C's review
	} {
		const n = 100_000
		all := [2][]float64{}
		for k := range n {
			for _, target := range c.trained(k) {
				all[0] = append(all[0], float64(target))
			}
			for _, target := range c.drawn(n + k) {
				all[1] = append(all[1], float64(target))
			}
		}
		want := stat.MomentAbout(2, all[1], stat.Mean(all[0], nil), nil)
		// The variance of the sums has a standard error of 0.4 %. (Seeds are fixed.)
		got := []float64{c.task.Memoryless()}
		check.Near(t, got, []float64{want}, 0.01*want, "%#v: error", c.task)
		check.Near(t, got, []float64{c.paper}, c.within, "%#v: error, as the paper has it", c.task)
	}
}
