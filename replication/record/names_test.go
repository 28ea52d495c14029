package record

import (
	"encoding/json"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Parts and fields that were renamed compare equal by their present names; the same word as a value stays.
func TestPresentNames(t *testing.T) {
	old := `{"Rule":{"is":"trial.Halving","Series":"Rule"},` +
		`"Network":{"is":"a","Start":[{"is":"cell.Free"},"cell.Free"]}}`
	want := `{"Schedule":{"is":"trial.ReduceOnPlateau","Series":"Rule"},` +
		`"Network":{"is":"a","WeightInit":[{"is":"cell.Learned"},"cell.Free"]}}`
	for _, text := range []string{old, want} {
		check.Equal(t, string(PresentNames(json.RawMessage(text))), want, "present names in %s", text)
	}
}
