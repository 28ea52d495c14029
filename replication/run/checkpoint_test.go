package run

import (
	"bytes"
	"context"
	"encoding/gob"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// hostile are contents of checkpoints that ask for more than they hold.
var hostile = []contents{
	{Variables: []variable{{"/a", "Float32", []int{1 << 62}}}},
	{Variables: []variable{{"/a", "Float32", []int{1 << 32, 1 << 32, 1 << 32}}}},
	{Variables: []variable{{"/a", "Float32", []int{400, 400, 1 << 20}}}}, // 640 GB
	{Variables: []variable{{"/a", "Float32", []int{-1}}}},
	{Variables: []variable{{"/a", "Float32", []int{0}}}},
	{Variables: []variable{{"/a", "InvalidDType", nil}}},
	{Variables: []variable{{"/a", "", nil}}},
	{Variables: []variable{{"/a", "Int4", []int{2}}}},
	{Variables: []variable{{"/a", "Int8", nil}, {"/a", "Int8", nil}}},
	{State: state{Sum: record.Values{1}}}, // and bytes behind it
}

func encoded(t testing.TB, c contents, behind string) []byte {
	var b bytes.Buffer
	check.OK(t, gob.NewEncoder(&b).Encode(c))
	return append(b.Bytes(), behind...)
}

func TestHostileStateIsRejected(t *testing.T) {
	for _, c := range hostile {
		_, _, err := decode(encoded(t, c, "12345678"))
		check.Rejected(t, c, err, "")
	}
}

// Whatever a checkpoint's state holds, reading it takes memory in proportion to its size, and it is rejected or reads
// the same when it is written again.
func FuzzState(f *testing.F) {
	store := model.NewStore()
	for name, value := range map[string]any{"a": float32(1), "b": [][]float64{{1, 2}, {3, 4}}, "c": int64(7)} {
		_, err := store.RootScope().CreateVariable(name, tensors.MustFromAnyValue(value))
		check.OK(f, err)
	}
	whole, err := encode(state{Update: 3, Sum: record.Values{1, 2}, Count: 1}, store, nil)
	check.OK(f, err)
	f.Add(whole)
	for _, c := range hostile {
		f.Add(encoded(f, c, "12345678"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, values, err := decode(data)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+100*uint64(len(data)) {
			t.Errorf("%d bytes of memory for %d bytes of data", used, len(data))
		}
		if err != nil {
			return
		}
		again, err := encode(s, model.NewStore(), values)
		check.OK(t, err)
		_, same, err := decode(again)
		check.OK(t, err)
		for path, value := range values {
			if same[path] == nil || !value.Shape().Equal(same[path].Shape()) {
				t.Errorf("%s is %v, and %v when written again", path, value.Shape(), same[path])
			}
		}
	})
}

// Of every variable in a checkpoint, another shape is a one-line error: none is used as it is.
func TestShapesOfVariablesAreChecked(t *testing.T) {
	task := tinyTask(t, copying)
	dir := t.TempDir()
	stop(t, newRunner(t, engine, dir), task, 4)
	path := record.Path(dir, task.Header(engine))
	h := task.Header(engine)
	h.Environment = environment(newBackend(t, engine))
	open := func() (*record.Writer, state, variables) {
		w, err := record.Open(path, h)
		check.OK(t, err)
		_, data := w.Checkpoint()
		s, values, err := decode(data)
		check.OK(t, err)
		return w, s, values
	}
	w, _, first := open()
	check.OK(t, w.Close())
	whole := check.Read(t, record.CheckpointPath(path))
	if len(first) < 5 {
		t.Fatalf("%d variables", len(first))
	}
	delete(first, "/trainer/train_last_global_step") // GoMLX writes it, and reads it nowhere
	for _, name := range slices.Sorted(maps.Keys(first)) {
		check.Write(t, record.CheckpointPath(path), whole)
		w, s, values := open()
		shape := values[name].Shape()
		values[name] = tensors.FromShape(shapes.Make(shape.DType, append([]int{2}, shape.Dimensions...)...))
		data, err := encode(s, model.NewStore(), values)
		check.OK(t, err)
		check.OK(t, w.Save(s.Update, data))
		check.OK(t, w.Close())
		_, err = newRunner(t, engine, dir).Train(context.Background(), task)
		check.Rejected(t, name, err, "")
	}
}

// A run whose folder is deleted while it trains writes its record all the same.
func TestDeletedFolder(t *testing.T) {
	dir := t.TempDir()
	runner := newRunner(t, engine, dir)
	task := tinyTask(t, copying)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	runner.Checkpoint = 1
	runner.Observe = func(s Status) {
		if s.Update%3 == 1 && !s.Done {
			check.OK(t, os.RemoveAll(dir))
		}
	}
	if got := mustTrain(t, runner, task); !record.Equal(got, want) || !strings.HasPrefix(got.Path, dir) {
		t.Errorf("the record at %s differs: %v", got.Path, record.Compare(want, got))
	}
}
