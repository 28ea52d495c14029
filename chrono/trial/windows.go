package trial

import (
	"cmp"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
)

// Windows is the [Data] of a text cut into windows that do not overlap, after Cooijmans et al. 2017. Each window is a
// sequence of its own. With R trials and B = Batch windows each, a batch has one input, x [T, R, B] int32, and one
// label, the next symbols, y [T, R, B] int32. T is Length−1, since the last symbol of a window is only predicted.
//
// If Shuffled is set, each pass over the text starts at a random one of its first Length symbols, and takes the windows
// from there in random order. To make all passes equally long, a pass has one window less than fits the text. The
// orders and offsets of a trial depend on its seed. Otherwise all trials get the windows in the order of the text,
// repeatedly. A batch may reach from one pass into the next; it has some windows more than once if Batch is above their
// number.
type Windows struct {
	Of       Text
	Split    string // "train", "valid" or "test"
	Length   int    // symbols in a window
	Batch    int    // windows in a batch, of each trial
	Shuffled bool
}

func (w Windows) Shape() (batch, steps int, err error) {
	return w.Batch, w.Length - 1, cmp.Or(checkText("windows", w.Of, w.Split, w.Batch),
		checkAtLeast("windows", "Length", w.Length, 2), checkSize("windows", w.Length-1, w.Batch))
}

// Open also rejects a text without such a window.
func (w Windows) Open(seeds []uint64) (Batches, error) {
	symbols, err := readText("windows", w, w.Of, w.Split, seeds)
	if err != nil {
		return nil, err
	}
	count := len(symbols) / w.Length
	if w.Shuffled {
		count--
	}
	if count < 1 {
		return nil, fmt.Errorf("trial: windows of %d symbols in a text of %d, want a longer text", w.Length,
			len(symbols))
	}
	d := newDraws(seeds, w.Split, count)
	begin := func(r, k int) int { // of the k-th window that trial r gets
		if !w.Shuffled {
			return k % count * w.Length
		}
		offset := chrono.RNG(d.seeds[r], "offset", w.Split, k/count).IntN(w.Length)
		return offset + d.number(r, k)*w.Length
	}
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		inputs, labels = excerpts(symbols, w.Length-1, len(seeds), w.Batch, func(r, b int) int {
			return begin(r, n*w.Batch+b)
		})
		return inputs, labels, nil
	}), nil
}
