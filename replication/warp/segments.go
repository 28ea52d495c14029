package warp

import (
	"fmt"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/replication/experiment"
)

// Segments are images that stand in for MNIST where its files are not to be asked for: the ten digits as a display of
// seven segments shows them, in strokes of one pixel, of random sizes, at random places and in random greys, with a few
// pixels that are noise. Every image is a function of Seed, its split and its number.
type Segments struct {
	Side               int // rows, and columns
	Train, Valid, Test int // images
	Seed               uint64
}

// digitRows are those of the smallest digit; an image has at least as many rows and columns.
const digitRows = 5

// noisy is the share of pixels that have a random grey.
const noisy = 0.02

// lit are the segments of each digit: u on top, - in the middle, b at the bottom; l and r to the left and right of the
// upper half, L and R of the lower.
var lit = [dataset.Digits]string{
	"ulrLRb", "rR", "ur-Lb", "ur-Rb", "lr-R", "ul-Rb", "ul-LRb", "urR", "ulr-LRb", "ulr-Rb",
}

func (s Segments) Size() (rows, columns int) { return s.Side, s.Side }

func (s Segments) Counts() (train, validation, test int) { return s.Train, s.Valid, s.Test }

// Validate refuses images that are too small for a digit, and splits without images.
func (s Segments) Validate() error {
	return experiment.Check(s.Side >= digitRows && s.Train >= 1 && s.Valid >= 1 && s.Test >= 1,
		"segments: %d, %d and %d images of %d×%d pixels, want 1 or more and %d×%d at least",
		s.Train, s.Valid, s.Test, s.Side, s.Side, digitRows, digitRows)
}

func (s Segments) Description() string {
	return fmt.Sprintf("no MNIST, but generated stand-ins for it, digits of seven segments: %d images for training, "+
		"%d for validation, %d for testing", s.Train, s.Valid, s.Test)
}

// Read implements dataset.ImageSet. It reads nothing, and draws the images.
func (s Segments) Read() (*dataset.LabelledImages, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return &dataset.LabelledImages{
		Train: s.images("train", s.Train), Validation: s.images("valid", s.Valid), Test: s.images("test", s.Test),
	}, nil
}

func (s Segments) images(split string, n int) dataset.Images {
	size := s.Side * s.Side
	images := dataset.Images{Rows: s.Side, Columns: s.Side, Pixels: make([]uint8, n*size), Labels: make([]uint8, n)}
	for i := range n {
		images.Labels[i] = s.draw(chrono.RNG(s.Seed, "segments", split, i), images.Image(i))
	}
	return images
}

func (s Segments) draw(rng *rand.Rand, image []uint8) (digit uint8) {
	digit = uint8(rng.IntN(dataset.Digits))
	rows, columns := s.Side-1-rng.IntN(2), s.Side/2+rng.IntN(2)
	top, left := rng.IntN(s.Side-rows+1), rng.IntN(s.Side-columns)
	grey := uint8(128 + rng.IntN(128))
	bottom, right, middle := top+rows-1, left+columns-1, top+(rows-1)/2
	type stroke struct{ fromRow, toRow, fromColumn, toColumn int }
	strokes := map[rune]stroke{
		'u': {top, top, left, right}, '-': {middle, middle, left, right}, 'b': {bottom, bottom, left, right},
		'l': {top, middle, left, left}, 'r': {top, middle, right, right},
		'L': {middle, bottom, left, left}, 'R': {middle, bottom, right, right},
	}
	for _, segment := range lit[digit] {
		at := strokes[segment]
		for row := at.fromRow; row <= at.toRow; row++ {
			for column := at.fromColumn; column <= at.toColumn; column++ {
				image[row*s.Side+column] = grey
			}
		}
	}
	for i := range image {
		if rng.Float64() < noisy {
			image[i] = uint8(rng.IntN(256))
		}
	}
	return digit
}
