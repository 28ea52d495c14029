package figures

import (
	"image/color"
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// To those who see no red (protan) or no green (deutan), as Machado et al. (2009) compute it, colours are a fifth of
// the way from black to white apart, or more.
func TestColoursAreApart(t *testing.T) {
	for name, matrix := range map[string][3][3]float64{
		"protan": {{0.152, 1.053, -0.205}, {0.115, 0.786, 0.099}, {-0.004, -0.048, 1.052}},
		"deutan": {{0.367, 0.861, -0.228}, {0.280, 0.673, 0.047}, {-0.012, 0.043, 0.969}},
	} {
		seen := func(c color.NRGBA) (s [3]float64) {
			for i, row := range matrix {
				for k, channel := range []uint8{c.R, c.G, c.B} {
					s[i] += row[k] * math.Pow(float64(channel)/255, 2.2)
				}
				s[i] = math.Pow(max(s[i], 0), 1/2.2)
			}
			return s
		}
		for i, a := range styles {
			for k, b := range styles[:i] {
				x, y := seen(a.color), seen(b.color)
				d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
				check.That(t, d >= 0.2, "%s: styles %d and %d are %.2f apart", name, k, i, d)
			}
		}
	}
}
