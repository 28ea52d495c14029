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
// The speed of the clock, dc/dt, appears as a factor on both terms. A network that is to work whatever the clock does
// must therefore compute that factor from what it sees, as some g(t); one Euler step with δt = 1 later, the factor is a
// gate:
//
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h                               W(8)
//
// So a gate is a speed, and its inverse a time: a unit whose gate stays at g keeps (1 − g)ⁿ of its state after n steps,
// that is, it remembers for about T = 1/g steps. An LSTM has the same pair under other names: its input gate i is g, its
// forget gate f is 1 − g.
//
// A gate is σ(… + b). If inputs and states are centred, it stands near σ(b) when training begins, so that
// the bias alone sets how long a unit remembers:
//
//	1/T = g = σ(b_i) = 1 − σ(b_f)   ⇔   b_f = log(T − 1) = −b_i
//
// which is [TimeScale] and [Bias]. The usual forget bias of 1 is thus a memory of 1 + e ≈ 3.7 steps in every unit. Whoever
// expects dependencies of up to Tmax steps gives the units time scales spread over that range instead, W(16):
//
//	b_f ~ log U[1, Tmax − 1],   b_i = −b_f
//
// which is [Chrono]; [Range] is the same with a shortest time scale of one's own, and [UnknownScale] the paper's
// proposal for when nothing is known. [Standard] is what they are compared with.
//
// # Randomness
//
// Everything random in this module comes from [RNG]: one independent stream for each seed and purpose, drawn on the
// host, so that a run is the same on every backend, and a trial the same whether it runs alone or beside others.
package chrono

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Biases of the gates of a layer at the start of training: one value per unit.
type Biases struct {
	// Forget is added to the pre-activation of the forget gate, W(12). Where forgetting is tied to the input as 1 − g, W(10),
	// there is no such gate, and Input alone is used.
	Forget []float64

	// Input is added to the pre-activation of the input gate, W(11), or of the gate g of W(10).
	Input []float64
}

// Init draws the biases of a layer of that many units from rng, each unit's independently of the others'.
type Init func(rng *rand.Rand, units int) Biases

// Standard sets every forget bias to the same value, and every input bias to zero. The paper's baseline is Standard(1),
// after Gers & Schmidhuber 2000 (W Section 3). It draws nothing from the stream.
func Standard(forget float64) Init {
	return func(_ *rand.Rand, units int) Biases {
		biases := newBiases(units)
		for u := range units {
			biases.Forget[u] = forget
		}
		return biases
	}
}

// Chrono is the chrono initialization, W(16): b_f ~ log U[1, tmax−1] and b_i = −b_f, for dependencies of up to tmax steps.
// The time scales 1/σ(b_i) are then uniform in [2, tmax]: it is [Range] with a shortest time scale of 2.
//
// It returns an error unless tmax is a finite number of at least 2, where all biases are 0.
func Chrono(tmax float64) (Init, error) {
	if !(tmax >= 2) || math.IsInf(tmax, 0) {
		return nil, fmt.Errorf("chrono: longest time scale %v, want a finite number of steps, 2 or more", tmax)
	}
	return Range(2, tmax)
}

// Range is the general form of W Section 2, for dependencies of between tmin and tmax steps: a gate's bias is
// b_g ~ −log(U[tmin, tmax] − 1), so that σ(b_g) lies in [1/tmax, 1/tmin]. Input is b_g, and Forget is −b_g.
//
// It returns an error unless 1 < tmin ≤ tmax, both finite: a time scale of 1 would need an infinite bias.
func Range(tmin, tmax float64) (Init, error) {
	if !(tmin > 1) || math.IsInf(tmin, 0) {
		return nil, fmt.Errorf("chrono: shortest time scale %v, want a finite number of steps above 1", tmin)
	}
	if !(tmax >= tmin) || math.IsInf(tmax, 0) {
		return nil, fmt.Errorf("chrono: longest time scale %v, want a finite number of steps, no less than the shortest, %v", tmax, tmin)
	}
	return func(rng *rand.Rand, units int) Biases {
		biases := newBiases(units)
		for u := range units {
			// Rounding may carry the sum past tmax.
			t := min(tmin+(tmax-tmin)*rng.Float64(), tmax)
			biases.Forget[u] = Bias(t)
			biases.Input[u] = -biases.Forget[u]
		}
		return biases
	}, nil
}

// TimeScale returns the time scale, in steps, that a forget gate of that bias has while its inputs are zero: the T with
// 1/T = 1 − σ(bias) (W Section 2). It is above 1 for every finite bias; TimeScale(1) = 1 + e. Give it −b for the bias b
// of an input gate or of a gate g.
func TimeScale(forget float64) float64 { return 1 + math.Exp(forget) }

// Bias returns the forget bias of a time scale of t steps, log(t−1): the inverse of [TimeScale]. The bias of an input gate, or
// of a gate g, is its negative. It is −Inf at t = 1, and NaN below.
func Bias(t float64) float64 { return math.Log(t - 1) }

func newBiases(units int) Biases {
	return Biases{Forget: make([]float64, units), Input: make([]float64, units)}
}
