package run

import (
	"runtime"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// weighed is data that appends to inUse how many bytes are, each time a batch is asked for. (It is a declaration, which
// cannot hold where to.)
type weighed struct{ Data experiment.Data }

var inUse []uint64

func (w weighed) Shape() (batch, steps int) { return w.Data.Shape() }

func (w weighed) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := w.Data.Open(seeds)
	return weighedBatches{batches}, err
}

var _ = experiment.Name("test.weighed", weighed{})

type weighedBatches struct{ trial.Batches }

func (w weighedBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	inUse = append(inUse, memory.HeapAlloc)
	return w.Batches.Batch(n)
}

// An executable keeps its memory, which for tests on long sequences is gigabytes. So it is given back after each test:
// the last of many finds no more in use than the first.
func TestTestsGiveBackTheirMemory(t *testing.T) {
	const (
		steps, batch = 1000, 64
		least        = 4 * steps * batch * 4 * 4 // bytes of the hidden states alone: four units, four trials
	)
	inUse = nil
	long := trial.Sampled[task.Symbols]{
		Tasks: []task.Symbols{task.Warp{Length: steps, Min: 2, Max: 4}}, Split: "test", Batch: batch,
	}
	warp := tinyTask(t, warping)
	after := warp.Tests[3]
	after.Data, warp.Tests = weighed{long}, warp.Tests[:1]
	for range 6 {
		warp.Tests = append(warp.Tests, after)
	}
	mustTrain(t, newRunner(t, engine, t.TempDir()), warp)
	if first, last := inUse[0], inUse[5]; last > first+least {
		t.Errorf("before each of six tests, these bytes are in use: %d; want no more than at first", inUse)
	}
}
