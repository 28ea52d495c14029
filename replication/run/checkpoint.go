package run

import (
	"bytes"
	"encoding/gob"
	"errors"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"
)

// saved is the state of a training that a checkpoint holds besides the record.
type saved struct {
	State     state
	Variables []variable
}

// A variable of the model or the optimizer.
type variable struct {
	Path       string
	Type       dtypes.DType
	Dimensions []int
	Bytes      []byte
}

// loaded are variables of a checkpoint that no graph has asked for yet. It is a model.Loader, so that the store creates
// them in the order of the graph, as if nothing had been loaded.
type loaded map[string]*tensors.Tensor

func (l loaded) LoadVariable(_ *model.Store, path string) (*tensors.Tensor, bool) {
	value, ok := l[path]
	delete(l, path)
	return value, ok
}

func (l loaded) DeleteVariable(_ *model.Store, path string) error {
	delete(l, path)
	return nil
}

// encode returns what a checkpoint holds besides the record: the state, and every variable but GoMLX's moving averages
// of metrics, which have a new random name in every process.
func encode(s state, store *model.Store, waiting loaded) ([]byte, error) {
	all := saved{State: s}
	add := func(path string, value *tensors.Tensor) error {
		shape := value.Shape()
		v := variable{Path: path, Type: shape.DType, Dimensions: shape.Dimensions}
		err := value.ConstBytes(func(data []byte) { v.Bytes = bytes.Clone(data) })
		all.Variables = append(all.Variables, v)
		return err
	}
	metrics := map[string]bool{}
	for v := range store.Scope(metric.Scope).IterVariables() {
		metrics[v.Path()] = true
	}
	for v := range store.IterVariables() {
		if metrics[v.Path()] {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		if err := add(v.Path(), value); err != nil {
			return nil, err
		}
	}
	for path, value := range waiting { // such as those of tests that have not begun
		if err := add(path, value); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

// decode is the reverse of encode.
func decode(data []byte) (state, loaded, error) {
	var all saved
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&all); err != nil {
		return state{}, nil, err
	}
	values := loaded{}
	for _, v := range all.Variables {
		value := tensors.FromShape(shapes.Make(v.Type, v.Dimensions...))
		fits := false
		err := value.MutableBytes(func(data []byte) {
			copy(data, v.Bytes)
			fits = len(data) == len(v.Bytes)
		})
		if err != nil {
			return state{}, nil, err
		}
		if !fits {
			return state{}, nil, errors.New("variable " + v.Path + " has another size than its shape")
		}
		values[v.Path] = value
	}
	return all.State, values, nil
}
