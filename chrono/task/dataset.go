package task

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono"
)

// Stream yields batches of R trials side by side, each trial with its own task and seed. It is a [train.Dataset], made by [Dataset].
//
// Sequence k of a trial is a function of the trial's seed, the split's name and k alone, and batch n holds the sequences from n·B on.
// So a trial gets the same data alone and among others; trials with equal seeds and tasks get equal data, to compare
// two models on; and training resumes at step n without replaying the n steps before.
type Stream struct {
	tasks     []Task // one per trial
	seeds     []uint64
	batch     int
	from      int
	split     string
	sequences int // in one pass; 0 if there is no end of new ones
}

// maxElements bounds the inputs of a batch, for the same reason as MaxSteps: 2 GiB.
const maxElements = 1 << 29

// ahead is the number of batches kept ready while the consumer works on another.
const ahead = 2

// Dataset returns the batches of the given tasks, one task per trial, or one for all of them; the trials are as many as the
// seeds. All tasks must be of one kind, [Symbols] or [Regression], and equal in steps and features. It starts
// at batch number from, and goes on for ever with fresh sequences; [Stream.Sequences] makes it finite. The split, such as "train" or
// "test", names a set of sequences independent of every other's.
//
// With T steps, R trials, B = batch sequences each and F features, a batch is Inputs {x [T, R, B] int32}, Labels {y [T, R, B] int32} for Symbols,
// and Inputs {x [T, R, B, F] float32}, Labels {y [R, B] float32} for Regression.
//
// Each iteration generates batches in a goroutine of its own, ahead of its consumer; it ends when the iteration does, early
// or not.
func Dataset(tasks []Task, seeds []uint64, batch, from int, split string) (*Stream, error) {
	if len(seeds) == 0 {
		return nil, fmt.Errorf("task: no seeds, want one per trial")
	}
	if len(tasks) != 1 && len(tasks) != len(seeds) {
		return nil, fmt.Errorf("task: %d tasks for %d trials, want one, or one per trial", len(tasks), len(seeds))
	}
	if batch < 1 || from < 0 {
		return nil, fmt.Errorf("task: batch of %d sequences from step %d, want at least 1 from step 0 or later", batch, from)
	}
	for _, task := range tasks {
		if err := task.Validate(); err != nil {
			return nil, err
		}
		if features(task) < 0 {
			return nil, fmt.Errorf("task %s: a %T is neither Symbols nor Regression", task.Name(), task)
		}
		if features(task) != features(tasks[0]) || task.Steps() != tasks[0].Steps() {
			return nil, fmt.Errorf("task: %q and %q cannot share a batch: their sequences differ in shape", tasks[0].Name(), task.Name())
		}
	}
	// One after the other, so that absurd sizes cannot overflow.
	room := maxElements / tasks[0].Steps() / max(1, features(tasks[0])) / len(seeds)
	if batch > room {
		return nil, fmt.Errorf("task %s: %d trials of %d sequences are too many for one batch, want at most %d sequences", tasks[0].Name(), len(seeds), batch, room)
	}
	each := make([]Task, len(seeds))
	for r := range each {
		each[r] = tasks[min(r, len(tasks)-1)]
	}
	return &Stream{tasks: each, seeds: seeds, batch: batch, from: from, split: split}, nil
}

// features is the number of features of a Regression, 0 for Symbols, and −1 for anything else.
func features(task Task) int {
	switch task := task.(type) {
	case Symbols:
		return 0
	case Regression:
		return task.Features()
	}
	return -1
}

// Sequences makes it a stream of passes over n sequences per trial, the first n of the endless stream, in a new random order on each pass. It
// changes s and returns it. It panics if n is not positive. Batches may begin in one pass and end in the next; there is still no
// last one: count steps, or use GoMLX's dataset.Take.
func (s *Stream) Sequences(n int) *Stream {
	if n < 1 {
		panic(fmt.Sprintf("task: passes over %d sequences", n))
	}
	s.sequences = n
	return s
}

// Name returns the first trial's task and the split.
func (s *Stream) Name() string { return s.tasks[0].Name() + " " + s.split }

// Iter returns an iteration that starts at the batch that [Dataset] was told to start from. The error is always nil.
//
// GoMLX's dataset.Buffer would do the reading ahead, but in v0.28.2 it calls the iterator's stop while its goroutine may be inside
// next, which iter.Pull2 forbids.
func (s *Stream) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		batches := make(chan train.Batch, ahead-1) // one more is in the goroutine's hands
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			g := generator{Stream: s, passes: make([]pass, len(s.seeds))}
			for n := s.from; ; n++ {
				select {
				case batches <- g.next(n):
				case <-stop:
					return
				}
			}
		}()
		defer func() {
			close(stop)
			<-stopped
		}()
		for yield(<-batches, nil) {
		}
	}
}

// generator makes batches. It holds what can be used again for the next one.
type generator struct {
	*Stream
	passes []pass // per trial
}

// pass is the order of the sequences in one pass of a finite stream.
type pass struct {
	number int
	order  []int
}

func (g *generator) next(n int) train.Batch {
	steps, trials := g.tasks[0].Steps(), len(g.tasks)
	if width := features(g.tasks[0]); width > 0 {
		x := tensors.FromShape(shapes.Make(dtypes.Float32, steps, trials, g.batch, width))
		y := tensors.FromShape(shapes.Make(dtypes.Float32, trials, g.batch))
		sequence := make([]float32, steps*width)
		tensors.MustMutableFlatData(x, func(x []float32) {
			tensors.MustMutableFlatData(y, func(y []float32) {
				for r, task := range g.tasks {
					for b := range g.batch {
						at := r*g.batch + b
						task.(Regression).Sample(g.rng(r, n, b), sequence, y[at:at+1])
						timeMajor(x, sequence, at, width, trials*g.batch)
					}
				}
			})
		})
		return train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}}
	}
	x := tensors.FromShape(shapes.Make(dtypes.Int32, steps, trials, g.batch))
	y := tensors.FromShape(shapes.Make(dtypes.Int32, steps, trials, g.batch))
	in, out := make([]int32, steps), make([]int32, steps)
	tensors.MustMutableFlatData(x, func(x []int32) {
		tensors.MustMutableFlatData(y, func(y []int32) {
			for r, task := range g.tasks {
				for b := range g.batch {
					at := r*g.batch + b
					task.(Symbols).Sample(g.rng(r, n, b), in, out)
					timeMajor(x, in, at, 1, trials*g.batch)
					timeMajor(y, out, at, 1, trials*g.batch)
				}
			}
		})
	})
	return train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}}
}

// rng returns the stream that sequence b of batch n of trial r is drawn from.
func (g *generator) rng(r, n, b int) *rand.Rand {
	k := n*g.batch + b
	if g.sequences > 0 {
		p := &g.passes[r]
		if number := k / g.sequences; p.order == nil || p.number != number {
			p.number = number
			p.order = chrono.RNG(g.seeds[r], "order", g.split, number).Perm(g.sequences)
		}
		k = p.order[k%g.sequences]
	}
	return chrono.RNG(g.seeds[r], "task", g.split, k)
}

// timeMajor copies a sequence of vectors of that width to place at of a batch of so many sequences, where time is the first axis.
func timeMajor[E any](batch, sequence []E, at, width, sequences int) {
	for t := range len(sequence) / width {
		copy(batch[(t*sequences+at)*width:], sequence[t*width:(t+1)*width])
	}
}
