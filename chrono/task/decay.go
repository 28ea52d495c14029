package task

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Decay is the linear cosine decay task of C Section 2.2.2: a wave of T periods whose height falls to nothing,
//
//	x(t) = x(0)·((α + (t_f−t)/t_f)·(1 + cos(2πT·t/t_f))/2 + β)      C(3)
//
// Each series has x at t = 0 … t_f. At step t = 0 … t_f−1 a model sees x(t), and predicts δx(t+1) = x(t+1) − x(t). What
// it may know beforehand, the context, is the first value that it sees and T.
//
// That first value is (1+α+β)·x(0): the x(0) of C(3) is a height, and not the value at t = 0. All numbers that a model
// sees or says are scaled to [−1, 1], linearly: x from 0 … (1+α+β)·High, T from the least to the largest of Trained,
// and δx from the least to the largest that series with a T of Trained can have.
type Decay struct {
	Final       int       // t_f, the steps of a series, 1 or more
	Alpha, Beta float64   // α and β, 0 or more
	Low, High   float64   // x(0) is uniform in [Low, High), 0 < Low ≤ High
	Trained     []float64 // the T of a training set, two or more different ones, by which numbers are scaled
	Drawn       []float64 // the T of these series: of number k, Drawn[k mod len(Drawn)], so that all are equally many
}

func (d Decay) Steps() int { return d.Final }

// Context returns 2: the first value and T.
func (d Decay) Context() int { return 2 }

// At is x(t) of T periods, C(3), in units of x(0).
func (d Decay) At(periods, t float64) float64 {
	final := float64(d.Final)
	return (d.Alpha+(final-t)/final)*(1+math.Cos(2*math.Pi*periods*t/final))/2 + d.Beta
}

// Height is x(0)'s factor at t = 0: 1 + α + β.
func (d Decay) Height() float64 { return 1 + d.Alpha + d.Beta }

// Memoryless returns the error, on the drawn series, of always predicting the mean change of the trained series, which
// is the best constant in training. It is the mean squared error of scaled numbers.
func (d Decay) Memoryless() float64 {
	// With x(0) uniform in [l, h) and the changes x(0)·c, the mean of (x(0)·c − m)² over x(0) takes its two moments.
	first := (d.Low + d.High) / 2
	second := (d.Low*d.Low + d.Low*d.High + d.High*d.High) / 3
	constant, n := 0., 0
	d.eachChange(d.Trained, func(c float64) { constant, n = constant+first*c, n+1 })
	constant /= float64(n)
	mean, n := 0., 0
	d.eachChange(d.Drawn, func(c float64) {
		mean, n = mean+second*c*c-2*constant*first*c+constant*constant, n+1
	})
	low, high := d.ChangeRange()
	return mean / float64(n) * math.Pow(2/(high-low), 2)
}

// eachChange calls f for all changes of the series of these periods, in units of x(0).
func (d Decay) eachChange(periods []float64, f func(change float64)) {
	for _, p := range periods {
		for t := range d.Final {
			f(d.At(p, float64(t+1)) - d.At(p, float64(t)))
		}
	}
}

// ChangeRange returns the smallest and the largest change in series with the trained periods, extended to include 0.
// These are the bounds from which changes are scaled to [−1, 1].
func (d Decay) ChangeRange() (low, high float64) {
	d.eachChange(d.Trained, func(c float64) { low, high = min(low, d.High*c), max(high, d.High*c) })
	return low, high
}

// XRange returns the bounds between which values are scaled.
func (d Decay) XRange() (low, high float64) { return 0, d.Height() * d.High }

// PeriodRange returns the bounds between which T is scaled.
func (d Decay) PeriodRange() (low, high float64) { return slices.Min(d.Trained), slices.Max(d.Trained) }

func (d Decay) Validate() error {
	err := checkSize("decay", "Final", d.Final, 1, MaxSteps)
	for _, v := range slices.Concat([]float64{d.Alpha, d.Beta, d.Low, d.High}, d.Trained, d.Drawn) {
		err = cmp.Or(err, given.Check(given.Finite(v), "task decay: a number is %g, want finite ones", v))
	}
	if err := cmp.Or(err,
		given.Check(d.Alpha >= 0 && d.Beta >= 0, "task decay: α is %g and β %g, want 0 or more", d.Alpha, d.Beta),
		given.Check(d.Low > 0 && d.High >= d.Low,
			"task decay: x(0) in [%g, %g), want bounds above 0, in order", d.Low, d.High),
		given.Check(len(d.Drawn) > 0 && len(d.Trained) > 0,
			"task decay: %d trained and %d drawn periods, want some of each", len(d.Trained), len(d.Drawn)),
	); err != nil {
		return err
	}
	low, high := d.PeriodRange()
	least, most := d.ChangeRange()
	return cmp.Or(given.Check(low < high, "task decay: only %g is trained, want two different periods", low),
		given.Check(least < most, "task decay: the trained series do not change, want changes to scale by"))
}

func (d Decay) Sample(rng *rand.Rand, k int, x, context, change []float32) {
	given.RNG(rng)
	d.Series(d.Low+(d.High-d.Low)*rng.Float64(), d.Drawn[k%len(d.Drawn)], x, context, change)
}

// Series makes the series of one x(0) and one T, here periods: it fills x and change, of length Steps(), and context,
// of length Context(), which has the first value and T. All are scaled as the comment on [Decay] says.
func (d Decay) Series(x0, periods float64, x, context, change []float32) {
	xLow, xHigh := d.XRange()
	changeLow, changeHigh := d.ChangeRange()
	periodLow, periodHigh := d.PeriodRange()
	for t := range d.Final {
		now, next := x0*d.At(periods, float64(t)), x0*d.At(periods, float64(t+1))
		x[t] = scaled(now, xLow, xHigh)
		change[t] = scaled(next-now, changeLow, changeHigh)
	}
	context[0], context[1] = x[0], scaled(periods, periodLow, periodHigh)
}

// scaled takes low … high to −1 … 1.
func scaled(v, low, high float64) float32 { return float32(2*(v-low)/(high-low) - 1) }
