package record

import (
	"math"
	"slices"
	"testing"
)

// The names in the committed records are those that At writes, and Swept reads what At has written.
func TestSweptResults(t *testing.T) {
	loss := Result("loss")
	final := map[string]Values{"loss": {1}, "loss@x": {1}, "long_loss@9": {1}}
	want := []float64{0.5, 1. / 3, 20, 120, math.Inf(1)}
	slices.Sort(want)
	for _, x := range want {
		final[string(loss.At(x))] = Values{1}
	}
	if got := loss.Swept(final); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for x, name := range map[float64]Result{120: "loss@120", 2: "loss@2", 0.5: "loss@0.5"} {
		if got := loss.At(x); got != name {
			t.Errorf("%q, want %q", got, name)
		}
	}
}
