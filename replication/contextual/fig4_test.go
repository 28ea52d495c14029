package contextual

import (
	"math"
	"testing"
)

// "An example of a generated sequence is shown in Figure 4": 4.004 at t = 0, 0.004 at t = 100, waves whose heights fall
// as 1 − t/t_f, and between them, at t = 12.5 and so on, β·x(0) = 0.004.
func TestFigure4(t *testing.T) {
	at := func(x, want float64) {
		t.Helper()
		if got := fig4Series.at(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("x(%g) is %g, want %g", x, got, want)
		}
	}
	for wave := range 5 {
		top := 25 * float64(wave)
		at(top, 4*((100-top)/100)+0.004)
		if wave < 4 {
			at(top+12.5, 0.004)
			for _, step := range []float64{1, 6, 12} {
				if !(fig4Series.at(top+step) < fig4Series.at(top+step-1)) ||
					!(fig4Series.at(top+12.5+step) > fig4Series.at(top+12.5)) {
					t.Errorf("no wave from t = %g on", top)
				}
			}
		}
	}
	for x := range 101 { // C(3), written out
		want := 4 * ((100-float64(x))/100*(1+math.Cos(2*4*math.Pi*float64(x)/100))/2 + 0.001)
		at(float64(x), want)
	}
}
