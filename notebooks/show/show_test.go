package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
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
	if len(*shown) != 1 {
		t.Fatalf("%d pictures, want 1", len(*shown))
	}
	data := (*shown)[0]
	if svg := data.Data[protocol.MIMEImageSVG].(string); !strings.Contains(svg, "<svg") {
		t.Errorf("no SVG: %.40q", svg)
	}
	size, err := png.DecodeConfig(bytes.NewReader(data.Data[protocol.MIMEImagePNG].([]byte)))
	check.OK(t, err)
	// 6 inches of 96 pixels, and twice as many in the file.
	if size.Width != 1152 || size.Height != 384 {
		t.Errorf("PNG of %d × %d pixels, want 1152 × 384", size.Width, size.Height)
	}
	display := data.Metadata["image/png"].(map[string]int)
	if display["width"] != 576 || display["height"] != 192 {
		t.Errorf("shown with %v, want half of the pixels", display)
	}
	const alt = "title: y by x. line from 0 to 1. title: y by x. line from 0 to 1."
	if svg := data.Data[protocol.MIMEImageSVG].(string); data.Metadata["alt"] != alt ||
		!strings.Contains(svg, `aria-label="`+alt+`"`) {
		t.Errorf("in words it is %q, want %q, in both forms", data.Metadata["alt"], alt)
	}
}

// A chart's PNG must not change by becoming smaller; of many colours the frequent ones, of lines and bands, do not, and
// the others change little.
func TestSmaller(t *testing.T) {
	few, many := image.NewNRGBA(image.Rect(0, 0, 64, 64)), image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			few.Set(x, y, color.NRGBA{uint8(4 * x), 0xff, 0, 0xff})
			many.Set(x, y, color.NRGBA{uint8(4 * x), uint8(4 * y), 0, 0xff})
			if x%4 == 1 && y%4 == 0 { // one of 256 colours that are there twice
				many.Set(x, y, many.At(x-1, y))
			}
		}
	}
	for _, c := range []struct {
		name string
		from image.Image
		most int // difference of a colour
	}{{"few colours", few, 0}, {"many colours", many, 12}} {
		var b bytes.Buffer
		check.OK(t, png.Encode(&b, c.from))
		data, size := smaller(b.Bytes())
		to, err := png.Decode(bytes.NewReader(data))
		check.OK(t, err)
		if size != image.Pt(64, 64) || to.Bounds() != c.from.Bounds() {
			t.Errorf("%s: size %v, %v", c.name, size, to.Bounds())
		}
		for y := range 64 {
			for x := range 64 {
				got, want := to.At(x, y).(color.RGBA), color.RGBAModel.Convert(c.from.At(x, y)).(color.RGBA)
				most := c.most
				if x%4 < 2 && y%4 == 0 {
					most = 0
				}
				for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
					if max(d, -d) > most {
						t.Errorf("%s: %v has become %v", c.name, want, got)
					}
				}
			}
		}
	}
}

func TestMustAndAssertStopTheCell(t *testing.T) {
	stopped := func(f func()) (stopped bool) {
		defer func() { stopped = recover() != nil }()
		f()
		return false
	}
	if stopped(func() { Must(1, nil); Assert(true, "") }) {
		t.Error("stopped without a reason")
	}
	if !stopped(func() { Must(os.ReadFile("no such file")) }) || !stopped(func() { Assert(false, "") }) {
		t.Error("not stopped")
	}
}
