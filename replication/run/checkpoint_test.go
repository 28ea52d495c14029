package run

import (
	"bytes"
	"encoding/gob"
	"runtime"
	"testing"

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
