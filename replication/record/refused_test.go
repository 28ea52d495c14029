package record

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// A header that could not be found again, or asks for nothing, is rejected by the writer before a file is made, and by
// the reader.
func TestUnsoundHeaders(t *testing.T) {
	inf := math.Inf(1)
	for what, change := range map[string]func(*Header){
		"no paper":          func(h *Header) { h.Paper = "" },
		"a path":            func(h *Header) { h.Figure = "a/b" },
		"a path upwards":    func(h *Header) { h.Panel = "../etc" },
		"a part with a dot": func(h *Header) { h.Part = "a.b" },
		"a scale":           func(h *Header) { h.Scale = "huge" },
		"no trials":         func(h *Header) { h.Trials = nil },
		"no arm":            func(h *Header) { h.Trials[1].Arm = "" },
		"infinite loss":     func(h *Header) { h.Trials[0].Best = &inf },
		"no updates":        func(h *Header) { h.Updates = 0 },
		"no window":         func(h *Header) { h.Window = -1 },
		"no batch":          func(h *Header) { h.Batch = 0 },
		"no units":          func(h *Header) { h.Units = 0 },
		"no steps":          func(h *Header) { h.Steps = 0 },
		"no interval":       func(h *Header) { h.Series["valid"] = 0 },
		"a second curve":    func(h *Header) { h.Series[Train] = 5 },
		"no experiment":     func(h *Header) { h.Experiment = nil },
		"a list":            func(h *Header) { h.Experiment = []byte("[1]") },
		"half an object":    func(h *Header) { h.Experiment = []byte(`{"a":1`) },
		"no commit":         func(h *Header) { h.Commit = "" },
	} {
		h, dir := testHeader(), t.TempDir()
		change(&h)
		path := Path(dir, h)
		_, err := Open(path, h)
		check.Rejected(t, what, err, path)
	}
}

// A record that lacks something that its header asks for, or has something else, is not written; and if somebody has
// written it, with its right checksum, it is not read.
func TestUnsoundRecords(t *testing.T) {
	resize := func(n int) func(*Record) {
		return func(r *Record) { r.Points[3].Values = slices.Repeat(Values{1}, n) }
	}
	at := func(i, update int) func(*Record) { return func(r *Record) { r.Points[i].Update = update } }
	without := func(i int) func(*Record) { return func(r *Record) { r.Points = slices.Delete(r.Points, i, i+1) } }
	loss := func(i int, x float64) func(*Record) { return func(r *Record) { r.Points[i].Values[1] = x } }
	diverged := func(d ...Diverged) func(*Record) { return func(r *Record) { r.Diverged = d } }
	samples := func(v ...Values) func(*Record) { return func(r *Record) { r.Points[1].Vectors = v } }
	norms := Values{1, 2}
	for base, cases := range map[string]map[string]func(*Record){
		"plain": {
			"no value": resize(0), "one value": resize(1), "three values": resize(3),
			"between two": at(3, 29), "too late": at(3, 36), "twice": at(3, 20), "at update 0": at(0, 0),
			"no first point": without(0), "no last point": without(4), "no valid point": without(2),
			"an unknown series": func(r *Record) { r.Points[2].Series = "test" },
			"one more":          func(r *Record) { r.Points = append(r.Points, r.Points[4]) },
			"NaN in the curve":  loss(3, math.NaN()), "an infinity": loss(3, math.Inf(-1)),
			"more updates":       func(r *Record) { r.End.Updates = 36 },
			"negative time":      func(r *Record) { r.End.Seconds = -1 },
			"a result of three":  func(r *Record) { r.End.Final["accuracy"] = Values{1, 2, 3} },
			"another final loss": func(r *Record) { r.End.Final["loss"][0] = 1 },
			"one vector":         func(r *Record) { r.End.Vectors["none"] = []Values{{1}} },
			"ragged vectors":     func(r *Record) { r.End.Vectors["none"] = []Values{{1}, {1, 2}} },
		},
		"odd": {
			"a number after it diverged": loss(3, 1), "diverged before": diverged(Diverged{9, 1, norms}),
			"diverged later": diverged(Diverged{21, 1, norms}), "diverged never": diverged(),
			"another trial": diverged(Diverged{20, 0, norms}), "a trial of none": diverged(Diverged{20, 2, norms}),
			"twice":                  diverged(Diverged{20, 1, norms}, Diverged{21, 1, norms}),
			"one norm":               diverged(Diverged{20, 1, Values{1}}),
			"diverged after the end": diverged(Diverged{20, 1, norms}, Diverged{36, 0, norms}),
			"of one trial":           samples(Values{1, 2}),
			"of two lengths":         samples(Values{1, 2}, Values{1}), "no samples": samples(),
			"vectors in the curve": func(r *Record) {
				r.Points[0].Values, r.Points[0].Vectors = nil, []Values{{1}, {1}}
			},
			"values beside":            func(r *Record) { r.Points[1].Values = Values{1, 2} },
			"resumed without a commit": func(r *Record) { r.Resumed[0].Commit = "" },
			"resumed after the end":    func(r *Record) { r.Resumed[1].Update = 36 },
		},
	} {
		for what, change := range cases {
			r := map[string]func() *Record{"plain": testRecord, "odd": odd}[base]()
			change(r)
			path := Path(t.TempDir(), r.Header)
			check.Write(t, path, r.encode())
			_, err := Read(path)
			check.Rejected(t, what+", read", err, path)

			check.OK(t, os.Remove(path))
			w := check.Got(Open(path, r.Header))(t)
			w.record.Points, w.record.Diverged, w.record.Resumed = r.Points, r.Diverged, r.Resumed
			if r.End.Updates == r.Updates {
				check.Rejected(t, what+", written", w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors), path)
			}
			check.OK(t, w.Close())
			check.Entries(t, filepath.Dir(path), 0)
		}
	}
}

