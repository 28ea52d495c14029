// Package loader feeds GoMLX's training loop. It stands apart from package trial because it is the only one of the
// two that needs the trainer, and whoever declares an experiment or draws a figure should not have to link that.
package loader

import (
	"iter"

	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/trial"
)

// ahead is the number of batches kept ready while the consumer works on another.
const ahead = 2

// New returns the batches from number from on, without end, as a [train.Dataset]. Each iteration makes them in a
// goroutine of its own, ahead of its consumer, and that ends with the iteration, early or not. An error of a batch
// comes in its place, and is the last. Since batches are not for concurrent use, there may be only one iteration at a
// time, and only one dataset of the same batches.
//
// GoMLX's dataset.Buffer would do the reading ahead, but in v0.28.8 it still calls the iterator's stop while its
// goroutine may be inside next, which iter.Pull2 forbids and the race detector sees.
func New(batches trial.Batches, from int) train.Dataset { return loader{batches, from} }

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
