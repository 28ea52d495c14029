package papers_test

import (
	"bytes"
	"image"
	imagedraw "image/draw"
	"image/png"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// The figures in figures are those of the records in replication/records.
func TestCommittedFigures(t *testing.T) {
	for _, page := range papers.All.Draw(all(), true) {
		path, svg := filepath.Join(committed, page.ID()), check.Got(page.SVG())(t)
		textsFit(t, path, svg)
		check.That(t, bytes.Equal(check.Read(t, path+".svg"), svg) &&
			samePicture(t, check.Read(t, path+".png"), check.Got(page.PNG())(t)),
			"%s is not what the records show: run go run ./scripts/figures", path)
	}
}

// samePicture says whether two PNGs show the same. Another processor may round the edges of lines otherwise.
func samePicture(t *testing.T, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var pixels [2]*image.RGBA
	for i, data := range [][]byte{a, b} {
		decoded := check.Got(png.Decode(bytes.NewReader(data)))(t)
		pixels[i] = image.NewRGBA(decoded.Bounds())
		imagedraw.Draw(pixels[i], decoded.Bounds(), decoded, decoded.Bounds().Min, imagedraw.Src)
	}
	if pixels[0].Bounds() != pixels[1].Bounds() {
		return false
	}
	for i, was := range pixels[0].Pix {
		if is := pixels[1].Pix[i]; max(was, is)-min(was, is) > 32 {
			return false
		}
	}
	return true
}

// text is one in a picture that is not turned: its length, where it begins, and what it says.
var text = regexp.MustCompile(`<text textLength="(\S+)" \S+ x="(\S+)" y="(\S+)" transform="scale[^>]*>([^<]*)`)

// textsFit fails where a text runs into another on its line, such as a title into that of the chart beside it.
func textsFit(t *testing.T, name string, svg []byte) {
	t.Helper()
	found := text.FindAllStringSubmatch(string(svg), -1)
	check.That(t, len(found) > 0, "%s has no texts", name)
	number := func(text []string, i int) float64 { return check.Got(strconv.ParseFloat(text[i], 64))(t) }
	for i, a := range found {
		for _, b := range found[:i] {
			if a[3] == b[3] && number(a, 2) < number(b, 2)+number(b, 1) && number(b, 2) < number(a, 2)+number(a, 1) {
				t.Errorf("%s: %q runs into %q", name, a[4], b[4])
			}
		}
	}
}

// At scale quick, titles are others.
func TestQuickFigures(t *testing.T) {
	larger := func(r *record.Record) bool { return r.Scale != record.Quick }
	for _, page := range papers.All.Draw(slices.DeleteFunc(slices.Clone(all()), larger), true) {
		textsFit(t, page.ID(), check.Got(page.SVG())(t))
	}
}
