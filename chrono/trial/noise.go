package trial

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/given"
)

// SizedData is [Data] that know the size of their batches.
type SizedData interface {
	Data

	// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each.
	Shape() (batch, steps int)
}

// Noise adds one input, the last, to other [Data]: ε [R, B, Width] float32, standard normal numbers for models that are
// random, such as those whose initial state is a cell.NormalState.
//
// The numbers for a sequence depend only on its trial's seed, the split, the number of the batch and the place in it.
// So they are new at every update, even if the sequences are not, and the same when training is resumed and on every
// engine.
type Noise struct {
	Of    SizedData
	Width int    // numbers for each sequence; for an initial state cell.StateSize
	Split string // names noise independent of every other's: "train", "samples"
}

// Shape may be called only where Validate returns nil.
func (s Noise) Shape() (batch, steps int) { return s.Of.Shape() }

// Validate returns a one-line error if there are no data, no numbers or no name of a split.
func (s Noise) Validate() error {
	return cmp.Or(given.Check(s.Split != "", "trial: noise without the name of a split"), checkNoise(s.Of, s.Width))
}

// Open implements Data. It returns an error if Validate does, if the data's Open has one, or if a batch would have more
// than 2²⁹ numbers of noise.
func (s Noise) Open(seeds []uint64) (Batches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.open(seeds, func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
}

// NoNoise is the [Data] of another with zeros where [Noise] has random numbers, for a random model at the mean of its
// noise.
type NoNoise struct {
	Of    SizedData
	Width int // numbers for each sequence
}

// Shape may be called only where Validate returns nil.
func (s NoNoise) Shape() (batch, steps int) { return s.Of.Shape() }

// Validate returns a one-line error if there are no data or no numbers.
func (s NoNoise) Validate() error { return checkNoise(s.Of, s.Width) }

// Open implements Data. It is an error where Noise's Open has one.
func (s NoNoise) Open(seeds []uint64) (Batches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return Noise{Of: s.Of, Width: s.Width}.open(seeds, func(*rand.Rand) float32 { return 0 })
}

func checkNoise(of SizedData, width int) error {
	return cmp.Or(given.Check(of != nil, "trial: noise without data to add it to"),
		checkAtLeast("noise", "Width", width, 1), checkSize("noise", width))
}

// open returns the data's batches with one input more, drawn number by number.
func (s Noise) open(seeds []uint64, draw func(rng *rand.Rand) float32) (Batches, error) {
	return withMore("noise", s.Of, s.Width, seeds, func(seeds []uint64, n int, _ []*tensors.Tensor) []*tensors.Tensor {
		batch, _ := s.Of.Shape()
		noise := make([]float32, 0, len(seeds)*batch*s.Width)
		for _, seed := range seeds {
			for place := range batch {
				rng := chrono.RNG(seed, "noise", s.Split, n, place)
				for range s.Width {
					noise = append(noise, draw(rng))
				}
			}
		}
		return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(noise, len(seeds), batch, s.Width)}
	})
}

// withMore returns the batches of data with more inputs, which follow from the seeds, the number of the batch and its
// own inputs. Width is how many numbers of them a sequence has.
func withMore(name string, of SizedData, width int, seeds []uint64,
	more func(seeds []uint64, n int, inputs []*tensors.Tensor) []*tensors.Tensor) (Batches, error) {
	batches, err := of.Open(seeds)
	if err != nil {
		return nil, err
	}
	batch, _ := of.Shape()
	if err := checkBatch(name, seeds, width, batch); err != nil {
		return nil, err
	}
	seeds = slices.Clone(seeds) // the caller may use the slice again before anything is drawn
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		inputs, labels, err = batches.Batch(n)
		if err != nil {
			return nil, nil, err
		}
		return append(inputs, more(seeds, n, inputs)...), labels, nil
	}), nil
}
