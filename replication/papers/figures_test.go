package papers_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	imagedraw "image/draw"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// svgOf draws one figure.
func svgOf(t *testing.T, id string, records []*record.Record) []byte {
	t.Helper()
	svg, err := draw(t, id, records).SVG()
	check.OK(t, err)
	return svg
}

// draw draws one figure.
func draw(t *testing.T, id string, records []*record.Record) *figures.Page {
	t.Helper()
	f, err := papers.All.Figure(id)
	check.OK(t, err)
	return f.Draw(records)
}

// An error names the figures that there are.
func TestUnknownFigure(t *testing.T) {
	const known = `"fig9": choose from warp/fig1, warp/fig2`
	if _, err := papers.All.Figure("fig9"); err == nil || !strings.Contains(err.Error(), known) {
		t.Errorf("error %v", err)
	}
}

// A reader without our fonts has others named, and the text in its place.
func TestTextWithoutOurFonts(t *testing.T) {
	for _, id := range []string{"warp/fig1", "warp/fig2"} {
		svg := svgOf(t, id, made("warp/fig1", record.Quick))
		n := bytes.Count(svg, []byte("<text "))
		if k := bytes.Count(svg, []byte("sans-serif;")) + bytes.Count(svg, []byte("monospace;")); k != n {
			t.Errorf("%s: %d of %d texts name other fonts", id, k, n)
		}
		check.Equal(t, bytes.Count(svg, []byte("<text textLength=")), n, "%s: texts with a length", id)
	}
	// The first cell's "A" is Liberation Mono at 8.5 points, whose letters are 1229/2048 wide.
	if want := `<text textLength="5.10"`; !bytes.Contains(svgOf(t, "warp/fig2", nil), []byte(want)) {
		t.Errorf("no %s", want)
	}
}

// nbsp is a space that no line is broken at.
const nbsp = "\u00a0"

// textOf returns all text of an SVG, pieces separated by spaces.
func textOf(t *testing.T, svg []byte) string {
	t.Helper()
	var s strings.Builder
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(strings.Fields(s.String()), " ")
		}
		check.OK(t, err)
		if c, ok := token.(xml.CharData); ok {
			s.Write(c)
			s.WriteByte(' ')
		}
	}
}

// says draws a figure, and checks which words are in it.
func says(t *testing.T, name, id string, records []*record.Record, want []string, not ...string) {
	t.Helper()
	got := strings.ReplaceAll(textOf(t, svgOf(t, id, records)), nbsp, " ")
	check.Contains(t, got, want...)
	for _, n := range not {
		if strings.Contains(got, n) {
			t.Errorf("%s: %q in: %s", name, n, got)
		}
	}
}

// Whoever sees made-up data, or a part of the real, cannot take them for the paper's, and the paper's values are not
// beside what stands in for its data.
func TestStandInsAreNamed(t *testing.T) {
	const noMNIST = "No MNIST, but generated stand-ins"
	for _, c := range []struct {
		panel      string
		scale      record.Scale
		want, not  []string
		references []float64 // of Figure 6
	}{
		{"mnist", "quick", []string{"(a) stand-ins, 8×8", "quick preview (paper: MNIST, 28×28, 512 units)", noMNIST},
			nil, nil},
		{"pmnist", "quick", []string{"(b) permuted stand-ins, 8×8", "quick preview (paper: permuted MNIST, 28×28",
			noMNIST}, nil, nil},
		{"mnist", "reduced", []string{"(a) MNIST, 14×14", "reduced size (paper: MNIST, 28×28, 512 units)",
			"every 2×2 pixels averaged into one", "MNIST: 50,000 images for training"}, nil, nil},
		{"pmnist", "reduced", []string{"(b) permuted MNIST, 14×14",
			"reduced size (paper: permuted MNIST, 28×28, 512 units)", "paper's best: standard 95.4, chrono 96.3 %"},
			nil, []float64{95.4, 96.3}},
		{"text8", "quick", []string{"(c) made-up text", "quick preview (paper: text8", "No real text, but 400,000",
			"best possible"}, nil, nil},
		{"text8", "reduced", []string{"(c) text8, its first 7.5 %", "reduced size (paper: text8, 2,000 units)",
			"Only the first 7,475,756 of text8's 100,000,000 characters"}, []string{"best possible"}, nil},
		{"ptb", "quick", []string{"(a) made-up text", "quick preview (paper: Penn Treebank, 830 units)",
			"No real text, but 120,000"}, nil, nil},
		{"ptb", "reduced", []string{"(a) PTB, 2,000 words", "reduced size (paper: Penn Treebank, 830 units)",
			"only the 2,000 most frequent are told apart"}, nil, nil},
	} {
		id, name := "warp/fig7", fmt.Sprintf("%s at scale %s", c.panel, c.scale)
		if strings.Contains(c.panel, "mnist") {
			id = "warp/fig6"
		}
		if c.scale != record.Quick {
			c.not = append(c.not, "stand-in", "made-up")
		}
		records := made(id, c.scale, c.panel)
		says(t, name, id, records, c.want, c.not...)
		charts, err := papers.All.PanelCharts(records...)
		check.OK(t, err)
		var references []float64
		for _, r := range charts[0].References {
			references = append(references, math.Round(1e9*r.Y[0])/1e9)
		}
		if id == "warp/fig6" && !slices.Equal(references, c.references) {
			t.Errorf("%s has the levels %v, want %v", name, references, c.references)
		}
	}
}

