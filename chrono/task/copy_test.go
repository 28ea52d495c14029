package task

import (
	"fmt"
	"slices"
)

// copyTarget is the definition of both copy tasks: ten letters out of the first eight symbols, dummies, one signal with
// least … most dummies between it and the last letter, dummies; after the signal, the letters in order, and dummies
// everywhere else.
func copyTarget(in []int32, steps, least, most int) ([]int32, error) {
	if len(in) != steps {
		return nil, fmt.Errorf("%d steps, want %d", len(in), steps)
	}
	letters, rest := in[:10], in[10:]
	if slices.Min(letters) < 0 || slices.Max(letters) > 7 {
		return nil, fmt.Errorf("a letter is none of 0 … 7")
	}
	between := slices.Index(rest, CopySignal)
	if between < least || between > most {
		return nil, fmt.Errorf("%d characters between last letter and signal, want %d to %d", between, least, most)
	}
	for i, symbol := range rest {
		if i != between && symbol != CopyDummy {
			return nil, fmt.Errorf("symbol %d at step %d, want a dummy", symbol, 10+i)
		}
	}
	want := slices.Repeat([]int32{CopyDummy}, len(in))
	copy(want[10+between+1:], letters)
	return want, nil
}
