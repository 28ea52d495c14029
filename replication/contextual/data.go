package contextual

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"

	"github.com/warptime/warptime/replication/experiment"
)

// Examples is data of which each series comes several times, side by side in its batch, and of which a network is told
// the first value only: to generate several continuations of each.
type Examples struct {
	Of    seriesData
	Times int
	Whole bool // the network is told all values
}

var _ = experiment.Name("context.Examples", Examples{})

// Shape is the size of a batch, with all copies.
func (e Examples) Shape() (batch, steps int) { return e.Of.Batch * e.Times, e.Of.Tasks[0].Steps() }

// Validate refuses fewer than one copy. Of is validated separately.
func (e Examples) Validate() error {
	if e.Times < 1 {
		return fmt.Errorf("context: each example %d times, want 1 or more", e.Times)
	}
	return nil
}

func (e Examples) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := e.Of.Open(seeds)
	return examples{e, batches, len(seeds)}, err
}

type examples struct {
	Examples
	batches trial.Batches
	trials  int
}

func (e examples) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels, err = e.batches.Batch(n)
	if err != nil {
		return nil, nil, err
	}
	told := e.Of.Tasks[0].Steps()
	if !e.Whole {
		told = 1
	}
	width := inputs[1].Shape().Dim(2)
	batch, steps := e.Shape()
	return []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(e.copies(inputs[0], told, 1), told, e.trials, batch, 1),
			tensors.FromFlatDataAndDimensions(e.copies(inputs[1], 1, width), e.trials, batch, width),
		}, []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(e.copies(labels[0], steps, 1), steps, e.trials, batch),
		}, nil
}

// copies repeats each vector of that width of the first steps.
func (e examples) copies(t *tensors.Tensor, steps, width int) []float32 {
	values := tensors.MustCopyFlatData[float32](t)
	var out []float32
	for i := range steps * e.trials * e.Of.Batch {
		for range e.Times {
			out = append(out, values[i*width:(i+1)*width]...)
		}
	}
	return out
}

// PairedInitialStates is data of which every series comes twice, with one more input, the state to begin in: zeros the
// first time, and the second time random numbers of that root mean square. It shows how long a network remembers where
// it began.
type PairedInitialStates struct {
	Of    seriesData
	Width int     // numbers of a state: cell.StateSize
	Size  float64 // root mean square
	Split string  // names the random numbers
}

var _ = experiment.Name("context.PairedInitialStates", PairedInitialStates{})

// Shape is the size of a batch, with both times.
func (s PairedInitialStates) Shape() (batch, steps int) { return 2 * s.Of.Batch, s.Of.Tasks[0].Steps() }

func (s PairedInitialStates) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := trial.Noise{
		Of: Examples{Of: s.Of, Times: 2, Whole: true}, Width: s.Width, Split: s.Split,
	}.Open(seeds)
	return started{s, batches}, err
}

type started struct {
	PairedInitialStates
	batches trial.Batches
}

func (s started) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels, err = s.batches.Batch(n)
	if err != nil {
		return nil, nil, err
	}
	state := inputs[len(inputs)-1]
	values := tensors.MustCopyFlatData[float32](state)
	for i := range values {
		if i/s.Width%2 == 0 { // the first of two
			values[i] = 0
		} else {
			values[i] *= float32(s.Size)
		}
	}
	inputs[len(inputs)-1] = tensors.FromFlatDataAndDimensions(values, state.Shape().Dimensions...)
	return inputs, labels, nil
}
