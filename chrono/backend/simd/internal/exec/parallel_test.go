package exec

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
)

func TestNobodyPassesABarrierBeforeAllHaveCome(t *testing.T) {
	const n, rounds = 4, 3
	var b barrier
	for range rounds {
		var passed atomic.Int64
		var early sync.WaitGroup
		for range n - 1 {
			early.Go(func() {
				b.wait(n)
				passed.Add(1)
			})
		}
		for b.come.Load() < n-1 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond) // by now they are likely to have begun to sleep
		got := passed.Load()
		check.Must(t, got == 0, "%d of %d passed before the last one came", got, n-1)
		b.wait(n)
		early.Wait()
	}
}

// Runs with help and alone take these times. All together take little longer than if all were made in the faster way,
// also where other programs come and go, and where a run now and then takes much longer.
func TestPace(t *testing.T) {
	type world struct{ runs, helped, alone int }
	idle, slowed, gains, rare := world{1000, 60, 100}, world{1000, 130, 100}, world{1000, 80, 100}, world{1, 300, 100}
	for _, test := range [][]world{
		{idle}, {slowed}, {gains}, {idle, slowed, idle, gains, idle}, {idle, rare, idle, rare, idle},
		{{20, 90, 300}, {6000, 130, 100}},
	} {
		var p pace
		took, least := 0, 0
		for _, w := range test {
			for range w.runs {
				helped, d := p.help(), w.alone
				if helped {
					d = w.helped
				}
				p.took(helped, time.Duration(d))
				took += d
				least += min(w.helped, w.alone)
			}
		}
		check.That(t, float64(took) <= 1.03*float64(least), "%v: runs took %d, at best %d", test, took, least)
	}
}
