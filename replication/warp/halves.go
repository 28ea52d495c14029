package warp

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono"
)

// ForgetOnly is half of the chrono initialization: its forget biases, and input biases of 0.
type ForgetOnly chrono.Chrono

func (f ForgetOnly) Draw(rng *rand.Rand, units int) chrono.Biases {
	biases := chrono.Chrono(f).Draw(rng, units)
	biases.Input = make([]float64, units)
	return biases
}

func (f ForgetOnly) Validate() error { return chrono.Chrono(f).Validate() }

// InputOnly is the other half: its input biases, and forget biases of 1 as in the baseline.
type InputOnly chrono.Chrono

func (i InputOnly) Draw(rng *rand.Rand, units int) chrono.Biases {
	biases := chrono.Chrono(i).Draw(rng, units)
	biases.Forget = chrono.Standard{Forget: 1}.Draw(rng, units).Forget
	return biases
}

func (i InputOnly) Validate() error { return chrono.Chrono(i).Validate() }

var (
	forgetOnly = begin("forget-only", "chrono's forget biases, input biases 0",
		func(tmax float64) chrono.GateInit { return ForgetOnly{tmax} })
	inputOnly = begin("input-only", "chrono's input biases, forget biases 1",
		func(tmax float64) chrono.GateInit { return InputOnly{tmax} })
)
