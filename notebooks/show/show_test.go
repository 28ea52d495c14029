package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
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
	if err != nil {
		t.Fatal(err)
	}
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

// A chart's PNG must not change by becoming smaller; of many colours the frequent ones, of lines and bands, do not.
func TestSmaller(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	few, many := image.NewNRGBA(image.Rect(0, 0, 60, 40)), image.NewNRGBA(image.Rect(0, 0, 60, 40))
	for y := range 40 {
		for x := range 60 {
			few.Set(x, y, color.NRGBA{uint8(x), 0xff, 0, 0xff})
			many.Set(x, y, color.NRGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(4 * y), 0xff})
		}
	}
	many.Set(0, 0, color.White)
	many.Set(1, 0, color.Black)
	many.Set(2, 0, color.NRGBA{0xc7, 0xd2, 0xe6, 0xff})
	many.Set(3, 0, color.NRGBA{0xc7, 0xd2, 0xe6, 0xff})
	for _, c := range []struct {
		name string
		from image.Image
		most int // difference of a colour
	}{{"few colours", few, 0}, {"many colours", many, 64}} {
		var b bytes.Buffer
		if err := png.Encode(&b, c.from); err != nil {
			t.Fatal(err)
		}
		data, size := smaller(b.Bytes())
		to, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if size != image.Pt(60, 40) || to.Bounds() != c.from.Bounds() {
			t.Errorf("%s: size %v, %v", c.name, size, to.Bounds())
		}
		if palette := to.(*image.Paletted).Palette; len(palette) > 256 {
			t.Errorf("%s: %d colours", c.name, len(palette))
		}
		worst := 0
		for y := range 40 {
			for x := range 60 {
				r, g, bl, _ := to.At(x, y).RGBA()
				wantR, wantG, wantB, _ := c.from.At(x, y).RGBA()
				for _, d := range []int{int(r) - int(wantR), int(g) - int(wantG), int(bl) - int(wantB)} {
					worst = max(worst, d>>8, -d>>8)
				}
			}
		}
		if worst > c.most {
			t.Errorf("%s: a colour differs by %d, want at most %d", c.name, worst, c.most)
		}
		for x := range 4 { // white, black, and a frequent colour, where there are many
			if to := color.NRGBAModel.Convert(to.At(x, 0)); to != color.NRGBAModel.Convert(c.from.At(x, 0)) {
				t.Errorf("%s: %v has become %v", c.name, c.from.At(x, 0), to)
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
