package trial

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/internal/check"
)

func open(t testing.TB, data Data, seeds ...uint64) Batches {
	t.Helper()
	b, err := data.Open(seeds)
	check.OK(t, err)
	return b
}

// decay is series of three kinds.
var decay = task.Decay{Final: 5, Beta: 0.001, Low: 2, High: 4, Trained: []float64{0.5, 1.5}, Drawn: []float64{1, 2, 3}}

// source is data of each kind of task, with one task or with one for each of three trials.
type source struct {
	data   Data
	shapes []string                                     // of a batch of 4 sequences for 3 trials, inputs first
	drawn  func(r, k int, rng *rand.Rand) (parts []any) // sequence k of trial r
}

func sources(split string, sequences int) (all []source) {
	const batch = 4
	for _, tasks := range [][]task.Symbols{
		{task.Copy{T: 5}}, {task.Copy{T: 5}, task.VariableCopy{T: 4}, task.VariableCopy{T: 4, Between: 2}},
	} {
		all = append(all, source{Sampled[task.Symbols]{tasks, split, batch, sequences}, []string{"(Int32)[25, 3, 4]",
			"(Int32)[25, 3, 4]"}, func(r, _ int, rng *rand.Rand) []any {
			in, out := make([]int32, 25), make([]int32, 25)
			tasks[min(r, len(tasks)-1)].Sample(rng, in, out)
			return []any{in, out}
		}})
	}
	retrieval := task.Retrieval{Pairs: 2}
	all = append(all, source{Sampled[task.Classification]{[]task.Classification{retrieval}, split, batch, sequences},
		[]string{"(Int32)[7, 3, 4]", "(Int32)[3, 4]"}, func(_, _ int, rng *rand.Rand) []any {
			in := make([]int32, 7)
			answer := retrieval.Sample(rng, in)
			return []any{in, []int32{answer}}
		}})
	adding := task.Adding{T: 6}
	all = append(all, source{Sampled[task.Regression]{[]task.Regression{adding}, split, batch, sequences}, []string{
		"(Float32)[6, 3, 4, 2]", "(Float32)[3, 4]"}, func(_, _ int, rng *rand.Rand) []any {
		in, target := make([]float32, 12), make([]float32, 1)
		adding.Sample(rng, in, target)
		return []any{in, target}
	}})
	return append(all, source{Sampled[task.Series]{[]task.Series{decay, decay, decay}, split, batch, sequences},
		[]string{"(Float32)[5, 3, 4, 1]", "(Float32)[3, 4, 2]", "(Float32)[5, 3, 4]"},
		func(_, k int, rng *rand.Rand) []any {
			x, context, change := make([]float32, 5), make([]float32, 2), make([]float32, 5)
			decay.Sample(rng, k, x, context, change)
			return []any{x, context, change}
		}})
}

// parts takes a tensor [T, R, B, …] or [R, B, …] apart: the numbers of each sequence of each trial, [r][b].
func parts(t *testing.T, tensor *tensors.Tensor, trials, batch int) [][]any {
	t.Helper()
	if tensor.DType() == dtypes.Int32 {
		return split(tensors.MustCopyFlatData[int32](tensor), tensor.Shape().Dimensions, trials, batch)
	}
	return split(tensors.MustCopyFlatData[float32](tensor), tensor.Shape().Dimensions, trials, batch)
}

func split[E any](flat []E, dims []int, trials, batch int) [][]any {
	steps := 1
	if dims[0] != trials || dims[1] != batch {
		steps = dims[0]
	}
	width := len(flat) / steps / trials / batch
	out := make([][]any, trials)
	for r := range trials {
		for b := range batch {
			var own []E
			for t := range steps {
				at := ((t*trials+r)*batch + b) * width
				own = append(own, flat[at:at+width]...)
			}
			out[r] = append(out[r], own)
		}
	}
	return out
}

// A batch holds the sequences that the trials' seeds, the split and its number say, whichever batches were made before;
// in passes over a set, each of which has another order, too.
func TestBatchesHoldTheirSequences(t *testing.T) {
	const batch = 4
	seeds := []uint64{5, 6, 5}
	for _, sequences := range []int{0, 9} { // batches reach from one pass into the next
		for _, s := range sources("train", sequences) {
			batches := open(t, s.data, seeds...)
			for _, n := range []int{0, 1, 2, 11, 3, 4} {
				inputs, labels, err := batches.Batch(n)
				check.OK(t, err)
				for i, tensor := range append(inputs, labels...) {
					if got := tensor.Shape().String(); got != s.shapes[i] {
						t.Fatalf("%+v: tensor %d is %s, want %s", s.data, i, got, s.shapes[i])
					}
					for r, sequence := range parts(t, tensor, len(seeds), batch) {
						for b, got := range sequence {
							k := n*batch + b
							if sequences > 0 {
								k = chrono.RNG(seeds[r], "order", "train", k/sequences).Perm(sequences)[k%sequences]
							}
							want := s.drawn(r, k, chrono.RNG(seeds[r], "task", "train", k))[i]
							if fmt.Sprint(got) != fmt.Sprint(want) {
								t.Fatalf("%+v, batch %d, trial %d, place %d: %v, want %v", s.data, n, r, b, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Data that are open do not change with the slice of seeds that they were opened with.
func TestSeedsAreTheDatas(t *testing.T) {
	adding := Sampled[task.Regression]{[]task.Regression{task.Adding{T: 5}}, "train", 2, 0}
	text := counting{"train": 100}
	for _, data := range []Data{
		adding,
		Noise{adding, 3, "train"},
		Windows{Of: text, Split: "train", Length: 5, Batch: 2, Shuffled: true},
		Masked{Of: Streams{Of: text, Split: "train", Batch: 2, Steps: 5}, Units: 20, Inputs: 0.5},
	} {
		seeds := []uint64{1, 2}
		batches := open(t, data, seeds...)
		seeds[0], seeds[1] = 3, 4
		got, _, err := batches.Batch(0)
		check.OK(t, err)
		want, _, err := open(t, data, 1, 2).Batch(0)
		check.OK(t, err)
		for i := range want {
			if !got[i].Equal(want[i]) {
				t.Errorf("%T: input %d is that of other seeds", data, i)
			}
		}
	}
}
