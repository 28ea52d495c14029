package run

import (
	"bytes"
	"encoding/gob"
	"fmt"
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

// contents are what a checkpoint holds besides the record, as gob has it: the state, and of which kind each variable is
// whose bytes follow.
type contents struct {
	State     state
	Variables []variable
}

// variable is one that GoMLX's own gob would read without looking at its sizes.
type variable struct {
	Path, DType string
	Dims        []int
}

// encode returns the contents with every variable but GoMLX's moving averages of metrics, which have a new random name
// in every process.
func encode(s state, store *model.Store, waiting map[string]*tensors.Tensor) ([]byte, error) {
	c, values := contents{State: s}, []*tensors.Tensor{}
	add := func(path string, value *tensors.Tensor) {
		c.Variables = append(c.Variables, variable{path, value.DType().String(), value.Shape().Dimensions})
		values = append(values, value)
	}
	for v := range store.IterVariables() {
		if isMetric(v.Path()) {
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
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(c)
	for _, value := range values {
		if err == nil {
			err = value.ConstBytes(func(data []byte) { b.Write(data) })
		}
	}
	return b.Bytes(), err
}

// decode is the reverse of encode. It allocates no more than data has.
func decode(data []byte) (s state, values map[string]*tensors.Tensor, err error) {
	var c contents
	r := bytes.NewReader(data)
	if err := gob.NewDecoder(r).Decode(&c); err != nil {
		return s, nil, err
	}
	data, values = data[len(data)-r.Len():], map[string]*tensors.Tensor{}
	for _, v := range c.Variables {
		dtype, err := dtypes.DTypeString(v.DType)
		if err != nil || !dtype.IsSupported() || dtype.IsPacked() || values[v.Path] != nil {
			return s, nil, fmt.Errorf("variable %q has type %q, or is there twice", v.Path, v.DType)
		}
		size := dtype.Size()
		for _, n := range append([]int{1}, v.Dims...) { // a scalar has a size, too
			if n < 1 || size > len(data)/n {
				return s, nil, fmt.Errorf("variable %q has dimensions %d, and there are %d bytes", v.Path, v.Dims,
					len(data))
			}
			size *= n
		}
		value := tensors.FromShape(shapes.Make(dtype, v.Dims...))
		if err := value.MutableBytes(func(to []byte) { copy(to, data[:size]) }); err != nil {
			return s, nil, err
		}
		values[v.Path], data = value, data[size:]
	}
	if len(data) > 0 {
		return s, nil, fmt.Errorf("%d bytes are of no variable", len(data))
	}
	return c.State, values, nil
}
