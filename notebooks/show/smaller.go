package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// smaller encodes a PNG anew with a palette, which takes a fifth of the space: a chart has few colours, and a notebook
// keeps every version of its pictures in the repository. It also returns the size.
func smaller(data []byte) ([]byte, image.Point) {
	from := Must(png.Decode(bytes.NewReader(data)))
	bounds := from.Bounds()
	to := image.NewPaletted(bounds, nil)
	for bits := 8; ; bits-- { // as many of each colour's bits as the palette has room for
		index := map[color.NRGBA]uint8{}
		if to.Palette = nil; !paint(to, from, bits, index) {
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

// paint copies a picture, its colours rounded to that many bits, until the palette is full. It tells whether all of it
// was copied.
func paint(to *image.Paletted, from image.Image, bits int, index map[color.NRGBA]uint8) bool {
	// Both ends of the scale stay: black is black, and white is white.
	steps := 1<<bits - 1
	round := func(v uint8) uint8 { return uint8(((int(v)*steps + 127) / 255 * 255) / steps) }
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(from.At(x, y)).(color.NRGBA)
			c = color.NRGBA{round(c.R), round(c.G), round(c.B), round(c.A)}
			i, known := index[c]
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
