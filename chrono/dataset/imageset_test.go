package dataset

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
	got, err := small.Read()
	check.OK(t, err)
	means := []uint8{0, 255, 3, 25, 0, 50}
	first := Images{2, 3, means, []uint8{3}}
	both := Images{2, 3, slices.Concat(means, slices.Repeat([]uint8{7}, 6)), []uint8{3, 8}}
	check.Equal(t, *got, LabelledImages{Train: both, Validation: first, Test: first}, "shrunk images")
	whole, err := (Shrunk{of, 1}).Read()
	check.OK(t, err)
	check.Equal(t, *whole, of.all, "images that are shrunk by 1")
}
