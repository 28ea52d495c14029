package record

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// testHeader is of a run with two trials, and points of "train" at 10, 20, 30 and 35 updates and of "valid" at 20.
func testHeader() Header {
	x, memoryless := 1.5, 0.04
	return Header{
		Paper: "warp", Figure: "fig3", Panel: "copy500", Scale: "quick",
		Trials: []Trial{
			{Arm: "standard", Seed: 1},
			{Arm: "chrono", X: &x, Number: 1, Seed: math.MaxUint64, Memoryless: &memoryless},
		},
		Updates: 35, Window: 10, Batch: 32, Units: 64, Steps: 120, Series: map[string]int{"valid": 20},
		Experiment:  []byte(`{"data": {"is": "a<b"}}`),
		Backend:     "go",
		Environment: Environment{Commit: "abc", Versions: map[string]string{"go": "1.26"}, Device: "cpu"},
		Started:     "2018-04-30T00:00:00Z",
	}
}

// testPoints are the points of testHeader's run, with values that a careless encoding would lose.
var testPoints = []Point{
	{10, Train, Values{0.1 + 0.2, math.Copysign(0, -1)}, nil},
	{20, Train, Values{7, 1e-300}, nil},
	{20, "valid", Values{math.NaN(), math.Inf(-1)}, nil},
	{30, Train, Values{1e300, -5}, nil},
	{35, Train, Values{1. / 3, math.SmallestNonzeroFloat64}, nil},
}

var (
	testFinal   = map[string]Values{"loss": {1. / 3, math.SmallestNonzeroFloat64}, "accuracy": {0, 1}}
	testVectors = map[string][]Values{"forget": {{1, 2, math.Inf(1)}, {4, 5, 6}}, "none": {{}, {}}}
)

func testPath(t testing.TB) string { return Path(t.TempDir(), testHeader()) }

// testRecord is testHeader's whole record.
func testRecord() *Record {
	final := map[string]Values{"loss": slices.Clone(testFinal["loss"]), "accuracy": {0, 1}} // tests change it
	vectors := map[string][]Values{"forget": {{1, 2, math.Inf(1)}, {4, 5, 6}}, "none": {{}, {}}}
	r := &Record{Header: testHeader(), End: &End{Updates: 35, Seconds: 1.5, Final: final, Vectors: vectors}}
	for _, p := range testPoints {
		p.Values = slices.Clone(p.Values)
		r.Points = append(r.Points, p)
	}
	return r
}

