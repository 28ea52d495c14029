package run

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A measure of several numbers that is taken in the course of training is a series of vectors; the last is the result
// that the same measure has after training. Interrupted at every update, the record is the same.
func TestSeriesOfVectors(t *testing.T) {
	const every = 7 // of 14 updates
	e := tinyTask(t, warping)
	gates := experiment.Measure{Name: "gates", Of: experiment.GateBias{Gate: "gate"}}
	e.Tests = append(slices.Clone(e.Tests), experiment.Test{
		Data: e.Data, Batches: 1, Every: every, Measures: []experiment.Measure{gates},
	})
	r := mustTrain(t, newRunner(t, engine, t.TempDir()), e)
	points := r.Series("gates")
	if len(points) != 2 || points[0].Update != every || points[1].Values != nil {
		t.Fatalf("points %+v", points)
	}
	for trial, got := range points[1].Vectors {
		if want := r.End.Vectors["gate_bias"][trial]; len(got) != 4 || !slices.Equal(got, want) {
			t.Errorf("trial %d: %v at the end, want %v", trial, got, want)
		}
		if slices.Equal(got, points[0].Vectors[trial]) {
			t.Errorf("trial %d: nothing is learned, so the test is no test", trial)
		}
	}

	stopped := newRunner(t, engine, t.TempDir())
	stopped.Checkpoint = time.Hour
	for {
		ctx, cancel := context.WithCancel(context.Background())
		stopped.Observe = func(s Status) {
			if s.Update > s.First {
				cancel()
			}
		}
		again, err := stopped.Train(ctx, e)
		cancel()
		if err == nil {
			if !record.Equal(again, r) {
				t.Errorf("interrupted, it ends elsewhere: %v", record.Compare(r, again))
			}
			return
		}
		if !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
	}
}
