package trial

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
)

// Classification is the [Data] of tasks of one symbol at the end. With T steps, R trials and B = Batch sequences each,
// a batch has one input, x [T, R, B] int32, and one label, y [R, B] int32.
type Classification struct {
	Tasks     []task.Classification // [R], or one for all; all of as many steps
	Split     string                // names a set of sequences independent of every other's: "train", "test"
	Batch     int                   // sequences in a batch, of each trial
	Sequences int                   // in a set that is passed over in new random orders; 0 if all are new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (c Classification) Steps() int { return c.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (c Classification) Shape() (batch, steps int) { return c.Batch, c.Steps() }

// Validate returns an error of one line if the tasks, or the sizes, make no sense.
func (c Classification) Validate() error { return c.sampled().validate() }

// Open implements Data. It is an error if Validate has one, if there is neither one task nor one per seed, or if a
// tensor of a batch would have more than 2²⁹ elements.
func (c Classification) Open(seeds []uint64) (Batches, error) { return c.sampled().open(seeds) }

func (c Classification) sampled() sampled[task.Classification, int32] {
	return sampled[task.Classification, int32]{classificationKind, c.Tasks, c.Split, c.Batch, c.Sequences}
}

// classificationKind has one input at every step and one label at the end.
var classificationKind = kind[task.Classification, int32]{
	"classification", func(t task.Classification) (inputs, labels []part) {
		return []part{{t.Steps(), scalar}}, []part{{0, scalar}}
	}, func(t task.Classification, rng *rand.Rand, _ int, values [][]int32) {
		values[1][0] = t.Sample(rng, values[0])
	},
}
