package papers_test

import (
	"bytes"
	"image"
	imagedraw "image/draw"
	"image/png"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// The figures in figures are those of the records in replication/records.
func TestCommittedFigures(t *testing.T) {
	for _, page := range papers.All.Draw(all()) {
		path := filepath.Join(committed, page.ID())
		check.That(t, bytes.Equal(check.Read(t, path+".svg"), check.Got(page.SVG())(t)) &&
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

// Titles are centred over their charts: one that is wider than a chart's share of the row would run into the next.
func TestTitlesFit(t *testing.T) {
	larger := func(r *record.Record) bool { return r.Scale != record.Quick }
	quick := slices.DeleteFunc(slices.Clone(all()), larger)
	for _, page := range slices.Concat(papers.All.Draw(all()), papers.All.Draw(quick)) {
		titles := page.Crowded()
		check.That(t, len(titles) == 0, "%s: titles wider than their charts: %q", page.ID(), titles)
	}
}
