package record

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"strings"
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

func testPath(t testing.TB) string { return Path(t.TempDir(), testHeader()) }

// testRecord is testHeader's whole record, with values that a careless encoding would lose.
func testRecord() *Record {
	return &Record{
		Header: testHeader(),
		Points: []Point{
			{10, Train, Values{0.1 + 0.2, math.Copysign(0, -1)}, nil},
			{20, Train, Values{7, 1e-300}, nil},
			{20, "valid", Values{math.NaN(), math.Inf(-1)}, nil},
			{30, Train, Values{1e300, -5}, nil},
			{35, Train, Values{1. / 3, math.SmallestNonzeroFloat64}, nil},
		},
		End: &End{
			Updates: 35, Seconds: 1.5,
			Final:   map[string]Values{"loss": {1. / 3, math.SmallestNonzeroFloat64}, "accuracy": {0, 1}},
			Vectors: map[string][]Values{"forget": {{1, 2, math.Inf(1)}, {4, 5, 6}}, "none": {{}, {}}},
		},
	}
}

// odd is a record with all else that there can be: a part, a series of several numbers, a trial that diverged, and two
// resumptions.
func odd() *Record {
	r := testRecord()
	r.Part, r.Header.Series = "half", map[string]int{"samples": 15}
	r.Diverged = []Diverged{{20, 1, Values{7e29, math.NaN()}}}
	r.Resumed = []Resumed{{10, Environment{Commit: "def"}}, {20, Environment{Commit: "123"}}}
	r.Points = []Point{
		{Update: 10, Series: Train, Values: Values{1, 2}},
		{Update: 15, Series: "samples", Vectors: []Values{{1, 2, 3}, {4, math.NaN(), 6}}},
		{Update: 20, Series: Train, Values: Values{1, math.Inf(1)}},
		{Update: 30, Series: Train, Values: Values{1, math.NaN()}},
		{Update: 30, Series: "samples", Vectors: []Values{{1, 2, 3}, {4, 5, math.Inf(-1)}}},
		{Update: 35, Series: Train, Values: Values{1, math.NaN()}},
	}
	r.End.Final["loss"] = Values{1, math.NaN()}
	return r
}

// begin opens a record.
func begin(t testing.TB, path string) *Writer {
	t.Helper()
	w := check.Got(Open(path, testHeader()))(t)
	t.Cleanup(func() { w.Close() })
	return w
}

// grow brings a record to where another was after an update.
func grow(w *Writer, r *Record, to int) {
	so := r.Until(to)
	w.record.Points, w.record.Diverged = so.Points, so.Diverged
}

// text is a state to save.
func text(s string) func(*gob.Encoder) error {
	return func(e *gob.Encoder) error { return e.Encode(s) }
}

func finish(t testing.TB, w *Writer) {
	t.Helper()
	end := testRecord().End
	check.OK(t, w.Finish(end.Seconds, end.Final, end.Vectors))
}

// What is written is read again, every number to its last bit.
func TestRoundTrip(t *testing.T) {
	for _, r := range []*Record{testRecord(), odd()} {
		dir := t.TempDir()
		check.Write(t, Path(dir, r.Header), r.encode())
		got := check.Got(ReadAll(dir))(t)[0]
		check.Equal(t, string(mustJSON(got.Header)), string(mustJSON(r.Header)), "header")
		check.Equal(t, string(mustJSON(got.Resumed)), string(mustJSON(r.Resumed)), "resumptions")
		check.That(t, Compare(got, r) == nil && got.End.Seconds == r.End.Seconds &&
			len(got.End.SHA256) == 64, "it reads as %+v", got)
	}
	// At one update, divergences come first, then points, then resumptions.
	var lines []string
	for line := range strings.Lines(string(odd().encode())) {
		var l struct {
			Kind   string
			Update int
		}
		check.OK(t, json.Unmarshal([]byte(line), &l))
		lines = append(lines, fmt.Sprint(l.Kind, l.Update))
	}
	check.Equal(t, lines, strings.Fields("run0 point10 resumed10 point15 diverged20 point20 resumed20 point30 point30 "+
		"point35 end0"), "lines")
}

func TestSpread(t *testing.T) {
	check.Equal(t, SpreadOf([]float64{1, 2, 6}), Spread{3, 3, 1, 6}, "spread")
	for want, values := range map[string][]float64{
		"3 [1, 6]": {1, 2, 6}, "∞ [1, ∞]": {1, math.Inf(1)},
		"0.333": {0.3334, 0.3333}, // the range does not show
	} {
		check.Equal(t, SpreadOf(values).String(), want, "text of the spread of %v", values)
	}
	for _, values := range [][]float64{nil, {1, math.NaN()}} {
		s := SpreadOf(values)
		check.That(t, math.IsNaN(s.Mean) && math.IsNaN(s.Min) && math.IsNaN(s.Max), "spread of %v: %+v", values, s)
		check.Equal(t, s.String(), "NaN", "text of the spread of %v", values)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", 4983: "4980", 999999: "1e6", 999400: "999000", 1.25e6: "1.25e6",
		0.0001: "0.0001", 0.000123456: "0.000123", 0.00009996: "0.0001", 0.0000999: "9.99e-5", -2.5: "-2.5",
		99.96: "100", 1e-300: "1e-300", math.MaxFloat64: "1.8e308", 1e100: "1e100",
	} {
		check.Equal(t, Number(x), want, "text of %g", x)
	}
	for x, want := range map[string]float64{"NaN": math.NaN(), "∞": math.Inf(1), "-∞": math.Inf(-1)} {
		check.Equal(t, Number(want), x, "text of %g", want)
	}
}

// Parts and fields that were renamed compare equal by their present names; the same word as a value stays.
func TestPresentNames(t *testing.T) {
	old := `{"Rule":{"is":"trial.Halving","Series":"Rule"},` +
		`"Network":{"is":"a","Start":[{"is":"cell.Free"},"cell.Free"]}}`
	want := `{"Schedule":{"is":"trial.ReduceOnPlateau","Series":"Rule"},` +
		`"Network":{"is":"a","WeightInit":[{"is":"cell.Learned"},"cell.Free"]}}`
	for _, text := range []string{old, want} {
		check.Equal(t, string(PresentNames(json.RawMessage(text))), want, "present names in %s", text)
		a, b := testHeader(), testHeader()
		a.Experiment, b.Experiment = json.RawMessage(text), json.RawMessage(want)
		check.Equal(t, a.SameExperiment(b), true, "the same experiment, with %s", text)
	}
}
