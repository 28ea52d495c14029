package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/warptime/warptime/replication"
)

func header(figure, panel, scale, part string) replication.Header {
	return replication.Header{
		Figure: figure, Panel: panel, Scale: scale, Part: part, Backend: "go",
		Settings: map[string]any{"batch": 32, "hidden": 128, "steps": 6000},
	}
}

// training is a record of a panel of Figure 3 or 4 as it might be: standard leaves the plateau after slow steps, chrono after fast ones, and
// the last trial of standard has a spike.
func training(figure, panel, scale string, T int, memoryless, fast, slow float64) *replication.Record {
	rng := rand.New(rand.NewPCG(1, uint64(T)))
	r := &replication.Record{Header: header(figure, panel, scale, "")}
	r.Settings["T"], r.Settings["memoryless"] = T, memoryless
	for i := range 6 {
		r.Models = append(r.Models, replication.Model{Arm: []string{"standard", "chrono"}[i/3], Trial: i % 3})
	}
	for step := 20; step <= 6000; step += 20 {
		p := replication.Point{Step: step, Series: "train"}
		for i := range r.Models {
			leaves := slow
			if i >= 3 {
				leaves = fast
			}
			leaves *= 1 + 0.15*float64(i%3)
			loss := memoryless * (1/(1+math.Exp((float64(step)-leaves)/(0.15*leaves))) + 20*math.Exp(-float64(step)/60))
			loss *= 1 + 0.02*rng.NormFloat64()
			if i == 2 && step == 4000 {
				loss = 40 * memoryless
			}
			p.Values = append(p.Values, loss)
		}
		r.Points = append(r.Points, p)
	}
	r.End = &replication.End{Steps: 6000, Seconds: 4000}
	return r
}

func fig3Records() []*replication.Record {
	return []*replication.Record{
		training("fig3", "copy500", "quick", 50, 0.297, 100, 100), // the larger scale is drawn
		training("fig3", "copy500", "paper", 500, 0.0400, 1500, 7000),
		training("fig3", "varcopy500", "paper", 500, 0.0400, 800, 1100),
		training("fig3", "varcopy1000", "reduced", 400, 0.0495, 1500, 1e5),
	}
}

func fig4Records() []*replication.Record {
	return []*replication.Record{
		training("fig4", "adding200", "paper", 200, 1./6, 700, 2500),
		training("fig4", "adding750", "paper", 750, 1./6, 900, 1e6),
	}
}

func fig1Records() []*replication.Record {
	var records []*replication.Record
	rng := rand.New(rand.NewPCG(1, 1))
	for _, panel := range []string{"uniform-warp", "uniform-pad", "variable-warp", "variable-pad"} {
		for _, a := range architectures {
			r := &replication.Record{Header: header("fig1", panel, "reduced", a), End: &replication.End{Steps: 4687, Final: map[string]replication.Values{}}}
			r.Settings["T"] = 500
			for _, x := range []float64{1, 10, 25, 50, 75, 100} {
				memoryless := math.Log(8)
				if strings.HasSuffix(panel, "pad") {
					memoryless /= x
				}
				loss := 0.002
				if a == "rnn" {
					loss += memoryless * (1 - 1/math.Sqrt(x))
				} else if a == "leaky" && strings.HasPrefix(panel, "var") {
					loss += 0.4 * memoryless * (1 - 1/math.Sqrt(x))
				}
				for trial := range 5 {
					r.Models = append(r.Models, replication.Model{Arm: a, X: &x, Trial: trial})
					r.End.Final["test_loss"] = append(r.End.Final["test_loss"], loss*(1+0.1*rng.NormFloat64()))
					r.End.Final["best_loss"] = append(r.End.Final["best_loss"], 0)
					r.End.Final["memoryless_loss"] = append(r.End.Final["memoryless_loss"], memoryless)
				}
			}
			records = append(records, r)
		}
	}
	return records
}

