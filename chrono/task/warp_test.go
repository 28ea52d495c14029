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

func TestTextsRejectNegativeNumbers(t *testing.T) {
	for name, lay := range map[string]func(text string, numbers []int, symbol rune) (in, out string){
		"warp": WarpText, "pad": PadText,
	} {
		check.Panics(t, name, func() { lay("abc", []int{1, -2, 3}, '0') }, "-2 steps for character 1")
	}
}
