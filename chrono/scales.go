package chrono

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Scales draws each unit's time scale T from a density proportional to T^−K on [Min, Max]. The paper's initialization
// is K = 0: [Range] and [Chrono]. Every recurrent network of today has some initial time scales, and what their authors
// chose has this form, with K = 1 or 2: the larger K, the more units are fast.
//
//	K = 0   uniform in T          W(16)
//	K = 1   uniform in log T      S4D, Mamba, xLSTM
//	K = 2   uniform in 1/T        LRU, RG-LRU, UR gates (Gu et al. 2020)
//
// The biases are those of [Range]: b_g = −log(T − 1), so that σ(b_g) = 1/T. They are right for any gate that is a
// sigmoid, and for Mamba's Δ = softplus(… + b_Δ), too: a state with A = −1 keeps exp(−Δ) = 1 − σ(b_Δ) of itself.
type Scales struct {
	K        float64 // finite
	Min, Max float64 // steps, 1 < Min ≤ Max, finite
}

// What today's networks begin with, in public code of 2024 and 2025. Each is rounded: their own settings are of other
// quantities, such as Δ.
var (
	S4DScales   = Scales{K: 1, Min: 20, Max: 2000} // state-spaces/s4, s4d.py: dt from 1e-3 to 1e-1, Re A = −1/2
	MambaScales = Scales{K: 1, Min: 10, Max: 1000} // state-spaces/mamba, mamba_simple.py: Δ from 1e-3 to 0.1, A = −1
	XLSTMScales = Scales{K: 1, Min: 21, Max: 404}  // NX-AI/xlstm, mlstm/cell.py: forget biases from 3 to 6
	RGLRUScales = Scales{K: 2, Min: 3, Max: 250}   // google-deepmind/recurrentgemma, layers.py, at r = 1/2
)

func (s Scales) Draw(rng *rand.Rand, units int) Biases {
	given.Valid(s)
	given.RNG(rng)
	return tied(units, func() float64 { return Bias(s.quantile(rng.Float64())) })
}

// quantile is the T below which a share p of the units lies.
func (s Scales) quantile(p float64) float64 {
	t := s.Min * math.Pow(s.Max/s.Min, p)
	if k := 1 - s.K; math.Abs(k) > 1e-9 {
		t = s.Min * math.Pow(1+p*(math.Pow(s.Max/s.Min, k)-1), 1/k)
		if math.IsInf(math.Pow(s.Max/s.Min, k), 1) { // beside which the 1s above are nothing
			t = s.Max * math.Pow(p, 1/k)
		}
	}
	return min(max(t, s.Min), s.Max) // rounding may carry it past them
}

func (s Scales) Validate() error {
	return cmp.Or(
		given.Check(given.Finite(s.K), "%#v: want a finite K", s),
		given.Check(Range{s.Min, s.Max}.Validate() == nil,
			"%#v: want a finite Min above 1 step, and a finite Max, at least Min", s))
}
