package show

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/chrono"
)

// Span is how much of the data a warped run goes through, in the data's own time.
const Span = 200

// A Warping is an increasing function c of time, with its derivative, the speed.
type Warping struct {
	Name     string
	C, Speed func(t float64) float64
}

// Rescaling is c(t) = αt.
func Rescaling(alpha float64) Warping {
	return Warping{fmt.Sprintf("c(t) = %g·t", alpha),
		func(t float64) float64 { return alpha * t },
		func(t float64) float64 { return alpha }}
}

// Swinging runs at speeds between a quarter of top and top.
func Swinging(top float64) Warping {
	const period = 90.0
	w := 2 * math.Pi / period
	return Warping{fmt.Sprintf("dc/dt swings up to %g", top),
		func(t float64) float64 { return top * (0.625*t + 0.375*(1-math.Cos(w*t))/w) },
		func(t float64) float64 { return top * (0.625 + 0.375*math.Sin(w*t)) }}
}

// Jumping changes its speed at random times to a random one between a tenth of top and top.
func Jumping(top float64) Warping {
	const length = 20000
	rng := chrono.RNG(1, "jumping warping")
	speed, c := make([]float64, length), make([]float64, length+1)
	now := 0.0
	for t := range speed {
		if t == 0 || rng.Float64() < 1./15 {
			now = top * (0.1 + 0.9*rng.Float64())
		}
		speed[t], c[t+1] = now, c[t]+now
	}
	return Warping{fmt.Sprintf("dc/dt jumps up to %g", top),
		func(t float64) float64 { return c[int(t)] },
		func(t float64) float64 { return speed[int(t)] }}
}

// Lasts is the number of steps until the warped data has gone through Span.
func (c Warping) Lasts() int {
	t := 0
	for c.C(float64(t+1)) < Span {
		t++
	}
	return t
}
