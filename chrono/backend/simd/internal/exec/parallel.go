package exec

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// A task is work that divides into parts. What it computes does not depend on how many, nor on who does them.
type task interface {
	part(m *machine, worker, i, n int)
}

// Workers are threads that help with tasks. The hand-over must cost less than a microsecond, for a step of a recurrent
// network lasts tens of them: workers watch a counter for a while before they go to sleep. And nobody waits for a
// thread that the operating system keeps from running: whoever has no part left takes those that nobody has begun. In a
// loop that they divide, however, they wait for each other wherever rows meet, and sleep if that takes long.
// A program that runs faster without them does so: see pace.
type Workers struct {
	n       int // with the caller
	start   sync.Once
	mu      sync.Mutex
	wake    *sync.Cond
	asleep  atomic.Int64
	stopped bool // set with busy and mu held

	busy sync.Mutex // held by the execution that the workers help

	// round counts tasks. task and machine are those of the round, from when it begins until all its parts are done.
	round   atomic.Uint64
	task    task
	machine *machine
	done    atomic.Int64
	claims  []claim
	parts   int // of the task: one a worker, or one a claim
	barrier barrier
}

// claim holds the last round in which a part was begun, on a cache line of its own.
type claim struct {
	round atomic.Uint64
	_     [plan.Alignment - 8]byte
}

// partsPerWorker is into how many parts the share of each worker is cut, so that others can take some of them.
const partsPerWorker = 2

// NewWorkers returns n of them. They start when there is something to do.
func NewWorkers(n int) *Workers {
	w := &Workers{n: n, claims: make([]claim, n*partsPerWorker)}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// spins is how often a worker looks for a new task before it goes to sleep: some tens of microseconds.
const spins = 20000

// run runs a task in n·partsPerWorker parts, or in n of which each worker takes the first one that is its own.
func (w *Workers) run(m *machine, t task, parts int) {
	w.start.Do(func() {
		for i := 1; i < w.n; i++ {
			go w.work(i)
		}
	})
	w.task, w.machine, w.parts = t, m, parts
	w.done.Store(0)
	round := w.round.Add(1)
	if w.asleep.Load() > 0 {
		w.mu.Lock()
		w.wake.Broadcast()
		w.mu.Unlock()
	}
	w.help(0, round)
	for looks := 1; w.done.Load() < int64(len(w.claims)); looks++ {
		pause(looks)
	}
	w.task, w.machine = nil, nil // or the workers would keep the memory of an executable that is finalized
}

// help does parts of a round that nobody has begun: first those of worker i, then, from the end, those of others.
func (w *Workers) help(i int, round uint64) {
	claims := len(w.claims)
	for k := range claims {
		p := (i*partsPerWorker + k) % claims
		if k >= partsPerWorker {
			p = (i*partsPerWorker + partsPerWorker + claims - 1 - k) % claims
		}
		// A part that could be claimed keeps the round from ending: task and machine are this round's.
		if w.claims[p].round.CompareAndSwap(round-1, round) {
			if per := claims / w.parts; p%per == 0 {
				w.task.part(w.machine, i, p/per, w.parts)
			}
			w.done.Add(1)
		}
	}
}

// A barrier lets nobody through before everybody has come.
type barrier struct {
	come  atomic.Int64
	_     [plan.Alignment - 8]byte
	times atomic.Int64 // that it has opened
}

// wait waits for n to come.
func (b *barrier) wait(n int) {
	if n == 1 {
		return
	}
	times := b.times.Load()
	if b.come.Add(1) == int64(n) {
		b.come.Store(0)
		b.times.Add(1)
		return
	}
	for looks := 1; b.times.Load() == times; looks++ {
		pause(looks)
	}
}

// patience is how often a thread looks whether the others are done before it begins to sleep: some tenths of a
// millisecond. Those that run are mostly done by then. One that does not, because other programs compute, too, may need
// this processor.
const patience = 200_000

// pause passes the time between two looks.
func pause(looks int) {
	if looks >= patience {
		time.Sleep(10 * time.Microsecond)
	} else if looks%1024 == 0 {
		runtime.Gosched()
	}
}

func (w *Workers) work(i int) {
	for seen := uint64(0); ; {
		round := w.round.Load()
		for spin := 0; round == seen && spin < spins; spin++ {
			if spin%256 == 255 {
				runtime.Gosched()
			}
			round = w.round.Load()
		}
		if round == seen {
			w.mu.Lock()
			w.asleep.Add(1)
			for w.round.Load() == seen && !w.stopped {
				w.wake.Wait()
			}
			w.asleep.Add(-1)
			stopped := w.stopped
			w.mu.Unlock()
			if stopped {
				return
			}
			continue
		}
		seen = round
		w.help(i, round)
	}
}

// take makes the workers help one execution, until it unlocks busy, unless they help another or are stopped.
func (w *Workers) take() bool {
	if w.n == 1 || !w.busy.TryLock() {
		return false
	}
	if w.stopped {
		w.busy.Unlock()
		return false
	}
	return true
}

// Stop ends the workers once they have nothing to do: an execution that they help waits for them all.
func (w *Workers) Stop() {
	w.busy.Lock()
	defer w.busy.Unlock()
	w.mu.Lock()
	w.stopped = true
	w.wake.Broadcast()
	w.mu.Unlock()
}
