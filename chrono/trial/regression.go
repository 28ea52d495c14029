package trial

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
)

// Regression is the [Data] of tasks of one number. With T steps, R trials, B = Batch sequences each and F features, a
// batch has one input, x [T, R, B, F] float32, and one label, y [R, B] float32.
type Regression struct {
	Tasks     []task.Regression // [R], or one for all; all of as many steps and features
	Split     string            // names a set of sequences independent of every other's: "train", "test"
	Batch     int               // sequences in a batch, of each trial
	Sequences int               // passes over so many, in a new random order each time; 0 if every sequence is new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (s Regression) Steps() int { return s.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (s Regression) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns an error of one line if the tasks, or the sizes, make no sense.
func (s Regression) Validate() error {
	if err := checkDraws("regression", s.Tasks, s.Split, s.Batch, s.Sequences); err != nil {
		return err
	}
	for _, t := range s.Tasks {
		if t.Features() < 1 || t.Features() > maxElements {
			return fmt.Errorf("trial: regression of %d features, want 1 to %d", t.Features(), maxElements)
		}
		if features := s.Tasks[0].Features(); t.Features() != features {
			return fmt.Errorf("trial: regression of %d and of %d features cannot share a batch", features, t.Features())
		}
	}
	return nil
}

// Open implements Data. It is an error if Validate has one, if there is neither one task nor one per seed, or if a
// batch would have more than 2²⁹ inputs.
func (s Regression) Open(seeds []uint64) (Batches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d, err := openDraws(seeds, len(s.Tasks), s.Steps()*s.Tasks[0].Features(), s.Split, s.Batch, s.Sequences)
	if err != nil {
		return nil, err
	}
	return &regressionBatches{s.Tasks, d}, nil
}

type regressionBatches struct {
	tasks []task.Regression
	draws
}

// Batch implements Batches.
func (s *regressionBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	steps, width, trials := s.tasks[0].Steps(), s.tasks[0].Features(), len(s.seeds)
	x, y := make([]float32, steps*trials*s.batch*width), make([]float32, trials*s.batch)
	in := make([]float32, steps*width)
	err = s.each(n, func(r, place, _ int, rng *rand.Rand) {
		of(s.tasks, r).Sample(rng, in, y[place:place+1])
		timeMajor(x, in, place, width, trials*s.batch)
	})
	if err != nil {
		return nil, nil, err
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, steps, trials, s.batch, width)},
		[]*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, trials, s.batch)}, nil
}