func fig5Records() []*replication.Record {
	var records []*replication.Record
	rng := rand.New(rand.NewPCG(1, 5))
	accuracies := map[string][]float64{"rnn": {0.76, 0.75, 0.74, 0.73}, "leaky": {0.95, 0.92, 0.86, 0.8}, "gated": {0.999, 0.98, 0.93, 0.75}}
	for _, a := range architectures {
		accuracy := accuracies[a]
		r := &replication.Record{Header: header("fig5", "generalization", "reduced", a), End: &replication.End{Steps: 4687, Final: map[string]replication.Values{}}}
		r.Settings["train_warp"] = 50
		for trial := range 5 {
			r.Models = append(r.Models, replication.Model{Arm: a, Trial: trial})
			for i, final := range []string{"valid_accuracy", "test_accuracy@100", "test_accuracy@300", "test_accuracy@500"} {
				r.End.Final[final] = append(r.End.Final[final], min(1, accuracy[i]*(1+0.01*rng.NormFloat64())))
			}
		}
		records = append(records, r)
	}
	return records
}

// The golden images are small: what is wrong in a figure shows at screen resolution too.
const goldenDPI = 72

func TestGolden(t *testing.T) {
	cases := map[string]*Figure{
		"fig1": Fig1(fig1Records()), "fig2": Fig2(), "fig3": Fig3(fig3Records()), "fig4": Fig4(fig4Records()), "fig5": Fig5(fig5Records()),
		"fig1-not-run": Fig1(nil), "fig5-not-run": Fig5(nil),
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			png, err := f.png(goldenDPI)
			check(t, err)
			// Another processor's multiply-add may shift an edge by a shade; a missing curve is far above this.
			golden(t, name+".png", png, 0.1)
		})
	}
	svg, err := cases["fig3"].SVG()
	check(t, err)
	golden(t, "fig3.svg", svg, 0)
}

// golden compares with, or under -regen writes, testdata/name.
func golden(t *testing.T, name string, got []byte, delta float64) {
	t.Helper()
	path := filepath.Join("testdata", strings.TrimSuffix(name, filepath.Ext(name))+"_golden"+filepath.Ext(name))
	if *cmpimg.GenerateTestData {
		check(t, replication.WriteFile(path, got))
		return
	}
	want, err := os.ReadFile(path)
	check(t, err)
	same, err := cmpimg.EqualApprox(filepath.Ext(name)[1:], got, want, delta)
	check(t, err)
	if !same {
		wrong := filepath.Join(os.TempDir(), name)
		check(t, os.WriteFile(wrong, got, 0o644))
		t.Errorf("%s does not look like %s", wrong, path)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is drawn must not depend on which figures were drawn before, or when.
func TestRenderingIsDeterministic(t *testing.T) {
	first, err := Fig3(fig3Records()).SVG()
	check(t, err)
	again, err := Fig3(fig3Records()).SVG()
	check(t, err)
	if !bytes.Equal(first, again) {
		t.Error("two drawings of the same records differ")
	}
}

// A reader without our fonts has others named, and the text in its place.
func TestTextWithoutOurFonts(t *testing.T) {
	for _, f := range []*Figure{Fig1(fig1Records()), Fig2()} {
		svg, err := f.SVG()
		check(t, err)
		n := bytes.Count(svg, []byte("<text "))
		if k := bytes.Count(svg, []byte("sans-serif;")) + bytes.Count(svg, []byte("monospace;")); k != n {
			t.Errorf("%s: %d of %d texts name other fonts", f.Name, k, n)
		}
		if k := bytes.Count(svg, []byte("<text textLength=")); k != n {
			t.Errorf("%s: %d of %d texts have a length", f.Name, k, n)
		}
	}
	svg, err := Fig2().SVG()
	check(t, err)
	// The first cell's "A" is Liberation Mono at 8.5 points, whose letters are 1229/2048 wide.
	if want := `<text textLength="5.10"`; !bytes.Contains(svg, []byte(want)) {
		t.Errorf("no %s", want)
	}
}

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
	for name, c := range map[string]struct {
		figure *Figure
		want   []string
	}{
		"fig3": {Fig3(fig3Records()), []string{
			"(a) copy, T = 500", "(b) copy, T = 2000", "not run", "memoryless 0.04", "(d) variable copy, T = 400 (paper: 1000)",
			"(a, c) scale paper, backend go: 3 trials, 6000 steps of 32 sequences, 128 units;", "(b) not run;", "(d) scale reduced", "windows of up to 40 steps",
		}},
		"fig4": {Fig4(fig4Records()), []string{"(b) adding, T = 750", "memoryless 0.167", "Scale paper, backend go: 3 trials"}},
		"fig1": {Fig1(fig1Records()), []string{"(d) variable padding", "leaky RNN", "5 trials, 4687 steps of 32 sequences, 128 units, length 500."}},
		"fig5": {Fig5(fig5Records()), []string{"between 1 and 50", "5 trials"}},
		"none": {Fig4(nil), []string{"not run", "Not run."}},
	} {
		svg, err := c.figure.SVG()
		check(t, err)
		got := textOf(t, svg)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in: %s", name, want, got)
			}
		}
	}
}

