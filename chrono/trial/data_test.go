package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/internal/check"
)

func open(t testing.TB, data Data, seeds ...uint64) Batches {
	t.Helper()
	return check.Got(data.Open(seeds))(t)
}

// scattered is a text of ten symbols; its splits are of different lengths.
type scattered map[string]int

func (s scattered) Alphabet() int { return 10 }

func (s scattered) Symbols(split string) (symbols []int32, err error) {
	if s[split] == 0 {
		return nil, errors.New("no such split")
	}
	return excerpt(0, s[split]), nil
}

// excerpt is a part of such a text.
func excerpt(begin, length int) (symbols []int32) {
	for at := begin; at < begin+length; at++ {
		symbols = append(symbols, int32(at*at/3%10))
	}
	return symbols
}

// numbered are images of 2×3 pixels, 7 to train on, 5 for validation and 3 for testing: pixel p of image n of a split
// is 10n+p, and 100 and 200 more in the splits for validation and testing; its label is n.
type numbered struct{ fails error }

func (numbered) Size() (rows, columns int)             { return 2, 3 }
func (numbered) Counts() (train, validation, test int) { return 7, 5, 3 }
func (numbered) Validate() error                       { return nil }
func (numbered) Description() string                   { return "numbered images" }

func (s numbered) Read() (*dataset.LabelledImages, error) {
	split := func(n, first int) dataset.Images {
		images := dataset.Images{Rows: 2, Columns: 3}
		for i := range n {
			images.Labels = append(images.Labels, uint8(i))
			for p := range 6 {
				images.Pixels = append(images.Pixels, uint8(first+10*i+p))
			}
		}
		return images
	}
	return &dataset.LabelledImages{Train: split(7, 0), Validation: split(5, 100), Test: split(3, 200)}, s.fails
}

// spikes is a task that writes one symbol into the input, one into the target, and nothing else.
type spikes struct{ in, out int32 }

func (spikes) Steps() int          { return 25 }
func (spikes) Alphabet() int       { return 2 }
func (spikes) Classes() int        { return 2 }
func (spikes) Memoryless() float64 { return 0 }
func (spikes) Validate() error     { return nil }

func (s spikes) Sample(rng *rand.Rand, in, out []int32) {
	in[rng.IntN(len(in))], out[rng.IntN(len(out))] = s.in, s.out
}

// decay is series of three kinds.
var decay = task.Decay{Final: 5, Beta: 0.001, Low: 2, High: 4, Trained: []float64{0.5, 1.5}, Drawn: []float64{1, 2, 3}}

// source is data in batches of 4 sequences for trials of these seeds, with their definition.
type source struct {
	data   Data
	shapes []string                                         // of a batch, inputs first
	want   func(r int, seed uint64, n, b int) (parts []any) // what trial r has at place b of batch n
}

var sourceSeeds = []uint64{5, 6, 5}

// number is which one of a set is the k-th that a seed gets, in passes that each have another order.
func number(seed uint64, split string, set, k int) int {
	if set == 0 {
		return k
	}
	return chrono.RNG(seed, "order", split, k/set).Perm(set)[k%set]
}

// sampled is data of a task whose sequences draw makes: sequence k of trial r.
func sampled[T task.Task](set int, shapes []string, draw func(of T, k int, rng *rand.Rand) []any, tasks ...T) source {
	data := Sampled[T]{tasks, "train", 4, set}
	return source{data, shapes, func(r int, seed uint64, n, b int) []any {
		k := number(seed, "train", set, 4*n+b)
		return draw(tasks[min(r, len(tasks)-1)], k, chrono.RNG(seed, "task", "train", k))
	}}
}

