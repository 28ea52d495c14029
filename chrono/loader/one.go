package loader

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
)

// openOne opens the batches of one trial, without its axis.
func openOne(data trial.Data, seed uint64) (batchOf, error) {
	if data == nil {
		return nil, errors.New("loader: the data are nil, want those of package trial")
	}
	batches, err := data.Open([]uint64{seed})
	if err != nil {
		return nil, err
	}
	batch, _, err := data.Shape()
	if err != nil {
		return nil, err
	}
	return func(n int) (inputs, labels []*tensors.Tensor, err error) {
		inputs, labels, err = batches.Batch(n)
		for i, x := range inputs {
			if err == nil {
				inputs[i], err = batchFirst(x, batch, false)
			}
		}
		for i, y := range labels {
			if err == nil {
				labels[i], err = batchFirst(y, batch, true)
			}
		}
		return inputs, labels, err
	}, nil
}

// batchFirst turns [T, 1, B, …] into [B, T, …], and [1, B, …] into [B, …]; a scalar stays. Integer labels get a last
// axis.
func batchFirst(x *tensors.Tensor, batch int, label bool) (*tensors.Tensor, error) {
	shape, steps := x.Shape().Clone(), 1
	switch dims := shape.Dimensions; {
	case len(dims) < 2:
		return x, nil
	case len(dims) > 2 && dims[1] == 1 && dims[2] == batch:
		steps, shape.Dimensions = dims[0], append([]int{batch, dims[0]}, dims[3:]...)
	case dims[0] == 1 && dims[1] == batch:
		shape.Dimensions = dims[1:]
	default:
		return nil, fmt.Errorf("loader: a batch with a tensor %s, want [T, 1, %d, …] or [1, %d, …]: %d sequences, as "+
			"the data's Shape says", shape, batch, batch, batch)
	}
	if label && shape.DType.IsInt() {
		shape.Dimensions = append(shape.Dimensions, 1)
	}
	out := tensors.FromShape(shape)
	size := int(shape.ByteSize()) / (steps * batch) // of one step of one sequence
	var failed error
	err := x.ConstBytes(func(from []byte) {
		failed = out.MutableBytes(func(to []byte) {
			for t := range steps {
				for b := range batch {
					copy(to[(b*steps+t)*size:], from[(t*batch+b)*size:][:size])
				}
			}
		})
	})
	return out, errors.Join(err, failed)
}
