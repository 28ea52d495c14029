package show

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// Ink is dark, and the first row on top.
func TestImage(t *testing.T) {
	ink := []float32{
		1, 0, 0,
		0, 0, 0.5,
	}
	chart := Image("digit", 3, ink)
	if want := "digit: 2 rows of 3 pixels, 2 of all with ink."; chart.alt() != want {
		t.Errorf("%q, want %q", chart.alt(), want)
	}
	if chart.X.Max != 3 || chart.Y.Max != 2 || len(chart.X.Tick.Marker.Ticks(0, 3)) != 0 {
		t.Errorf("%g × %g", chart.X.Max, chart.Y.Max)
	}
	if strip := Image("digit", 6, ink); strip.X.Label.Text != "step" || len(strip.X.Tick.Marker.Ticks(0, 6)) == 0 {
		t.Error("a row has no steps on its axis")
	}
	img := inBlack(3, ink)
	size := img.Bounds().Dx() / 3
	for i, want := range []uint8{0, 255, 255, 255, 255, 128} {
		got := color.GrayModel.Convert(img.At(i%3*size, i/3*size)).(color.Gray).Y
		if got != want {
			t.Errorf("pixel %d is of grey %d, want %d", i, got, want)
		}
	}
}

// Digits are as large as MNIST's, and about as dark: a fifth of the pixels has ink.
func TestHandwriting(t *testing.T) {
	set, err := Handwriting{Images: 50, Seed: 1}.Read()
	check.OK(t, err)
	seen := map[uint8]bool{}
	for i, label := range set.Train.Labels {
		seen[label] = true
		inked := 0
		for k, v := range set.Train.Image(i) {
			if v > 0 {
				inked++
			}
			if row := k / side; v > 0 && (row == 0 || row == side-1) {
				t.Errorf("image %d, a %d, is cut off", i, label)
			}
		}
		if inked < side*side/20 || inked > side*side/3 {
			t.Errorf("image %d, a %d, has ink on %d of %d pixels", i, label, inked, side*side)
		}
	}
	if len(seen) != 10 {
		t.Errorf("only %d digits in 50 images", len(seen))
	}
	if _, err := (Handwriting{}).Read(); err == nil {
		t.Error("no error without images")
	}
}

// The best of a trial that diverges is what it had before.
func TestBest(t *testing.T) {
	r := &record.Record{Header: record.Header{Trials: []record.Trial{{Arm: "a"}, {Arm: "b"}, {Arm: "a"}}}}
	for i, values := range [][]float64{{1, 9, 5}, {3, 9, 4}, {math.NaN(), 9, 4}} {
		r.Points = append(r.Points, record.Point{Update: i + 1, Series: "accuracy", Values: values})
	}
	if got := Best(r, "a", "accuracy"); !slices.Equal([]float64{got.Min, got.Mean, got.Max}, []float64{3, 4, 5}) {
		t.Errorf("%v, want 3, 4, 5", got)
	}
}