// One panel never mixes scales: a quick sweep beside the paper's would compare what is not alike.
func TestArchitecturesOfOneScale(t *testing.T) {
	records := fig5Records() // all at scale reduced
	paper := *records[0]
	paper.Scale = "paper"
	quick := *records[1]
	quick.Scale = "quick"
	got := architectureRecords(append(records, &paper, &quick), "fig5", "generalization")
	if len(got.records) != 3 || got.records[0].Scale != "reduced" || len(got.missing) > 0 {
		t.Errorf("%d records, missing %q", len(got.records), got.missing)
	}
	svg, err := Fig5([]*replication.Record{&paper, &quick}).SVG()
	check(t, err)
	if s, want := textOf(t, svg), "128 units, leaky RNN and gated RNN not run."; !strings.Contains(s, want) || !strings.Contains(s, "Scale paper") {
		t.Errorf("no %q in: %s", want, s)
	}
}

func TestDivergenceIsSaid(t *testing.T) {
	records := fig3Records()
	points := records[1].Points
	points[len(points)-1].Values[4] = math.NaN()
	svg, err := Fig3(records).SVG()
	check(t, err)
	if s, want := textOf(t, svg), "128 units, 1 of 6 models diverged, where their curve ends;"; !strings.Contains(s, want) {
		t.Errorf("no %q in: %s", want, s)
	}
}

func TestAllSaves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, f := range All(nil) {
		check(t, f.Save(dir))
		data, err := os.ReadFile(filepath.Join(dir, f.Name+".png"))
		check(t, err)
		image, err := png.Decode(bytes.NewReader(data))
		check(t, err)
		if w := image.Bounds().Dx(); w != 1400 { // 7 inches at 200 dots each
			t.Errorf("%s is %d pixels wide", f.Name, w)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 10 {
		t.Errorf("files: %v", files)
	}
}

func TestCheckCurrent(t *testing.T) {
	dir := t.TempDir()
	records := append(fig3Records(), fig1Records()...)
	for i, r := range records {
		r.End.SHA256 = fmt.Sprint("sum", i)
	}
	for _, f := range All(records) {
		check(t, f.Save(dir))
	}
	check(t, CheckCurrent(dir, records))
	if err := CheckCurrent(dir, records[1:]); err != nil {
		t.Errorf("the quick record is not drawn, but without it: %v", err)
	}
	records[1].End.SHA256 = "other"
	if err := CheckCurrent(dir, records); err == nil || !strings.Contains(err.Error(), "fig3.svg") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a record has changed: %v", err)
	}
	if err := CheckCurrent(t.TempDir(), nil); err == nil {
		t.Error("no figures pass")
	}
}

// The figures in this directory are drawn from the records in replication/records.
func TestCommittedFigures(t *testing.T) {
	records, err := replication.ReadAll("../replication/records")
	check(t, err)
	check(t, CheckCurrent(".", records))
}

func TestSaveWhereItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o644))
	err := Fig2().Save(filepath.Join(file, "dir"))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}

// Weighted by steps, and before the trials' spread is taken.
func TestWindows(t *testing.T) {
	var points []replication.Point
	step := 0
	for i := range 2 * maxWindows { // pairs: 10 steps at 1 and 3, then 30 steps at 5 and 3
		values := replication.Values{1, 3, math.NaN()}
		step += 10
		if i%2 == 1 {
			values = replication.Values{5, 3, math.NaN()}
			step += 20
		}
		points = append(points, replication.Point{Step: step, Values: values})
	}
	x, y, widest := windows(points, []int{0, 1})
	if len(x) != maxWindows || widest != 40 || x[1] != 60 {
		t.Errorf("%d windows of up to %d steps, the second at %g", len(x), widest, x[1])
	}
	if want := (replication.Spread{N: 2, Mean: 3.5, Min: 3, Max: 4}); y[7] != want {
		t.Errorf("window %+v, want %+v", y[7], want)
	}
	if _, y, _ := windows(points, []int{0, 2}); !math.IsNaN(y[0].Mean) {
		t.Errorf("with a diverged trial: %+v", y[0])
	}
	if x, _, _ := windows(nil, []int{0}); len(x) != 0 {
		t.Errorf("of no points: %v", x)
	}
}

// A run in progress, from its first moment on, and one that diverges.
func TestCurvesOfAnUnfinishedRecord(t *testing.T) {
	whole := training("fig3", "copy500", "quick", 50, 0.3, 1000, 2000)
	for points, diverged := range map[int]bool{0: false, 1: false, 7: true, 100: true} {
		r := *whole
		r.End, r.Points = nil, r.Points[:points]
		if diverged {
			r.Points[5].Values = replication.Values{math.NaN(), math.Inf(1), 1, 1, math.Inf(-1), 1}
		}
		svg, err := PanelSVG(Curves(&r))
		check(t, err)
		if s := textOf(t, svg); !strings.Contains(s, "copy, T = 50") || !strings.Contains(s, "chrono") || !strings.Contains(s, "6k") {
			t.Errorf("text %q, want title, legend and all 6000 steps", s)
		}
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Error("the SVG has values that are no numbers")
		}
	}
}

// Records of a task that no figure knows, with swept values: each gets a curve of its own.
func TestCurvesOfAnything(t *testing.T) {
	r := &replication.Record{Header: header("fig1", "variable-warp", "quick", "gated")}
	for _, x := range []float64{10, 50} {
		r.Models = append(r.Models, replication.Model{Arm: "gated", X: &x})
	}
	for step := 1; step < 10; step++ {
		r.Points = append(r.Points, replication.Point{Step: step, Series: "train", Values: replication.Values{1, 2}})
	}
	svg, err := PanelSVG(Curves(r))
	check(t, err)
	for _, want := range []string{"gated RNN, 10", "gated RNN, 50", "variable-warp"} {
		if s := textOf(t, svg); !strings.Contains(s, want) {
			t.Errorf("no %q in %q", want, s)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 0.06, "0 0.02 0.04 0.06"}, {0, 0.25, "0 0.05 0.10 0.15 0.20 0.25"}, {0, 6000, "0 2k 4k 6k"}, {0, 25000, "0 5k 10k 15k 20k 25k"},
		{0, 1, "0 0.2 0.4 0.6 0.8 1.0"}, {-1.97, 103.97, "0 20 40 60 80 100"}, {0, 4687, "0 1k 2k 3k 4k"}, {0, 600, "0 200 400 600"},
	} {
		var got []string
		for _, tick := range (ticks{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, s, c.want)
		}
	}
}

func TestDecades(t *testing.T) {
	var got []string
	for _, tick := range (decades{}).Ticks(math.Log10(1e-4), 0) {
		got = append(got, tick.Label)
	}
	if s := strings.Join(got, " "); s != "0.0001 0.001 0.01 0.1 1" {
		t.Errorf("%q", s)
	}
}
