package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/dataset"
)

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

// read takes a batch apart: which pixels, of 0 … 255, each place of each trial has in the order of steps, and its
// label.
func read(t *testing.T, batches Batches, n int) (pixels [][][]int, labels [][]int) {
	t.Helper()
	inputs, targets, err := batches.Batch(n)
	if err != nil || len(inputs) != 1 || len(targets) != 1 {
		t.Fatalf("%d inputs and %d labels, %v; want one of each", len(inputs), len(targets), err)
	}
	dims := inputs[0].Shape().Dimensions
	steps, trials, size := dims[0], dims[1], dims[2]
	if want := []int{trials, size}; dims[3] != 1 || !slices.Equal(targets[0].Shape().Dimensions, want) {
		t.Fatalf("inputs %s and labels %s, want [T, R, B, 1] and [R, B]", inputs[0].Shape(), targets[0].Shape())
	}
	x, y := tensors.MustCopyFlatData[float32](inputs[0]), tensors.MustCopyFlatData[int32](targets[0])
	pixels, labels = make([][][]int, trials), make([][]int, trials)
	for r := range trials {
		for b := range size {
			var image []int
			for s := range steps {
				image = append(image, int(255*x[(s*trials+r)*size+b]+0.5))
			}
			pixels[r], labels[r] = append(pixels[r], image), append(labels[r], int(y[r*size+b]))
		}
	}
	return pixels, labels
}

// Every pixel of every image comes at its step, with the image's own label, in each split and order of pixels.
func TestPixelsComeInOrder(t *testing.T) {
	for first, split := range []string{"train", "valid", "test"} {
		for _, permutation := range []uint64{0, 5} {
			data := Pixels{Of: numbered{}, Split: split, Batch: 2, Permutation: permutation}
			if batch, steps := data.Shape(); batch != 2 || steps != 6 {
				t.Fatalf("batches of %d, %d steps", batch, steps)
			}
			order := []int{0, 1, 2, 3, 4, 5}
			if permutation != 0 {
				order = dataset.Permutation(permutation, 6)
				if slices.IsSorted(order) {
					t.Fatal("a permutation that changes nothing tests nothing")
				}
			}
			batches := open(t, data, 3, 4)
			for n := range 4 {
				pixels, labels := read(t, batches, n)
				for r := range pixels {
					for b, image := range pixels[r] {
						for s, got := range image {
							if want := 100*first + 10*labels[r][b] + order[s]; got != want {
								t.Fatalf("%s, batch %d, trial %d, place %d, step %d: pixel %d, want %d", split, n, r,
									b, s,
									got, want)
							}
						}
					}
				}
			}
		}
	}
}

// In each pass a trial reads every image once, in an order that is another in the next pass and in a trial of another
// seed, and the same in one of the same seed; and any batch can be had at once.
func TestPixelsPasses(t *testing.T) {
	data := Pixels{Of: numbered{}, Split: "train", Batch: 3} // 7 batches are 3 passes over 7
	batches := open(t, data, 8, 9, 8)
	all := make([][]int, 3)
	for n := range 7 {
		_, labels := read(t, batches, n)
		for r := range all {
			all[r] = append(all[r], labels[r]...)
		}
	}
	passes := map[string]bool{}
	for r, labels := range all[:2] {
		for pass := range slices.Chunk(labels, 7) {
			if sorted := slices.Sorted(slices.Values(pass)); !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6}) {
				t.Errorf("trial %d passes over the images %v, want each once", r, pass)
			}
			passes[fmt.Sprint(pass)] = true
		}
	}
	if len(passes) != 6 {
		t.Errorf("%d different orders in 6 passes", len(passes))
	}
	if !slices.Equal(all[0], all[2]) {
		t.Errorf("trials of one seed have %v and %v", all[0], all[2])
	}
	for _, n := range rand.New(rand.NewPCG(1, 2)).Perm(7) { // as where training is resumed
		_, labels := read(t, open(t, data, 9), n)
		if want := all[1][3*n : 3*n+3]; !slices.Equal(labels[0], want) {
			t.Errorf("batch %d by itself is %v, want %v", n, labels[0], want)
		}
	}
	if _, _, err := batches.Batch(-1); err == nil {
		t.Error("batch -1 was made")
	}
}

func TestPixelsRefused(t *testing.T) {
	for want, data := range map[string]Pixels{
		"no images":         {Split: "train", Batch: 1},
		`split "training"`:  {Of: numbered{}, Split: "training", Batch: 1},
		"batches of 0":      {Of: numbered{}, Split: "train"},
		"want 1 to 5":       {Of: numbered{}, Split: "valid", Batch: 6},
		"cannot be divided": {Of: dataset.Shrunk{Of: numbered{}, By: 2}, Split: "train", Batch: 1},
		"no such file":      {Of: numbered{errors.New("no such file")}, Split: "test", Batch: 1},
	} {
		_, err := data.Open([]uint64{1})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one line with %q", data, err, want)
		}
	}
	if _, err := (Pixels{Of: numbered{}, Split: "train", Batch: 1}).Open(nil); err == nil {
		t.Error("batches of no trials")
	}
}
