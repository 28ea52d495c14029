package trial

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/task"
)

// Sampled is the [Data] of synthetic tasks, all of one kind T: [task.Symbols], [task.Classification],
// [task.Regression] or [task.Series]. With N steps of time, R trials, B = Batch sequences each, and F features, or
// numbers in a context, a batch has
//
//	T                    inputs                               label
//	task.Symbols         x [N, R, B] int32                    y [N, R, B] int32
//	task.Classification  x [N, R, B] int32                    y [R, B] int32
//	task.Regression      x [N, R, B, F] float32               y [R, B] float32
//	task.Series          x [N, R, B, 1], context [R, B, F]    y [N, R, B], all float32
//
// A batch may reach from one pass over a set into the next, and may then have a sequence twice. It always has some more
// than once if Batch is above Sequences.
type Sampled[T task.Task] struct {
	Tasks     []T    // one for each trial, or one for all; all of one size and alphabet
	Split     string // names a set of sequences that is independent of every other set: "train", "test"
	Batch     int    // sequences in a batch, of each trial
	Sequences int    // size of a set that is repeated in new random orders; 0 always draws new ones
}

func (s Sampled[T]) Shape() (batch, steps int, err error) {
	name := fmt.Sprintf("data of %v", reflect.TypeFor[T]())
	if err = cmp.Or(given.Check(len(s.Tasks) > 0, "trial: %s: no tasks, want one, or one for each trial", name),
		checkAtLeast(name, "Batch", s.Batch, 1), checkAtLeast(name, "Sequences", s.Sequences, 0)); err != nil {
		return 0, 0, err
	}
	var shape string // of a sequence
	for i, t := range s.Tasks {
		if any(t) == nil {
			return 0, 0, fmt.Errorf("trial: %s: task %d is nil, want a task", name, i)
		}
		if err := t.Validate(); err != nil {
			return 0, 0, err
		}
		if t.Steps() < 1 {
			return 0, 0, fmt.Errorf("trial: %s: task %d has %d steps, want 1 or more", name, i, t.Steps())
		}
		k, err := kindOf(t)
		if err != nil {
			return 0, 0, err
		}
		for _, p := range k.parts() {
			if err := checkSize(name, p.dims(s.Batch)...); err != nil {
				return 0, 0, err
			}
		}
		own := fmt.Sprint(k.inputs, k.labels, k.symbols)
		if i > 0 && own != shape {
			return 0, 0, fmt.Errorf("trial: %s: tasks 0 and %d differ in size or alphabet, want all of one", name, i)
		}
		shape = own
	}
	return s.Batch, s.Tasks[0].Steps(), cmp.Or(
		given.Check(s.Split != "", "trial: %s: no name of a split, want one", name),
		checkSize("a set of sequences", max(1, s.Sequences)))
}

// Open also rejects a number of tasks that is neither one nor that of the seeds.
func (s Sampled[T]) Open(seeds []uint64) (Batches, error) {
	if _, _, err := s.Shape(); err != nil {
		return nil, err
	}
	kinds := xslices.Map(s.Tasks, func(t T) kind {
		k, _ := kindOf(t) // its error is Shape's
		return k
	})
	for _, p := range kinds[0].parts() {
		if err := checkBatch("a batch", seeds, p.dims(s.Batch)...); err != nil {
			return nil, err
		}
	}
	if len(s.Tasks) != 1 && len(s.Tasks) != len(seeds) {
		return nil, fmt.Errorf("trial: %d tasks for %d trials, want one, or one per trial", len(s.Tasks), len(seeds))
	}
	d := newDraws(seeds, s.Split, s.Sequences)
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		var all []*tensors.Tensor
		if kinds[0].ints != nil {
			all = tensorsOf(d, kinds, n, s.Batch, func(of kind, rng *rand.Rand, _ int, values [][]int32) {
				err = cmp.Or(err, of.ints(rng, values))
			})
		} else {
			all = tensorsOf(d, kinds, n, s.Batch, func(of kind, rng *rand.Rand, k int, values [][]float32) {
				of.floats(rng, k, values)
			})
		}
		if err != nil {
			return nil, nil, err
		}
		first := len(kinds[0].inputs)
		return all[:first:first], all[first:], nil
	}), nil
}

// part is one tensor of a batch: [N, R, B, width] or, of one value for a sequence, [R, B, width]; both without the last
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

