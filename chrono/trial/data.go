package trial

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
)

// Data is a source of batches. It defines the sequences; a trial's seed selects those that the trial gets.
type Data interface {
	// Shape is the size of a batch, the sequences of each trial, and the steps of time of each; or a one-line error if
	// the settings are invalid. It reads no file.
	Shape() (batch, steps int, err error)

	// Open returns the batches of the trials with these seeds. The one-line error is that of Shape, or there is no
	// seed, a file cannot be read or holds something else than the data say, or a tensor of a batch would have more
	// than 2²⁹ elements.
	Open(seeds []uint64) (Batches, error)
}

// Batches are the batches of R trials side by side.
type Batches interface {
	// Batch returns batch n, counted from 0. It depends only on the seeds and n, so training can resume at batch n
	// without computing the earlier ones. The caller owns the tensors. It may be called concurrently.
	Batch(n int) (inputs, labels []*tensors.Tensor, err error)
}

// batchesBy are batches that a function makes.
type batchesBy func(n int) (inputs, labels []*tensors.Tensor, err error)

// Batch rejects negative numbers.
func (b batchesBy) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	if n < 0 {
		return nil, nil, fmt.Errorf("trial: batch number %d, want 0 or more", n)
	}
	return b(n)
}

// draws says from which random stream each sequence of a batch is drawn. Sequence k of a trial is a function of the
// trial's seed, the split's name and k alone. Batch n holds the sequences from n·B on; or, where there are passes
// over a set, the sequences of a random order of the set, drawn for each pass.
//
// So a trial gets the same data alone and among others, and trials of equal seeds get equal data, to compare two
// models on.
type draws struct {
	seeds     []uint64
	split     string
	sequences int                    // in one pass; 0 if there is no end of new ones
	passes    []atomic.Pointer[pass] // the last one of each trial
}

// pass is the order of the sequences in one pass of a trial over a set.
type pass struct {
	number int
	order  []int
}

// newDraws copies the seeds: the caller may use the slice again before the batches are drawn.
func newDraws(seeds []uint64, split string, sequences int) *draws {
	return &draws{slices.Clone(seeds), split, sequences, make([]atomic.Pointer[pass], len(seeds))}
}

// number returns which sequence of its set is the k-th that trial r gets.
func (d *draws) number(r, k int) int {
	if d.sequences == 0 {
		return k
	}
	p, number := d.passes[r].Load(), k/d.sequences
	if p == nil || p.number != number {
		p = &pass{number, chrono.RNG(d.seeds[r], "order", d.split, number).Perm(d.sequences)}
		d.passes[r].Store(p)
	}
	return p.order[k%d.sequences]
}

// timeMajor copies a sequence of vectors of that width to its place among that number of sequences, where time is the
// first axis.
func timeMajor[E any](batch, sequence []E, place, width, sequences int) {
	for t := range len(sequence) / width {
		copy(batch[(t*sequences+place)*width:], sequence[t*width:(t+1)*width])
	}
}
