package run

import (
	"cmp"
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

// loaded are variables of a checkpoint that no graph has asked for yet. It is a model.Loader, so that the store creates
// them in the order of the graph, as if nothing had been loaded.
type loaded struct {
	values map[string]*tensors.Tensor
	lacks  []string // what graphs have asked for in vain: these variables start from their initial values
}

func (l *loaded) LoadVariable(_ *model.Store, path string) (*tensors.Tensor, bool) {
	value, ok := l.values[path]
	delete(l.values, path)
	if !ok && !isMetric(path) {
		l.lacks = append(l.lacks, path)
	}
	return value, ok
}

// isMetric tells whether a variable is one of GoMLX's moving averages of metrics.
func isMetric(path string) bool { return strings.HasPrefix(path, "/"+metric.Scope+"/") }

func (l *loaded) DeleteVariable(_ *model.Store, path string) error {
	delete(l.values, path)
	return nil
}

// variable is one that GoMLX's own gob would read without looking at its sizes.
type variable struct {
	Path, DType string
	Dims        []int
	Data        []byte
}

// encode writes what a checkpoint holds besides the record: the state, then every variable but GoMLX's moving averages
// of metrics, which have a new random name in every process.
func encode(e *gob.Encoder, s state, store *model.Store, waiting map[string]*tensors.Tensor) error {
	if err := e.Encode(s); err != nil {
		return err
	}
	add := func(path string, value *tensors.Tensor) (err error) {
		return cmp.Or(value.ConstBytes(func(data []byte) {
			err = e.Encode(variable{path, value.DType().String(), value.Shape().Dimensions, data})
		}), err)
	}
	for v := range store.IterVariables() {
		if isMetric(v.Path()) {
			continue
		}
		value, err := v.Value()
		if err == nil {
			err = add(v.Path(), value)
		}
		if err != nil {
			return err
		}
	}
	for path, value := range waiting { // such as those of tests that have not begun
		if err := add(path, value); err != nil {
			return err
		}
	}
	return nil
}

// decode is the reverse of encode. It allocates no more than there is.
func decode(d *gob.Decoder) (s state, values map[string]*tensors.Tensor, err error) {
	if err := d.Decode(&s); err != nil {
		return s, nil, err
	}
	values = map[string]*tensors.Tensor{}
	for {
		var v variable
		if err := d.Decode(&v); err == io.EOF {
			return s, values, nil
		} else if err != nil {
			return s, nil, err
		}
		dtype, err := dtypes.DTypeString(v.DType)
		size := len(v.Data) // of what is left of the dimensions
		for _, n := range v.Dims {
			if n < 1 || size%n != 0 {
				size, n = 0, 1
			}
			size /= n
		}
		if err != nil || !dtype.IsSupported() || dtype.IsPacked() || size != dtype.Size() || values[v.Path] != nil {
			return s, nil, fmt.Errorf("variable %q has type %q, dimensions %d and %d bytes, or is there twice", v.Path,
				v.DType, v.Dims, len(v.Data))
		}
		value := tensors.FromShape(shapes.Make(dtype, v.Dims...))
		if err := value.MutableBytes(func(to []byte) { copy(to, v.Data) }); err != nil {
			return s, nil, err
		}
		values[v.Path] = value
	}
}
