package trial

import (
	"cmp"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"
)

// Streams is the [Data] of a text that is cut into B = Batch parts of equal length, which are read side by side:
// sequence b of a batch continues sequence b of the previous batch, so a network can carry its state from batch to
// batch. All R trials read the same text. A batch has two inputs: x [T, R, B] int32, and a float32 scalar that is 0 at
// the beginning of a pass over the text and 1 elsewhere. It has one label, the next symbols, y [T, R, B] int32. Symbols
// at the end that do not fill a batch are left out.
type Streams struct {
	Of    Text
	Split string // "train", "valid" or "test"
	Batch int    // parts
	Steps int    // T
}

func (s Streams) Shape() (batch, steps int, err error) {
	return s.Batch, s.Steps, cmp.Or(checkText("streams", s.Of, s.Split, s.Batch),
		checkAtLeast("streams", "Steps", s.Steps, 1), checkSize("streams", s.Steps, s.Batch))
}

// Open also rejects a text that fills no batch.
func (s Streams) Open(seeds []uint64) (Batches, error) {
	symbols, err := readText("streams", s, s.Of, s.Split, seeds)
	if err != nil {
		return nil, err
	}
	pass := (len(symbols)/s.Batch - 1) / s.Steps // batches in one
	if pass < 1 {
		return nil, fmt.Errorf("trial: %d streams of %d steps in a text of %d symbols, want a longer text", s.Batch,
			s.Steps, len(symbols))
	}
	part := len(symbols) / s.Batch
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		at := n % pass
		inputs, labels = excerpts(symbols, s.Steps, len(seeds), s.Batch, func(_, b int) int {
			return b*part + at*s.Steps
		})
		return append(inputs, tensors.FromScalar(float32(min(1, at)))), labels, nil
	}), nil
}
