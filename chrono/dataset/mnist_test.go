package dataset

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
	files := smallMNIST(t, dir)
	got, err := MNIST{Validation: 2}.read(files)
	check.OK(t, err)
	for _, c := range []struct {
		what   string
		images Images
		labels []uint8
		pixels [][]uint8
	}{
		{"training", got.Train, []uint8{0, 1, 2}, [][]uint8{{0, 1, 2, 3, 4, 5}, {10, 11, 12, 13, 14, 15},
			{20, 21, 22, 23, 24, 25}}},
		{"validation", got.Validation, []uint8{3, 4}, [][]uint8{{30, 31, 32, 33, 34, 35}, {40, 41, 42, 43, 44, 45}}},
		{"test", got.Test, []uint8{9, 8}, [][]uint8{{100, 101, 102, 103, 104, 105}, {110, 111, 112, 113, 114, 115}}},
	} {
		i := c.images
		if i.Len() != len(c.labels) || !slices.Equal(i.Labels, c.labels) || i.Rows != 2 || i.Columns != 3 ||
			len(i.Pixels) != 6*i.Len() {
			t.Errorf("%s: %+v", c.what, i)
			continue
		}
		for n, want := range c.pixels {
			check.Equal(t, i.Image(n), want, "%s image %d", c.what, n)
		}
	}
	_, err = MNIST{Validation: 5}.read(files)
	wantError(t, err, "validation set of 5 images, want 1 to 4")
}

func TestMNISTValidation(t *testing.T) {
	noData(t)
	for _, n := range []int{-1, 0, 60_000} {
		wantError(t, MNIST{n}.Validate(), "validation set of", "want 1 to 59999")
		_, err := MNIST{n}.Read()
		wantError(t, err, "validation set of")
	}
	for _, n := range []int{1, 59_999} {
		check.OK(t, MNIST{n}.Validate())
	}
	check.Contains(t, MNIST{5000}.Description(), "55,000", "5,000", "10,000")
}

// Each element is there once, every order of three is as likely, and a seed means the same for ever: records name it.
func TestPermutation(t *testing.T) {
	for _, n := range []int{0, 1, 784} {
		got := slices.Sorted(slices.Values(Permutation(7, n)))
		for i := range n {
			if len(got) != n || got[i] != i {
				t.Fatalf("n=%d: %v", n, got)
			}
		}
	}
	counts := map[[3]int]int{}
	const seeds = 6000
	for seed := range uint64(seeds) {
		counts[[3]int(Permutation(seed, 3))]++
	}
	for order, n := range counts { // 1000 ± 5 standard deviations of 29
		if n < 850 || n > 1150 {
			t.Errorf("order %v comes %d times of %d", order, n, seeds)
		}
	}
	check.Equal(t, len(counts), 6, "number of orders")
	if got, want := Permutation(1, 10), []int{3, 5, 4, 9, 6, 8, 7, 0, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("seed 1 gives %v, want %v", got, want)
	}
}

func TestPermutationOfNegativeLength(t *testing.T) {
	check.Panics(t, "Permutation", func() { Permutation(1, -1) }, "-1 pixels, want 0 or more")
}
