package warp

import (
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// Only the read-out's weights are scaled, by the factor that is asked for.
func TestScaledReadOut(t *testing.T) {
	for role, by := range map[cell.Role]float64{cell.Input: 1, cell.Recurrent: 1, cell.Output: 6} {
		want := cell.Orthogonal{}.Draw(chrono.RNG(1, "weights"), role, 4, 4)
		for i := range want {
			want[i] *= by
		}
		check.Equal(t, ScaledReadOut{6}.Draw(chrono.RNG(1, "weights"), role, 4, 4), want, "role %d", role)
	}
}
