package figures

import (
	"bytes"
	"html"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A text of gonum's SVG: attributes up to the font's variant, the variant, the rest with weight and size, and what is
// written.
var svgText = regexp.MustCompile(`<text ([^>]*)font-family:Liberation (\w+);` +
	`([^>]*font-weight:(\w+);[^>]*font-size:(\d+\.?\d*)px[^>]*)>([^<]+)</text>`)

// Fonts with the widths of ours, for readers who do not have it.
var alikes = map[string]string{
	"Sans": "Arimo,Arial,Helvetica,Nimbus Sans,sans-serif",
	"Mono": "Cousine,Courier New,Nimbus Mono PS,monospace",
}

// SVG draws something of a size, of which alt is said to readers who cannot see it. It makes gonum's SVG independent of
// the reader's fonts, short of embedding ours, which are larger than a figure: it names fonts of the same widths, and
// gives each text the length that it was laid out for, which a browser keeps to whatever font it has.
func SVG(width, height vg.Length, alt string, on func(draw.Canvas)) ([]byte, error) {
	c := vgsvg.New(width, height)
	on(draw.New(c))
	svg, err := encode(c)
	label := `<svg role="img" aria-label="` + html.EscapeString(alt) + `" `
	svg = bytes.Replace(svg, []byte("<svg "), []byte(label), 1)
	// A browser keeps an image's proportions otherwise, and leaves a part of its rectangle empty.
	svg = bytes.ReplaceAll(svg, []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
	return svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgText.FindStringSubmatch(string(element))
		before, variant, after, weight, text := m[1], m[2], m[3], m[4], m[6]
		size, _ := strconv.ParseFloat(m[5], 64) // which the expression has made sure of
		style := sans(vg.Length(size), black)
		if variant == "Mono" {
			style.Font.Variant = "Mono"
		}
		if weight == "bold" {
			style = bold(style)
		}
		length := strconv.FormatFloat(float64(style.Width(html.UnescapeString(text))), 'f', 2, 64)
		return []byte(`<text textLength="` + length + `" lengthAdjust="spacingAndGlyphs" ` + before +
			"font-family:Liberation " + variant + "," + alikes[variant] + ";" + after + ">" + text + "</text>")
	}), err
}

// DPI is how many dots per inch a PNG has: a figure has 1400 pixels, so that it is sharp in print at its width.
const DPI = 200

// PNG draws something of a size.
func PNG(width, height vg.Length, on func(draw.Canvas)) ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(DPI))}
	on(draw.New(c))
	return encode(c)
}

func encode(c vg.CanvasWriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}
