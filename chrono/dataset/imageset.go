package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warptime/warptime/chrono/internal/given"
)

// An ImageSet is a dataset of labelled images of one size: MNIST, or what is made of it, or what stands in for it.
// Labels are below [Digits].
type ImageSet interface {
	// Size is that of every image. It is known without reading.
	Size() (rows, columns int)

	// Counts is how many images there are for each purpose, also known without reading.
	Counts() (train, validation, test int)

	// Validate returns a one-line error if the set's settings are invalid.
	Validate() error

	// Read returns all images. The error is one line.
	Read() (*LabelledImages, error)

	// Description says in words, for records and captions, what images there are, and what is used for what.
	Description() string
}

// Shrunk is a dataset with smaller images: each square of By×By pixels becomes one, of their mean, rounded.
type Shrunk struct {
	Of ImageSet
	By int // pixels; it divides both sides of an image
}

// Size implements ImageSet. It may be called only where Validate returns nil.
func (s Shrunk) Size() (rows, columns int) {
	rows, columns = s.Of.Size()
	return rows / s.By, columns / s.By
}

func (s Shrunk) Counts() (train, validation, test int) { return s.Of.Counts() }

func (s Shrunk) Validate() error {
	if s.Of == nil {
		return errors.New("dataset: no images to shrink")
	}
	if err := s.Of.Validate(); err != nil {
		return err
	}
	rows, columns := s.Of.Size()
	return given.Check(s.By >= 1 && rows%s.By == 0 && columns%s.By == 0,
		"dataset: images of %d×%d pixels cannot be divided into squares of %d×%d", rows, columns, s.By, s.By)
}

func (s Shrunk) Description() string {
	return fmt.Sprintf("%s, with every %d×%d pixels averaged into one", s.Of.Description(), s.By, s.By)
}

func (s Shrunk) Read() (*LabelledImages, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	whole, err := s.Of.Read()
	if err != nil {
		return nil, err
	}
	return &LabelledImages{s.shrink(whole.Train), s.shrink(whole.Validation), s.shrink(whole.Test)}, nil
}

func (s Shrunk) shrink(of Images) Images {
	small := Images{Rows: of.Rows / s.By, Columns: of.Columns / s.By, Labels: slices.Clone(of.Labels)}
	small.Pixels = make([]uint8, 0, of.Len()*small.Rows*small.Columns)
	for n := range of.Len() {
		image := of.Image(n)
		for row := range small.Rows {
			for column := range small.Columns {
				sum := 0
				for i := range s.By * s.By {
					sum += int(image[(row*s.By+i/s.By)*of.Columns+column*s.By+i%s.By])
				}
				small.Pixels = append(small.Pixels, uint8((sum+s.By*s.By/2)/(s.By*s.By)))
			}
		}
	}
	return small
}
