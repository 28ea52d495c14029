package show

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Draw draws a symbol by its logits: symbol s with a probability in proportion to exp(logits[s]).
func Draw(rng *rand.Rand, logits []float32) int32 {
	highest := math.Inf(-1)
	for _, l := range logits {
		highest = max(highest, float64(l))
	}
	all := 0.0
	for _, l := range logits {
		all += math.Exp(float64(l) - highest)
	}
	at := rng.Float64() * all
	for s, l := range logits {
		if at -= math.Exp(float64(l) - highest); at < 0 {
			return int32(s)
		}
	}
	return int32(len(logits) - 1)
}

// Column is one of several sequences that stand side by side, step after step.
func Column(values []int32, sequence, sequences int) []int32 {
	var out []int32
	for i := sequence; i < len(values); i += sequences {
		out = append(out, values[i])
	}
	return out
}

// Average is the mean of some values.
func Average(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

// Write draws texts symbol by symbol, side by side: after each step t, next gives the logits of every text's next
// symbol. All begin with symbol 0. Column takes one of them.
func Write(rng *rand.Rand, texts, steps int, next func(x []int32, t int) [][]float32) []int32 {
	x := make([]int32, steps*texts)
	for t := range steps - 1 {
		for b, logits := range next(slices.Clone(x), t) {
			x[(t+1)*texts+b] = Draw(rng, logits)
		}
	}
	return x
}
