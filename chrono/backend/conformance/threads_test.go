package conformance

import (
	"runtime"
	"sync"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// On engines that promise bits a training is the same on any number of threads, and beside others on the same engine.
// The model is large enough for both engines to share its products and its elementwise operations among threads.
func TestThreadsAndJobs(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	o := trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01}, Clip: 0.1}
	once := func(t *testing.T, name string, jobs int) [][][]float64 {
		b := Start(t, name)
		results := make([][][]float64, jobs)
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() {
				results[i] = usual(cell.LSTM{Hidden: 128}, learned, o).train(b, dtypes.Float32, seeds)
			})
		}
		wg.Wait()
		return results
	}
	for _, name := range exact {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // both take their threads from it
			want := once(t, name, 1)[0]
			for _, c := range []struct{ threads, jobs int }{{2, 1}, {4, 1}, {5, 3}} {
				runtime.GOMAXPROCS(c.threads)
				for i, got := range once(t, name, c.jobs) {
					check.Close(t, got, want, 0, "%d threads, job %d of %d", c.threads, i+1, c.jobs)
				}
			}
		})
	}
}
