package warp

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// Each half has one gate of chrono's, unit by unit, and the other of forget bias 1; the opposite has other signs.
func TestHalves(t *testing.T) {
	const units, tmax = 50, 30
	draw := func(init chrono.GateInit) chrono.Biases { return init.Draw(chrono.RNG(3, "halves"), units) }
	whole, baseline := draw(chrono.Chrono{Tmax: tmax}), draw(chrono.Standard{Forget: 1})
	forget, input := draw(ForgetOnly{tmax}), draw(InputOnly{tmax})
	check.That(t, slices.Equal(forget.Forget, whole.Forget) && slices.Equal(forget.Input, baseline.Input),
		"ForgetOnly: %v", forget)
	check.That(t, slices.Equal(input.Input, whole.Input) && slices.Equal(input.Forget, baseline.Forget),
		"InputOnly: %v", input)
	opposite := draw(Opposite{chrono.Chrono{Tmax: tmax}})
	for u := range units {
		check.That(t, opposite.Forget[u] == -whole.Forget[u] && opposite.Input[u] == -whole.Input[u],
			"Opposite of %v: %v", whole, opposite)
	}
	for _, init := range []chrono.GateInit{ForgetOnly{1}, InputOnly{1}, Opposite{chrono.Chrono{Tmax: 1}}} {
		check.That(t, init.Validate() != nil, "%#v is valid", init)
	}
}
