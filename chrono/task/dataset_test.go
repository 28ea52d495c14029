package task

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono"
)

func stream(t testing.TB, tasks []Task, seeds []uint64, batch, from int, split string) *Stream {
	t.Helper()
	s, err := Dataset(tasks, seeds, batch, from, split)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// take returns the first n batches of a dataset.
func take(t testing.TB, ds train.Dataset, n int) []train.Batch {
	t.Helper()
	var batches []train.Batch
	for batch, err := range ds.Iter() {
		if err != nil {
			t.Fatal(err)
		}
		if batches = append(batches, batch); len(batches) == n {
			return batches
		}
	}
	t.Fatalf("the dataset ended after %d batches", len(batches))
	return nil
}

// sequences takes a batch apart: sequences(batch)[r][b] is what trial r has in place b, inputs, then targets, as text.
func sequences(batch train.Batch) [][]string {
	x, y := batch.Inputs[0], batch.Labels[0]
	steps, trials, size := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	found := make([][]string, trials)
	for r := range trials {
		for b := range size {
			var in, out []any
			if x.Shape().Rank() == 3 {
				xs, ys := tensors.MustCopyFlatData[int32](x), tensors.MustCopyFlatData[int32](y)
				for t := range steps {
					at := (t*trials+r)*size + b
					in, out = append(in, xs[at]), append(out, ys[at])
				}
			} else {
				width := x.Shape().Dim(3)
				xs, ys := tensors.MustCopyFlatData[float32](x), tensors.MustCopyFlatData[float32](y)
				for t := range steps {
					for f := range width {
						in = append(in, xs[((t*trials+r)*size+b)*width+f])
					}
				}
				out = append(out, ys[r*size+b])
			}
			found[r] = append(found[r], fmt.Sprint(in, out))
		}
	}
	return found
}

// drawn is what sequences gives for sequence k of a trial.
func drawn(task Task, seed uint64, split string, k int) string {
	rng := chrono.RNG(seed, "task", split, k)
	if task, ok := task.(Regression); ok {
		in, target := make([]float32, task.Steps()*task.Features()), make([]float32, 1)
		task.Sample(rng, in, target)
		return fmt.Sprint(in, target)
	}
	in, out := make([]int32, task.Steps()), make([]int32, task.Steps())
	task.(Symbols).Sample(rng, in, out)
	return fmt.Sprint(in, out)
}

func TestBatchesHoldTheSequencesOfTheirTrials(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, tasks := range [][]Task{
		{Copy{3}}, {Adding{5}}, {Copy{4}, VariableCopy{4}, Copy{4}}, {Warp{20, 1, 1}, Warp{20, 1, 9}, Pad{20, 1, 3}},
	} {
		for range 10 {
			seeds := []uint64{random.Uint64(), 7, 7}
			batch, from := 1+random.IntN(5), random.IntN(1000)
			for n, b := range take(t, stream(t, tasks, seeds, batch, from, "train"), 4) {
				found := sequences(b)
				if len(found) != len(seeds) {
					t.Fatalf("%d trials, want %d", len(found), len(seeds))
				}
				for r, sequences := range found {
					task := tasks[min(r, len(tasks)-1)]
					for place, got := range sequences {
						if want := drawn(task, seeds[r], "train", (from+n)*batch+place); got != want {
							t.Fatalf("%s, batch %d of %d, trial %d, place %d: %s, want %s", task.Name(), from+n, batch, r, place, got, want)
						}
					}
				}
			}
		}
	}
}

func TestShapes(t *testing.T) {
	copying := take(t, stream(t, []Task{Copy{5}}, []uint64{1, 2, 3}, 4, 0, "train"), 1)[0]
	adding := take(t, stream(t, []Task{Adding{6}}, []uint64{1, 2, 3}, 4, 0, "train"), 1)[0]
	for i, c := range []struct {
		got  *tensors.Tensor
		want string
	}{
		{copying.Inputs[0], "(Int32)[25, 3, 4]"}, {copying.Labels[0], "(Int32)[25, 3, 4]"},
		{adding.Inputs[0], "(Float32)[6, 3, 4, 2]"}, {adding.Labels[0], "(Float32)[3, 4]"},
	} {
		if got := c.got.Shape().String(); got != c.want {
			t.Errorf("tensor %d: shape %s, want %s", i, got, c.want)
		}
	}
}

func TestResumingNeedsNoReplay(t *testing.T) {
	for _, passes := range []int{0, 7} {
		begin := func(from int) *Stream {
			s := stream(t, []Task{Warp{30, 1, 4}}, []uint64{5, 6}, 3, from, "train")
			if passes > 0 {
				s.Sequences(passes)
			}
			return s
		}
		whole := take(t, begin(0), 20)
		for _, from := range []int{1, 2, 13} {
			for i, batch := range take(t, begin(from), 20-from) {
				if fmt.Sprint(sequences(batch)) != fmt.Sprint(sequences(whole[from+i])) {
					t.Errorf("passes over %d: batch %d differs when begun at %d", passes, from+i, from)
				}
			}
		}
		// Iterating again begins again.
		again := begin(0)
		if take(t, again, 5); fmt.Sprint(sequences(take(t, again, 1)[0])) != fmt.Sprint(sequences(whole[0])) {
			t.Errorf("passes over %d: the second iteration begins elsewhere", passes)
		}
	}
}

func TestTrialsSeedsAndSplits(t *testing.T) {
	tasks := []Task{VariableCopy{9}}
	first := func(seeds []uint64, split string) [][]string {
		return sequences(take(t, stream(t, tasks, seeds, 4, 3, split), 1)[0])
	}
	together := first([]uint64{1, 2, 1}, "train")
	for r, seed := range []uint64{1, 2, 1} {
		if alone := first([]uint64{seed}, "train"); !slices.Equal(alone[0], together[r]) {
			t.Errorf("trial %d has other data alone than among others", r)
		}
	}
	if slices.Equal(together[0], together[1]) {
		t.Error("trials of different seeds have the same data")
	}
	if slices.Equal(together[0], first([]uint64{1}, "test")[0]) {
		t.Error("two splits have the same data")
	}
}

func TestPassesHoldEachSequenceOnce(t *testing.T) {
	const n, batch = 10, 4 // batches reach from one pass into the next
	task := Copy{2}
	s := stream(t, []Task{task}, []uint64{1, 2}, batch, 0, "train").Sequences(n)
	for r, seed := range []uint64{1, 2} {
		want := map[string]bool{}
		for k := range n {
			want[drawn(task, seed, "train", k)] = true
		}
		var got []string
		for _, b := range take(t, s, 15) {
			got = append(got, sequences(b)[r]...)
		}
		orders := map[string]bool{}
		for pass := range slices.Chunk(got, n) {
			seen := map[string]bool{}
			for _, sequence := range pass {
				if !want[sequence] || seen[sequence] {
					t.Fatalf("trial %d: a sequence comes twice in a pass, or is none of the %d", r, n)
				}
				seen[sequence] = true
			}
			orders[fmt.Sprint(pass)] = true
		}
		if len(orders) != 15*batch/n {
			t.Errorf("trial %d: %d orders in %d passes", r, len(orders), 15*batch/n)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("passes over no sequences are accepted")
		}
	}()
	s.Sequences(0)
}

// counted counts the sequences drawn from it.
type counted struct {
	Copy
	drawn *atomic.Int64
}

func (c counted) Sample(rng *rand.Rand, in, out []int32) {
	c.drawn.Add(1)
	c.Copy.Sample(rng, in, out)
}

// The training thread never waits while it is slower than the generator: batches are made before they are asked for, and no
// more than promised.
func TestBatchesAreMadeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := counted{Copy{1}, new(atomic.Int64)}
		consumed := 0
		for range stream(t, []Task{task}, []uint64{1}, 1, 0, "train").Iter() {
			consumed++
			synctest.Wait() // until the generator can go no further
			if got := int(task.drawn.Load()); got != consumed+ahead {
				t.Fatalf("%d batches made when %d were consumed, want %d ahead", got, consumed, ahead)
			}
			if consumed == 5 {
				break
			}
		}
	})
}

