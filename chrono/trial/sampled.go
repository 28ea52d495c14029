package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
)

// part is one tensor of a batch: [T, R, B, width] or, of one value for a sequence, [R, B, width]; both without the last
// axis if width is scalar.
type part struct{ steps, width int } // steps is 0 if there is one value for a sequence

const scalar = -1

// dims puts the part's axes around those of trials and batch.
func (p part) dims(between ...int) []int {
	dims := between
	if p.steps > 0 {
		dims = append([]int{p.steps}, dims...)
	}
	if p.width != scalar {
		dims = append(dims, p.width)
	}
	return dims
}

// kind is what distinguishes the data of one kind of task: the tensors of a batch, and how a sequence is drawn.
type kind[T task.Task, E int32 | float32] struct {
	name   string
	parts  func(t T) (inputs, labels []part)
	sample func(t T, rng *rand.Rand, k int, values [][]E) // sequence k: values for each part, the inputs' first
}

// sampled is the [Data] of tasks of one kind.
type sampled[T task.Task, E int32 | float32] struct {
	kind[T, E]
	tasks     []T // [R], or one for all
	split     string
	batch     int
	sequences int // in one pass; 0 if there is no end of new ones
}

// validate returns a one-line error unless the tasks and sizes make sense.
func (s sampled[T, E]) validate() error {
	if len(s.tasks) == 0 {
		return fmt.Errorf("trial: %s without a task", s.name)
	}
	if err := checkAtLeast(s.name, "Batch", s.batch, 1); err != nil {
		return err
	}
	if err := checkAtLeast(s.name, "Sequences", s.sequences, 0); err != nil {
		return err
	}
	var shape string // of a sequence
	for i, t := range s.tasks {
		if any(t) == nil {
			return fmt.Errorf("trial: %s whose task %d is nil", s.name, i)
		}
		if err := t.Validate(); err != nil {
			return err
		}
		if t.Steps() < 1 {
			return fmt.Errorf("trial: %s of %d steps, want 1 or more", s.name, t.Steps())
		}
		inputs, labels := s.parts(t)
		for _, p := range append(inputs, labels...) {
			if err := checkSize(s.name, p.dims(s.batch)...); err != nil {
				return err
			}
		}
		own := fmt.Sprint(inputs, labels)
		if i > 0 && own != shape {
			return fmt.Errorf("trial: %s whose tasks 0 and %d differ in size cannot share a batch", s.name, i)
		}
		shape = own
	}
	if s.split == "" {
		return fmt.Errorf("trial: %s without the name of a split", s.name)
	}
	if s.sequences == 0 {
		return nil
	}
	return checkSize("a set of sequences", s.sequences)
}

// open implements Data's Open.
func (s sampled[T, E]) open(seeds []uint64) (Batches, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	inputs, labels := s.parts(s.tasks[0])
	for _, p := range append(inputs, labels...) {
		if err := checkBatch(s.name, seeds, p.dims(s.batch)...); err != nil {
			return nil, err
		}
	}
	if len(s.tasks) != 1 && len(s.tasks) != len(seeds) {
		return nil, fmt.Errorf("trial: %d tasks for %d trials, want one, or one per trial", len(s.tasks), len(seeds))
	}
	return &sampledBatches[T, E]{s, newDraws(seeds, s.split, s.batch, s.sequences)}, nil
}

type sampledBatches[T task.Task, E int32 | float32] struct {
	of sampled[T, E]
	draws
}

// Batch implements Batches.
func (s *sampledBatches[T, E]) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	if n < 0 {
		return nil, nil, errNegative(n)
	}
	in, out := s.of.parts(s.of.tasks[0])
	parts, trials := append(in, out...), len(s.seeds)
	values, one := make([][]E, len(parts)), make([][]E, len(parts)) // of the batch, and of one sequence
	for i, p := range parts {
		size := max(1, p.steps) * max(1, p.width)
		values[i], one[i] = make([]E, size*trials*s.batch), make([]E, size)
	}
	s.each(n, func(r, place, k int, rng *rand.Rand) {
		s.of.sample(s.of.tasks[min(r, len(s.of.tasks)-1)], rng, k, one)
		for i, p := range parts {
			timeMajor(values[i], one[i], place, max(1, p.width), trials*s.batch)
		}
	})
	for i, p := range parts {
		batch := tensors.FromFlatDataAndDimensions(values[i], p.dims(trials, s.batch)...)
		if i < len(in) {
			inputs = append(inputs, batch)
		} else {
			labels = append(labels, batch)
		}
	}
	return inputs, labels, nil
}

// maxElements bounds the numbers in a tensor of a batch at 2 GiB, so that a slip of the keyboard is an error and does
// not fill the memory.
const maxElements = 1 << 29

// checkAtLeast returns an error that names the setting unless its value is at least that.
func checkAtLeast(data, setting string, value, least int) error {
	if value < least {
		return fmt.Errorf("trial: %s: %s is %d, want %d or more", data, setting, value, least)
	}
	return nil
}

// checkSize returns an error if a tensor of these dimensions would be empty or have more than maxElements.
func checkSize(data string, dims ...int) error {
	size := 1
	for _, d := range dims {
		if d < 1 || d > maxElements/size {
			return fmt.Errorf("trial: %s: a tensor with dimensions %v, want 1 to %d elements", data, dims, maxElements)
		}
		size *= d
	}
	return nil
}

// checkBatch is checkSize for a tensor with these dimensions for each of the trials, of which there must be one.
func checkBatch(data string, seeds []uint64, dims ...int) error {
	if len(seeds) == 0 {
		return errors.New("trial: no seeds, want one per trial")
	}
	return checkSize(data, append(dims, len(seeds))...)
}

func errNegative(n int) error { return fmt.Errorf("trial: batch number %d, want 0 or more", n) }
