package exec

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
		if got := passed.Load(); got != 0 {
			t.Fatalf("%d of %d passed before the last one came", got, n-1)
		}
		b.wait(n)
		early.Wait()
	}
}
