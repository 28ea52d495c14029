package trial

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
)

// Symbols is the [Data] of tasks of symbols. With T steps, R trials and B = Batch sequences each, a batch has one
// input, x [T, R, B] int32, and one label, y [T, R, B] int32.
type Symbols struct {
	Tasks     []task.Symbols // [R], or one for all; all of as many steps
	Split     string         // names a set of sequences independent of every other's: "train", "test"
	Batch     int            // sequences in a batch, of each trial
	Sequences int            // passes over so many, in a new random order each time; 0 if every sequence is new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (s Symbols) Steps() int { return s.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (s Symbols) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns an error of one line if the tasks, or the sizes, make no sense.
func (s Symbols) Validate() error {
	return checkDraws("symbols", s.Tasks, s.Split, s.Batch, s.Sequences)
}

// Open implements Data. It is an error if Validate has one, if there is neither one task nor one per seed, or if a
// batch would have more than 2²⁹ inputs.
func (s Symbols) Open(seeds []uint64) (Batches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d, err := openDraws(seeds, len(s.Tasks), s.Steps(), s.Split, s.Batch, s.Sequences)
	if err != nil {
		return nil, err
	}
	return &symbolBatches{s.Tasks, d}, nil
}

type symbolBatches struct {
	tasks []task.Symbols
	draws
}

// Batch implements Batches.
func (s *symbolBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	steps, trials := s.tasks[0].Steps(), len(s.seeds)
	x, y := make([]int32, steps*trials*s.batch), make([]int32, steps*trials*s.batch)
	in, out := make([]int32, steps), make([]int32, steps)
	err = s.each(n, func(r, place, _ int, rng *rand.Rand) {
		of(s.tasks, r).Sample(rng, in, out)
		timeMajor(x, in, place, 1, trials*s.batch)
		timeMajor(y, out, place, 1, trials*s.batch)
	})
	if err != nil {
		return nil, nil, err
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, steps, trials, s.batch)},
		[]*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, steps, trials, s.batch)}, nil
}
