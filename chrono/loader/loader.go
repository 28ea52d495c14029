// Package loader feeds batches to GoMLX's training loop. It is separate from package trial because it depends on the
// trainer, which programs that only declare an experiment or draw a figure should not have to link.
package loader

import (
	"errors"
	"iter"

	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/trial"
)

// ahead is the number of batches kept ready while the consumer works on another.
const ahead = 2

// New returns a [train.Dataset] of the batches from number from on, without end. Each iteration starts there again and
// computes batches ahead in a separate goroutine, which stops when the iteration ends. An iteration ends with the first
// error of a batch. Since batches are not for concurrent use, one iteration over them must end before the next begins,
// also if they are those of two datasets. A batch that panics ends the program. New panics if batches is nil.
//
// GoMLX's dataset.Buffer would do the reading ahead, but in v0.28.8 it still calls the iterator's stop while its
// goroutine may be inside next, which iter.Pull2 forbids and the race detector sees.
func New(batches trial.Batches, from int) train.Dataset {
	if batches == nil {
		panic(errors.New("loader: the batches are nil, want those that Open of a trial.Data returns without an error"))
	}
	return loader{batches, from}
}

type loader struct {
	batches trial.Batches
	from    int
}

// Name implements train.Dataset.
func (loader) Name() string { return "batches" }

// item is what Batch returned.
type item struct {
	batch train.Batch
	err   error
}

// Iter implements train.Dataset. Each iteration starts over.
func (l loader) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		items := make(chan item, ahead-1) // one more is in the goroutine's hands
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for n := l.from; ; n++ {
				inputs, labels, err := l.batches.Batch(n)
				select {
				case items <- item{train.Batch{Inputs: inputs, Labels: labels}, err}:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
			}
		}()
		defer func() {
			close(stop)
			<-stopped
		}()
		for {
			if i := <-items; !yield(i.batch, i.err) || i.err != nil {
				return
			}
		}
	}
}
