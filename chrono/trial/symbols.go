package trial

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
)

// Symbols is the [Data] of tasks of symbols. With T steps, R trials and B = Batch sequences each, a batch has one
// input, x [T, R, B] int32, and one label, y [T, R, B] int32.
type Symbols struct {
	Tasks     []task.Symbols // [R], or one for all; all of as many steps
	Split     string         // names a set of sequences independent of every other's: "train", "test"
	Batch     int            // sequences in a batch, of each trial
	Sequences int            // in a set that is passed over in new random orders; 0 if all are new
}

// Steps is the length of the sequences in time steps. It may be called only where Validate returns nil.
func (s Symbols) Steps() int { return s.Tasks[0].Steps() }

// Shape returns the size of a batch, for display: the number of sequences of each trial, and of time steps. It may be
// called only if Validate returns nil.
func (s Symbols) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Validate returns a one-line error if the tasks or the sizes are invalid.
func (s Symbols) Validate() error { return s.sampled().validate() }

// Open implements Data. It returns an error if Validate does, if there is neither one task nor one per seed, or if a
// tensor of a batch would have more than 2²⁹ elements.
func (s Symbols) Open(seeds []uint64) (Batches, error) { return s.sampled().open(seeds) }

func (s Symbols) sampled() sampled[task.Symbols, int32] {
	return sampled[task.Symbols, int32]{symbolKind, s.Tasks, s.Split, s.Batch, s.Sequences}
}

// symbolKind has one input and one label at every step.
var symbolKind = kind[task.Symbols, int32]{"symbols", func(t task.Symbols) (inputs, labels []part) {
	return []part{{t.Steps(), scalar}}, []part{{t.Steps(), scalar}}
}, func(t task.Symbols, rng *rand.Rand, _ int, values [][]int32) { t.Sample(rng, values[0], values[1]) }}
