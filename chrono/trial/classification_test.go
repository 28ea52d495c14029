package trial

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

var decay = task.Decay{Final: 5, Beta: 0.001, Low: 2, High: 4, Trained: []float64{0.5, 1.5}, Drawn: []float64{1, 2, 3}}

func retrievals(pairs ...int) []task.Classification {
	var all []task.Classification
	for _, k := range pairs {
		all = append(all, task.Retrieval{Pairs: k})
	}
	return all
}

// whole is a batch of any data: the shapes, and the numbers of each sequence of each trial as text, all inputs, then
// the labels.
func whole(t *testing.T, data Data, n int, seeds ...uint64) (shapes []string, found [][]string) {
	t.Helper()
	inputs, labels, err := open(t, data, seeds...).Batch(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range append(inputs, labels...) {
		shapes = append(shapes, tensor.Shape().String())
		dims := tensor.Shape().Dimensions
		var values []any
		if tensor.DType() == dtypes.Int32 {
			for _, v := range tensors.MustCopyFlatData[int32](tensor) {
				values = append(values, v)
			}
		} else {
			for _, v := range tensors.MustCopyFlatData[float32](tensor) {
				values = append(values, v)
			}
		}
		trials := slices.Index(dims, len(seeds)) // [T, R, B, …] or [R, B, …]
		steps, batch := 1, dims[trials+1]
		if trials == 1 {
			steps = dims[0]
		}
		width := len(values) / steps / len(seeds) / batch
		if found == nil {
			found = make([][]string, len(seeds))
			for r := range found {
				found[r] = make([]string, batch)
			}
		}
		for r := range seeds {
			for b := range batch {
				for step := range steps {
					at := ((step*len(seeds)+r)*batch + b) * width
					found[r][b] += fmt.Sprint(values[at:at+width]) + " "
				}
			}
		}
	}
	return shapes, found
}

func text[E any](values []E) string {
	var all string
	for _, v := range values {
		all += fmt.Sprint([]E{v}) + " "
	}
	return all
}

// A batch has the sequences that the trials' seeds, the split and the numbers say, of passes in random orders too.
func TestClassificationAndSeriesHoldTheirSequences(t *testing.T) {
	seeds := []uint64{7, 8, 7}
	for _, size := range []int{0, 9} {
		for n := range 6 {
			number := func(r, k int) int {
				if size == 0 {
					return k
				}
				return chrono.RNG(seeds[r], "order", "train", k/size).Perm(size)[k%size]
			}
			shapes, got := whole(t, Classification{retrievals(2), "train", 4, size}, n, seeds...)
			if want := []string{"(Int32)[7, 3, 4]", "(Int32)[3, 4]"}; !slices.Equal(shapes, want) {
				t.Fatalf("shapes %v, want %v", shapes, want)
			}
			for r := range seeds {
				for b := range 4 {
					in := make([]int32, 7)
					rng := chrono.RNG(seeds[r], "task", "train", number(r, 4*n+b))
					answer := task.Retrieval{Pairs: 2}.Sample(rng, in)
					if want := text(in) + text([]int32{answer}); got[r][b] != want {
						t.Fatalf("batch %d, trial %d, place %d: %s, want %s", n, r, b, got[r][b], want)
					}
				}
			}
			shapes, got = whole(t, Series{[]task.Series{decay}, "train", 4, size}, n, seeds...)
			want := []string{"(Float32)[5, 3, 4, 1]", "(Float32)[3, 4, 2]", "(Float32)[5, 3, 4]"}
			if !slices.Equal(shapes, want) {
				t.Fatalf("shapes %v, want %v", shapes, want)
			}
			for r := range seeds {
				for b := range 4 {
					x, context, change := make([]float32, 5), make([]float32, 2), make([]float32, 5)
					k := number(r, 4*n+b)
					decay.Sample(chrono.RNG(seeds[r], "task", "train", k), k, x, context, change)
					if want := text(x) + fmt.Sprint(context) + " " + text(change); got[r][b] != want {
						t.Fatalf("batch %d, trial %d, place %d: %s, want %s", n, r, b, got[r][b], want)
					}
				}
			}
		}
	}
}

// A pass over a set of series has as many of each kind.
func TestSeriesOfAllKinds(t *testing.T) {
	count := map[string]int{}
	for n := range 3 {
		inputs, _, err := open(t, Series{[]task.Series{decay}, "train", 4, 12}, 3).Batch(n)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range tensors.MustCopyFlatData[float32](inputs[1]) {
			if k%2 == 1 {
				count[fmt.Sprint(v)]++
			}
		}
	}
	if len(count) != 3 {
		t.Fatalf("kinds %v", count)
	}
	for kind, n := range count {
		if n != 4 {
			t.Errorf("%d of 12 series are of kind %s", n, kind)
		}
	}
}

// knowing is a series of which more is known beforehand.
type knowing struct{ task.Decay }

func (knowing) Context() int { return 3 }

func TestClassificationAndSeriesRefuse(t *testing.T) {
	series := func(tasks ...task.Series) Series { return Series{tasks, "train", 1, 0} }
	longer := decay
	longer.Final++
	for what, c := range map[string]struct {
		data  Data
		seeds int
	}{
		"no seeds":              {Classification{retrievals(2), "train", 1, 0}, 0},
		"no retrieval":          {Classification{nil, "train", 1, 0}, 1},
		"different lengths":     {Classification{retrievals(2, 3), "train", 1, 0}, 2},
		"two tasks, three":      {Classification{retrievals(2, 2), "train", 1, 0}, 3},
		"no split":              {Classification{retrievals(2), "", 1, 0}, 1},
		"an empty batch":        {Classification{retrievals(2), "train", 0, 0}, 1},
		"too large a batch":     {Classification{retrievals(2), "train", 1 << 28, 0}, 1},
		"no series":             {series(), 1},
		"series of two lengths": {series(decay, longer), 2},
		"two contexts":          {series(decay, knowing{decay}), 2},
		"no seeds for series":   {series(decay), 0},
	} {
		_, err := c.data.Open(make([]uint64, c.seeds))
		oneLine(t, what, err)
	}
	for _, data := range []Data{Classification{retrievals(0), "train", 1, 0}, series(task.Decay{})} {
		if _, err := data.Open([]uint64{1}); err == nil || !strings.HasPrefix(err.Error(), "task ") {
			t.Errorf("an invalid task: %v", err)
		}
	}
	for _, data := range []Data{Classification{retrievals(2), "train", 1, 0}, series(decay)} {
		_, _, err := open(t, data, 1).Batch(-1)
		oneLine(t, "a negative batch", err)
	}
}
