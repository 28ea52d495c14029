package trial

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/internal/given"
)

// Pixels is the [Data] of labelled images that are read pixel by pixel (W Figure 6). With T pixels in an image, R
// trials and B = Batch images each, a batch has one input, x [T, R, B, 1] float32, 0 for paper and 1 for ink, and one
// label, y [R, B] int32.
//
// A trial passes through the images of the split again and again, each time in a new random order of its own, drawn
// from its seed.
type Pixels struct {
	Of    dataset.ImageSet
	Split string // "train", "valid" or "test"
	Batch int    // images in a batch, of each trial

	// Permutation is the seed of the one order in which the pixels of every image are read, by every trial:
	// [dataset.Permutation]. 0 reads them as they stand, row by row from the top, each from left to right.
	Permutation uint64
}

func (p Pixels) Shape() (batch, steps int, err error) {
	if p.Of == nil {
		return 0, 0, errors.New("trial: pixels of no images")
	}
	if err := p.Of.Validate(); err != nil {
		return 0, 0, err
	}
	rows, columns := p.Of.Size()
	splits, n := []string{dataset.Train, dataset.Validation, dataset.Test}, p.images()
	return p.Batch, rows * columns, cmp.Or(
		given.Check(slices.Contains(splits, p.Split), "trial: pixels of split %q, want %q, %q or %q", p.Split,
			dataset.Train, dataset.Validation, dataset.Test),
		given.Check(p.Batch >= 1 && p.Batch <= n,
			"trial: pixels in batches of %d of the %d images of split %q, want 1 to %d", p.Batch, n, p.Split, n))
}

// images is how many there are in the split.
func (p Pixels) images() int {
	train, validation, test := p.Of.Counts()
	return bySplit(p.Split, train, validation, test)
}

func bySplit[E any](split string, train, validation, test E) E {
	return map[string]E{dataset.Train: train, dataset.Validation: validation, dataset.Test: test}[split]
}

func (p Pixels) Open(seeds []uint64) (Batches, error) {
	_, steps, err := p.Shape()
	if err != nil {
		return nil, err
	}
	all, err := p.Of.Read()
	if err != nil {
		return nil, err
	}
	images := bySplit(p.Split, all.Train, all.Validation, all.Test)
	n := p.images()
	if images.Len() != n || len(images.Pixels) != n*steps || images.Rows*images.Columns != steps {
		return nil, fmt.Errorf("trial: split %q has %d labels and %d pixels, of images of %d×%d, want %d images of "+
			"%d pixels, as their set says", p.Split, images.Len(), len(images.Pixels), images.Rows, images.Columns, n,
			steps)
	}
	if most := slices.Max(images.Labels); most >= dataset.Digits {
		return nil, fmt.Errorf("trial: split %q has label %d, want labels below %d", p.Split, most, dataset.Digits)
	}
	if err := checkBatch("pixels", seeds, p.Batch, steps); err != nil {
		return nil, err
	}
	images.Pixels = slices.Clone(images.Pixels) // which leaves the other splits to the garbage collector
	order := xslices.Iota(0, steps)             // which pixel is read at each step
	if p.Permutation != 0 {
		order = dataset.Permutation(p.Permutation, steps)
	}
	d, trials := newDraws(seeds, p.Split, n), len(seeds)
	return batchesBy(func(n int) (inputs, labels []*tensors.Tensor, err error) {
		x, y := make([]float32, steps*trials*p.Batch), make([]int32, trials*p.Batch)
		for r := range trials {
			for b := range p.Batch {
				number, place := d.number(r, n*p.Batch+b), r*p.Batch+b
				image := images.Image(number)
				for t, pixel := range order {
					x[t*trials*p.Batch+place] = float32(image[pixel]) / ink
				}
				y[place] = int32(images.Labels[number])
			}
		}
		return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, steps, trials, p.Batch, 1)},
			[]*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, trials, p.Batch)}, nil
	}), nil
}

// ink is the value of a black pixel.
const ink = 255
