package trial

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
)

// Series is the [Data] of tasks of series. With T steps, R trials, B = Batch series each and F numbers in a context, a
// batch has two inputs, x [T, R, B, 1] and the context [R, B, F], and one label, the changes [T, R, B]; all are
// float32.
type Series struct {
	Tasks  []task.Series // [R], or one for all; all of as many steps, and with contexts of one size
	Split  string        // names a set of series independent of every other's: "train", "test"
	Batch  int           // series in a batch, of each trial
	Series int           // passes over so many, in a new random order each time; 0 if every series is new
}

// Steps is the length of the series in time steps. It may be called only where Validate returns nil.
func (s Series) Steps() int { return s.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the series of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (s Series) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns an error of one line if the tasks, or the sizes, make no sense.
func (s Series) Validate() error {
	if err := checkDraws("series", s.Tasks, s.Split, s.Batch, s.Series); err != nil {
		return err
	}
	for _, t := range s.Tasks {
		if size := s.Tasks[0].Context(); t.Context() != size {
			return fmt.Errorf("trial: series with contexts of %d and of %d numbers cannot share a batch", size,
				t.Context())
		}
	}
	return nil
}

// Open implements Data. It is an error if Validate has one, if there is neither one task nor one per seed, or if a
// batch would have more than 2²⁹ inputs.
func (s Series) Open(seeds []uint64) (Batches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	size := s.Steps() + s.Tasks[0].Context()
	d, err := openDraws(seeds, len(s.Tasks), size, s.Split, s.Batch, s.Series)
	if err != nil {
		return nil, err
	}
	return &seriesBatches{s.Tasks, d}, nil
}

type seriesBatches struct {
	tasks []task.Series
	draws
}

// Batch implements Batches.
func (s *seriesBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	steps, width, trials := s.tasks[0].Steps(), s.tasks[0].Context(), len(s.seeds)
	x, y := make([]float32, steps*trials*s.batch), make([]float32, steps*trials*s.batch)
	context := make([]float32, trials*s.batch*width)
	in, change := make([]float32, steps), make([]float32, steps)
	err = s.each(n, func(r, place, k int, rng *rand.Rand) {
		of(s.tasks, r).Sample(rng, k, in, context[place*width:(place+1)*width], change)
		timeMajor(x, in, place, 1, trials*s.batch)
		timeMajor(y, change, place, 1, trials*s.batch)
	})
	if err != nil {
		return nil, nil, err
	}
	return []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(x, steps, trials, s.batch, 1),
			tensors.FromFlatDataAndDimensions(context, trials, s.batch, width),
		}, []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(y, steps, trials, s.batch),
		}, nil
}
