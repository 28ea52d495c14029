// Package loader feeds batches to GoMLX's training loop. It is separate from package trial because it depends on the
// trainer, which programs that only declare an experiment or draw a figure should not have to link.
package loader

import (
	"errors"
	"iter"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// ahead is the number of batches kept ready while the consumer works on another.
const ahead = 2

// Task returns batches of one model as GoMLX has them, newly drawn sequences of a task without end: x [B, T], or [B, T,
// F] with features, and labels of the kind of the task,
//
//	task.Symbols         [B, T, 1]    an integer, with a last axis as in GoMLX's labels
//	task.Classification  [B, 1]       likewise
//	task.Regression      [B]
//	task.Series          [B, T]       with a second input, the context [B, F]
//
// Trainer.Eval does not return from batches without end: give it those of dataset.Take(Task(…), n).
//
// Another seed gives other sequences. Each iteration has the same ones from the first on, and so has each call of
// RunSteps of GoMLX's Loop: to train in several calls, continue with [One] from the number of updates so far. An
// iteration begins with an error if the task or the batch is impossible.
func Task(of task.Task, batch int, seed uint64) train.Dataset {
	return One(trial.Sampled[task.Task]{Tasks: []task.Task{of}, Split: "train", Batch: batch}, seed, 0)
}

// One returns the batches of one model from number from on, without end, as New does: what the data say has the shape
// [T, R, B, …] is [B, T, …], and what has [R, B, …] is [B, …]. Labels that are integers have a last axis of 1 more, as
// GoMLX's losses and metrics want them. Each iteration starts there again. It begins with an error if the data cannot
// be opened, and ends with one at a batch whose size is not that of the data's Shape.
//
// The number from counts batches: training that resumes with another batch size skips sequences, or repeats some.
func One(data trial.Data, seed uint64, from int) train.Dataset {
	return loader{func() (batchOf, error) { return openOne(data, seed) }, from}
}

// New returns a [train.Dataset] of the batches from number from on, without end. Each iteration starts there again and
// computes batches ahead in a separate goroutine, which stops when the iteration ends. An iteration ends with the first
// error of a batch. Iterations that overlap call Batch concurrently. A batch that panics ends the program. New panics
// if batches is nil.
//
// GoMLX's dataset.Buffer would do the reading ahead, but in v0.28.8 it still calls the iterator's stop while its
// goroutine may be inside next, which iter.Pull2 forbids and the race detector sees.
func New(batches trial.Batches, from int) train.Dataset {
	if batches == nil {
		panic(errors.New("loader: the batches are nil, want those that Open of a trial.Data returns without an error"))
	}
	return loader{func() (batchOf, error) { return batches.Batch, nil }, from}
}

// batchOf is the method of trial.Batches.
type batchOf = func(n int) (inputs, labels []*tensors.Tensor, err error)

type loader struct {
	open func() (batchOf, error)
	from int
}

func (loader) Name() string { return "batches" }

// item is what Batch returned.
type item struct {
	batch train.Batch
	err   error
}

func (l loader) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		batch, err := l.open()
		if err != nil {
			yield(train.Batch{}, err)
			return
		}
		items := make(chan item, ahead-1) // one more is in the goroutine's hands
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for n := l.from; ; n++ {
				inputs, labels, err := batch(n)
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