// sources are data of every kind.
func sources() (all []source) {
	symbols := func(of task.Symbols, _ int, rng *rand.Rand) []any {
		in, out := make([]int32, 25), make([]int32, 25)
		of.Sample(rng, in, out)
		return []any{in, out}
	}
	for _, set := range []int{0, 9} { // batches reach from one pass into the next
		shapes := []string{"(Int32)[25, 3, 4]", "(Int32)[25, 3, 4]"}
		all = append(all, sampled[task.Symbols](set, shapes, symbols, task.Copy{T: 5}),
			sampled[task.Symbols](set, shapes, symbols, task.Copy{T: 5}, task.VariableCopy{T: 4},
				task.VariableCopy{T: 4, Between: 2}),
			sampled(set, []string{"(Int32)[7, 3, 4]", "(Int32)[3, 4]"},
				func(of task.Classification, _ int, rng *rand.Rand) []any {
					in := make([]int32, 7)
					answer := of.Sample(rng, in)
					return []any{in, []int32{answer}}
				}, task.Classification(task.Retrieval{Pairs: 2})),
			sampled(set, []string{"(Float32)[6, 3, 4, 2]", "(Float32)[3, 4]"},
				func(of task.Regression, _ int, rng *rand.Rand) []any {
					in, target := make([]float32, 12), make([]float32, 1)
					of.Sample(rng, in, target)
					return []any{in, target}
				}, task.Regression(task.Adding{T: 6})),
			sampled(set, []string{"(Float32)[5, 3, 4, 1]", "(Float32)[3, 4, 2]", "(Float32)[5, 3, 4]"},
				func(of task.Series, k int, rng *rand.Rand) []any {
					x, context, change := make([]float32, 5), make([]float32, 2), make([]float32, 5)
					of.Sample(rng, k, x, context, change)
					return []any{x, context, change}
				}, task.Series(decay)),
			sampled[task.Symbols](set, shapes, symbols, spikes{1, -1}))
	}

	adding := all[3]
	noise := func(data Data, drawn bool) {
		all = append(all, source{data, slices.Insert(slices.Clone(adding.shapes), 1, "(Float32)[3, 4, 2]"),
			func(r int, seed uint64, n, b int) []any {
				rng, values := chrono.RNG(seed, "noise", "samples", n, b), make([]float32, 2)
				for i := range values {
					if drawn {
						values[i] = float32(rng.NormFloat64())
					}
				}
				return slices.Insert(adding.want(r, seed, n, b), 1, any(values))
			}})
	}
	noise(Noise{Of: adding.data, Width: 2, Split: "samples"}, true)
	noise(Noise{Of: adding.data, Width: 2, Zero: true}, false)

	text := []string{"(Int32)[6, 3, 4]", "(Int32)[6, 3, 4]"}
	for _, shuffled := range []bool{true, false} { // a pass has one window less if it begins anywhere
		windows := Windows{Of: scattered{"valid": 45}, Split: "valid", Length: 7, Batch: 4, Shuffled: shuffled}
		all = append(all, source{windows, text, func(_ int, seed uint64, n, b int) []any {
			k := 4*n + b
			begin := k % 6 * 7
			if shuffled {
				begin = chrono.RNG(seed, "offset", "valid", k/5).IntN(7) + number(seed, "valid", 5, k)*7
			}
			return []any{excerpt(begin, 6), excerpt(begin+1, 6)}
		}})
	}
	// Streams go on from batch to batch. The least text for three batches is 4·(3·6+1) symbols.
	for length, pass := range map[int]int{76: 3, 75: 2} {
		streams := Streams{Of: scattered{"test": length}, Split: "test", Batch: 4, Steps: 6}
		all = append(all, source{streams, slices.Insert(slices.Clone(text), 1, "(Float32)"),
			func(_ int, _ uint64, n, b int) []any {
				begin := length/4*b + n%pass*6
				return []any{excerpt(begin, 6), []float32{float32(min(1, n%pass))}, excerpt(begin+1, 6)}
			}})
	}
	for i, split := range []string{"train", "valid", "test"} {
		for _, permutation := range []uint64{0, 5} {
			count := 7 - 2*i
			of := Pixels{Of: numbered{}, Split: split, Batch: min(4, count), Permutation: permutation}
			all = append(all, source{of, []string{fmt.Sprintf("(Float32)[6, 3, %d, 1]", of.Batch),
				fmt.Sprintf("(Int32)[3, %d]", of.Batch)}, func(_ int, seed uint64, n, b int) []any {
				image, pixels := number(seed, split, count, n*of.Batch+b), make([]float32, 6)
				for step := range pixels {
					pixel := step
					if permutation > 0 {
						pixel = dataset.Permutation(permutation, 6)[step]
					}
					pixels[step] = float32(100*i+10*image+pixel) / 255
				}
				return []any{pixels, []int32{int32(image)}}
			}})
		}
	}
	return all
}

// piece is what trial r has at place b of a batch in a tensor [T, R, B, …], [R, B, …] or [].
func piece(tensor *tensors.Tensor, batch, r, b int) any {
	dims := tensor.Shape().Dimensions
	if tensor.DType() == dtypes.Int32 {
		return pieceOf(tensors.MustCopyFlatData[int32](tensor), dims, batch, r, b)
	}
	return pieceOf(tensors.MustCopyFlatData[float32](tensor), dims, batch, r, b)
}

func pieceOf[E any](flat []E, dims []int, batch, r, b int) (own []E) {
	if len(dims) == 0 {
		return flat
	}
	trials, steps := len(sourceSeeds), 1
	if dims[0] != trials || dims[1] != batch {
		steps = dims[0]
	}
	width := len(flat) / steps / trials / batch
	for t := range steps {
		at := ((t*trials+r)*batch + b) * width
		own = append(own, flat[at:at+width]...)
	}
	return own
}

// A batch holds what the data's definition says for each trial's seed, whichever batches were made before, and whatever
// becomes of the slice of seeds. Records name seeds, so that a definition may never change.
func TestBatchesHoldTheirSequences(t *testing.T) {
	for _, s := range sources() {
		seeds := slices.Clone(sourceSeeds)
		batches := open(t, s.data, seeds...)
		clear(seeds)
		batch, steps, _ := s.data.Shape()
		for _, n := range []int{0, 1, 2, 11, 3, 4} {
			inputs, labels, err := batches.Batch(n)
			check.OK(t, err)
			check.Equal(t, steps, inputs[0].Shape().Dim(0), "%#v: steps", s.data)
			for i, tensor := range append(inputs, labels...) {
				got := tensor.Shape().String()
				check.Must(t, got == s.shapes[i], "%#v: tensor %d is %s, want %s", s.data, i, got, s.shapes[i])
				for r, seed := range sourceSeeds {
					for b := range batch {
						got, want := fmt.Sprint(piece(tensor, batch, r, b)), fmt.Sprint(s.want(r, seed, n, b)[i])
						check.Must(t, got == want, "%#v, batch %d, trial %d, place %d: %v, want %v", s.data, n, r, b,
							got, want)
					}
				}
			}
		}
	}
}
