package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/internal/check"
)

// capture takes what is displayed during a test.
func capture(t *testing.T) *[]*protocol.DisplayData {
	var all []*protocol.DisplayData
	before := display
	display = func(data *protocol.DisplayData) { all = append(all, data) }
	t.Cleanup(func() { display = before })
	return &all
}

func TestPicturesHaveBothForms(t *testing.T) {
	shown := capture(t)
	chart := NewChart("title", "x", "y")
	chart.Line("line", Red, []float64{0, 1}, []float64{0, 1})
	Charts(3*vg.Inch, 2*vg.Inch, chart, chart)
	check.Equal(t, len(*shown), 1, "pictures")
	data := (*shown)[0]
	size := check.Got(png.DecodeConfig(bytes.NewReader(data.Data[protocol.MIMEImagePNG].([]byte))))(t)
	check.Equal(t, image.Pt(size.Width, size.Height), image.Pt(1200, 400), "pixels of the file")
	check.Equal(t, data.Metadata["image/png"], any(map[string]int{"width": 576, "height": 192}), "pixels on the page")
	const alt = "title: y by x. line from 0 to 1. title: y by x. line from 0 to 1."
	check.Equal(t, data.Metadata["alt"], any(alt), "the PNG in words")
	check.Contains(t, data.Data[protocol.MIMEImageSVG].(string), "<svg", `aria-label="`+alt+`"`)
}

// A chart's PNG must not change by becoming smaller.
func TestSmaller(t *testing.T) {
	from := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			from.Set(x, y, color.NRGBA{uint8(4 * x), uint8(y & 0xf0), 0, 0xff}) // 256 colours
		}
	}
	var b bytes.Buffer
	check.OK(t, png.Encode(&b, from))
	data, size := smaller(b.Bytes())
	to := check.Got(png.Decode(bytes.NewReader(data)))(t)
	check.Equal(t, size, image.Pt(64, 64), "size")
	for y := range 64 {
		for x := range 64 {
			check.Equal(t, color.NRGBAModel.Convert(to.At(x, y)), color.Color(from.NRGBAAt(x, y)), "pixel %d, %d", x, y)
		}
	}
}

// stopped tells whether what f does stops a cell.
func stopped(f func()) (stopped bool) {
	defer func() { stopped = recover() != nil }()
	f()
	return false
}