// A goroutine left behind would fail the synctest bubble.
func TestIterationsEndTheirGoroutine(t *testing.T) {
	for name, consume := range map[string]func(ds train.Dataset){
		"broken off at once": func(ds train.Dataset) {
			for range ds.Iter() {
				break
			}
		},
		"by a limit": func(ds train.Dataset) {
			for range dataset.Take(ds, 3).Iter() {
			}
		},
		"pulled and stopped, as the training loop does": func(ds train.Dataset) {
			next, stop := iter.Pull2(ds.Iter())
			next()
			next()
			stop()
		},
		"by a panic": func(ds train.Dataset) {
			defer func() { recover() }()
			for range ds.Iter() {
				panic("the consumer failed")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				consume(stream(t, []Task{Adding{4}}, []uint64{1, 2}, 3, 0, "train"))
			})
		})
	}
}

// neither is a task that is neither Symbols nor Regression.
type neither struct{}

func (neither) Name() string    { return "neither" }
func (neither) Steps() int      { return 1 }
func (neither) Validate() error { return nil }

func TestImpossibleDatasetsAreRefused(t *testing.T) {
	ok := []Task{Copy{5}}
	for what, c := range map[string]struct {
		tasks       []Task
		seeds       []uint64
		batch, from int
	}{
		"no seeds":               {ok, nil, 1, 0},
		"no tasks":               {nil, []uint64{1}, 1, 0},
		"two tasks, three seeds": {[]Task{Copy{5}, Copy{5}}, []uint64{1, 2, 3}, 1, 0},
		"an empty batch":         {ok, []uint64{1}, 0, 0},
		"a negative step":        {ok, []uint64{1}, 1, -1},
		"an invalid task":        {[]Task{Copy{5}, Copy{-5}}, []uint64{1, 2}, 1, 0},
		"different lengths":      {[]Task{Copy{5}, Copy{6}}, []uint64{1, 2}, 1, 0},
		"different kinds":        {[]Task{Copy{5}, Adding{25}}, []uint64{1, 2}, 1, 0},
		"no kind at all":         {[]Task{neither{}}, []uint64{1}, 1, 0},
		"too large a batch":      {[]Task{Copy{MaxSteps}}, []uint64{1, 2}, 1 << 62, 0},
	} {
		s, err := Dataset(c.tasks, c.seeds, c.batch, c.from, "train")
		if err == nil || s != nil {
			t.Errorf("%s: accepted", what)
		} else if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, "task") {
			t.Errorf("%s: %q is not one line that names the package", what, text)
		}
	}
}

func BenchmarkDataset(b *testing.B) {
	for _, task := range []Task{Copy{500}, Copy{2000}, Warp{500, 1, 50}, Adding{750}} {
		b.Run(task.Name(), func(b *testing.B) {
			const trials, batch = 10, 32
			g := generator{Stream: stream(b, []Task{task}, make([]uint64, trials), batch, 0, "train")}
			for n := 0; b.Loop(); n++ {
				g.next(n)
			}
			b.ReportMetric(float64(b.N*trials*batch)/b.Elapsed().Seconds(), "sequences/s")
		})
	}
}