// A record that is written in any other way than ours is rejected, even with the checksum that belongs to it.
func TestOtherSpellings(t *testing.T) {
	whole := string(testRecord().encode())
	change := func(old, new string) string {
		check.Must(t, strings.Contains(whole, old), "no %s", old)
		return strings.Replace(whole, old, new, 1)
	}
	const point = `"update":30`
	lines := strings.SplitAfter(whole, "\n")
	swapped := slices.Clone(lines)
	swapped[3], swapped[4] = lines[4], lines[3]
	for what, text := range map[string]string{
		"not JSON": "PNG\n", "another file": "{\"a\":1}\n", "nothing": "", "no end": strings.Join(lines[:6], ""),
		"a later format":         change(`"format":2`, `"format":3`),
		"lines in another order": strings.Join(swapped, ""),
		"two run lines":          lines[0] + whole,
		"an unknown kind":        change(`"point","update":30`, `"note","update":30`),
		"null":                   change("[1e+300,-5]", "[1e+300,null]"),
		"beyond float64":         change("[1e+300,-5]", "[1e+309,-5]"), "no list": change("[1e+300,-5]", "7"),
		"a key twice": change(point, `"update":9,`+point), "a key in capitals": change(point, `"Update":30`),
		"an unknown key": change(point, point+`,"note":1`), "of the run": change(`"format"`, `"a":1,"format"`),
		"a space": change(point, `"update": 30`), "other digits": change("-5]", "-5.0]"),
		"no commit": change(`"commit":"abc"`, `"commit":""`),
		"CRLF":      strings.ReplaceAll(whole, "\n", "\r\n"), "a line after the end": whole + lines[1],
		"another number": change("-5]", "-6]"), // with the checksum that it had
	} {
		body, _, ended := strings.Cut(text, sumKey)
		if ended && what != "a line after the end" && what != "another number" {
			text = fmt.Sprintf("%s%s%x\"}\n", body, sumKey, sha256.Sum256([]byte(body)))
		}
		path := testPath(t)
		check.Write(t, path, []byte(text))
		_, err := Read(path)
		check.Rejected(t, what, err, path)
	}
}
