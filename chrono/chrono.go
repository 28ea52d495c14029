// Package chrono relates a recurrent network's gates to time, after Tallec & Ollivier, "Can recurrent neural networks
// warp time?", ICLR 2018 (W below, with the paper's numbers for its equations and sections).
//
// # The idea
//
// A recurrent network whose state moves by
//
//	dh/dt = tanh(Wx·x(t) + Wh·h(t) + b) − h(t)                            W(3)
//
// forgets at a speed of its own, about once per unit of time. Play the same data more slowly, x(c(t)) in place of x(t),
// and the network that would do the same as before is
//
//	dh/dt = c'(t)·tanh(Wx·x + Wh·h + b) − c'(t)·h                         W(6)
//
// The speed of the clock, dc/dt, appears as a factor on both terms. A network that is to work at any speed of the clock
// must therefore compute that factor from its inputs and its state, as some g(t). Discretized by one Euler step with
// δt = 1, the factor becomes a gate:
//
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h                               W(8)
//
// So a gate is a speed, and its inverse a time: a unit whose gate stays at g keeps (1 − g)ⁿ of its state after n steps,
// that is, it remembers for about T = 1/g steps. An LSTM has the same pair under other names: its input gate i is g,
// its forget gate f is 1 − g.
//
// A gate is σ(… + b). If inputs and states are centred, it is near σ(b) before training, so that the bias alone sets
// how long a unit remembers:
//
//	1/T = g = σ(b_i) = 1 − σ(b_f)   ⇔   b_f = log(T − 1) = −b_i
//
// which is [TimeScale] and [Bias]. The usual forget bias of 1 is thus a memory of 1 + e ≈ 3.7 steps in every unit.
// If you expect dependencies of up to Tmax steps, give the units time scales spread over that range instead, W(16):
//
//	b_f ~ log U[1, Tmax − 1],   b_i = −b_f
//
// which is [Chrono]; [Range] is the same with your own shortest time scale, and [UnknownScale] the paper's proposal for
// when nothing is known. They are compared with [Standard].
//
// # Randomness
//
// All random numbers in this module come from [RNG], with one independent stream for each seed and purpose. They are
// drawn on the host, so they are the same on every backend, and a trial draws the same numbers alone and next to
// others. The one exception is the order of pixels of dataset.Permutation: it belongs to the data, and all trials share
// it.
package chrono

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Biases are the initial biases of the gates of a layer: one value per unit.
type Biases struct {
	// Forget is added to the pre-activation of the forget gate, W(12). Where forgetting is tied to the input as 1 − g,
	// W(10), there is no such gate, and only Input is used; the recurrent highway network, whose transform gate
	// forgets, uses −Forget.
	Forget []float64

	// Input is added to the pre-activation of the input gate, W(11), or of the gate g of W(10).
	Input []float64
}

// GateInit draws the initial biases of a layer's gates: [Standard], [Chrono], [Range], [Scales] or [UnknownScale].
type GateInit interface {
	// Draw draws from rng the biases of a layer with the given number of units, independently for each unit. It panics
	// with an error if Validate returns one, if units is negative, or if it needs rng and that is nil.
	Draw(rng *rand.Rand, units int) Biases

	// Validate returns a one-line error if the settings are invalid.
	Validate() error
}

// Standard sets every forget bias to the same value, and every input bias to zero. The paper's baseline is
// Standard{Forget: 1}, after Gers & Schmidhuber 2000 (W Section 3).
//
// Cells without a forget gate of their own use only the input bias, so Forget changes nothing in them. In package cell
// these are all but LSTM, BNLSTM and RHN. They then begin with a time scale of 2 steps, so give MinGRU, RGLRU, LRU and
// Selective another initialization, such as Chrono or Scales. To give all units the time scale of Standard{Forget: b},
// use Range{Min: t, Max: t} with t = TimeScale(b).
type Standard struct {
	Forget float64 // b_f, finite
}

// Draw draws nothing from the stream.
func (s Standard) Draw(_ *rand.Rand, units int) Biases {
	given.Valid(s)
	biases := newBiases(units)
	for u := range units {
		biases.Forget[u] = s.Forget
	}
	return biases
}

func (s Standard) Validate() error {
	return given.Check(given.Finite(s.Forget), "%#v: want a finite forget bias", s)
}

// Chrono is the chrono initialization, W(16): b_f ~ log U[1, Tmax−1] and b_i = −b_f, for dependencies of up to Tmax
// steps. The time scales 1/σ(b_i) are then uniform in [2, Tmax]: it is [Range] with a shortest time scale of 2.
type Chrono struct {
	Tmax float64 // steps, finite, 2 or more; all biases are 0 at 2
}

func (c Chrono) Draw(rng *rand.Rand, units int) Biases {
	given.Valid(c)
	return Range{2, c.Tmax}.Draw(rng, units)
}

func (c Chrono) Validate() error {
	return given.Check(given.Finite(c.Tmax) && c.Tmax >= 2, "%#v: want a finite Tmax of 2 steps or more", c)
}

// Range is the general form of W Section 2, for dependencies of between Min and Max steps: a gate's bias is
// b_g ~ −log(U[Min, Max] − 1), so that σ(b_g) lies in [1/Max, 1/Min]. Input is b_g, and Forget is −b_g.
type Range struct {
	Min, Max float64 // steps, 1 < Min ≤ Max, finite: a time scale of 1 would need an infinite bias
}

func (r Range) Draw(rng *rand.Rand, units int) Biases {
	given.Valid(r)
	given.RNG(rng)
	return tied(units, func() float64 {
		return Bias(min(r.Min+(r.Max-r.Min)*rng.Float64(), r.Max)) // rounding may carry the sum past Max
	})
}

func (r Range) Validate() error {
	return cmp.Or(
		given.Check(given.Finite(r.Min) && r.Min > 1, "%#v: want a finite Min above 1 step", r),
		given.Check(given.Finite(r.Max) && r.Max >= r.Min, "%#v: want a finite Max, at least Min", r))
}

// TimeScale returns the time scale, in steps, of a forget gate with this bias while its inputs are zero: the T with
// 1/T = 1 − σ(bias) (W Section 2): TimeScale(1) = 1 + e. It is at least 1, and +Inf for a bias above 709. For the
// bias b of an input gate, or of a gate g, pass −b.
func TimeScale(forget float64) float64 { return 1 + math.Exp(forget) }

// Bias returns the forget bias of a time scale of t steps, log(t−1): the inverse of [TimeScale]. The bias of an input
// gate, or of a gate g, is its negative. It is −Inf at t = 1, and NaN below.
func Bias(t float64) float64 { return math.Log(t - 1) }

// tied draws the forget bias of each unit; the input bias is its negative.
func tied(units int, forget func() float64) Biases {
	biases := newBiases(units)
	for u := range units {
		biases.Forget[u] = forget()
		biases.Input[u] = -biases.Forget[u]
	}
	return biases
}

func newBiases(units int) Biases {
	if units < 0 {
		panic(fmt.Errorf("chrono: biases of %d units, want 0 or more", units))
	}
	return Biases{Forget: make([]float64, units), Input: make([]float64, units)}
}
