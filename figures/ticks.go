package figures

import (
	"math"
	"strconv"
	"strings"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication/record"
)

// Ticks puts a tick at every multiple of 1, 2 or 5 times the power of ten that leaves about four of them, and writes
// thousands as "k".
type Ticks struct{}

func (Ticks) Ticks(low, high float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10(high-low)))
	step := power
	for _, multiple := range []float64{5, 2, 1, 0.5, 0.2, 0.1} {
		step = multiple * power
		if (high-low)/step >= 3 {
			break
		}
	}
	return xslices.Map(multiples(step, low, high), func(v float64) plot.Tick {
		return plot.Tick{Value: v, Label: tickLabel(v, step)}
	})
}

// multiples lists those of a step from low to high. Each is another number, and they end: above 2^53 steps, the next
// multiple may be the same number, and an end may be infinite.
func multiples(step, low, high float64) (all []float64) {
	const most = 1000 // more than there are powers of ten
	first := math.Ceil(low/step - 1e-9)
	for i := range most {
		v := (first + float64(i)) * step
		if !(v <= high+1e-9*step) {
			break
		}
		if len(all) == 0 || v > all[len(all)-1] {
			all = append(all, v)
		}
	}
	return all
}

// logarithms labels an axis of decimal logarithms with the numbers they are of: at these factors times every power of
// ten. (plot.LogScale would do, but an axis with a label then takes the place that the label would have on a linear
// axis, and the chart shrinks.)
func logarithms(low, high float64, factors ...float64) (marks []plot.Tick) {
	for _, e := range multiples(1, math.Floor(low), high) {
		for _, factor := range factors {
			at, v := e+math.Log10(factor), factor*math.Pow(10, e)
			if low-1e-9 <= at && at <= high+1e-9 && record.Finite(v) {
				marks = append(marks, plot.Tick{Value: at, Label: tickLabel(v, v)})
			}
		}
	}
	return marks
}

func decades(low, high float64) []plot.Tick { return logarithms(low, high, 1) }

// oneTwoFive labels it at 1, 2 and 5 times every power of ten, up to its end; a short one also at 3, 4, 6 and 8 times.
// The strip above the end is of what is more; the end itself would be in its way.
type oneTwoFive struct{ end, strip float64 }

func (o oneTwoFive) Ticks(low, _ float64) []plot.Tick {
	factors := []float64{1, 2, 5}
	if o.end-low < 0.8 {
		factors = []float64{1, 2, 3, 4, 5, 6, 8}
	}
	return append(logarithms(low, o.end-0.05, factors...), plot.Tick{Value: o.strip, Label: "not all"})
}

// ticksAt puts a tick at each of some ascending values, in its place on the axis, but not two labels over each other.
type ticksAt struct {
	xs    []float64
	place func(x float64) float64
}

func (t ticksAt) Ticks(low, high float64) (marks []plot.Tick) {
	last := math.Inf(-1)
	for _, x := range t.xs {
		mark := plot.Tick{Value: t.place(x)}
		if mark.Value-last > 0.065*(high-low) {
			mark.Label, last = sweptLabel(x), mark.Value
		}
		marks = append(marks, mark)
	}
	return marks
}

// tickLabel writes v with the digits that a multiple of step has.
func tickLabel(v, step float64) string {
	suffix := ""
	if step >= 1000 || v >= 10000 {
		v, step, suffix = v/1000, step/1000, "k"
	}
	if v == 0 {
		return "0"
	}
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1) + suffix
}

// sweptLabel writes a value, and one part of several as a fraction.
func sweptLabel(x float64) string {
	if parts := math.Round(1 / x); parts > 1 && math.Abs(parts*x-1) < 1e-9 {
		return "1/" + record.Number(parts)
	}
	return record.Number(x)
}
