package show

import (
	"math"
	"testing"
)

// dh/dt = t·h has the solution exp(t²/2).
func TestIntegrate(t *testing.T) {
	slope := func(t float64, h []float64) []float64 { return []float64{t * h[0], -h[1]} }
	errorOf := func(steps int) float64 {
		h := Integrate(slope, []float64{1, 1}, 0, 2, steps)
		return max(math.Abs(h[0]-math.Exp(2)), math.Abs(h[1]-math.Exp(-2)))
	}
	if e := errorOf(200); e > 1e-8 {
		t.Errorf("off by %g", e)
	}
	// Half of the step, a sixteenth of the error.
	if ratio := errorOf(40) / errorOf(80); math.Abs(ratio-16) > 1.5 {
		t.Errorf("twice as many steps divide the error by %g, want 16", ratio)
	}
}

func TestDifferences(t *testing.T) {
	want := [][]float64{{0, 10}, {2, 14}} // means 1 and 12, swings 1, 1, 2, 2
	got := [][]float64{{0, 10}, {2, 9}}
	if d := Farthest(got, want); d != 5 {
		t.Errorf("Farthest = %g, want 5", d)
	}
	if d, exact := Relative(got, want), math.Sqrt(25./10); math.Abs(d-exact) > 1e-15 {
		t.Errorf("Relative = %g, want %g", d, exact)
	}
	if u := Unit(want, 1); len(u) != 2 || u[0] != 10 || u[1] != 14 {
		t.Errorf("Unit = %v", u)
	}
	if s := Steps(3); len(s) != 3 || s[2] != 2 {
		t.Errorf("Steps = %v", s)
	}
	if e := Every(2, Steps(5)); len(e) != 3 || e[0] != 0 || e[2] != 4 {
		t.Errorf("Every = %v", e)
	}
}
