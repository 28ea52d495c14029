package task

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// The task of C Section 2.2.2, and its validation set.
var (
	lcd = Decay{
		Final: 25, Alpha: 0, Beta: 0.001, Low: 2, High: 4,
		Trained: []float64{0.5, 1.5, 2.5, 3.5, 4.5}, Drawn: []float64{0.5, 1.5, 2.5, 3.5, 4.5},
	}
	lcdValid = func() Decay { d := lcd; d.Drawn = []float64{1, 2, 3, 4}; return d }()
)

// tensorflowDecay is tensorflow.train.linear_cosine_decay, which C says is its implementation, as its documentation
// defines it.
func tensorflowDecay(rate, step, decaySteps, periods, alpha, beta float64) float64 {
	step = min(step, decaySteps)
	linear := (decaySteps - step) / decaySteps
	cosine := 0.5 * (1 + math.Cos(math.Pi*2*periods*step/decaySteps))
	return rate * ((alpha+linear)*cosine + beta)
}

// unscaled takes −1 … 1 to low … high.
func unscaled(v float32, low, high float64) float64 { return low + (float64(v)+1)/2*(high-low) }

// drawn is series number k of a set.
func drawn(d Decay, k int) (x, context, change []float32) {
	x, context, change = make([]float32, d.Steps()), make([]float32, d.Context()), make([]float32, d.Steps())
	for i := range x {
		x[i], change[i] = 9, 9 // what was there before must not matter
	}
	d.Sample(chrono.RNG(1, "decay", k), k, x, context, change)
	return x, context, change
}

// "The initial value is sampled from a uniform distribution x(0) ∼ U(2, 4) … For each period T we sample 1000 sequences
// … predicting the change δx; δx is added to the previous input to produce the next … All values are scaled to be in
// the range [−1, 1]" (C 2.2.2). Also with another α, β and t_f. Both ends of every scale are reached by the task
// itself, or nearly so by what is drawn at random.
func TestDecayFollowsTheDefinition(t *testing.T) {
	other := lcdValid
	other.Final, other.Alpha, other.Beta = 100, 0.3, 0.1
	for set, d := range []Decay{lcd, lcdValid, other} {
		check.OK(t, d.Validate())
		_, xHigh := d.XRange()
		low, high := d.ChangeRange()
		periodLow, periodHigh := d.PeriodRange()
		of, parts := map[float64]int{}, [3][]float32{} // how many series have a period; all x, changes and periods
		for k := range 5000 {
			x, context, change := drawn(d, k)
			parts[0], parts[1] = append(parts[0], x...), append(parts[1], change...)
			parts[2] = append(parts[2], context[1])
			for i, v := range slices.Concat(x, context, change) {
				check.Must(t, v >= -1 && v <= 1, "series %d: number %d is %g, outside of [-1, 1]", k, i, v)
			}
			x0 := unscaled(x[0], 0, xHigh) / d.Height()
			periods := unscaled(context[1], periodLow, periodHigh)
			period := d.Drawn[k%len(d.Drawn)]
			check.Must(t, context[0] == x[0] && math.Abs(periods-period) <= 1e-6,
				"series %d: context %v, first value %g", k, context, x[0])
			of[period]++
			sum := unscaled(x[0], 0, xHigh) // the true changes, added up, give the series back
			for step := range d.Final {
				want := tensorflowDecay(x0, float64(step), float64(d.Final), period, d.Alpha, d.Beta)
				got := unscaled(x[step], 0, xHigh)
				check.Must(t, math.Abs(got-want) <= 1e-5 && math.Abs(sum-want) <= 1e-4,
					"series %d, step %d: x is %g, and %g by its changes, want %g", k, step, got, sum, want)
				sum += unscaled(change[step], low, high)
			}
			want := tensorflowDecay(x0, float64(d.Final), float64(d.Final), period, d.Alpha, d.Beta)
			check.Must(t, math.Abs(sum-want) <= 1e-4, "series %d ends at %g, want %g", k, sum, want)
		}
		for periods, n := range of {
			check.That(t, n == 5000/len(d.Drawn), "%d of 5000 series have T = %g", n, periods)
		}
		for i, values := range parts {
			room, least, most := []float32{0.01, 0.01, 0}[i], slices.Min(values), slices.Max(values)
			tight := least <= -1+room && most >= 1-room
			check.That(t, set > 0 || tight, "part %d is between %g and %g", i, least, most)
		}
	}
	// C's review has the range of changes from the authors' training set.
	low, high := lcd.ChangeRange()
	check.Near(t, []float64{low, high}, []float64{-2.07, 1.53}, 0.02, "changes")
}
