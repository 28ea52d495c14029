package papers_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// svgOf draws one figure.
func svgOf(t *testing.T, id string, records []*record.Record) []byte {
	t.Helper()
	svg, err := draw(t, id, records).SVG()
	check(t, err)
	return svg
}

// draw draws one figure.
func draw(t *testing.T, id string, records []*record.Record) *figures.Page {
	t.Helper()
	f, err := papers.All.Figure(id)
	check(t, err)
	return f.Draw(records)
}

// The figures as they might be, with a panel that was not run and one of another scale in Figure 3. The pictures are
// testdata/warp/*.svg. Figure 2 is drawn from no records, so the committed one is the picture.
func TestFigures(t *testing.T) {
	records := allRecords()
	for _, f := range papers.All.Figures() {
		t.Run(f.ID(), func(t *testing.T) {
			svg, err := f.Draw(records).SVG()
			check(t, err)
			dir := "testdata"
			if len(f.Panels) == 0 {
				dir = committed
			}
			golden.Check(t, filepath.Join(dir, f.ID()+".svg"), svg)
			if again := svgOf(t, f.ID(), records); !bytes.Equal(svg, again) {
				t.Error("two drawings of the same records differ")
			}
		})
	}
}

// committed is where the committed pictures are.
const committed = "../../figures"

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
		svg := svgOf(t, id, fig1Records())
		n := bytes.Count(svg, []byte("<text "))
		if k := bytes.Count(svg, []byte("sans-serif;")) + bytes.Count(svg, []byte("monospace;")); k != n {
			t.Errorf("%s: %d of %d texts name other fonts", id, k, n)
		}
		if k := bytes.Count(svg, []byte("<text textLength=")); k != n {
			t.Errorf("%s: %d of %d texts have a length", id, k, n)
		}
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
		check(t, err)
		if c, ok := token.(xml.CharData); ok {
			s.Write(c)
			s.WriteByte(' ')
		}
	}
}

func TestTextInFigures(t *testing.T) {
	diverged := fig3Records()
	diverged[1].Points[90].Values[4] = math.NaN()
	other := fig4Records()
	other[1].Updates, other[1].Device = 40_000, "amd64, 1 thread"
	partial := fig5Records()[:3]
	partial[0].Backend = "simd"
	for name, c := range map[string]struct {
		id      string
		records []*record.Record
		want    []string
		not     string
	}{
		"in common": {"warp/fig1", fig1Records(), []string{
			"(a) uniform warping, rate 1e-3", "(h) variable padding, rates 4e-3 and 8e-3", "leaky RNN", "memoryless",
			"Scale paper; backend go; 5 trials; 6,000 updates; batches of 32 sequences; sequences of 500 steps;",
		}, "not run"},
		"not run and smaller": {"warp/fig3", fig3Records(), []string{
			"(a) copy, T = 500", "(b) copy, T = 2000", "(d) variable copy, T = 120 (paper: 1000)",
			"Scale paper (a, c); scale quick (d); backend go; 3 trials;",
			"64 units; curves averaged over 60 updates; not run (b).",
		}, "diverged"},
		"different": {"warp/fig4", other, []string{
			"backend go on amd64, 1 thread (b)", "6,000 updates (a); 40,000 updates (b)",
		}, "not run"},
		"diverged": {"warp/fig3", diverged, []string{"1 of 6 models diverged, where their curve ends (a)"}, "NaN"},
		"parts": {"warp/fig5", partial, []string{
			"(b) rate 1e-3, length 10 × warp", "always answering the dummy", "backend simd and backend go;",
			"gated RNN, gates from 1/2 and gated RNN, chrono, Tmax as tested not run; not run (c, d).",
		}, "memoryless"},
		"none": {"warp/fig4", nil, []string{"Figure 4.", "Not run."}, "adding, T = 200"},
	} {
		got := textOf(t, svgOf(t, c.id, c.records))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in: %s", name, want, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%s: %q in: %s", name, c.not, got)
		}
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, f := range papers.All.Draw(nil) {
		check(t, f.Save(dir))
		data, err := os.ReadFile(filepath.Join(dir, f.ID()+".png"))
		check(t, err)
		image, err := png.Decode(bytes.NewReader(data))
		check(t, err)
		if w := image.Bounds().Dx(); w != 1400 { // 7 inches at 200 dots each
			t.Errorf("%s is %d pixels wide", f.ID(), w)
		}
	}
	files := 0
	check(t, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	}))
	if want := 2 * len(papers.All.Figures()); files != want {
		t.Errorf("%d files, want %d", files, want)
	}
}

func TestSaveWhereItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o644))
	err := papers.All.Draw(nil)[1].Save(filepath.Join(file, "dir"))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}

func TestCheckCurrent(t *testing.T) {
	dir := t.TempDir()
	records := append(fig3Records(), fig1Records()...)
	for i, r := range records {
		r.End.SHA256 = fmt.Sprint("sum", i)
	}
	for _, f := range papers.All.Draw(records) {
		check(t, f.Save(dir))
	}
	check(t, papers.All.CheckCurrent(dir, records))
	if err := papers.All.CheckCurrent(dir, records[1:]); err != nil {
		t.Errorf("the quick record is not drawn, but without it: %v", err)
	}
	records[1].End.SHA256 = "other"
	if err := papers.All.CheckCurrent(dir, records); err == nil || !strings.Contains(err.Error(), "fig3.svg") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a record has changed: %v", err)
	}
	if err := papers.All.CheckCurrent(t.TempDir(), nil); err == nil {
		t.Error("no figures pass")
	}
}

// The figures in figures are drawn from the records in replication/records.
func TestCommittedFigures(t *testing.T) {
	records, err := record.ReadAll("../records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err) // replication/warp's tests want records
	}
	check(t, err)
	check(t, papers.All.CheckCurrent(committed, records))
}

// Titles are centred over their charts: one that is wider than a chart's share of the row would run into the next.
func TestTitlesFit(t *testing.T) {
	kept, err := record.ReadAll("../records")
	if !errors.Is(err, record.ErrNone) {
		check(t, err)
	}
	for _, records := range [][]*record.Record{allRecords(), kept} {
		for _, page := range papers.All.Draw(records) {
			if titles := page.Crowded(); len(titles) > 0 {
				t.Errorf("%s: titles wider than their charts: %q", page.ID(), titles)
			}
		}
	}
}
