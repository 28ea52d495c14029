package record

import (
	"encoding/json"
	"testing"
)

// Parts and fields that were renamed compare equal by their present names; the same word as a value stays.
func TestPresentNames(t *testing.T) {
	old := `{"Rule":{"is":"trial.Halving","Series":"Rule"},` +
		`"Network":{"is":"a","Start":[{"is":"cell.Free"},"cell.Free"]}}`
	want := `{"Schedule":{"is":"trial.ReduceOnPlateau","Series":"Rule"},` +
		`"Network":{"is":"a","WeightInit":[{"is":"cell.Learned"},"cell.Free"]}}`
	for _, text := range []string{old, want} {
		if got := string(PresentNames(json.RawMessage(text))); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", text, got, want)
		}
	}
}
