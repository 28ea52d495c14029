package task

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// run is a character that lasts for some steps.
type run struct {
	character int32
	steps     int
}

// runs takes a sequence apart into what stands between two changes.
func runs(in []int32) []run {
	var found []run
	for t, symbol := range in {
		if t == 0 || symbol != in[t-1] {
			found = append(found, run{symbol, 0})
		}
		found[len(found)-1].steps++
	}
	return found
}

// warpTarget is the definition of the warping task: runs of the characters 1 … 9, each of Min … Max steps, the last
// perhaps cut off; during each, the target is the character of the run before, and during the first the dummy.
func warpTarget(in []int32, task Warp) ([]int32, error) {
	if len(in) != task.Length {
		return nil, fmt.Errorf("%d steps, want %d", len(in), task.Length)
	}
	var want []int32
	previous := int32(WarpDummy)
	all := runs(in)
	for i, r := range all {
		if r.character < 1 || r.character > 9 {
			return nil, fmt.Errorf("symbol %d, want a character, 1 … 9", r.character)
		}
		// A run longer than Max would also be what two equal neighbours look like.
		if r.steps > task.Max || (r.steps < task.Min && i < len(all)-1) {
			return nil, fmt.Errorf("character %d lasts %d steps, want %d to %d", i, r.steps, task.Min, task.Max)
		}
		want = append(want, slices.Repeat([]int32{previous}, r.steps)...)
		previous = r.character
	}
	return want, nil
}

// W Section 3: a variable warping turns x(t) into x(c(t)), and the target alike; c is piecewise affine, and rises by 1
// while a character lasts.
func TestAWarpingIsXOfCOfT(t *testing.T) {
	const text = "All human beings are born free and equal"
	steps := make([]int, len(text))
	for k := range steps {
		steps[k] = 1 + k*k%4
	}
	x, y := WarpText(text, slices.Repeat([]int{1}, len(text)), '_') // at the speed 1
	warpedX, warpedY := WarpText(text, steps, '_')
	c := 0.
	for at := range warpedX {
		k := int(c + 1e-9) // thirds add up to less than 1
		if warpedX[at] != x[k] || warpedY[at] != y[k] {
			t.Fatalf("step %d: %c and %c, want %c and %c, of time %g", at, warpedX[at], warpedY[at], x[k], y[k], c)
		}
		c += 1 / float64(steps[k])
	}
}

func TestTextsRejectNegativeNumbers(t *testing.T) {
	for name, lay := range map[string]func(text string, numbers []int, symbol rune) (in, out string){
		"warp": WarpText, "pad": PadText,
	} {
		check.Panics(t, name, func() { lay("abc", []int{1, -2, 3}, '0') }, "-2 steps for character 1")
	}
}
