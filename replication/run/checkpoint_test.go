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
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// hostile are contents of checkpoints that ask for more than they hold.
var hostile = []contents{
	{Variables: []variable{{"/a", "Float32", []int{1 << 62}}}},
	{Variables: []variable{{"/a", "Float32", []int{1 << 32, 1 << 32, 1 << 32}}}},
	{Variables: []variable{{"/a", "Float32", []int{400, 400, 1 << 20}}}}, // 640 GB
	{Variables: []variable{{"/a", "Float32", []int{0}}}},
	{Variables: []variable{{"/a", "InvalidDType", nil}}},
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
	f.Add(check.Got(encode(state{Seconds: 3, Sum: record.Values{1, 2}}, store, nil))(f))
	for _, c := range hostile {
		f.Add(encoded(f, c, "12345678"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, values, err := decode(data)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		check.That(t, used <= 64<<20+100*uint64(len(data)), "%d bytes of memory for %d bytes of data", used, len(data))
		if err != nil {
			return
		}
		again := check.Got(encode(s, model.NewStore(), values))(t)
		_, same, err := decode(again)
		check.OK(t, err)
		for path, value := range values {
			check.That(t, same[path] != nil && value.Shape().Equal(same[path].Shape()),
				"%s is %v, and %v when written again", path, value.Shape(), same[path])
		}
	})
}

type variables = map[string]*tensors.Tensor

// A checkpoint whose state or variables are not of the run, or not of the same update, is rejected with one line, and
// before anything is trained.
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
		update, data := w.Checkpoint()
		s, values, err := decode(data)
		check.OK(t, err)
		change(&s, values)
		data = check.Got(encode(s, model.NewStore(), values))(t)
		check.OK(t, w.Save(update, data))
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
		"weights of another update": each("/"+optimizer.GlobalStepVariableName, func([]int) *tensors.Tensor {
			return tensors.FromScalar(int64(5))
		}),
		"another shape of weights": each("/readout/", func(dims []int) *tensors.Tensor {
			return tensors.FromShape(shapes.Make(dtypes.Float32, append([]int{2}, dims...)...))
		}),
		"no weights": each("/readout/", func([]int) *tensors.Tensor { return nil }),
	} {
		rejected(what, change)
	}
}
