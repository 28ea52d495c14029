package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// atOnce is how many of n runs are trained at a time: they share the processor's cores. More than a few take memory and
// gain nothing.
func atOnce(n int) int { return min(runtime.GOMAXPROCS(0), 4, n) }

type worker func(context.Context, experiment.Task) error

// train trains the tasks, some at the same time. After the first that fails the others stop at a checkpoint. A run that
// another process is training waits until all others are done, and is tried again.
func train(ctx context.Context, tasks []experiment.Task, workers []worker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu           sync.Mutex
		busy         []experiment.Task
		failed, held error
		where        []string // runs were interrupted
	)
	each := func(work worker, task experiment.Task) {
		err := work(ctx, task)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			return
		case errors.Is(err, record.ErrBusy):
			busy, held = append(busy, task), err
			return
		case errors.Is(err, run.ErrInterrupted) || errors.Is(err, context.Canceled):
			where = append(where, err.Error())
		default:
			failed = cmp.Or(failed, err)
		}
		cancel()
	}
	for range 2 {
		var wg sync.WaitGroup
		queue := make(chan experiment.Task)
		for _, work := range workers {
			wg.Go(func() {
				for task := range queue {
					if ctx.Err() == nil { // else it was waiting when the others were stopped
						each(work, task)
					}
				}
			})
		}
		for _, task := range tasks {
			queue <- task
		}
		close(queue)
		wg.Wait()
		tasks, busy = busy, nil
	}
	switch {
	case failed != nil:
		return command.Code(2, failed) // even if Ctrl-C came at the same time
	case ctx.Err() == nil && tasks != nil:
		return command.Code(command.Incomplete, held)
	case ctx.Err() == nil:
		return nil
	case where == nil:
		where = []string{"interrupted between two runs"}
	}
	return fmt.Errorf("%s. Run the same command to resume", strings.Join(where, "; "))
}
