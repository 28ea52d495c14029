package figures

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// No arm has the style of the first two, which others are compared with.
func TestStylesAreApart(t *testing.T) {
	var places []int
	for n := range len(styles) + 7 {
		places = append(places, place(n))
	}
	check.Equal(t, places, []int{0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 2}, "places of styles")
}
