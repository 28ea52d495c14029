package loader

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// numbered are batches whose only input is their number. Batch number fails has an error instead, if it is not 0.
type numbered struct {
	made  *atomic.Int64
	fails int
}

var errBatch = errors.New("no such batch")

func (b numbered) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	b.made.Add(1)
	if b.fails != 0 && n == b.fails {
		return nil, nil, errBatch
	}
	return []*tensors.Tensor{tensors.FromValue(int64(n))}, nil, nil
}

// Iterations over the same batches may overlap, such as an evaluation in the middle of training. The race detector sees
// if they share what they should not.
func TestIterationsOverlap(t *testing.T) {
	data := trial.Sampled[task.Regression]{
		Tasks: []task.Regression{task.Adding{T: 2}}, Split: "train", Batch: 2, Sequences: 5,
	}
	shared := check.Got(data.Open([]uint64{1, 2}))(t)
	take := func(batches trial.Batches, each func()) (all []any) {
		for batch, err := range dataset.Take(New(batches, 0), 20).Iter() {
			check.OK(t, err)
			all = append(all, batch.Labels[0].Value())
			each()
		}
		return all
	}
	want := take(check.Got(data.Open([]uint64{1, 2}))(t), func() {})
	got := take(shared, func() { check.Equal(t, take(shared, func() {}), want, "in another iteration") })
	check.Equal(t, got, want, "around others")
}

// The training thread never waits while it is slower than the goroutine: batches are made before they are asked for,
// and no more than promised.
func TestBatchesAreMadeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, consumed := numbered{made: new(atomic.Int64)}, 0
		for range New(b, 0).Iter() {
			consumed++
			synctest.Wait() // until the goroutine can go no further
			check.Equal(t, int(b.made.Load()), consumed+ahead, "batches made when %d were consumed", consumed)
			if consumed == 5 {
				break
			}
		}
	})
}

// A goroutine left behind would fail the synctest bubble. An error comes in its batch's place, and is the last.
func TestIterationsEndTheirGoroutine(t *testing.T) {
	for name, consume := range map[string]func(ds train.Dataset){
		"by a limit": func(ds train.Dataset) {
			for range dataset.Take(ds, 2).Iter() {
			}
		},
		"by an error": func(ds train.Dataset) {
			var seen []any
			for batch, err := range ds.Iter() {
				if seen = append(seen, err); err == nil {
					seen[len(seen)-1] = batch.Inputs[0].Value()
				}
			}
			check.Equal(t, seen, []any{int64(0), int64(1), int64(2), errBatch}, "what the iteration gave")
		},
		"pulled and stopped, as the training loop does": func(ds train.Dataset) {
			next, stop := iter.Pull2(ds.Iter())
			next()
			next()
			stop()
		},
		"by a panic": func(ds train.Dataset) {
			defer func() { recover() }()
			for range ds.Iter() {
				panic("the consumer failed")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := numbered{new(atomic.Int64), 3}
				consume(New(b, 0))
				made := b.made.Load()
				synctest.Wait()
				check.Equal(t, b.made.Load(), made, "batches made after the iteration's end")
			})
		})
	}
}

// text is two symbols that take turns.
type text struct{}

func (text) Alphabet() int { return 2 }
func (text) Symbols(string) ([]int32, error) {
	return []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}, nil
}

// One model's batches are those of a trial, batch first and without its axis; integer labels have an axis more.
func TestOneModel(t *testing.T) {
	decay := task.Decay{Final: 4, Alpha: 1, Beta: 0.1, Low: 0.5, High: 1, Trained: []float64{2, 4},
		Drawn: []float64{3, 5}}
	of := func(t task.Task, batch int) trial.Data {
		return trial.Sampled[task.Task]{Tasks: []task.Task{t}, Split: "train", Batch: batch}
	}
	for name, c := range map[string]struct {
		data  trial.Data
		kinds string // of inputs, and labels: a sequence, one for each sequence, a scalar; or an integer label of both
	}{
		"symbols":             {of(task.Copy{T: 3}, 2), "s,S"},
		"a batch of 1":        {of(task.Copy{T: 3}, 1), "s,S"},
		"a regression":        {of(task.Adding{T: 5}, 3), "s,o"},
		"a classification":    {of(task.Retrieval{Pairs: 2}, 3), "s,O"},
		"a series":            {of(decay, 3), "so,s"},
		"a series, alone":     {of(decay, 1), "so,s"},
		"streams":             {trial.Streams{Of: text{}, Split: "train", Batch: 3, Steps: 2}, "s.,S"},
		"streams of one step": {trial.Streams{Of: text{}, Split: "train", Batch: 3, Steps: 1}, "s.,S"},
	} {
		batches := check.Got(c.data.Open([]uint64{7}))(t)
		inputs, labels, err := batches.Batch(2)
		check.OK(t, err)
		for one, err := range One(c.data, 7, 2).Iter() {
			check.OK(t, err)
			kinds := strings.ReplaceAll(c.kinds, ",", "")
			for i, x := range append(inputs, labels...) {
				want := graph.MustExecOnce(conformance.Start(t, "go"), func(x *graph.Node) *graph.Node {
					switch kinds[i] {
					case 's', 'S':
						x = graph.Transpose(graph.Squeeze(x, 1), 0, 1)
					case 'o', 'O':
						x = graph.Squeeze(x, 0)
					}
					if kinds[i] == 'S' || kinds[i] == 'O' {
						x = graph.InsertAxes(x, -1)
					}
					return graph.Identity(x)
				}, x)
				got := append(append([]*tensors.Tensor{}, one.Inputs...), one.Labels...)[i]
				check.That(t, got.Equal(want), "%s, tensor %d: %v, want %v", name, i, got, want)
			}
			break
		}
	}
}

// sized says that a batch has 4 sequences, and has a tensor of other dimensions.
type sized struct{ dims []int }

func (sized) Shape() (batch, steps int, err error)   { return 4, 3, nil }
func (d sized) Open([]uint64) (trial.Batches, error) { return d, nil }
func (d sized) Batch(int) (inputs, labels []*tensors.Tensor, err error) {
	return []*tensors.Tensor{tensors.FromShape(shapes.Make(dtypes.Int32, d.dims...))}, nil, nil
}

// What cannot be opened is the error of the first batch, and so is a batch that is not of the size that the data say,
// such as a last one that is smaller: it is not read as another. Without batches it fails at once, and not in a
// goroutine that nobody can recover from.
func TestImpossibleData(t *testing.T) {
	check.Panics(t, "nil", func() { New(nil, 0) }, "loader: the batches are nil, want")
	for words, data := range map[string]train.Dataset{"T is 1": Task(task.Adding{T: 1}, 2, 1),
		"Batch is 0": Task(task.Adding{T: 3}, 0, 1), "task 0 is nil": Task(nil, 2, 1), "nil": One(nil, 1, 0),
		"methods of a kind": Task(struct{ task.Task }{task.Adding{T: 3}}, 2, 1)} {
		check.Rejected(t, words, first(data), words)
	}
	for _, dims := range [][]int{{3, 1, 2}, {3, 1, 2, 5}, {1, 1, 2}, {3, 1, 8}, {1, 2}, {1, 2, 4}, {3, 4}, {3, 2, 4}} {
		check.Rejected(t, fmt.Sprint(dims), first(One(sized{dims}, 1, 0)), "4")
	}
}

// first is the error of the first batch.
func first(ds train.Dataset) error {
	for _, err := range ds.Iter() {
		return err
	}
	return nil
}
