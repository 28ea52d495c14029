package dataset

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// replace gives a variable another value until the end of the test.
func replace[T any](t *testing.T, variable *T, value T) {
	before := *variable
	*variable = value
	t.Cleanup(func() { *variable = before })
}

// smallMNIST writes 5 training and 2 test images of 2×3 pixels: pixel p of image n is 10n+p, its label n, and 100
// and 9 more for testing.
func smallMNIST(t *testing.T, dir string) []File {
	pixels := func(n, first int) (data []uint8) {
		for i := range n {
			for p := range 6 {
				data = append(data, uint8(first+10*i+p))
			}
		}
		return data
	}
	return []File{
		put(t, dir, "mnist/images", idx([]int{5, 2, 3}, pixels(5, 0))),
		put(t, dir, "mnist/labels", idx([]int{5}, []uint8{0, 1, 2, 3, 4})),
		put(t, dir, "mnist/test images", idx([]int{2, 2, 3}, pixels(2, 100))),
		put(t, dir, "mnist/test labels", idx([]int{2}, []uint8{9, 8})),
	}
}

func TestMNIST(t *testing.T) {
	dir, _ := noData(t)
	replace(t, &mnistFiles, smallMNIST(t, dir))
	got := check.Got(MNIST{Validation: 2}.Read())(t)
	for _, c := range []struct {
		what   string
		images Images
		first  int // pixel
		labels []uint8
	}{
		{"training", got.Train, 0, []uint8{0, 1, 2}}, {"validation", got.Validation, 30, []uint8{3, 4}},
		{"test", got.Test, 100, []uint8{9, 8}},
	} {
		want := Images{2, 3, nil, c.labels}
		for n := range c.labels {
			for p := range 6 {
				want.Pixels = append(want.Pixels, uint8(c.first+10*n+p))
			}
			check.Equal(t, c.images.Image(n), want.Pixels[6*n:], "%s image %d", c.what, n)
		}
		check.Equal(t, c.images, want, "%s images", c.what)
	}
}

// A seed means the same for ever: records name it.
func TestPermutation(t *testing.T) {
	check.Equal(t, Permutation(1, 10), []int{3, 5, 4, 9, 6, 8, 7, 0, 2, 1}, "order of seed 1")
	check.Panics(t, "a negative length", func() { Permutation(1, -1) }, "-1 pixels, want 0 or more")
}

// drawn are images that a test has made.
type drawn struct {
	rows, columns int
	all           LabelledImages
}

func (d drawn) Size() (rows, columns int) { return d.rows, d.columns }
func (d drawn) Counts() (train, validation, test int) {
	return d.all.Train.Len(), d.all.Validation.Len(), 1
}
func (drawn) Validate() error                  { return nil }
func (drawn) Description() string              { return "drawn" }
func (d drawn) Read() (*LabelledImages, error) { return &d.all, nil }

// Every square becomes its mean, rounded, with the image's label.
func TestShrunk(t *testing.T) {
	image := []uint8{
		0, 0, 255, 255, 1, 2,
		0, 0, 255, 255, 3, 4, // the mean of 1 … 4 is 2.5
		10, 20, 0, 0, 200, 0,
		30, 40, 0, 1, 0, 0,
	}
	other := slices.Repeat([]uint8{7}, 24)
	one := Images{4, 6, image, []uint8{3}}
	of := drawn{4, 6, LabelledImages{Images{4, 6, slices.Concat(image, other), []uint8{3, 8}}, one, one}}
	small := Shrunk{of, 2}
	rows, columns := small.Size()
	train, validation, test := small.Counts()
	check.Equal(t, []int{rows, columns, train, validation, test}, []int{2, 3, 2, 1, 1}, "sizes")
	got := check.Got(small.Read())(t)
	means := []uint8{0, 255, 3, 25, 0, 50}
	first := Images{2, 3, means, []uint8{3}}
	both := Images{2, 3, slices.Concat(means, slices.Repeat([]uint8{7}, 6)), []uint8{3, 8}}
	check.Equal(t, *got, LabelledImages{Train: both, Validation: first, Test: first}, "shrunk images")
	whole := check.Got((Shrunk{of, 1}).Read())(t)
	check.Equal(t, *whole, of.all, "images that are shrunk by 1")
}
