package record

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// The names in the committed records are those that At writes, and Swept reads what At has written.
func TestSweptResults(t *testing.T) {
	loss := Result("loss")
	final := map[string]Values{"loss": {1}, "loss@x": {1}, "long_loss@9": {1}}
	var want []Swept
	for _, x := range []float64{1. / 3, 0.5, 20, 120, math.Inf(1)} {
		want = append(want, Swept{x, Values{2 * x}})
		final[string(loss.At(x))] = Values{2 * x}
	}
	check.Equal(t, loss.Swept(final), want, "swept values")
	for x, name := range map[float64]Result{120: "loss@120", 2: "loss@2", 0.5: "loss@0.5"} {
		check.Equal(t, loss.At(x), name, "name")
	}
}
