package trial

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// sources are data of both kinds, with one task and with three, of new sequences and of passes over a set; and what
// sequence k of a trial's stream is, as text.
func sources(split string, batch, sequences int) []source {
	var all []source
	for _, tasks := range [][]task.Symbols{
		{task.Copy{T: 3}},
		{task.Copy{T: 5}, task.VariableCopy{T: 4}, task.VariableCopy{T: 4, Between: 2}},
		{task.Warp{Length: 9, Min: 1, Max: 1}, task.Warp{Length: 9, Min: 1, Max: 5}, task.Pad{Length: 9, Max: 3}},
	} {
		all = append(all, source{Symbols{tasks, split, batch, sequences}, func(r int, seed uint64, k int) string {
			t := tasks[min(r, len(tasks)-1)]
			in, out := make([]int32, t.Steps()), make([]int32, t.Steps())
			t.Sample(chrono.RNG(seed, "task", split, k), in, out)
			return fmt.Sprint(in, out)
		}})
	}
	for _, tasks := range [][]task.Regression{
		{task.Adding{T: 5}}, {task.Adding{T: 6}, task.Adding{T: 6}, task.Adding{T: 6}},
	} {
		all = append(all, source{Regression{tasks, split, batch, sequences}, func(r int, seed uint64, k int) string {
			t := tasks[min(r, len(tasks)-1)]
			in, target := make([]float32, t.Steps()*t.Features()), make([]float32, 1)
			t.Sample(chrono.RNG(seed, "task", split, k), in, target)
			return fmt.Sprint(in, target)
		}})
	}
	return all
}

type source struct {
	data Data
	// drawn is sequence k of trial r, which has that seed.
	drawn func(r int, seed uint64, k int) string
}

