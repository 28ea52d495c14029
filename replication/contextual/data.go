package contextual

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// Examples is data of which each series comes several times, side by side in its batch, and of which a network is told
// the first value only: to generate several continuations of each.
type Examples struct {
	Of    seriesData
	Times int  // 1 or more
	Whole bool // the network is told all values
}

// Shape is that with all copies.
func (e Examples) Shape() (batch, steps int, err error) {
	batch, steps, err = e.Of.Shape()
	return batch * e.Times, steps, err
}

func (e Examples) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := e.Of.Open(seeds)
	return experiment.Map(batches, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		batch, steps, _ := e.Shape()
		told, trials, width := steps, len(seeds), inputs[1].Shape().Dim(2)
		if !e.Whole {
			told = 1
		}
		return []*tensors.Tensor{
			e.copies(inputs[0], 1, told, trials, batch, 1), e.copies(inputs[1], width, trials, batch, width),
		}, []*tensors.Tensor{e.copies(labels[0], 1, steps, trials, batch)}
	}), err
}

// copies repeats each vector of that width, up to those dimensions.
func (e Examples) copies(t *tensors.Tensor, width int, dims ...int) *tensors.Tensor {
	values, size := tensors.MustCopyFlatData[float32](t), shapes.Make(dtypes.Float32, dims...).Size()
	out := make([]float32, 0, size)
	for i := 0; len(out) < size; i += width {
		for range e.Times {
			out = append(out, values[i:i+width]...)
		}
	}
	return tensors.FromFlatDataAndDimensions(out, dims...)
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

// Shape is that with both times.
func (s PairedInitialStates) Shape() (batch, steps int, err error) {
	return Examples{Of: s.Of, Times: 2}.Shape()
}

func (s PairedInitialStates) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := trial.Noise{
		Of: Examples{Of: s.Of, Times: 2, Whole: true}, Width: s.Width, Split: s.Split,
	}.Open(seeds)
	return experiment.Map(batches, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		tensors.MustMutableFlatData(inputs[len(inputs)-1], func(states []float32) {
			for i := range states {
				if i/s.Width%2 == 0 { // the first of two
					states[i] = 0
				} else {
					states[i] *= float32(s.Size)
				}
			}
		})
		return inputs, labels
	}), err
}

// NoNoise is data with zeros in place of the numbers of trial.Noise, for a network at the mean of its noise.
type NoNoise struct {
	Of    trial.Data
	Width int // numbers for each sequence
}

func (s NoNoise) noise() trial.Noise { return trial.Noise{Of: s.Of, Width: s.Width, Zero: true} }

func (s NoNoise) Shape() (batch, steps int, err error) { return s.noise().Shape() }

func (s NoNoise) Open(seeds []uint64) (trial.Batches, error) { return s.noise().Open(seeds) }
