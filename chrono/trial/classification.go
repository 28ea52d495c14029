package trial

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
)

// Classification is the [Data] of tasks of one symbol at the end. With T steps, R trials and B = Batch sequences each,
// a batch has one input, x [T, R, B] int32, and one label, y [R, B] int32.
type Classification struct {
	Tasks     []task.Classification // [R], or one for all; all of as many steps
	Split     string                // names a set of sequences independent of every other's: "train", "test"
	Batch     int                   // sequences in a batch, of each trial
	Sequences int                   // passes over so many, in a new random order each time; 0 if every sequence is new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (c Classification) Steps() int { return c.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (c Classification) Shape() (batch, steps int) { return c.Batch, c.Steps() }

// Validate returns an error of one line if the tasks, or the sizes, make no sense.
func (c Classification) Validate() error {
	return checkDraws("classification", c.Tasks, c.Split, c.Batch, c.Sequences)
}

// Open implements Data. It is an error if Validate has one, if there is neither one task nor one per seed, or if a
// batch would have more than 2²⁹ inputs.
func (c Classification) Open(seeds []uint64) (Batches, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	d, err := openDraws(seeds, len(c.Tasks), c.Steps(), c.Split, c.Batch, c.Sequences)
	if err != nil {
		return nil, err
	}
	return &classificationBatches{c.Tasks, d}, nil
}

type classificationBatches struct {
	tasks []task.Classification
	draws
}

// Batch implements Batches.
func (c *classificationBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	steps, trials := c.tasks[0].Steps(), len(c.seeds)
	x, y := make([]int32, steps*trials*c.batch), make([]int32, trials*c.batch)
	in := make([]int32, steps)
	err = c.each(n, func(r, place, _ int, rng *rand.Rand) {
		y[place] = of(c.tasks, r).Sample(rng, in)
		timeMajor(x, in, place, 1, trials*c.batch)
	})
	if err != nil {
		return nil, nil, err
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, steps, trials, c.batch)},
		[]*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, trials, c.batch)}, nil
}
