package dataset

import (
	"fmt"
	"slices"
)

// The sizes of MNIST.
const (
	MNISTTraining = 60_000 // images for training and validation
	MNISTTest     = 10_000
	MNISTSide     = 28 // rows, and columns, of an image
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

// Len returns N.
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

// Validate refuses a validation set that leaves no images, or has none.
func (m MNIST) Validate() error { return m.validate(MNISTTraining) }

func (m MNIST) validate(training int) error {
	if m.Validation < 1 || m.Validation >= training {
		return fmt.Errorf("MNIST: validation set of %d images, want 1 to %d", m.Validation, training-1)
	}
	return nil
}

// Description says what is used for what.
func (m MNIST) Description() string {
	return fmt.Sprintf("MNIST: %s images for training, the training set's last %s for validation, %s for testing",
		thousands(MNISTTraining-m.Validation), thousands(m.Validation), thousands(MNISTTest))
}

// Size implements ImageSet.
func (MNIST) Size() (rows, columns int) { return MNISTSide, MNISTSide }

// Counts implements ImageSet.
func (m MNIST) Counts() (train, validation, test int) {
	return MNISTTraining - m.Validation, m.Validation, MNISTTest
}

// Ready checks that the four files are there and are the right ones, without reading images from them. The error is
// that of Read.
func (MNIST) Ready() error {
	_, err := readAll(mnistFiles)
	return err
}

// Read reads the four files, 28×28 pixels an image, in the files' order. Errors are those of Validate, of a file that
// is missing (fs.ErrNotExist) or not the right one, and of reading; each is one line.
func (m MNIST) Read() (*LabelledImages, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m.read(mnistFiles)
}

func (m MNIST) read(files []File) (*LabelledImages, error) {
	data, err := readAll(files)
	if err != nil {
		return nil, err
	}
	var halves [2]Images
	for i := range halves {
		if halves[i], err = parseImages(data[2*i], data[2*i+1]); err != nil {
			return nil, fmt.Errorf("%s with %s: %w", files[2*i].Name, files[2*i+1].Name, err)
		}
	}
	all, test := halves[0], halves[1]
	if test.Rows != all.Rows || test.Columns != all.Columns {
		return nil, fmt.Errorf("%s has images of %d×%d pixels, want %d×%d as for training", files[2].Name, test.Rows,
			test.Columns, all.Rows, all.Columns)
	}
	if err := m.validate(all.Len()); err != nil {
		return nil, err
	}
	train := all.Len() - m.Validation
	return &LabelledImages{all.slice(0, train), all.slice(train, all.Len()), test}, nil
}

// parseImages reads a file of images and its file of labels, both IDX in gzip.
func parseImages(images, labels []byte) (Images, error) {
	const most = 64 << 20
	var arrays [2]IDX
	for i, packed := range [][]byte{images, labels} {
		raw, err := gunzip(packed, most)
		if err == nil {
			arrays[i], err = ParseIDX(raw)
		}
		if err != nil {
			return Images{}, err
		}
	}
	pixels, answers := arrays[0], arrays[1]
	if len(pixels.Shape) != 3 || len(answers.Shape) != 1 || answers.Shape[0] != pixels.Shape[0] ||
		len(pixels.Data) == 0 {
		return Images{}, fmt.Errorf("images of shape %s with labels of shape %s, want N×rows×columns and N",
			times(pixels.Shape), times(answers.Shape))
	}
	if i := slices.IndexFunc(answers.Data, func(label uint8) bool { return label >= Digits }); i >= 0 {
		return Images{}, fmt.Errorf("label %d of image %d, want 0 to %d", answers.Data[i], i, Digits-1)
	}
	return Images{pixels.Shape[1], pixels.Shape[2], pixels.Data, answers.Data}, nil
}
