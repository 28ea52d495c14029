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
	if rows, columns := small.Size(); rows != 2 || columns != 3 {
		t.Errorf("images of %d×%d, want 2×3", rows, columns)
	}
	if train, validation, test := small.Counts(); train != 2 || validation != 1 || test != 1 {
		t.Errorf("%d, %d and %d images", train, validation, test)
	}
	got, err := small.Read()
	check.OK(t, err)
	want := []uint8{0, 255, 3, 25, 0, 50}
	for _, images := range []Images{got.Train, got.Validation, got.Test} {
		if images.Rows != 2 || images.Columns != 3 || !slices.Equal(images.Image(0), want) || images.Labels[0] != 3 {
			t.Errorf("%+v, want %v of 2×3", images, want)
		}
	}
	if last := got.Train.Image(1); !slices.Equal(last, slices.Repeat([]uint8{7}, 6)) || got.Train.Labels[1] != 8 {
		t.Errorf("the second image is %v, label %d", last, got.Train.Labels[1])
	}
	if whole, err := (Shrunk{of, 1}).Read(); err != nil || !slices.Equal(whole.Train.Pixels, of.all.Train.Pixels) {
		t.Errorf("by 1: %v, %v", whole, err)
	}
}
