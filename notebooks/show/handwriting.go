package show

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/dataset"
)

// Handwriting is images of MNIST's size to be looked at, because MNIST's own are not in this repository: digits drawn
// with a pen, each in another slant, size and width. Nothing is trained on them.
type Handwriting struct {
	Images int // of each split, 1 or more
	Seed   uint64
}

const side = 28 // pixels

// Size implements dataset.ImageSet.
func (h Handwriting) Size() (rows, columns int) { return side, side }

// Counts implements dataset.ImageSet.
func (h Handwriting) Counts() (train, validation, test int) { return h.Images, h.Images, h.Images }

// Validate implements dataset.ImageSet.
func (h Handwriting) Validate() error {
	if h.Images < 1 {
		return errors.New("handwriting: want 1 image or more")
	}
	return nil
}

// Description implements dataset.ImageSet.
func (h Handwriting) Description() string { return "digits drawn by a program, of MNIST's size" }

// Read implements dataset.ImageSet. It reads nothing, and draws the images.
func (h Handwriting) Read() (*dataset.LabelledImages, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	return &dataset.LabelledImages{
		Train: h.images("train"), Validation: h.images("valid"), Test: h.images("test"),
	}, nil
}

func (h Handwriting) images(split string) dataset.Images {
	images := dataset.Images{
		Rows: side, Columns: side, Pixels: make([]uint8, h.Images*side*side), Labels: make([]uint8, h.Images),
	}
	for i := range h.Images {
		rng := chrono.RNG(h.Seed, "handwriting", split, i)
		images.Labels[i] = uint8(rng.IntN(dataset.Digits))
		write(rng, digits[images.Labels[i]], images.Image(i))
	}
	return images
}

// write draws strokes of a pen into an image, in a random hand.
func write(rng *rand.Rand, strokes [][]point, image []uint8) {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	width, height, slant, pen := between(14, 20), between(19, 22), between(-0.1, 0.35), between(0.9, 1.7)
	for _, stroke := range strokes {
		for i := range len(stroke) - 1 {
			from, to := stroke[i], stroke[i+1]
			for _, p := range []*point{&from, &to} {
				p.x = side/2 + width*(p.x-0.5-slant*(p.y-0.5))
				p.y = side/2 + height*(p.y-0.5)
			}
			for pixel := range image {
				at := point{float64(pixel%side) + 0.5, float64(pixel/side) + 0.5}
				ink := min(max(pen+0.5-at.from(from, to), 0), 1)
				image[pixel] = max(image[pixel], uint8(255*ink))
			}
		}
	}
}

// A point of the unit square, x to the right and y down.
type point struct{ x, y float64 }

// from is the distance from a line between two points.
func (p point) from(a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	along := ((p.x-a.x)*dx + (p.y-a.y)*dy) / (dx*dx + dy*dy)
	along = min(max(along, 0), 1)
	return math.Hypot(p.x-a.x-along*dx, p.y-a.y-along*dy)
}

// arc is a part of an ellipse, from one angle to another in degrees: 0 is to the right, and 90 below.
func arc(x, y, rx, ry, from, to float64) []point {
	const parts = 24
	var points []point
	for k := range parts + 1 {
		a := (from + (to-from)*float64(k)/parts) * math.Pi / 180
		points = append(points, point{x + rx*math.Cos(a), y + ry*math.Sin(a)})
	}
	return points
}

// digits are the strokes of 0 to 9.
var digits = [dataset.Digits][][]point{
	{arc(.5, .5, .3, .46, -80, 280)},
	{{{.4, .2}, {.56, .05}, {.52, .95}}},
	{append(arc(.48, .28, .26, .23, 190, 400), point{.22, .93}, point{.8, .92})},
	{arc(.46, .28, .25, .22, 200, 450), arc(.46, .71, .3, .23, 270, 520)},
	{{{.52, .05}, {.2, .6}, {.82, .58}}, {{.66, .3}, {.62, .96}}},
	{{{.76, .06}, {.36, .07}, {.3, .46}}, arc(.47, .68, .28, .26, 225, 515)},
	{append([]point{{.66, .04}, {.4, .3}}, arc(.48, .69, .25, .25, 200, 540)...)},
	{{{.2, .08}, {.8, .08}, {.46, .95}}},
	{arc(.5, .27, .21, .22, -90, 270), arc(.5, .72, .27, .23, -90, 270)},
	{arc(.48, .3, .23, .23, 0, 360), {{.71, .3}, {.66, .7}, {.6, .96}}},
}
