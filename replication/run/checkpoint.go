package run

import (
	"bytes"
	"encoding/gob"
	"io"
	"strings"

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
	if !ok && !strings.HasPrefix(path, "/"+metric.Scope+"/") {
		l.lacks = append(l.lacks, path)
	}
	return value, ok
}

func (l *loaded) DeleteVariable(_ *model.Store, path string) error {
	delete(l.values, path)
	return nil
}

// encode returns what a checkpoint holds besides the record: the state, and every variable but GoMLX's moving averages
// of metrics, which have a new random name in every process.
func encode(s state, store *model.Store, waiting map[string]*tensors.Tensor) ([]byte, error) {
	var b bytes.Buffer
	encoder := gob.NewEncoder(&b)
	err := encoder.Encode(s)
	add := func(path string, value *tensors.Tensor) {
		if err == nil {
			err = encoder.Encode(path)
		}
		if err == nil {
			err = value.GobSerialize(encoder)
		}
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
		add(v.Path(), value)
	}
	for path, value := range waiting { // such as those of tests that have not begun
		add(path, value)
	}
	return b.Bytes(), err
}

// decode is the reverse of encode.
func decode(data []byte) (s state, values map[string]*tensors.Tensor, err error) {
	decoder := gob.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&s); err != nil {
		return s, nil, err
	}
	values = map[string]*tensors.Tensor{}
	for {
		var path string
		if err := decoder.Decode(&path); err == io.EOF {
			return s, values, nil
		} else if err != nil {
			return s, nil, err
		}
		if values[path], err = tensors.GobDeserialize(decoder); err != nil {
			return s, nil, err
		}
	}
}
