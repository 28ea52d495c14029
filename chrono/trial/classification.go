package trial

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
)

// Classification is the [Data] of [task.Classification] tasks, which have one label at the end. With T steps, R trials
// and B = Batch sequences each, a batch has one input, x [T, R, B] int32, and one label, y [R, B] int32.
type Classification struct {
	Tasks     []task.Classification // one for each of the R trials, or one for all; all with the same number of steps
	Split     string                // names a set of sequences independent of every other set: "train", "test"
	Batch     int                   // sequences in a batch, of each trial
	Sequences int                   // size of a set that is repeated in new random orders; 0 always draws new ones
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (c Classification) Steps() int { return c.Tasks[0].Steps() }

// Shape returns the size of a batch, for display: the number of sequences of each trial, and of time steps. It may be
// called only if Validate returns nil.
func (c Classification) Shape() (batch, steps int) { return c.Batch, c.Steps() }

// Validate returns a one-line error if the tasks or the sizes are invalid.
func (c Classification) Validate() error { return c.sampled().validate() }

// Open implements Data. It returns an error if Validate does, if there is neither one task nor one for each seed, or if
// a tensor of a batch would have more than 2²⁹ elements.
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
