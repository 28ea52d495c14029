package task

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/internal/check"
)

// bestLoss is the mean cross entropy per step, on n sequences of a task, of the best predictor that knows a feature of
// the step alone: it predicts the frequencies that the targets have on them. And it is the standard error of that mean.
func bestLoss(task Symbols, feature func(in []int32, t int) int, n int) (mean, standardError float64) {
	counts, totals := map[[2]int]float64{}, map[int]float64{} // of feature and target, of the feature
	each := func(do func(f int, target int32)) {
		for k := range n {
			in, out := sample(task, k)
			for t, target := range out {
				do(feature(in, t), target)
			}
		}
	}
	each(func(f int, target int32) {
		counts[[2]int{f, int(target)}]++
		totals[f]++
	})
	var losses []float64 // of each step
	each(func(f int, target int32) {
		losses = append(losses, -math.Log(counts[[2]int{f, int(target)}]/totals[f]))
	})
	means := make([]float64, n)
	for k := range means {
		means[k] = stat.Mean(losses[k*task.Steps():(k+1)*task.Steps()], nil)
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	return mean, stat.StdErr(deviation, float64(n))
}

// Each memoryless loss, against the best predictor there is for the knowledge that it allows, to four standard errors.
// On the sequences that it was fitted to, the predictor is expected to be a little better than any can be in general.
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
		want := c.task.Memoryless()
		best, standardError := bestLoss(c.task, c.feature, 300_000/c.task.Steps())
		check.Near(t, []float64{want}, []float64{best}, 0.01*want+4*standardError, "%#v: Memoryless", c.task)
	}
	// One character alone, whose target is the dummy throughout: nothing to guess.
	for _, task := range []Symbols{Warp{10, 10, 20}, Pad{10, 10, 20}} {
		check.Equal(t, task.Memoryless(), 0, "%#v, a single character: Memoryless", task)
	}
}

// The error of the constant that is best on what is trained on, against what is drawn, and against C's review. (That of
// Adding, 0.167 in W, is in the examples of package cell.)
func TestBestConstant(t *testing.T) {
	const n = 100_000
	changes := func(d Decay, first int) (all []float64) {
		for k := range n {
			_, _, change := drawn(d, first+k)
			for _, target := range change {
				all = append(all, float64(target))
			}
		}
		return all
	}
	want := stat.MomentAbout(2, changes(lcdValid, n), stat.Mean(changes(lcd, 0), nil), nil)
	got := []float64{lcdValid.Memoryless()}
	check.Near(t, got, []float64{want}, 0.01*want, "error")
	check.Near(t, got, []float64{0.0533}, 0.00005, "error, as C's review has it")
}