// begin opens a record.
func begin(t testing.TB, path string) *Writer {
	t.Helper()
	w, err := Open(path, testHeader())
	check.OK(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// write writes a whole record.
func write(t testing.TB, path string) {
	t.Helper()
	w := begin(t, path)
	writePoints(t, w, 0)
	finish(t, w)
}

// writePoints writes the points after an update.
func writePoints(t testing.TB, w *Writer, after int) {
	t.Helper()
	for _, p := range testPoints {
		if p.Update > after {
			check.OK(t, w.Point(p.Update, p.Series, p.Values))
		}
	}
}

func finish(t testing.TB, w *Writer) {
	t.Helper()
	check.OK(t, w.Finish(1.5, testFinal, testVectors))
}

// wantError checks that err is one line that names the file and says what is wrong.
func wantError(t *testing.T, err error, path, what string) {
	t.Helper()
	check.Rejected(t, path, err, path+"…"+what)
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := Path(dir, testHeader())
	if want := filepath.Join(dir, "warp", "fig3", "copy500.quick.jsonl"); path != want {
		t.Fatalf("path %s, want %s", path, want)
	}
	write(t, path)
	r, err := Read(path)
	check.OK(t, err)

	header := testHeader()
	header.Experiment = []byte(`{"data":{"is":"a<b"}}`) // without white space, and otherwise as it was
	check.Equal(t, r.Header, header, "header")
	if len(r.Points) != len(testPoints) {
		t.Fatalf("%d points", len(r.Points))
	}
	for i, p := range r.Points {
		want := testPoints[i]
		if p.Update != want.Update || p.Series != want.Series {
			t.Errorf("point %d is of %s at %d", i, p.Series, p.Update)
		}
		for j, v := range p.Values {
			if !same(v, want.Values[j]) {
				t.Errorf("point %d: value %g, want %g", i, v, want.Values[j])
			}
		}
	}
	check.Equal(t, len(r.Series("valid")), 1, "points of valid")
	end := r.End
	if end.Updates != 35 || end.Seconds != 1.5 || end.Final["loss"][0] != 1./3 || end.Final["accuracy"][1] != 1 {
		t.Errorf("end %+v", end)
	}
	if v := end.Vectors["forget"]; !math.IsInf(v[0][2], 1) || v[1][2] != 6 || len(end.Vectors["none"]) != 2 {
		t.Errorf("vectors %v", end.Vectors)
	}
	check.Equal(t, r.Arm("chrono"), []int{1}, "trials of chrono")
	check.Equal(t, r.Name(), "warp/fig3 copy500 quick", "name")
	if all, err := ReadAll(dir); err != nil || len(all) != 1 || !Equal(all[0], r) {
		t.Errorf("ReadAll: %d records, %v", len(all), err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	check.OK(t, err)
	if len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestNameAndPathHaveThePart(t *testing.T) {
	h := testHeader()
	h.Part = "gated"
	check.Equal(t, h.Name(), "warp/fig3 copy500 quick gated", "name")
	if path := filepath.ToSlash(Path("records", h)); path != "records/warp/fig3/copy500.quick.gated.jsonl" {
		t.Error(path)
	}
}

func TestHeaderRefuses(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		what   string
		change func(*Header)
	}{
		{`not ""`, func(h *Header) { h.Paper = "" }},
		{`not "a/b"`, func(h *Header) { h.Figure = "a/b" }},
		{`not "../etc"`, func(h *Header) { h.Panel = "../etc" }},
		{`not "a.b"`, func(h *Header) { h.Part = "a.b" }},
		{`scale "huge"`, func(h *Header) { h.Scale = "huge" }},
		{"no trials", func(h *Header) { h.Trials = nil }},
		{"trial 1 has no arm", func(h *Header) { h.Trials[1].Arm = "" }},
		{"loss +Inf", func(h *Header) { h.Trials[0].Best = &inf }},
		{"0 updates", func(h *Header) { h.Updates = 0 }},
		{"-1 window", func(h *Header) { h.Window = -1 }},
		{"0 batch", func(h *Header) { h.Batch = 0 }},
		{"0 units", func(h *Header) { h.Units = 0 }},
		{"0 steps", func(h *Header) { h.Steps = 0 }},
		{`series "valid" every 0`, func(h *Header) { h.Series["valid"] = 0 }},
		{`series "train"`, func(h *Header) { h.Series[Train] = 5 }},
		{"experiment is not", func(h *Header) { h.Experiment = nil }},
		{"experiment is not", func(h *Header) { h.Experiment = []byte("[1]") }},
		{"experiment is not", func(h *Header) { h.Experiment = []byte(`{"a":1`) }},
	} {
		h := testHeader()
		c.change(&h)
		path := Path(t.TempDir(), h)
		_, err := Open(path, h)
		wantError(t, err, path, c.what)
	}
	path := filepath.Join(t.TempDir(), "warp", "fig3", "copy500.paper.jsonl")
	_, err := Open(path, testHeader())
	wantError(t, err, path, "it belongs at …/warp/fig3/copy500.quick.jsonl")
}

func TestSpread(t *testing.T) {
	if s := SpreadOf([]float64{1, 2, 6}); s != (Spread{3, 3, 1, 6}) || s.String() != "3 [1, 6]" {
		t.Errorf("%+v", s)
	}
	for _, values := range [][]float64{nil, {1, math.NaN()}} {
		if s := SpreadOf(values); !math.IsNaN(s.Mean) || !math.IsNaN(s.Min) || !math.IsNaN(s.Max) ||
			s.String() != "NaN" {
			t.Errorf("of %v: %v", values, s)
		}
	}
	if s := SpreadOf([]float64{0.3334, 0.3333}).String(); s != "0.333" { // the range does not show
		t.Error(s)
	}
	if s := SpreadOf([]float64{1, math.Inf(1)}).String(); s != "∞ [1, ∞]" {
		t.Error(s)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", 4983: "4980", 999999: "1e6", 999400: "999000", 1.25e6: "1.25e6",
		0.0001: "0.0001", 0.000123456: "0.000123", 0.00009996: "0.0001", 0.0000999: "9.99e-5", -2.5: "-2.5", 0.1 +
			0.2: "0.3",
		99.96: "100", 1e-300: "1e-300", math.MaxFloat64: "1.8e308", 1e100: "1e100",
	} {
		check.Equal(t, Number(x), want, "text of %g", x)
	}
	for x, want := range map[string]float64{"NaN": math.NaN(), "∞": math.Inf(1), "-∞": math.Inf(-1)} {
		check.Equal(t, Number(want), x, "text of %g", want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b.svg")
	for _, text := range []string{"old and long", "new"} {
		check.OK(t, WriteFile(path, []byte(text)))
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q: %v", data, err)
		}
	}
	check.Entries(t, filepath.Dir(path), 1)
	wantError(t, WriteFile(filepath.Join(path, "c"), nil), path, "not a directory")
	check.OK(t, os.Mkdir(filepath.Join(dir, "d"), 0o777))
	wantError(t, WriteFile(filepath.Join(dir, "d"), nil), "d", "not a regular file") // a directory in its place
	check.Entries(t, dir, 2)
}

// Neither a directory nor a symbolic link is replaced, nor where it points to.
func TestWriteFileReplacesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	check.OK(t, os.WriteFile(file, []byte("mine"), 0o666))
	check.OK(t, os.Symlink(file, link))
	wantError(t, WriteFile(link, nil), link, "not a regular file")
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("written through: %q", data)
	}
}

// Of several that write one file at once, the file is always one's, whole, and none fails.
func TestWriteFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.svg")
	text := func(n int) string { return strings.Repeat(string(rune('a'+n)), 1000*(n+1)) }
	check.OK(t, WriteFile(path, []byte(text(0))))
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := WriteFile(path, []byte(text(n))); err != nil {
					t.Error(err)
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data) == 0 || string(data) != text(int(data[0]-'a')) {
					t.Errorf("%d bytes that nobody wrote: %v", len(data), err)
				}
			}
		})
	}
	wg.Wait()
	check.Entries(t, filepath.Dir(path), 1)
}