// kind is what a batch of a task consists of, and how sequence k is drawn: its values for each part, the inputs' first.
type kind struct {
	inputs, labels []part
	ints           func(rng *rand.Rand, values [][]int32) error // nil if they are floats
	floats         func(rng *rand.Rand, k int, values [][]float32)
	symbols        [2]int // how many symbols there are, of inputs and labels; none if they are floats
}

func (k kind) parts() []part { return slices.Concat(k.inputs, k.labels) }

// kindOf returns an error if a task is of none of the four kinds.
func kindOf(t task.Task) (kind, error) {
	each, once := []part{{t.Steps(), scalar}}, []part{{0, scalar}}
	switch t := t.(type) {
	case task.Symbols:
		return kind{each, each, func(rng *rand.Rand, v [][]int32) error {
			t.Sample(rng, v[0], v[1])
			return checkSymbols(t, t.Alphabet(), t.Classes(), v)
		}, nil, [2]int{t.Alphabet(), t.Classes()}}, nil
	case task.Classification:
		return kind{each, once, func(rng *rand.Rand, v [][]int32) error {
			v[1][0] = t.Sample(rng, v[0])
			return checkSymbols(t, t.Alphabet(), t.Classes(), v)
		}, nil, [2]int{t.Alphabet(), t.Classes()}}, nil
	case task.Regression:
		return kind{[]part{{t.Steps(), t.Features()}}, once, nil,
			func(rng *rand.Rand, _ int, v [][]float32) { t.Sample(rng, v[0], v[1]) }, [2]int{}}, nil
	case task.Series:
		return kind{[]part{{t.Steps(), 1}, {0, t.Context()}}, each, nil,
			func(rng *rand.Rand, k int, v [][]float32) { t.Sample(rng, k, v[0], v[1], v[2]) }, [2]int{}}, nil
	}
	return kind{}, fmt.Errorf("trial: a task of type %T, want one with the methods of a kind, such as task.Symbols", t)
}

// checkSymbols returns an error if a task of your own drew an input that is not in the alphabet, which cell.Embedding
// would clamp to it, or a label beyond the classes, which CrossEntropy would leave out. Negative labels are padding.
func checkSymbols(of task.Task, alphabet, classes int, values [][]int32) error {
	if least, most := slices.Min(values[0]), slices.Max(values[0]); least < 0 || int(most) >= alphabet {
		return fmt.Errorf("trial: %#v drew inputs from %d to %d, want 0 to %d", of, least, most, alphabet-1)
	}
	if most := slices.Max(values[1]); int(most) >= classes {
		return fmt.Errorf("trial: %#v drew label %d, want labels below %d", of, most, classes)
	}
	return nil
}

// tensorsOf draws batch n, of one kind for each trial or of one for all.
func tensorsOf[E int32 | float32](d *draws, kinds []kind, n, batch int,
	sample func(of kind, rng *rand.Rand, k int, values [][]E)) (all []*tensors.Tensor) {
	parts, trials := kinds[0].parts(), len(d.seeds)
	values, one := make([][]E, len(parts)), make([][]E, len(parts)) // of the batch, and of one sequence
	for i, p := range parts {
		size := max(1, p.steps) * max(1, p.width)
		values[i], one[i] = make([]E, size*trials*batch), make([]E, size)
	}
	for r, seed := range d.seeds {
		for b := range batch {
			for _, values := range one {
				clear(values) // of the sequence before: a task of your own may write only what is not zero
			}
			k := d.number(r, n*batch+b)
			sample(kinds[min(r, len(kinds)-1)], chrono.RNG(seed, "task", d.split, k), k, one)
			for i, p := range parts {
				timeMajor(values[i], one[i], r*batch+b, max(1, p.width), trials*batch)
			}
		}
	}
	for i, p := range parts {
		all = append(all, tensors.FromFlatDataAndDimensions(values[i], p.dims(trials, batch)...))
	}
	return all
}

// maxElements bounds the numbers in a tensor of a batch at 2 GiB, so that a slip of the keyboard is an error and does
// not fill the memory.
const maxElements = 1 << 29

// checkAtLeast returns an error that names the setting unless its value is at least that.
func checkAtLeast(data, setting string, value, least int) error {
	return given.Check(value >= least, "trial: %s: %s is %d, want %d or more", data, setting, value, least)
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
