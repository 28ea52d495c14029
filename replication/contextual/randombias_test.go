package contextual

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// Only the bias is drawn otherwise: uniform between ±√(3/H), other for every seed.
func TestRandomBias(t *testing.T) {
	const hidden = 300
	plain := fastWeights(hidden)
	random := RandomBias{plain}
	draw := func(c cell.Cell, seed uint64) map[string][]float64 {
		layer := check.Got(c.Layer(5))(t)
		return initialValues(cell.Draws{Seed: seed, Scope: "cell", WeightInit: cell.He{}}, layer.Weights)
	}
	drawn, want, other := draw(random, 1), draw(plain, 1), draw(random, 2)
	for name, values := range want {
		if name != "bias" && !slices.Equal(drawn[name], values) {
			t.Errorf("%s is %v, and without a random bias %v", name, drawn[name], values)
		}
	}
	limit, squares := math.Sqrt(3.0/hidden), 0.0
	for u, b := range drawn["bias"] {
		check.That(t, math.Abs(b) <= limit && b != other["bias"][u],
			"bias %d is %g, want at most ±%g, and not that of seed 2, %g", u, b, limit, other["bias"][u])
		squares += b * b / hidden
	}
	if deviation := limit / math.Sqrt(3); math.Abs(math.Sqrt(squares)-deviation) > 0.1*deviation {
		t.Errorf("the biases' deviation is %g, want %g", math.Sqrt(squares), deviation)
	}
}

// initialValues are those of weights that do not start from zeros, by name.
func initialValues(d cell.Draws, weights []cell.Weight) map[string][]float64 {
	values := map[string][]float64{}
	for _, w := range weights {
		if d.Name = w.Name; w.Init != nil {
			values[w.Name] = w.Init(d)
		}
	}
	return values
}