func open(t testing.TB, data Data, seeds ...uint64) Batches {
	t.Helper()
	b, err := data.Open(seeds)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// at takes batch n apart: at(…)[r][b] is what trial r has in place b, inputs, then targets, as text.
func at(t testing.TB, batches Batches, n int) [][]string {
	t.Helper()
	inputs, labels, err := batches.Batch(n)
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) != 1 || len(labels) != 1 {
		t.Fatalf("%d inputs and %d labels, want one of each", len(inputs), len(labels))
	}
	x, y := inputs[0], labels[0]
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

func TestBatchesHoldTheSequencesOfTheirTrials(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		seeds := []uint64{random.Uint64(), 7, 7}
		batch := 1 + random.IntN(5)
		for _, s := range sources("train", batch, 0) {
			batches := open(t, s.data, seeds...)
			for range 4 {
				n := random.IntN(1000) // in any order
				for r, sequences := range at(t, batches, n) {
					if len(sequences) != batch {
						t.Fatalf("%+v: %d sequences, want %d", s.data, len(sequences), batch)
					}
					for b, got := range sequences {
						if want := s.drawn(r, seeds[r], n*batch+b); got != want {
							t.Fatalf("%+v, batch %d, trial %d, place %d: %s, want %s", s.data, n, r, b, got, want)
						}
					}
				}
			}
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		data          Data
		input, labels string
	}{
		{Symbols{[]task.Symbols{task.Copy{T: 5}}, "train", 4, 0}, "(Int32)[25, 3, 4]", "(Int32)[25, 3, 4]"},
		{Regression{[]task.Regression{task.Adding{T: 6}}, "train", 4, 0}, "(Float32)[6, 3, 4, 2]", "(Float32)[3, 4]"},
	} {
		inputs, labels, err := open(t, c.data, 1, 2, 3).Batch(0)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := inputs[0].Shape().String(), labels[0].Shape().String(); x != c.input || y != c.labels {
			t.Errorf("%+v: shapes %s and %s, want %s and %s", c.data, x, y, c.input, c.labels)
		}
	}
}

// Batch n is a function of the seeds and n: opened anew, begun anywhere, going back, alone or among others.
func TestBatchesAreAFunctionOfSeedsAndNumber(t *testing.T) {
	for _, sequences := range []int{0, 7} {
		for _, s := range sources("train", 3, sequences) {
			seeds := []uint64{5, 6, 5}
			batches := open(t, s.data, seeds...)
			var whole [][][]string
			for n := range 12 {
				whole = append(whole, at(t, batches, n))
			}
			for _, n := range []int{11, 2, 3, 0, 7} {
				again, resumed := at(t, batches, n), at(t, open(t, s.data, seeds...), n)
				if fmt.Sprint(again) != fmt.Sprint(whole[n]) || fmt.Sprint(resumed) != fmt.Sprint(whole[n]) {
					t.Errorf("%+v: batch %d differs when it is made again", s.data, n)
				}
			}
		}
	}
}

func TestTrialsSeedsAndSplits(t *testing.T) {
	for _, sequences := range []int{0, 9} {
		for _, kind := range []func(split string) Data{
			func(split string) Data { return Symbols{[]task.Symbols{task.VariableCopy{T: 9}}, split, 4, sequences} },
			func(split string) Data { return Regression{[]task.Regression{task.Adding{T: 9}}, split, 4, sequences} },
		} {
			together := at(t, open(t, kind("train"), 1, 2, 1), 3)
			for r, seed := range []uint64{1, 2, 1} {
				if alone := at(t, open(t, kind("train"), seed), 3); !slices.Equal(alone[0], together[r]) {
					t.Errorf("%+v: trial %d has other data alone than among others", kind("train"), r)
				}
			}
			if slices.Equal(together[0], together[1]) {
				t.Errorf("%+v: trials of different seeds have the same data", kind("train"))
			}
			if slices.Equal(together[0], at(t, open(t, kind("test"), 1), 3)[0]) {
				t.Errorf("%+v: two splits have the same data", kind("train"))
			}
		}
	}
}

func TestPassesHoldEachSequenceOnce(t *testing.T) {
	const sequences, batch, batches = 10, 4, 15 // batches reach from one pass into the next
	for _, s := range sources("train", batch, sequences) {
		seeds := []uint64{1, 2, 3}
		opened := open(t, s.data, seeds...)
		got := make([][]string, len(seeds))
		for n := range batches {
			for r, own := range at(t, opened, n) {
				got[r] = append(got[r], own...)
			}
		}
		for r, seed := range seeds {
			want := map[string]bool{}
			for k := range sequences {
				want[s.drawn(r, seed, k)] = true
			}
			orders := map[string]bool{}
			for pass := range batches * batch / sequences {
				order := chrono.RNG(seed, "order", "train", pass).Perm(sequences)
				seen := map[string]bool{}
				for i, sequence := range got[r][pass*sequences : (pass+1)*sequences] {
					if !want[sequence] || seen[sequence] {
						t.Fatalf("%+v, trial %d: a sequence comes twice, or is none of the %d", s.data, r, sequences)
					}
					if sequence != s.drawn(r, seed, order[i]) {
						t.Fatalf("%+v, trial %d, pass %d: sequence %d is not in its order", s.data, r, pass, i)
					}
					seen[sequence] = true
				}
				orders[fmt.Sprint(order)] = true
			}
			if len(orders) != batches*batch/sequences {
				t.Errorf("%+v, trial %d: %d orders in %d passes", s.data, r, len(orders), batches*batch/sequences)
			}
		}
	}
}

// wide is a regression of another width.
type wide struct{ task.Adding }

func (wide) Features() int { return 3 }

// narrow is a task whose steps hold nothing.
type narrow struct{ task.Adding }

func (narrow) Features() int { return 0 }

// instant is a task that takes no time.
type instant struct{ task.Adding }

func (instant) Steps() int { return 0 }

// Data that are open do not change with the slice of seeds that they were opened with.
func TestSeedsAreTheDatas(t *testing.T) {
	adding := Regression{[]task.Regression{task.Adding{T: 5}}, "train", 2, 0}
	text := counting{"train": 100}
	for _, data := range []Data{
		adding,
		Noise{adding, 3, "train"},
		Windows{Of: text, Split: "train", Length: 5, Batch: 2, Shuffled: true},
		Dropout{Of: Streams{Of: text, Split: "train", Batch: 2, Steps: 5}, Units: 20, Inputs: 0.5},
	} {
		seeds := []uint64{1, 2}
		batches := open(t, data, seeds...)
		seeds[0], seeds[1] = 3, 4
		got, _, err := batches.Batch(0)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := open(t, data, 1, 2).Batch(0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !got[i].Equal(want[i]) {
				t.Errorf("%T: input %d is that of other seeds", data, i)
			}
		}
	}
}

func TestDataRefuse(t *testing.T) {
	symbols := func(tasks ...task.Symbols) Symbols { return Symbols{tasks, "train", 1, 0} }
	regression := func(tasks ...task.Regression) Regression { return Regression{tasks, "train", 1, 0} }
	long := []task.Symbols{task.Copy{T: task.MaxSteps}}
	for what, c := range map[string]struct {
		data  Data
		seeds int
		opens bool // Validate has nothing against it
	}{
		"no seeds":               {symbols(task.Copy{T: 5}), 0, true},
		"no symbols":             {symbols(), 1, false},
		"no regression":          {regression(), 1, false},
		"two tasks, three seeds": {symbols(task.Copy{T: 5}, task.Copy{T: 5}), 3, true},
		"an invalid task":        {symbols(task.Copy{T: 5}, task.Copy{T: -5}), 2, false},
		"an invalid regression":  {regression(task.Adding{}), 1, false},
		"different lengths":      {symbols(task.Copy{T: 5}, task.VariableCopy{T: 5}), 2, false},
		"different sums":         {regression(task.Adding{T: 5}, task.Adding{T: 6}), 2, false},
		"different features":     {regression(task.Adding{T: 5}, wide{task.Adding{T: 5}}), 2, false},
		"a nil task":             {symbols(task.Copy{T: 5}, nil), 2, false},
		"no features":            {regression(narrow{task.Adding{T: 5}}), 1, false},
		"no steps":               {regression(instant{task.Adding{T: 5}}), 1, false},
		"no split":               {Symbols{[]task.Symbols{task.Copy{T: 5}}, "", 1, 0}, 1, false},
		"an empty batch":         {Symbols{[]task.Symbols{task.Copy{T: 5}}, "train", 0, 0}, 1, false},
		"a negative set":         {Symbols{[]task.Symbols{task.Copy{T: 5}}, "train", 1, -1}, 1, false},
		"too large a set":        {Symbols{[]task.Symbols{task.Copy{T: 5}}, "train", 1, 1 << 40}, 1, false},
		"an absurd batch":        {Symbols{long, "train", 1 << 62, 0}, 1, false},
		"too large a batch":      {Symbols{long, "train", 1000, 0}, 1, true},
		"too many trials":        {Symbols{long, "train", 100, 0}, 10, true},
	} {
		batches, err := c.data.Open(make([]uint64, c.seeds))
		if batches != nil {
			t.Errorf("%s: opened", what)
		}
		valid := c.data.(interface{ Validate() error }).Validate()
		if (valid == nil) != c.opens || err == nil {
			t.Errorf("%s: Validate says %v, Open %v", what, valid, err)
		}
		for _, err := range []error{valid, err} {
			if err != nil {
				if text := err.Error(); slices.Contains([]byte(text), '\n') {
					t.Errorf("%s: %q is not one line", what, text)
				}
			}
		}
	}
	for _, s := range sources("train", 2, 0) {
		_, _, err := open(t, s.data, 1, 2, 3).Batch(-1)
		oneLine(t, "a negative batch", err)
	}
}

func BenchmarkBatches(b *testing.B) {
	const batch = 32
	seeds := make([]uint64, 10)
	for _, data := range []Data{
		Symbols{[]task.Symbols{task.Copy{T: 500}}, "train", batch, 0},
		Symbols{[]task.Symbols{task.Copy{T: 2000}}, "train", batch, 0},
		Symbols{[]task.Symbols{task.Warp{Length: 500, Min: 1, Max: 50}}, "train", batch, 50_000},
		Regression{[]task.Regression{task.Adding{T: 750}}, "train", batch, 0},
	} {
		b.Run(fmt.Sprintf("%+v", data), func(b *testing.B) {
			batches := open(b, data, seeds...)
			for n := 0; b.Loop(); n++ {
				if _, _, err := batches.Batch(n); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(seeds)*batch)/b.Elapsed().Seconds(), "sequences/s")
		})
	}
}
