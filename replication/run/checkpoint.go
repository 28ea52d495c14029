package run

import (
	"encoding/gob"
	"fmt"
	"io"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"
)

// isMetric tells whether a variable is one of GoMLX's moving averages of metrics.
func isMetric(v *model.Variable) bool { return strings.HasPrefix(v.Path(), "/"+metric.Scope+"/") }

// variable is one that GoMLX's own gob would read without looking at its sizes.
type variable struct {
	Path, DType string
	Dims        []int
	Trainable   bool
	Data        []byte
}

// encode writes what a checkpoint holds besides the record: the state, then every variable but GoMLX's moving averages
// of metrics, which have a new random name in every process.
func encode(e *gob.Encoder, s state, store *model.Store) error {
	err := e.Encode(s)
	for v := range store.IterVariables() {
		if err != nil || isMetric(v) {
			continue
		}
		value, failed := v.Value()
		if failed != nil {
			return failed
		}
		failed = value.ConstBytes(func(data []byte) {
			err = e.Encode(variable{v.Path(), value.DType().String(), value.Shape().Dimensions, v.Trainable, data})
		})
		if failed != nil {
			return failed
		}
	}
	return err
}

// decode is the reverse of encode: it fills an empty store, in the order in which the variables were made. It allocates
// no more than there is.
func decode(d *gob.Decoder, store *model.Store) (s state, err error) {
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	for {
		var v variable
		if err := d.Decode(&v); err == io.EOF {
			return s, nil
		} else if err != nil {
			return s, err
		}
		dtype, err := dtypes.DTypeString(v.DType)
		size := len(v.Data) // divided by the dimensions
		for _, n := range v.Dims {
			if n < 1 || size%n != 0 {
				size, n = 0, 1
			}
			size /= n
		}
		if err != nil || !dtype.IsSupported() || dtype.IsPacked() || size != dtype.Size() ||
			store.GetVariable(v.Path) != nil {
			return s, fmt.Errorf("variable %q has type %q, dimensions %d and %d bytes, or is there twice", v.Path,
				v.DType, v.Dims, len(v.Data))
		}
		value := tensors.FromShape(shapes.Make(dtype, v.Dims...))
		err = value.MutableBytes(func(to []byte) { copy(to, v.Data) })
		if err != nil {
			return s, err
		}
		created, err := store.CreateVariable(v.Path, value)
		if err != nil {
			return s, err
		}
		created.SetTrainable(v.Trainable)
	}
}