// Figures can be drawn where trials have diverged: their axes have ends.
func TestFiguresOfDivergedTrials(t *testing.T) {
	for _, f := range papers.All.Figures() {
		if len(f.Panels) == 0 || !f.Drawn() {
			continue
		}
		records := made(f.ID(), record.Quick)
		for _, r := range records { // the second trial, from the middle on
			for i, p := range r.Points {
				if 2*p.Update > r.Updates && len(p.Values) > 1 {
					r.Points[i].Values[1] = math.NaN()
				}
			}
			for _, values := range r.End.Final {
				if len(values) > 1 {
					values[1] = math.NaN()
				}
			}
		}
		if len(records) == 0 {
			continue
		}
		says(t, f.ID(), f.ID(), records, nil, "NaN")
		charts, err := papers.All.PanelCharts(records[0])
		check.OK(t, err)
		for i, c := range charts {
			if y := c.Plot().Y; !record.Finite(y.Min) || !record.Finite(y.Max) {
				t.Errorf("%s, chart %d: an axis from %g to %g", f.ID(), i, y.Min, y.Max)
			}
		}
	}
}

// What is said of a figure goes by the letters of its charts.
func TestAlt(t *testing.T) {
	rest := draw(t, "warp/fig1", made("warp/fig1", record.Quick)).Alt()
	for _, letter := range "abcdefgh" {
		var found bool
		if _, rest, found = strings.Cut(rest, fmt.Sprintf("(%c)", letter)); !found {
			t.Errorf("(%c) is not in its place", letter)
		}
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	figures := slices.DeleteFunc(papers.All.Figures(), func(f figures.Figure) bool { return !f.Drawn() })
	for _, figure := range figures {
		f := figure.Draw(nil)
		check.OK(t, f.Save(dir))
		data := check.Read(t, filepath.Join(dir, f.ID()+".png"))
		image, err := png.Decode(bytes.NewReader(data))
		check.OK(t, err)
		if w := image.Bounds().Dx(); w != 1400 { // 7 inches at 200 dots each
			t.Errorf("%s is %d pixels wide", f.ID(), w)
		}
	}
	files := 0
	check.OK(t, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	}))
	if want := 2 * len(figures); files != want {
		t.Errorf("%d files, want %d", files, want)
	}
}

func TestSaveWhereItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(file, nil, 0o644))
	err := papers.All.Draw(nil)[0].Save(filepath.Join(file, "dir"))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}

// The figures in figures are those of the records in replication/records.
func TestCommittedFigures(t *testing.T) {
	for _, page := range papers.All.Draw(all()) {
		svg, err := page.SVG()
		check.OK(t, err)
		if path := filepath.Join(committed, page.ID()+".svg"); !bytes.Equal(check.Read(t, path), svg) {
			t.Errorf("%s is not what the records show: run go run ./scripts/figures", path)
		}
		drawn, err := page.PNG()
		check.OK(t, err)
		if path := filepath.Join(committed, page.ID()+".png"); !samePicture(t, check.Read(t, path), drawn) {
			t.Errorf("%s is not what the records show: run go run ./scripts/figures", path)
		}
	}
}

// samePicture says whether two PNGs show the same. Another processor may round the edges of lines otherwise.
func samePicture(t *testing.T, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var pixels [2]*image.RGBA
	for i, data := range [][]byte{a, b} {
		decoded, err := png.Decode(bytes.NewReader(data))
		check.OK(t, err)
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
	for _, page := range papers.All.Draw(all()) {
		if titles := page.Crowded(); len(titles) > 0 {
			t.Errorf("%s: titles wider than their charts: %q", page.ID(), titles)
		}
	}
}
