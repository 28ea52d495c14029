package chrono

import (
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// UnknownScale is for data whose time scale is unknown, W footnote 7: each unit draws a time T from
// P(T = k) ∝ 1/(k·log²(k+1)), k = 1, 2, 3, …, and its biases are ±log T: Forget = log T, Input = −log T.
//
// The tail of this distribution hardly falls: P(T > k) ≈ 0.295/log k. So its mean is infinite, one T in 2,400 exceeds
// the largest float64, and truncating it anywhere would change it visibly. Draw does not truncate it, because it draws
// log T and not T: the largest log T that it can return is 2⁵³·log 2 ≈ 6.2e15, and larger ones have a total probability
// of 5e−17.
//
// This has three consequences. 61 % of the units draw T = 1: their biases are zero and their [TimeScale] is 2. In
// general the time scale is T + 1. And about 1.7 % draw log T > 17.3: in float32 their forget gate f is exactly 1 at
// first, and its derivative f·(1 − f) exactly 0. So no gradient reaches the gate's bias and weights where inputs leave
// the gate there: these units do not forget, and training hardly changes that.
type UnknownScale struct{}

func (UnknownScale) Draw(rng *rand.Rand, units int) Biases {
	return tied(units, func() float64 { return logUnknownScale(rng) })
}

func (UnknownScale) Validate() error { return nil }

// logUnknownScale draws log T by rejection. From k = 2 on, the weight w(k) = 1/(k·log²(k+1)) lies under a multiple of
//
//	e(k) = ∫ dx/(x·log²x) over [k, k+1] = 1/log k − 1/log(k+1)
//
// whose sums telescope, so that it can be inverted without a table: if 1/log x is uniform in (0, 1/log 2], then ⌊x⌋ is
// k with probability e(k)·log 2. Of the proposals, 96 % are accepted.
func logUnknownScale(rng *rand.Rand) float64 {
	given.RNG(rng)
	const (
		atOne  = 1 / (math.Ln2 * math.Ln2)  // w(1)
		beyond = maxUnknownRatio / math.Ln2 // the envelope's sum over k = 2, 3, …
	)
	for {
		if rng.Float64()*(atOne+beyond) < atOne {
			return 0
		}
		logT := math.Ln2 / (1 - rng.Float64()) // 1 − Float64() is in (0, 1]
		ratio := 1.0
		if logT < 53*math.Ln2 { // beyond, float64s are sparser than integers, and the ratio is 1 to the last digit
			k := max(2, math.Floor(math.Exp(logT)))
			logT, ratio = math.Log(k), unknownRatio(k)
		}
		if rng.Float64()*maxUnknownRatio < ratio {
			return logT
		}
	}
}

// unknownRatio is w(k)/e(k) for k ≥ 2, and maxUnknownRatio a bound on it: it rises to 1.0089 at k = 15 and falls to 1
// from there.
func unknownRatio(k float64) float64 {
	return math.Log(k) / (k * math.Log(k+1) * math.Log1p(1/k))
}

const maxUnknownRatio = 1.01
