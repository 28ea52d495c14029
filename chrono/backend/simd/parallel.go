package simd

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is work that divides into parts; what it computes does not depend on how many.
type task interface {
	part(m *machine, worker, i, n int)
}

// workers are threads that help with tasks. The hand-over must cost less than a microsecond, for a step of a recurrent
// network lasts tens of them: workers watch a counter for a while before they go to sleep.
type workers struct {
	n       int // with the caller
	mu      sync.Mutex
	wake    *sync.Cond
	asleep  int
	stopped bool
	started bool

	busy    sync.Mutex // held by the execution that the workers help
	round   atomic.Uint64
	pending atomic.Int64
	task    task
	machine *machine
}

func newWorkers(n int) *workers {
	w := &workers{n: n}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// spins is how often a worker looks for a new task before it goes to sleep: some hundred microseconds.
const spins = 20000

// run runs a task in as many parts as there are workers.
func (w *workers) run(m *machine, t task) {
	if !w.started {
		w.started = true
		for i := 1; i < w.n; i++ {
			go w.work(i)
		}
	}
	w.task, w.machine = t, m
	w.pending.Store(int64(w.n - 1))
	w.mu.Lock()
	w.round.Add(1)
	if w.asleep > 0 {
		w.wake.Broadcast()
	}
	w.mu.Unlock()
	t.part(m, 0, 0, w.n)
	for i := 0; w.pending.Load() > 0; i++ {
		if i > 1000 {
			runtime.Gosched()
		}
	}
}

func (w *workers) work(i int) {
	done := uint64(0)
	for {
		for spin := 0; w.round.Load() == done; spin++ {
			if spin < spins {
				if spin%64 == 63 {
					runtime.Gosched()
				}
				continue
			}
			w.mu.Lock()
			w.asleep++
			for w.round.Load() == done && !w.stopped {
				w.wake.Wait()
			}
			w.asleep--
			w.mu.Unlock()
			spin = 0
			if w.stopped {
				return
			}
		}
		done++
		w.task.part(w.machine, i, i, w.n)
		w.pending.Add(-1)
	}
}

// stop ends the workers once they are asleep.
func (w *workers) stop() {
	w.mu.Lock()
	w.stopped = true
	w.wake.Broadcast()
	w.mu.Unlock()
}
