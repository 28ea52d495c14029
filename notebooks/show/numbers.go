package show

import (
	"math"

	"github.com/gomlx/compute/support/xslices"
)

// What the notebook of the derivation computes with. A sequence of states is [T][H].

// Integrate solves dh/dt = f(t, h) from time t0 to t1 in the given number of steps, and returns h at t1. It is the
// classical Runge-Kutta method, whose error is of order 4: fine enough to stand for the exact solution.
func Integrate(f func(t float64, h []float64) []float64, h []float64, t0, t1 float64, steps int) []float64 {
	along := func(h, slope []float64, by float64) []float64 {
		out := make([]float64, len(h))
		for i := range h {
			out[i] = h[i] + by*slope[i]
		}
		return out
	}
	d := (t1 - t0) / float64(steps)
	for s := range steps {
		t := t0 + float64(s)*d
		k1 := f(t, h)
		k2 := f(t+d/2, along(h, k1, d/2))
		k3 := f(t+d/2, along(h, k2, d/2))
		k4 := f(t+d, along(h, k3, d))
		for _, k := range [][]float64{k1, k2, k2, k3, k3, k4} {
			h = along(h, k, d/6)
		}
	}
	return h
}

// Farthest is the largest difference between two sequences of states.
func Farthest(a, b [][]float64) float64 {
	most := 0.0
	for t := range a {
		for u := range a[t] {
			most = max(most, math.Abs(a[t][u]-b[t][u]))
		}
	}
	return most
}

// Relative is the root mean square difference of a sequence of states from the wanted one, over all steps and units,
// relative to how far the wanted states swing around their means.
func Relative(got, want [][]float64) float64 {
	mean := make([]float64, len(want[0]))
	for t := range want {
		for u := range mean {
			mean[u] += want[t][u] / float64(len(want))
		}
	}
	difference, swing := 0.0, 0.0
	for t := range want {
		for u := range mean {
			difference += math.Pow(got[t][u]-want[t][u], 2)
			swing += math.Pow(want[t][u]-mean[u], 2)
		}
	}
	return math.Sqrt(difference / swing)
}

// Unit is one unit of a sequence of states.
func Unit(h [][]float64, unit int) []float64 {
	var out []float64
	for t := range h {
		out = append(out, h[t][unit])
	}
	return out
}

// Steps are the numbers 0, 1, … n−1, for the horizontal axis of a sequence.
func Steps(n int) []float64 {
	return xslices.Iota(0.0, n)
}

// Every is each n-th of some values, from the first.
func Every(n int, values []float64) []float64 {
	var out []float64
	for i := 0; i < len(values); i += n {
		out = append(out, values[i])
	}
	return out
}
