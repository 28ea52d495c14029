package dataset

import (
	"encoding/binary"
	"fmt"

	"github.com/warptime/warptime/chrono/internal/given"
)

// The sizes of MNIST.
const (
	mnistTraining = 60_000 // images for training and validation
	mnistTest     = 10_000
	mnistSide     = 28 // rows, and columns, of an image
	Digits        = 10 // labels are 0 … 9
)

// MNIST is LeCun, Cortes & Burges' handwritten digits (W Figure 6), with their own test set. It has no validation set;
// the end of the training set becomes one.
type MNIST struct {
	// Validation is the number of images, 1 … 59,999, that are taken from the end of the training set.
	Validation int
}

// Images are grey images with labels.
type Images struct {
	Rows, Columns int
	Pixels        []uint8 // [N, Rows, Columns]: 0 is paper, 255 ink; rows from top to bottom, each from left to right
	Labels        []uint8 // [N], below Digits
}

func (i Images) Len() int { return len(i.Labels) }

// Image returns the pixels of image n, [Rows, Columns], shared with Pixels.
func (i Images) Image(n int) []uint8 {
	size := i.Rows * i.Columns
	return i.Pixels[n*size : (n+1)*size : (n+1)*size]
}

// slice returns images from … to−1.
func (i Images) slice(from, to int) Images {
	size := i.Rows * i.Columns
	i.Pixels, i.Labels = i.Pixels[from*size:to*size:to*size], i.Labels[from:to:to]
	return i
}

// LabelledImages is a dataset of images, split.
type LabelledImages struct{ Train, Validation, Test Images }

func (m MNIST) Validate() error {
	return given.Check(m.Validation >= 1 && m.Validation < mnistTraining,
		"MNIST: validation set of %d images, want 1 to %d", m.Validation, mnistTraining-1)
}

func (m MNIST) Description() string {
	return fmt.Sprintf("MNIST: %s images for training, the training set's last %s for validation, %s for testing",
		thousands(mnistTraining-m.Validation), thousands(m.Validation), thousands(mnistTest))
}

func (MNIST) Size() (rows, columns int) { return mnistSide, mnistSide }

func (m MNIST) Counts() (train, validation, test int) {
	return mnistTraining - m.Validation, m.Validation, mnistTest
}

// Ready checks that the four files are there and are the right ones, without reading images from them. The error is
// that of Read.
func (MNIST) Ready() error { return ready(mnistFiles...) }

// Read reads the four files: images of 28×28 pixels, in the files' order. It returns a one-line error if Validate does,
// if a file is missing (fs.ErrNotExist), if it is not the right one, or if it cannot be read.
func (m MNIST) Read() (*LabelledImages, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	data, err := readAll(mnistFiles)
	if err != nil {
		return nil, err
	}
	var halves [2]Images // for training and validation, and for testing
	for i := range halves {
		shape, pixels := parseIDX(data[2*i])
		_, labels := parseIDX(data[2*i+1])
		halves[i] = Images{shape[1], shape[2], pixels, labels}
	}
	all, test := halves[0], halves[1]
	train := all.Len() - m.Validation
	return &LabelledImages{all.slice(0, train), all.slice(train, all.Len()), test}, nil
}

// parseIDX reads an array of bytes, the last axis varying fastest:
//
//	0, 0, 8, rank      a byte each; 8 is the type, unsigned byte
//	shape              rank numbers of four bytes, the highest first
//	data               a byte each, as many as the shape says
//
// as LeCun's page of MNIST describes it. The file is known to be right, by its SHA-256.
func parseIDX(raw []byte) (shape []int, data []uint8) {
	rank, data := int(raw[3]), raw[4:]
	for range rank {
		shape, data = append(shape, int(binary.BigEndian.Uint32(data))), data[4:]
	}
	return shape, data
}
