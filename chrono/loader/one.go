package loader

import (
	"errors"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
)

// one has the batches of one trial without its axis.
type one struct {
	data trial.SizedData
	seed uint64
}

func (o one) open() (trial.Batches, error) {
	if o.data == nil {
		return nil, errors.New("loader: the data are nil, want those of package trial")
	}
	batches, err := o.data.Open([]uint64{o.seed})
	if err != nil {
		return nil, err
	}
	batch, _ := o.data.Shape()
	return oneBatches{batches, batch}, nil
}

type oneBatches struct {
	of    trial.Batches
	batch int
}

func (o oneBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels, err = o.of.Batch(n)
	if err != nil {
		return nil, nil, err
	}
	for i, x := range inputs {
		if inputs[i], err = o.batchFirst(x, false); err != nil {
			return nil, nil, err
		}
	}
	for i, y := range labels {
		if labels[i], err = o.batchFirst(y, true); err != nil {
			return nil, nil, err
		}
	}
	return inputs, labels, nil
}

// batchFirst turns [T, 1, B, …] into [B, T, …], and [1, B, …] into [B, …]; a scalar stays. Integer labels get a last
// axis.
func (o oneBatches) batchFirst(x *tensors.Tensor, label bool) (*tensors.Tensor, error) {
	shape, steps := x.Shape().Clone(), 1
	switch dims := shape.Dimensions; {
	case len(dims) < 2:
		return x, nil
	case len(dims) > 2 && dims[1] == 1 && dims[2] == o.batch:
		steps, shape.Dimensions = dims[0], append([]int{o.batch, dims[0]}, dims[3:]...)
	default:
		shape.Dimensions = dims[1:]
	}
	if label && shape.DType.IsInt() {
		shape.Dimensions = append(shape.Dimensions, 1)
	}
	out := tensors.FromShape(shape)
	size := int(shape.ByteSize()) / (steps * o.batch) // of one step of one sequence
	var failed error
	err := x.ConstBytes(func(from []byte) {
		failed = out.MutableBytes(func(to []byte) {
			for t := range steps {
				for b := range o.batch {
					copy(to[(b*steps+t)*size:], from[(t*o.batch+b)*size:][:size])
				}
			}
		})
	})
	return out, errors.Join(err, failed)
}
