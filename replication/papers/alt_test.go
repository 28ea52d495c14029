package papers_test

import (
	"strings"
	"testing"
)

// What is said of a figure goes by the letters of its charts.
func TestAlt(t *testing.T) {
	said := draw(t, "warp/fig1", fig1Records()).Alt()
	at := -1
	for _, letter := range []string{"(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)"} {
		next := strings.Index(said, letter)
		if next <= at {
			t.Errorf("%s is not in its place in %q", letter, said)
		}
		at = next
	}
}
