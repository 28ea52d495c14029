package show

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// exact is how many colours, the most frequent ones, stay as they are in a picture that has too many for a palette. The
// others are mostly of the edges of letters and lines.
const exact = 64

// smaller encodes a PNG anew with a palette, which takes a fifth of the space: a chart has few colours, and a notebook
// keeps every version of its pictures in the repository. It also returns the size.
func smaller(data []byte) ([]byte, image.Point) {
	from := Must(png.Decode(bytes.NewReader(data)))
	bounds := from.Bounds()
	frequent := byFrequency(from)
	if len(frequent) > 256 {
		frequent = frequent[:exact]
	}
	to := image.NewPaletted(bounds, nil)
	for bits := 8; ; bits-- { // as many of each other colour's bits as the palette has room for
		index := map[color.NRGBA]uint8{}
		to.Palette = nil
		for i, c := range frequent {
			index[c] = uint8(i)
			to.Palette = append(to.Palette, c)
		}
		if !paint(to, from, bits, index) {
			continue
		}
		var b bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		if err := encoder.Encode(&b, to); err != nil {
			panic(err)
		}
		return b.Bytes(), bounds.Size()
	}
}

// byFrequency are a picture's colours, those with the most pixels first.
func byFrequency(from image.Image) []color.NRGBA {
	pixels := map[color.NRGBA]int{}
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			pixels[color.NRGBAModel.Convert(from.At(x, y)).(color.NRGBA)]++
		}
	}
	return slices.SortedFunc(maps.Keys(pixels), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(pixels[b], pixels[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
}

// paint copies a picture, with those of its colours rounded to that many bits that are not in the palette, until the
// palette is full. It tells whether all of it was copied.
func paint(to *image.Paletted, from image.Image, bits int, index map[color.NRGBA]uint8) bool {
	// Both ends of the scale stay: black is black, and white is white.
	steps := 1<<bits - 1
	round := func(v uint8) uint8 { return uint8(((int(v)*steps + 127) / 255 * 255) / steps) }
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(from.At(x, y)).(color.NRGBA)
			i, known := index[c]
			if !known {
				c = color.NRGBA{round(c.R), round(c.G), round(c.B), round(c.A)}
				i, known = index[c]
			}
			if !known {
				if len(index) == 256 {
					return false
				}
				i = uint8(len(index))
				index[c] = i
				to.Palette = append(to.Palette, c)
			}
			to.SetColorIndex(x, y, i)
		}
	}
	return true
}
