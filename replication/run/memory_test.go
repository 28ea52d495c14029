package run

import (
	"runtime"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// An executable keeps its memory, which for tests on long sequences is gigabytes. So it is given back after each test:
// the last of many finds no more in use than the first.
func TestTestsGiveBackTheirMemory(t *testing.T) {
	const (
		steps, batch = 1000, 64
		least        = 4 * steps * batch * 4 * 4 // bytes of the hidden states alone: four units, four trials
	)
	var inUse []uint64
	change = func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		inUse = append(inUse, memory.HeapAlloc)
		return inputs, labels
	}
	long := trial.Sampled[task.Symbols]{
		Tasks: []task.Symbols{task.Warp{Length: steps, Min: 2, Max: 4}}, Split: "test", Batch: batch,
	}
	warp := tinyTask(t, warping)
	after := warp.Tests[3]
	after.Data, warp.Tests = changed{long}, warp.Tests[:1]
	for range 6 {
		warp.Tests = append(warp.Tests, after)
	}
	mustTrain(t, newRunner(t, engine, t.TempDir()), warp)
	if first, last := inUse[0], inUse[5]; last > first+least {
		t.Errorf("before each of six tests, these bytes are in use: %d; want no more than at first", inUse)
	}
}
