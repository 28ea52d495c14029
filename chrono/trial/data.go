package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// Data is a source of batches. It says which sequences there are; the trials' seeds say which of them each trial gets.
type Data interface {
	// Open returns the batches of the trials with these seeds. The error is one line.
	Open(seeds []uint64) (Batches, error)
}

// Batches are the batches of R trials side by side.
type Batches interface {
	// Batch returns batch n, counted from 0. It is a function of the seeds and n alone, so that training resumes at
	// batch n without the n before it. The tensors are the caller's. It may use memory of its own again: it is not for
	// concurrent use.
	Batch(n int) (inputs, labels []*tensors.Tensor, err error)
}

// Bounds on slips of the keyboard, as task.MaxSteps is one.
const (
	maxElements  = 1 << 29 // numbers in the inputs of a batch: 2 GiB
	maxSequences = 1 << 24 // sequences in a training set
)

// draws says from which random stream each sequence of a batch is drawn. Sequence k of a trial is a function of the
// trial's seed, the split's name and k alone. Batch n holds the sequences from n·B on; or, where there are passes
// over a set, the sequences of a random order of the set, drawn for each pass.
//
// So a trial gets the same data alone and among others, and trials of equal seeds get equal data, to compare two
// models on.
type draws struct {
	seeds     []uint64
	split     string
	batch     int // sequences in a batch and trial
	sequences int // in one pass; 0 if there is no end of new ones
	passes    []pass
}

// pass is the order of the sequences in one pass of a trial over a set.
type pass struct {
	number int
	order  []int
}

// checkDraws returns an error unless a data's tasks and sizes make sense.
func checkDraws[T task.Task](data string, tasks []T, split string, batch, sequences int) error {
	if len(tasks) == 0 {
		return fmt.Errorf("trial: %s without a task", data)
	}
	for i, t := range tasks {
		if any(t) == nil {
			return fmt.Errorf("trial: %s whose task %d is nil", data, i)
		}
		if err := t.Validate(); err != nil {
			return err
		}
		if t.Steps() < 1 {
			return fmt.Errorf("trial: %s of %d steps, want 1 or more", data, t.Steps())
		}
		if t.Steps() != tasks[0].Steps() {
			return fmt.Errorf("trial: %s of %d and of %d steps cannot share a batch", data, tasks[0].Steps(), t.Steps())
		}
	}
	if split == "" {
		return fmt.Errorf("trial: %s without the name of a split", data)
	}
	if batch < 1 || batch > maxElements {
		return fmt.Errorf("trial: %s in batches of %d sequences, want 1 to %d", data, batch, maxElements)
	}
	if sequences < 0 || sequences > maxSequences {
		return fmt.Errorf("trial: %s in passes over %d sequences, want 1 to %d, or 0 for always new ones",
			data, sequences, maxSequences)
	}
	return nil
}

// openDraws returns the draws of trials that have these seeds and so many tasks, of size numbers in a sequence.
func openDraws(seeds []uint64, tasks, size int, split string, batch, sequences int) (draws, error) {
	if len(seeds) == 0 {
		return draws{}, errors.New("trial: no seeds, want one per trial")
	}
	if tasks != 1 && tasks != len(seeds) {
		return draws{}, fmt.Errorf("trial: %d tasks for %d trials, want one, or one per trial", tasks, len(seeds))
	}
	// One after the other, so that absurd sizes cannot overflow.
	if room := maxElements / size / len(seeds); batch > room {
		return draws{}, fmt.Errorf("trial: batches of %d sequences for %d trials are too large, want at most %d",
			batch, len(seeds), room)
	}
	// A copy, since the caller may use the slice again before the batches are drawn.
	return draws{slices.Clone(seeds), split, batch, sequences, make([]pass, len(seeds))}, nil
}

// each calls draw for every sequence of batch n: with its trial r, its place in an array [R, B], its number k in the
// trial's set, and its stream.
func (d *draws) each(n int, draw func(r, place, k int, rng *rand.Rand)) error {
	if n < 0 {
		return fmt.Errorf("trial: batch number %d, want 0 or more", n)
	}
	for r := range d.seeds {
		for b := range d.batch {
			k := d.number(r, n*d.batch+b)
			draw(r, r*d.batch+b, k, chrono.RNG(d.seeds[r], "task", d.split, k))
		}
	}
	return nil
}

// number returns which sequence of its set is the k-th that trial r gets.
func (d *draws) number(r, k int) int {
	if d.sequences == 0 {
		return k
	}
	p := &d.passes[r]
	if number := k / d.sequences; p.order == nil || p.number != number {
		p.number = number
		p.order = chrono.RNG(d.seeds[r], "order", d.split, number).Perm(d.sequences)
	}
	return p.order[k%d.sequences]
}

// of returns trial r's task out of one per trial, or one for all.
func of[T any](tasks []T, r int) T { return tasks[min(r, len(tasks)-1)] }

// timeMajor copies a sequence of vectors of that width to its place among so many sequences, where time is the first
// axis.
func timeMajor[E any](batch, sequence []E, place, width, sequences int) {
	for t := range len(sequence) / width {
		copy(batch[(t*sequences+place)*width:], sequence[t*width:(t+1)*width])
	}
}
