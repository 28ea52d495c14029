package show

import (
	"slices"
	"strings"
	"testing"
)

func TestSource(t *testing.T) {
	const want = "[chrono/chrono.go](https://github.com/warptime/warptime/blob/main/chrono/chrono.go)\n\n" +
		"```go\nfunc TimeScale(forget float64) float64 { return 1 + math.Exp(forget) }\n\n" +
		"func (c Chrono) Draw(rng *rand.Rand, units int) Biases {\n    check(c)\n" +
		"    return Range{2, c.Tmax}.Draw(rng, units)\n}\n```\n"
	got, err := Listing("../..", "chrono/chrono.go", "TimeScale", "Chrono.Draw")
	if err != nil || got != want {
		t.Errorf("got %v and\n%s\nwant\n%s", err, got, want)
	}
	for _, wrong := range [][2]string{
		{"chrono/chrono.go", "Draw"},       // of several types
		{"chrono/chrono.go", "Chrono.Out"}, // of none
		{"chrono/no.go", "Chrono"},
	} {
		if _, err := Listing("../..", wrong[0], wrong[1]); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: error %v, want one line", wrong, err)
		}
	}
}

func TestLongLinesAreFolded(t *testing.T) {
	long := "    f(" + strings.Repeat("a, ", 30) + "b) // why"
	want := []string{"    f(" + strings.Repeat("a, ", 26) + "a,", "        a, a, a, b)", "        // why"}
	if got := folded(long); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sum := "    return " + strings.Repeat("a", 72) + " + b"
	if got := folded(sum); !slices.Equal(got, []string{sum[:len(sum)-2], "        b"}) {
		t.Errorf("got %q", got)
	}
}
