package run

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// hostile are variables of checkpoints that ask for more than they hold, or for less.
var hostile = [][]variable{
	{{"/a", "Float32", []int{1 << 62}, []byte("12345678")}},
	{{"/a", "Float32", []int{1 << 32, 1 << 32, 1 << 32}, []byte("12345678")}},
	{{"/a", "Float32", []int{400, 400, 1 << 20}, nil}}, // 640 GB
	{{"/a", "Float32", []int{0}, nil}},
	{{"/a", "Int64", nil, nil}},
	{{"/a", "InvalidDType", nil, []byte("1")}},
	{{"/a", "Int4", []int{2}, []byte("1")}},
	{{"/a", "Int8", nil, []byte("1")}, {"/a", "Int8", nil, []byte("1")}},
	{{"/a", "Int8", []int{2}, []byte("123")}},
}

// encoded is what a checkpoint has besides the record.
func encoded(t testing.TB, variables ...variable) []byte {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	check.OK(t, e.Encode(state{}))
	for _, v := range variables {
		check.OK(t, e.Encode(v))
	}
	return b.Bytes()
}

func TestHostileStateIsRejected(t *testing.T) {
	for _, variables := range hostile {
		_, _, err := decode(gob.NewDecoder(bytes.NewReader(encoded(t, variables...))))
		check.Rejected(t, variables, err, "/a")
	}
}

// Whatever a checkpoint's state holds, reading it takes memory in proportion to its size, and it is rejected or reads
// the same when it is written again.
func FuzzState(f *testing.F) {
	f.Add(encoded(f, variable{"/b", "Float64", []int{1, 2}, make([]byte, 16)}, variable{"/c", "Int8", nil, []byte("7")}))
	for _, variables := range hostile {
		f.Add(encoded(f, variables...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, values, err := decode(gob.NewDecoder(bytes.NewReader(data)))
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		check.That(t, used <= 64<<20+100*uint64(len(data)), "%d bytes of memory for %d bytes of data", used, len(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		check.OK(t, encode(gob.NewEncoder(&again), s, model.NewStore(), values))
		_, same, err := decode(gob.NewDecoder(&again))
		check.OK(t, err)
		for path, value := range values {
			check.That(t, same[path] != nil && value.Shape().Equal(same[path].Shape()),
				"%s is %v, and %v when written again", path, value.Shape(), same[path])
		}
	})
}

type variables = map[string]*tensors.Tensor

// A checkpoint whose state or variables are not of the run is rejected with one line, and before anything is trained.
func TestForeignStateIsRejected(t *testing.T) {
	task := tinyTask(t, copying)
	h, dir := task.Header(engine), t.TempDir()
	h.Environment = environment(conformance.Start(t, engine))
	stop(t, newRunner(t, engine, dir), task, 4)
	path := record.Path(dir, h)
	whole := check.Read(t, record.CheckpointPath(path))
	rejected := func(what string, change func(*state, variables)) {
		t.Helper()
		check.Write(t, record.CheckpointPath(path), whole)
		w := check.Got(record.Open(path, h))(t)
		update, saved := w.Checkpoint()
		s, values, err := decode(saved)
		check.OK(t, err)
		change(&s, values)
		check.OK(t, w.Save(update, func(e *gob.Encoder) error { return encode(e, s, model.NewStore(), values) }))
		check.OK(t, w.Close())
		runner := newRunner(t, engine, dir)
		runner.Observe = func(s Status) {
			check.That(t, s.Update <= s.First, "%s: it trains update %d", what, s.Update)
		}
		_, err = runner.Train(context.Background(), task)
		check.Rejected(t, what, err, task.String())
	}
	each := func(part string, to func(dims []int) *tensors.Tensor) func(*state, variables) { // nil deletes
		return func(_ *state, values variables) {
			for path, value := range values {
				if !strings.Contains(path, part) {
					continue
				}
				if values[path] = to(value.Shape().Dimensions); values[path] == nil {
					delete(values, path)
				}
			}
		}
	}
	for what, change := range map[string]func(*state, variables){
		"too few sums": func(s *state, _ variables) { s.Sum = s.Sum[:3] },
		"endless time": func(s *state, _ variables) { s.Seconds = math.Inf(1) },
		"another shape of weights": each("/readout/", func(dims []int) *tensors.Tensor {
			return tensors.FromShape(shapes.Make(dtypes.Float32, append([]int{2}, dims...)...))
		}),
		"no weights": each("/readout/", func([]int) *tensors.Tensor { return nil }),
	} {
		rejected(what, change)
	}
}
