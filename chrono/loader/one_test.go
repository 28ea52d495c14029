package loader

import (
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

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
	of := func(t task.Task, batch int) trial.SizedData {
		return trial.Sampled[task.Task]{Tasks: []task.Task{t}, Split: "train", Batch: batch}
	}
	for name, c := range map[string]struct {
		data  trial.SizedData
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
		batches, err := c.data.Open([]uint64{7})
		check.OK(t, err)
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
				if got := append(append([]*tensors.Tensor{}, one.Inputs...), one.Labels...)[i]; !got.Equal(want) {
					t.Errorf("%s, tensor %d: %v, want %v", name, i, got, want)
				}
			}
			break
		}
	}
}

// What cannot be opened is the error of the first batch.
func TestOneModelFails(t *testing.T) {
	for _, c := range []struct {
		words   string
		dataset func() error
	}{
		{"T is 1", func() error { return first(Task(task.Adding{T: 1}, 2, 1)) }},
		{"Batch is 0", func() error { return first(Task(task.Adding{T: 3}, 0, 1)) }},
		{"nil", func() error { return first(Task(nil, 2, 1)) }},
		{"nil", func() error { return first(One(nil, 1, 0)) }},
	} {
		check.Rejected(t, c.words, c.dataset(), c.words)
	}
}

// first is the error of the first batch.
func first(ds train.Dataset) error {
	for _, err := range ds.Iter() {
		return err
	}
	return nil
}
