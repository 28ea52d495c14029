package contextual

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

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

// order is that of the batches in a pass.
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
