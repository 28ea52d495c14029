package show

import (
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestSource(t *testing.T) {
	const want = "[chrono/chrono.go](https://github.com/warptime/warptime/blob/main/chrono/chrono.go)\n\n" +
		"```go\nfunc TimeScale(forget float64) float64 { return 1 + math.Exp(forget) }\n\n" +
		"func (c Chrono) Draw(rng *rand.Rand, units int) Biases {\n    given.Valid(c)\n" +
		"    return Range{2, c.Tmax}.Draw(rng, units)\n}\n```\n"
	shown := capture(t)
	Source("chrono/chrono.go", "TimeScale", "Chrono.Draw")
	check.Equal(t, text((*shown)[0]), want, "listing")
	for _, wrong := range [][2]string{
		{"chrono/chrono.go", "Draw"},       // of several types
		{"chrono/chrono.go", "Chrono.Out"}, // of none
		{"chrono/no.go", "Chrono"},
	} {
		check.That(t, stopped(func() { Source(wrong[0], wrong[1]) }), "%q is shown", wrong)
	}
}

func TestLongLinesAreFolded(t *testing.T) {
	long := "    f(" + strings.Repeat("a, ", 30) + "b) // why"
	want := []string{"    f(" + strings.Repeat("a, ", 26) + "a,", "        a, a, a, b)", "        // why"}
	check.Equal(t, folded(long), want, "a call")
	sum := "    return " + strings.Repeat("a", 72) + " + b"
	check.Equal(t, folded(sum), []string{sum[:len(sum)-2], "        b"}, "a sum")
}
