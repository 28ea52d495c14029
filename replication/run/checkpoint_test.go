package run

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"runtime"
	"slices"
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
	{{"/a", "Float32", []int{1 << 62}, false, []byte("12345678")}},
	{{"/a", "Float32", []int{1 << 32, 1 << 32, 1 << 32}, false, []byte("12345678")}},
	{{"/a", "Float32", []int{400, 400, 1 << 20}, false, nil}}, // 640 GB
	{{"/a", "Float32", []int{0}, false, nil}},
	{{"/a", "Int64", nil, false, nil}},
	{{"/a", "InvalidDType", nil, false, []byte("1")}},
	{{"/a", "Int4", []int{2}, false, []byte("1")}},
	{{"/a", "Int8", nil, false, []byte("1")}, {"/a", "Int8", nil, false, []byte("1")}},
	{{"/a", "Int8", []int{2}, false, []byte("123")}},
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
		_, err := decode(gob.NewDecoder(bytes.NewReader(encoded(t, variables...))), model.NewStore())
		check.Rejected(t, variables, err, "/a")
	}
}

// Whatever a checkpoint's state holds, reading it takes memory in proportion to its size, and it is rejected or reads
// the same when it is written again.
func FuzzState(f *testing.F) {
	f.Add(encoded(f,
		variable{"/b", "Float64", []int{1, 2}, true, make([]byte, 16)},
		variable{"/c", "Int8", nil, false, []byte("7")}))
	for _, variables := range hostile {
		f.Add(encoded(f, variables...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		store, same := model.NewStore(), model.NewStore()
		s, err := decode(gob.NewDecoder(bytes.NewReader(data)), store)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		check.That(t, used <= 64<<20+100*uint64(len(data)), "%d bytes of memory for %d bytes of data", used, len(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		check.OK(t, encode(gob.NewEncoder(&again), s, store))
		_, err = decode(gob.NewDecoder(&again), same)
		check.OK(t, err)
		for v := range store.IterVariables() {
			it := same.GetVariable(v.Path())
			check.That(t, isMetric(v) || it != nil && v.Shape().Equal(it.Shape()) && it.Trainable == v.Trainable,
				"%s is %v, and %v when written again", v.Path(), v, it)
		}
	})
}

// A checkpoint whose state or variables are not of the run is rejected with one line, and before anything is trained.
func TestForeignStateIsRejected(t *testing.T) {
	task := tinyTask(t, copying)
	h, dir := task.Header(engine), t.TempDir()
	h.Environment = environment(conformance.Start(t, engine))
	stop(t, newRunner(t, engine, dir), task, 4)
	path := record.Path(dir, h)
	whole := check.Read(t, record.CheckpointPath(path))
	readOut := func(change func(*model.Store, *model.Variable) error) func(*state, *model.Store) {
		return func(_ *state, store *model.Store) {
			for _, v := range slices.Collect(store.IterVariables()) {
				if strings.Contains(v.Path(), "/readout/") {
					check.OK(t, change(store, v))
				}
			}
		}
	}
	for what, change := range map[string]func(*state, *model.Store){
		"too few sums": func(s *state, _ *model.Store) { s.Sum = s.Sum[:3] },
		"endless time": func(s *state, _ *model.Store) { s.Seconds = math.Inf(1) },
		"another shape of weights": readOut(func(_ *model.Store, v *model.Variable) error {
			dims := append([]int{2}, v.Shape().Dimensions...)
			return v.SetValue(tensors.FromShape(shapes.Make(dtypes.Float32, dims...)))
		}),
		"no weights": readOut(func(s *model.Store, v *model.Variable) error { return s.DeleteVariable(v.Path()) }),
	} {
		check.Write(t, record.CheckpointPath(path), whole)
		w := check.Got(record.Open(path, h))(t)
		update, saved := w.Checkpoint()
		store := model.NewStore()
		s := check.Got(decode(saved, store))(t)
		change(&s, store)
		check.OK(t, w.Save(update, func(e *gob.Encoder) error { return encode(e, s, store) }))
		check.OK(t, w.Close())
		runner := newRunner(t, engine, dir)
		runner.Observe = func(s Status) {
			check.That(t, s.Update <= s.First, "%s: it trains update %d", what, s.Update)
		}
		_, err := runner.Train(context.Background(), task)
		check.Rejected(t, what, err, task.String())
	}
}
