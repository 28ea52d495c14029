package trial

import (
	"cmp"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/given"
)

// Noise adds one input, the last, to other [Data]: ε [R, B, Width] float32, standard normal numbers for models that are
// random, such as those whose initial state is a cell.NormalState.
//
// The numbers for a sequence depend only on its trial's seed, the split, the number of the batch and the place in it.
// So they are new at every update, even if the sequences are not, and the same when training is resumed and on every
// engine.
type Noise struct {
	Of    Data
	Width int    // numbers for each sequence; for an initial state cell.StateSize
	Split string // names noise independent of every other's: "train", "samples"; "" if Zero

	// Zero puts zeros in place of the random numbers, for a random model at the mean of its noise.
	Zero bool `json:",omitzero"`
}

func (s Noise) Shape() (batch, steps int, err error) {
	err = cmp.Or(
		given.Check((s.Split != "") != s.Zero, "trial: noise of split %q, Zero %v, want one of both", s.Split, s.Zero),
		given.Check(s.Of != nil, "trial: noise without data to add it to"),
		checkAtLeast("noise", "Width", s.Width, 1), checkSize("noise", s.Width))
	if err != nil {
		return 0, 0, err
	}
	return s.Of.Shape()
}

func (s Noise) Open(seeds []uint64) (Batches, error) {
	batch, _, err := s.Shape()
	if err != nil {
		return nil, err
	}
	batches, err := s.Of.Open(seeds)
	if err = cmp.Or(err, checkBatch("noise", seeds, s.Width, batch)); err != nil {
		return nil, err
	}
	seeds = slices.Clone(seeds) // the caller may use the slice again before anything is drawn
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		inputs, labels, err = batches.Batch(n)
		if err != nil {
			return nil, nil, err
		}
		noise := make([]float32, 0, len(seeds)*batch*s.Width)
		for _, seed := range seeds {
			for place := range batch {
				rng := chrono.RNG(seed, "noise", s.Split, n, place)
				for range s.Width {
					noise = append(noise, float32(rng.NormFloat64()))
				}
			}
		}
		if s.Zero {
			clear(noise)
		}
		return append(inputs, tensors.FromFlatDataAndDimensions(noise, len(seeds), batch, s.Width)), labels, nil
	}), nil
}
