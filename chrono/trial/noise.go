package trial

import (
	"cmp"
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
	seeds = slices.Clone(seeds) // the caller may use the slice again before the noise is drawn
	return openNoise(s.Of, s.Width, seeds, func(values []float32, r, n, place int) {
		rng := chrono.RNG(seeds[r], "noise", s.Split, n, place)
		for i := range values {
			values[i] = float32(rng.NormFloat64())
		}
	})
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
	return openNoise(s.Of, s.Width, seeds, func([]float32, int, int, int) {})
}

func checkNoise(of SizedData, width int) error {
	return cmp.Or(given.Check(of != nil, "trial: noise without data to add it to"),
		checkAtLeast("noise", "Width", width, 1), checkSize("noise", width))
}

func openNoise(of SizedData, width int, seeds []uint64, fill func(values []float32, r, n, place int)) (Batches, error) {
	batches, err := of.Open(seeds)
	if err != nil {
		return nil, err
	}
	batch, _ := of.Shape()
	if err := checkBatch("noise", seeds, width, batch); err != nil {
		return nil, err
	}
	return &noisyBatches{batches, len(seeds), batch, width, fill}, nil
}

type noisyBatches struct {
	of                   Batches
	trials, batch, width int
	fill                 func(values []float32, r, n, place int)
}

func (s *noisyBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels, err = s.of.Batch(n)
	if err != nil {
		return nil, nil, err
	}
	noise := make([]float32, s.trials*s.batch*s.width)
	for r := range s.trials {
		for place := range s.batch {
			begin := (r*s.batch + place) * s.width
			s.fill(noise[begin:begin+s.width], r, n, place)
		}
	}
	return append(inputs, tensors.FromFlatDataAndDimensions(noise, s.trials, s.batch, s.width)), labels, nil
}
