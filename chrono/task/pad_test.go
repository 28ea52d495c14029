package task

import (
	"fmt"
)

// padTarget is the definition of the padding task: a character 1 … 9, then Min … Max zeros, and again, neighbours
// different, the last perhaps cut off; the target is the character before where the input is one, the dummy at the
// first, and zero where the input is zero.
func padTarget(in []int32, task Pad) ([]int32, error) {
	if len(in) != task.Length {
		return nil, fmt.Errorf("%d steps, want %d", len(in), task.Length)
	}
	if in[0] == WarpDummy {
		return nil, fmt.Errorf("it begins with a zero")
	}
	want := make([]int32, len(in))
	last := -1 // the step of the last character
	for t, symbol := range in {
		if symbol < 0 || symbol > 9 {
			return nil, fmt.Errorf("symbol %d, want 0 … 9", symbol)
		}
		zeros := t - last - 1 // since that character
		if symbol == WarpDummy {
			if zeros+1 > task.Max {
				return nil, fmt.Errorf("%d zeros up to step %d, want at most %d", zeros+1, t, task.Max)
			}
			continue
		}
		if last >= 0 {
			if zeros < task.Min {
				return nil, fmt.Errorf("%d zeros before step %d, want at least %d", zeros, t, task.Min)
			}
			if in[last] == symbol {
				return nil, fmt.Errorf("neighbours are equal at steps %d and %d", last, t)
			}
			want[t] = in[last]
		}
		last = t
	}
	return want, nil
}
