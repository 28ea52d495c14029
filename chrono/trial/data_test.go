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
		all = append(all, source{Symbols{tasks, split, batch, sequences}, []string{"(Int32)[25, 3, 4]",
			"(Int32)[25, 3, 4]"}, func(r, _ int, rng *rand.Rand) []any {
			in, out := make([]int32, 25), make([]int32, 25)
			tasks[min(r, len(tasks)-1)].Sample(rng, in, out)
			return []any{in, out}
		}})
	}
	retrieval := task.Retrieval{Pairs: 2}
	all = append(all, source{Classification{[]task.Classification{retrieval}, split, batch, sequences}, []string{
		"(Int32)[7, 3, 4]", "(Int32)[3, 4]"}, func(_, _ int, rng *rand.Rand) []any {
		in := make([]int32, 7)
		answer := retrieval.Sample(rng, in)
		return []any{in, []int32{answer}}
	}})
	adding := task.Adding{T: 6}
	all = append(all, source{Regression{[]task.Regression{adding}, split, batch, sequences}, []string{
		"(Float32)[6, 3, 4, 2]", "(Float32)[3, 4]"}, func(_, _ int, rng *rand.Rand) []any {
		in, target := make([]float32, 12), make([]float32, 1)
		adding.Sample(rng, in, target)
		return []any{in, target}
	}})
	return append(all, source{Series{[]task.Series{decay, decay, decay}, split, batch, sequences}, []string{
		"(Float32)[5, 3, 4, 1]", "(Float32)[3, 4, 2]", "(Float32)[5, 3, 4]"}, func(_, k int, rng *rand.Rand) []any {
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

// wide is a regression of another width.
type wide struct {
	task.Adding
	features int
}

func (w wide) Features() int { return w.features }

// instant is a task that takes no time.
type instant struct{ task.Adding }

func (instant) Steps() int { return 0 }

// knowing is a series with a longer context.
type knowing struct{ task.Decay }

func (knowing) Context() int { return 3 }

func TestDataReject(t *testing.T) {
	copies := task.Copy{T: 5}
	long := task.Copy{T: task.MaxSteps}
	symbols := func(tasks ...task.Symbols) Symbols { return Symbols{tasks, "train", 1, 0} }
	sized := func(t task.Symbols, batch, sequences int) Symbols {
		return Symbols{[]task.Symbols{t}, "train", batch, sequences}
	}
	regression := func(tasks ...task.Regression) Regression { return Regression{tasks, "train", 1, 0} }
	longer := decay
	longer.Final++
	for _, c := range []struct {
		mentions string
		data     Data
		seeds    int
		valid    bool // it is Open that rejects it
	}{
		{"no seeds", symbols(copies), 0, true},
		{"symbols without a task", symbols(), 1, false},
		{"regression without a task", regression(), 1, false},
		{"classification without a task", Classification{nil, "train", 1, 0}, 1, false},
		{"2 tasks for 3 trials", symbols(copies, copies), 3, true},
		{"task copy", symbols(copies, task.Copy{T: -5}), 2, false},
		{"task adding", regression(task.Adding{}), 1, false},
		{"task retrieval", Classification{[]task.Classification{task.Retrieval{}}, "train", 1, 0}, 1, false},
		{"task decay", Series{[]task.Series{task.Decay{}}, "train", 1, 0}, 1, false},
		{"0 and 1 differ", symbols(copies, task.VariableCopy{T: 5}), 2, false},
		{"0 and 1 differ", regression(task.Adding{T: 5}, wide{task.Adding{T: 5}, 3}), 2, false},
		{"0 and 1 differ", Series{[]task.Series{decay, longer}, "train", 1, 0}, 2, false},
		{"0 and 1 differ", Series{[]task.Series{decay, knowing{decay}}, "train", 1, 0}, 2, false},
		{"task 1 is nil", symbols(copies, nil), 2, false},
		{"regression…[5 1 0]", regression(wide{task.Adding{T: 5}, 0}), 1, false},
		{"0 steps", regression(instant{task.Adding{T: 5}}), 1, false},
		{"name of a split", Symbols{[]task.Symbols{copies}, "", 1, 0}, 1, false},
		{"symbols: Batch is 0, want 1 or more", sized(copies, 0, 0), 1, false},
		{"symbols: Sequences is -1, want 0 or more", sized(copies, 1, -1), 1, false},
		{"set of sequences…1099511627776", sized(copies, 1, 1<<40), 1, false},
		{"symbols", sized(long, 1<<62, 0), 1, false},
		{"want 1 to 536870912", sized(long, 1000, 0), 1, false},
		{"[1048596 100 10]", sized(long, 100, 0), 10, true},
	} {
		_, err := c.data.Open(make([]uint64, c.seeds))
		check.Rejected(t, c.mentions, err, c.mentions)
		if valid := c.data.(interface{ Validate() error }).Validate(); (valid == nil) != c.valid {
			t.Errorf("%s: Validate says %v", c.mentions, valid)
		}
	}
	text := Windows{Of: counting{"train": 100}, Split: "train", Length: 5, Batch: 1}
	streams := Streams{Of: text.Of, Split: "train", Batch: 1, Steps: 5}
	images := Pixels{Of: numbered{}, Split: "train", Batch: 1}
	negative := []Data{text, streams, images, Dropout{Of: streams, Units: 1}, Noise{sized(copies, 1, 0), 1, "train"}}
	for _, s := range sources("train", 0) {
		negative = append(negative, s.data)
	}
	for _, data := range negative {
		_, _, err := open(t, data, 1, 2, 3).Batch(-1)
		check.Rejected(t, fmt.Sprintf("%T", data), err, "batch number -1")
		_, err = data.Open(nil)
		check.Rejected(t, fmt.Sprintf("%T", data), err, "no seeds")
	}
}
