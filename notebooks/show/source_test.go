package show

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// What Source displays is in notebooks, whose test compares it.
func TestSourceRejects(t *testing.T) {
	for _, wrong := range [][2]string{
		{"chrono/chrono.go", "Draw"},       // of several types
		{"chrono/chrono.go", "Chrono.Out"}, // of none
		{"chrono/no.go", "Chrono"},
	} {
		check.That(t, stopped(func() { Source(wrong[0], wrong[1]) }), "%q is shown", wrong)
	}
}
