package contextual

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
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

func (e Examples) Shape() (batch, steps int, err error) {
	batch, steps, err = e.Of.Shape()
	return batch * e.Times, steps, err
}

func (e Examples) Open(seeds []uint64) (trial.Batches, error) {
	return experiment.Map(e.Of, seeds, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		batch, steps, _ := e.Shape()
		told, trials, width := steps, len(seeds), inputs[1].Shape().Dim(2)
		if !e.Whole {
			told = 1
		}
		return []*tensors.Tensor{
			e.copies(inputs[0], 1, told, trials, batch, 1), e.copies(inputs[1], width, trials, batch, width),
		}, []*tensors.Tensor{e.copies(labels[0], 1, steps, trials, batch)}
	})
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

func (s PairedInitialStates) Shape() (batch, steps int, err error) {
	return Examples{Of: s.Of, Times: 2}.Shape()
}

func (s PairedInitialStates) Open(seeds []uint64) (trial.Batches, error) {
	twice := trial.Noise{Of: Examples{Of: s.Of, Times: 2, Whole: true}, Width: s.Width, Split: s.Split}
	return experiment.Map(twice, seeds, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
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
	})
}

// NoNoise is data with zeros in place of the numbers of trial.Noise, for a network at the mean of its noise.
type NoNoise struct {
	Of    trial.Data
	Width int // numbers for each sequence
}

func (s NoNoise) noise() trial.Noise { return trial.Noise{Of: s.Of, Width: s.Width, Zero: true} }

func (s NoNoise) Shape() (batch, steps int, err error) { return s.noise().Shape() }

func (s NoNoise) Open(seeds []uint64) (trial.Batches, error) { return s.noise().Open(seeds) }

// Sorted is the same training set as Of, sorted by period, in batches that are always the same. Passes take them in the
// order of the set, but for a buffer: the next batch is a random one of the first Buffer batches that are left. The
// last batch has some series of the one before, so that it is as large.
type Sorted struct {
	Of     seriesData // of one task.Decay, for all trials
	Buffer int        // 1 or more
}

func (s Sorted) Shape() (batch, steps int, err error) { return s.Of.Shape() }

func (s Sorted) Open(seeds []uint64) (trial.Batches, error) {
	decay := s.Of.Tasks[0].(task.Decay)
	var set []int // numbers of series, sorted
	for p := range decay.Drawn {
		for k := p; k < s.Of.Sequences; k += len(decay.Drawn) {
			set = append(set, k)
		}
	}
	return sortedBatches{s, decay, set, seeds}, nil
}

type sortedBatches struct {
	Sorted
	decay task.Decay
	set   []int
	seeds []uint64
}

func (s sortedBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	steps, width, size, trials := s.decay.Steps(), s.decay.Context(), s.Of.Batch, len(s.seeds)
	x, y := make([]float32, steps*trials*size), make([]float32, steps*trials*size)
	context := make([]float32, trials*size*width)
	in, change := make([]float32, steps), make([]float32, steps)
	batches := (len(s.set) + size - 1) / size
	for r, seed := range s.seeds {
		batch := s.order(seed, n/batches, batches)[n%batches]
		first := min(batch*size, len(s.set)-size)
		for b, k := range s.set[first : first+size] {
			place := r*size + b
			s.decay.Sample(chrono.RNG(seed, "task", s.Of.Split, k), k, in, context[place*width:(place+1)*width], change)
			for t := range steps {
				x[t*trials*size+place], y[t*trials*size+place] = in[t], change[t]
			}
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, steps, trials, size, 1),
		tensors.FromFlatDataAndDimensions(context, trials, size, width),
	}, []*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, steps, trials, size)}, nil
}

func (s sortedBatches) order(seed uint64, pass, batches int) []int {
	rng := chrono.RNG(seed, "order", s.Of.Split, pass)
	var order, buffer []int
	for next := 0; len(order) < batches; {
		for ; next < batches && len(buffer) < s.Buffer; next++ {
			buffer = append(buffer, next)
		}
		i := rng.IntN(len(buffer))
		order = append(order, buffer[i])
		buffer[i] = buffer[len(buffer)-1]
		buffer = buffer[:len(buffer)-1]
	}
	return order
}
