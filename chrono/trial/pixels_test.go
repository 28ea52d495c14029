package trial

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
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

// Passes over the images are those of every data of a set, and any batch is available at once.
func TestPixelsPasses(t *testing.T) {
	data := Pixels{Of: numbered{}, Split: "train", Batch: 3} // 7 batches are 3 passes over 7
	for _, n := range []int{6, 0, 3, 2} {                    // as where training is resumed
		_, labels := read(t, open(t, data, 9), n)
		for k, got := range labels[0] {
			k += n * data.Batch
			if want := chrono.RNG(9, "order", "train", k/7).Perm(7)[k%7]; got != want {
				t.Errorf("image %d is %d, want %d", k, got, want)
			}
		}
	}
}
