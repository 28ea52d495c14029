package replication

import (
	"slices"
	"strconv"
	"strings"
)

const testAccuracy = "test_accuracy@"

// TestAccuracy names the final accuracies, [R], on test sequences whose longest warp is maximum (Figure 5): "test_accuracy@150".
func TestAccuracy(maximum float64) string {
	return testAccuracy + strconv.FormatFloat(maximum, 'g', -1, 64)
}

// TestWarps returns the maxima that a finished record has a TestAccuracy for, ascending.
func (r *Record) TestWarps() []float64 {
	var maxima []float64
	for name := range r.End.Final {
		if s, ok := strings.CutPrefix(name, testAccuracy); ok {
			if maximum, err := strconv.ParseFloat(s, 64); err == nil {
				maxima = append(maxima, maximum)
			}
		}
	}
	slices.Sort(maxima)
	return maxima
}
