package show

import (
	"math"
	"strings"
	"testing"
)

func TestLetterStates(t *testing.T) {
	shown := capture(t)
	LetterStates([][]float64{{1, 0}, {0, 1}, {-1, -1}}, [][]float64{{1, 2, 3, 4}}, []float64{0.5, 0.5})
	if len(*shown) != 2 {
		t.Fatalf("%d pictures, want 2", len(*shown))
	}
	const want = "h0: 2 numbers (unit) for each of 5 values of first letter, from -1 to 1."
	if alt := (*shown)[0].Metadata["alt"].(string); !strings.HasPrefix(alt, want) {
		t.Errorf("%q, want %q", alt, want)
	}
}

// States that are T in every number, and x(0) in one: of h0's and c0's four numbers, all have T's variance.
func TestDecayStates(t *testing.T) {
	shown := capture(t)
	of := Contexts{Starts: []float64{2, 3, 4}, Periods: []float64{1, 2, 3}}
	var states [][]float64
	for _, x := range of.Starts {
		for _, p := range of.Periods {
			states = append(states, []float64{p, p, p, p + x})
		}
	}
	byT, byX := DecayStates(states, of, 2)
	if math.Abs(byT-0.8) > 1e-12 || math.Abs(byX-0.2) > 1e-12 {
		t.Errorf("shares %g and %g, want 0.8 and 0.2", byT, byX)
	}
	if len(*shown) != 2 {
		t.Errorf("%d pictures, want 2", len(*shown))
	}
}
