package trial

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
)

// Regression is the [Data] of tasks of one number. With T steps, R trials, B = Batch sequences each and F features, a
// batch has one input, x [T, R, B, F] float32, and one label, y [R, B] float32.
type Regression struct {
	Tasks     []task.Regression // [R], or one for all; all of as many steps and features
	Split     string            // names a set of sequences independent of every other's: "train", "test"
	Batch     int               // sequences in a batch, of each trial
	Sequences int               // in a set that is passed over in new random orders; 0 if all are new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (s Regression) Steps() int { return s.Tasks[0].Steps() }

// Shape returns the size of a batch, for display: the number of sequences of each trial, and of time steps. It may be
// called only if Validate returns nil.
func (s Regression) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns a one-line error if the tasks or the sizes are invalid.
func (s Regression) Validate() error { return s.sampled().validate() }

// Open implements Data. It returns an error if Validate does, if there is neither one task nor one per seed, or if a
// tensor of a batch would have more than 2²⁹ elements.
func (s Regression) Open(seeds []uint64) (Batches, error) { return s.sampled().open(seeds) }

func (s Regression) sampled() sampled[task.Regression, float32] {
	return sampled[task.Regression, float32]{regressionKind, s.Tasks, s.Split, s.Batch, s.Sequences}
}

// regressionKind has a vector at every step and one label at the end.
var regressionKind = kind[task.Regression, float32]{"regression", func(t task.Regression) (inputs, labels []part) {
	return []part{{t.Steps(), t.Features()}}, []part{{0, scalar}}
}, func(t task.Regression, rng *rand.Rand, _ int, values [][]float32) {
	t.Sample(rng, values[0], values[1])
}}
