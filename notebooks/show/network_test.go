package show

import (
	"math"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
)

// Of a linear warping, whose speed is exact in float64, the gated network is (8) by hand; at speed 1 it is (2).
func TestNetworkIsItsEquations(t *testing.T) {
	n := NewNetwork()
	half, one := Rescaling(0.5), Rescaling(1)
	if steps := half.Lasts(); steps != 2*Span-1 {
		t.Errorf("at half the speed %d steps stay below %d, want %d", steps, Span, 2*Span-1)
	}
	if e := Farthest(n.RunGated(half, 40), n.ByHand(half, 40)); e > 1e-12 {
		t.Errorf("the gated cell is off (8) by %g", e)
	}
	if e := Farthest(n.RunGated(one, 40), n.RunPlain(one, 40)); e > 1e-12 {
		t.Errorf("with an open gate it is off the plain one by %g", e)
	}
	// Target interpolates: at half the speed, every other state is the plain network's.
	target, plain := n.Target(half), n.RunPlain(one, 100)
	for k, h := range plain {
		if e := Farthest([][]float64{h}, [][]float64{target[2*k]}); e > 1e-12 {
			t.Fatalf("the target at step %d is off by %g", 2*k, e)
		}
	}
	// Halves whose gates agree are the network with one gate.
	h := n.Halved()
	both := h.RunHalves([2]Warping{half, half}, [2]func(float64) float64{half.Speed, half.Speed}, 40)
	if e := Farthest(both, h.RunGated(half, 40)); e > 1e-12 {
		t.Errorf("(10) with equal gates is off (8) by %g", e)
	}
}

func TestForgotten(t *testing.T) {
	gate := []float64{Logit(0.5), Logit(0.01)}
	zeros := func(n int) []float64 { return make([]float64, n) }
	silence := make([][]float64, 200)
	for t := range silence {
		silence[t] = []float64{0}
	}
	h := Run(cell.Leaky{Hidden: 2}, [][]float64{zeros(2), zeros(2), zeros(4), gate}, silence, []float64{1, 1})
	for u, want := range []float64{1 / math.Ln2, -1 / math.Log(0.99)} {
		if got := Forgotten(h, 3, u); math.Abs(got-want) > 1e-9 {
			t.Errorf("unit %d forgets in %g steps, want %g", u, got, want)
		}
	}
	if got := Forgotten(h, 150, 1); !math.IsNaN(got) {
		t.Errorf("forgotten in %g steps, though the run ends before", got)
	}
}
