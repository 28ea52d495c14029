package show

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// smaller encodes a PNG anew with a palette, which takes a fifth of the space: a chart has few colours, and a notebook
// keeps every version of its pictures in the repository. Of more than 256 colours the most frequent stay; the others,
// mostly of the edges of letters and lines, become the nearest of these. It also returns the size.
func smaller(data []byte) ([]byte, image.Point) {
	from := Must(png.Decode(bytes.NewReader(data)))
	bounds := from.Bounds()
	pixels := map[color.NRGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			pixels[color.NRGBAModel.Convert(from.At(x, y)).(color.NRGBA)]++
		}
	}
	number := func(c color.NRGBA) uint32 { return binary.BigEndian.Uint32([]byte{c.R, c.G, c.B, c.A}) }
	frequent := slices.SortedFunc(maps.Keys(pixels), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(pixels[b], pixels[a]), cmp.Compare(number(a), number(b)))
	})
	var palette color.Palette
	for _, c := range frequent[:min(256, len(frequent))] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(bounds, palette)
	draw.Draw(to, bounds, from, bounds.Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to); err != nil {
		panic(err)
	}
	return b.Bytes(), bounds.Size()
}
