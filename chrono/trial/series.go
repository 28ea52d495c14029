package trial

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
)

// Series is the [Data] of tasks of series. With T steps, R trials, B = Batch series each and F numbers in a context, a
// batch has two inputs, x [T, R, B, 1] and the context [R, B, F], and one label, the changes [T, R, B]; all are
// float32.
type Series struct {
	Tasks  []task.Series // [R], or one for all; all of as many steps, and with contexts of one size
	Split  string        // names a set of series independent of every other's: "train", "test"
	Batch  int           // series in a batch, of each trial
	Series int           // in a set that is passed over in new random orders; 0 if all are new
}

// Steps is the length of the series in time steps. It may be called only where Validate returns nil.
func (s Series) Steps() int { return s.Tasks[0].Steps() }

// Shape is the size of a batch, for a reader: the series of each trial, and the steps of time of each. It may be
// called only where Validate returns nil.
func (s Series) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns a one-line error if the tasks or the sizes are invalid.
func (s Series) Validate() error { return s.sampled().validate() }

// Open implements Data. It returns an error if Validate does, if there is neither one task nor one per seed, or if a
// tensor of a batch would have more than 2²⁹ elements.
func (s Series) Open(seeds []uint64) (Batches, error) { return s.sampled().open(seeds) }

func (s Series) sampled() sampled[task.Series, float32] {
	return sampled[task.Series, float32]{seriesKind, s.Tasks, s.Split, s.Batch, s.Series}
}

// seriesKind has a number at every step, a context, and a label at every step.
var seriesKind = kind[task.Series, float32]{"series", func(t task.Series) (inputs, labels []part) {
	return []part{{t.Steps(), 1}, {0, t.Context()}}, []part{{t.Steps(), scalar}}
}, func(t task.Series, rng *rand.Rand, k int, values [][]float32) {
	t.Sample(rng, k, values[0], values[1], values[2])
}}
