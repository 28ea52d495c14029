package replication

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// testHeader is of a run with two models, and settings of every type.
func testHeader() Header {
	return Header{
		Figure: "fig3", Panel: "copy500", Scale: "quick",
		Models:      []Model{{Arm: "standard", Seed: 1}, {Arm: "chrono", Seed: math.MaxUint64}},
		Settings:    map[string]any{"T": 500, "learning_rate": 1e-3, "task": "copy", "shuffle": true, "seed": uint64(math.MaxUint64)},
		Backend:     "go",
		Environment: Environment{Commit: "abc", Versions: map[string]string{"go": "1.26"}, Device: "cpu"},
		Started:     "2018-04-30T00:00:00Z",
	}
}

// awkward are values that a careless encoding would lose.
var awkward = [][]float64{{math.NaN(), math.Inf(1)}, {math.Inf(-1), 1e-300}, {0.1 + 0.2, math.Copysign(0, -1)}, {1e300, -5}}

// write writes a whole record: a point at steps 10, 20, 30 and 40, with a Sync at each.
func write(t *testing.T, path string) {
	t.Helper()
	w, err := Create(path, testHeader(), false)
	check(t, err)
	writePoints(t, w, 0)
	finish(t, w)
}

func writePoints(t *testing.T, w *Writer, after int) {
	t.Helper()
	for i, values := range awkward {
		if step := 10 * (i + 1); step > after {
			check(t, w.Point(step, "train", values))
			check(t, w.Sync())
		}
	}
}

func finish(t *testing.T, w *Writer) {
	t.Helper()
	check(t, w.Finish(40, 1.5, map[string][]float64{"loss": {math.NaN(), 2}, "accuracy": {0, 1}}))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError checks that err is one line that names the file and says what is wrong.
func wantError(t *testing.T, err error, path, what string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", what)
	}
	if s := err.Error(); !strings.Contains(s, path) || !strings.Contains(s, what) || strings.Contains(s, "\n") {
		t.Fatalf("error %q, want one line with %q and %q", s, path, what)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := RecordPath(dir, testHeader())
	if want := filepath.Join(dir, "fig3", "copy500.quick.jsonl"); path != want {
		t.Fatalf("path %s, want %s", path, want)
	}
	write(t, path)
	r, err := Read(path)
	check(t, err)

	if !sameRun(r.Header, testHeader()) || !reflect.DeepEqual(r.Environment, testHeader().Environment) || r.Started != testHeader().Started {
		t.Errorf("header %+v, want %+v", r.Header, testHeader())
	}
	if r.Models[1].Seed != math.MaxUint64 {
		t.Errorf("seed %d, want %d", r.Models[1].Seed, uint64(math.MaxUint64))
	}
	for i, p := range r.Series("train") {
		if p.Step != 10*(i+1) {
			t.Errorf("point %d at step %d", i, p.Step)
		}
		for j, v := range p.Values {
			if w := awkward[i][j]; math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
				t.Errorf("point %d: value %g, want %g", i, v, w)
			}
		}
	}
	if r.End.Steps != 40 || r.End.Seconds != 1.5 || !math.IsNaN(r.End.Final["loss"][0]) || r.End.Final["accuracy"][1] != 1 {
		t.Errorf("end %+v", r.End)
	}
	if lr, ok := r.Number("learning_rate"); !ok || lr != 1e-3 {
		t.Errorf("learning rate %g, %v", lr, ok)
	}
	if _, ok := r.Number("task"); ok {
		t.Error("the task is no number")
	}
	if got := r.Arm("chrono"); !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("models of chrono: %v", got)
	}
	if all, err := ReadAll(dir); err != nil || len(all) != 1 || !Equal(all[0], r) {
		t.Errorf("ReadAll: %d records, %v", len(all), err)
	}
}

// A run that is killed at any byte and resumed at any checkpoint ends with the same bytes as one that is not.
func TestResumeEndsAsUninterrupted(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.jsonl")
	write(t, whole)
	want, err := os.ReadFile(whole)
	check(t, err)

	killed := filepath.Join(dir, "killed.jsonl")
	header := bytes.IndexByte(want, '\n') + 1
	for size := header; size <= len(want); size++ {
		check(t, os.WriteFile(PartialPath(killed), want[:size], 0o666))
		checkpoint := 10 * (bytes.Count(want[header:size], []byte("\n"))) // the last that was synced
		checkpoint = min(checkpoint, 40)
		for ; checkpoint >= 0; checkpoint -= 20 {
			w, err := Resume(killed, testHeader(), checkpoint, false)
			check(t, err)
			check(t, w.Close())
		}
		w, err := Resume(killed, testHeader(), checkpoint+20, false)
		check(t, err)
		writePoints(t, w, checkpoint+20)
		finish(t, w)
		got, err := os.ReadFile(killed)
		check(t, err)
		if !bytes.Equal(got, want) {
			t.Fatalf("killed at byte %d, resumed at step %d:\n%s\nwant\n%s", size, checkpoint+20, got, want)
		}
		check(t, os.Remove(killed))
	}
}

func TestResumeElsewhereIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, testHeader(), false)
	check(t, err)
	writePoints(t, w, 0)
	check(t, w.Close())

	h := testHeader()
	h.Commit = "def"
	for range 2 { // killed again before the next checkpoint: said once
		w, err = Resume(path, h, 20, false)
		check(t, err)
		check(t, w.Close())
	}
	w, err = Resume(path, h, 20, false)
	check(t, err)
	writePoints(t, w, 20)
	finish(t, w)
	r, err := Read(path)
	check(t, err)
	if len(r.Resumed) != 1 || r.Resumed[0].Step != 20 || r.Resumed[0].Commit != "def" || r.Commit != "abc" {
		t.Errorf("resumed: %+v", r.Resumed)
	}
	if len(r.Points) != 4 {
		t.Errorf("%d points, want 4", len(r.Points))
	}
}

func TestResumeRefusesAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, testHeader(), false)
	check(t, err)
	check(t, w.Close())
	before, err := os.ReadFile(PartialPath(path))
	check(t, err)
	for name, change := range map[string]func(*Header){
		"setting": func(h *Header) { h.Settings["T"] = 501 },
		"seed":    func(h *Header) { h.Models[0].Seed++ },
		"backend": func(h *Header) { h.Backend = "xla:cpu" },
	} {
		h := testHeader()
		change(&h)
		_, err := Resume(path, h, 0, false)
		wantError(t, err, path, "other models, settings or backend")
		after, err := os.ReadFile(PartialPath(path))
		check(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the record was changed", name)
		}
	}
	_, err = Resume(filepath.Join(t.TempDir(), "none"), testHeader(), 0, false)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resuming what is not there: %v", err)
	}
}

func TestCompleteRecordIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path)
	before, err := os.ReadFile(path)
	check(t, err)

	_, err = Create(path, testHeader(), false)
	wantError(t, err, path, "already there")
	if !errors.Is(err, ErrExists) {
		t.Errorf("%v is not ErrExists", err)
	}

	w, err := Create(path, testHeader(), true)
	check(t, err)
	check(t, w.Point(10, "train", []float64{1, 2}))
	if during, _ := os.ReadFile(path); !bytes.Equal(before, during) {
		t.Error("the complete record changed before its replacement was finished")
	}
	check(t, w.Finish(10, 1, nil))
	r, err := Read(path)
	check(t, err)
	if len(r.Points) != 1 {
		t.Errorf("%d points: not replaced", len(r.Points))
	}
}

// Two runs of the same record one after the other, the first finishing while the second trains.
func TestFinishFindsARecordInItsPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	other := filepath.Join(t.TempDir(), "other.jsonl")
	write(t, other)
	data, err := os.ReadFile(other)
	check(t, err)

	w, err := Create(path, testHeader(), false)
	check(t, err)
	writePoints(t, w, 0)
	check(t, os.WriteFile(path, data, 0o666))
	finish(t, w) // the same content: nothing is lost
	if _, err := os.Stat(PartialPath(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the .partial is still there: %v", err)
	}

	check(t, os.Remove(path))
	w, err = Create(path, testHeader(), false)
	check(t, err)
	check(t, os.WriteFile(path, data, 0o666))
	err = w.Finish(40, 1, nil)
	wantError(t, err, path, "already there")
	if got, _ := os.ReadFile(path); !bytes.Equal(got, data) {
		t.Error("the record in place was changed")
	}
	if _, err := os.Stat(PartialPath(path)); err != nil {
		t.Errorf("the refused record is lost: %v", err)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, testHeader(), false)
	check(t, err)
	defer w.Close()
	check(t, w.Point(10, "train", []float64{1, 2}))
	_, err = Create(path, testHeader(), false)
	if !errors.Is(err, ErrBusy) {
		t.Errorf("second Create: %v", err)
	}
	_, err = Resume(path, testHeader(), 0, false)
	if !errors.Is(err, ErrBusy) {
		t.Errorf("second Resume: %v", err)
	}
	if r, err := ReadPartial(path); err != nil || len(r.Points) != 1 {
		t.Errorf("the first writer's record suffered: %v", err)
	}
}

func TestReadPartialDuringARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, testHeader(), false)
	check(t, err)
	defer w.Close()
	check(t, w.Point(10, "train", []float64{1, 2}))
	_, err = w.file.WriteString(`{"kind":"poi`)
	check(t, err)
	r, err := ReadPartial(path)
	check(t, err)
	if r.End != nil || len(r.Points) != 1 {
		t.Errorf("partial record %+v", r)
	}
	if _, err := Read(PartialPath(path)); err == nil {
		t.Error("Read took an unfinished record")
	}
}

func TestWriterRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		what string
		do   func(w *Writer) error
	}{
		"length": {"1 values for 2 models", func(w *Writer) error { return w.Point(10, "train", []float64{1}) }},
		"step back": {"at step 9 after step 10", func(w *Writer) error {
			w.Point(10, "train", []float64{1, 2})
			return w.Point(9, "valid", []float64{1, 2})
		}},
		"step twice": {"at step 10 after step 10", func(w *Writer) error {
			w.Point(10, "train", []float64{1, 2})
			return w.Point(10, "train", []float64{1, 2})
		}},
		"negative":     {"at step -1", func(w *Writer) error { return w.Point(-1, "train", []float64{1, 2}) }},
		"final length": {"final loss has 3 values", func(w *Writer) error { return w.Finish(10, 1, map[string][]float64{"loss": {1, 2, 3}}) }},
		"short end":    {"end after 9 steps", func(w *Writer) error { w.Point(10, "train", []float64{1, 2}); return w.Finish(9, 1, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			w, err := Create(path, testHeader(), false)
			check(t, err)
			defer w.Close()
			wantError(t, c.do(w), path, c.what)
			wantError(t, w.Sync(), path, c.what) // the error stays
			if _, err := os.Stat(path); err == nil {
				t.Error("a record of a failed run was put in place")
			}
		})
	}
}

func TestHeaderRefuses(t *testing.T) {
	for what, change := range map[string]func(*Header){
		`scale "huge"`:             func(h *Header) { h.Scale = "huge" },
		`not "../etc"`:             func(h *Header) { h.Panel = "../etc" },
		`not "a.b"`:                func(h *Header) { h.Part = "a.b" },
		"at least one model":       func(h *Header) { h.Models = nil },
		"setting clip is NaN":      func(h *Header) { h.Settings["clip"] = math.NaN() },
		"setting sizes is a []int": func(h *Header) { h.Settings["sizes"] = []int{1} },
	} {
		h := testHeader()
		change(&h)
		path := filepath.Join(t.TempDir(), "r.jsonl")
		_, err := Create(path, h, false)
		wantError(t, err, path, what)
	}
}

func TestReadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path)
	whole, err := os.ReadFile(path)
	check(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	join := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	// sealed ends lines with an end line that has their right checksum, as somebody who edits on purpose would.
	sealed := func(lines ...string) []byte {
		s := strings.Join(lines, "") + `{"kind":"end","steps":40,"seconds":1,"final":{}`
		sum := sha256.Sum256([]byte(s))
		return fmt.Appendf(nil, "%s%s%s\"}\n", s, sumKey, hex.EncodeToString(sum[:]))
	}
	head := string(lines[0])

	cases := map[string]struct {
		data []byte
		what string
	}{
		"empty":             {nil, "empty"},
		"half a line":       {whole[:len(whole)-20], "truncated"},
		"no end line":       {join(lines[:4]...), "truncated"},
		"a line missing":    {join(append(append([][]byte{}, lines[:2]...), lines[3:]...)...), "edited"},
		"point edited":      {bytes.Replace(whole, []byte("1e-300"), []byte("2e-300"), 1), "edited"},
		"setting edited":    {bytes.Replace(whole, []byte(`"T":500`), []byte(`"T":501`), 1), "edited"},
		"final edited":      {bytes.Replace(whole, []byte(`"accuracy":[0,1]`), []byte(`"accuracy":[1,1]`), 1), "edited"},
		"checksum gone":     {append(append([]byte{}, whole[:len(whole)-sumTail]...), "}\n"...), "edited"},
		"more after end":    {append(append([]byte{}, whole...), lines[1]...), "follows the end line"},
		"format of later":   {bytes.Replace(whole, []byte(`"format":1`), []byte(`"format":2`), 1), "unknown format 2"},
		"not JSON":          {[]byte("PNG\n"), "line 1 is not a line of a record"},
		"not a record":      {[]byte("{\"a\":1}\n"), "starts with one run line"},
		"point length":      {sealed(head, `{"kind":"point","step":1,"series":"train","values":[1]}`+"\n"), "line 2: 1 values for 2 models"},
		"null":              {sealed(head, `{"kind":"point","step":1,"series":"train","values":[1,null]}`+"\n"), "line 2: null is no number"},
		"word for a number": {sealed(head, `{"kind":"point","step":1,"series":"train","values":[1,"big"]}`+"\n"), "line 2"},
		"unknown kind":      {sealed(head, `{"kind":"note","step":1}`+"\n"), `line 2: unknown kind "note"`},
		"points past end":   {sealed(head, `{"kind":"point","step":41,"series":"train","values":[1,2]}`+"\n"), "40 steps in all, but a point at step 41"},
		"steps backwards":   {sealed(head, `{"kind":"point","step":2,"series":"train","values":[1,2]}`+"\n", `{"kind":"point","step":1,"series":"train","values":[1,2]}`+"\n"), "line 3: step 1"},
		"two run lines":     {sealed(head, head), "line 2 has the kind"},
		"unknown scale":     {sealed(strings.Replace(head, `"quick"`, `"huge"`, 1)), `scale "huge"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			check(t, os.WriteFile(path, c.data, 0o666))
			_, err := Read(path)
			wantError(t, err, path, c.what)
		})
	}
	_, err = Read(filepath.Join(t.TempDir(), "none.jsonl"))
	wantError(t, err, "none.jsonl", "no such file")
}

func TestReadAllRefusesAMisplacedRecord(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "fig3", "copy500.paper.jsonl"))
	_, err := ReadAll(dir)
	wantError(t, err, "copy500.paper.jsonl", "it belongs at "+filepath.Join(dir, "fig3", "copy500.quick.jsonl"))
	_, err = ReadAll(filepath.Join(dir, "none"))
	wantError(t, err, "none", "no such file")
}

func TestReadAllPassesOverUnfinishedRecords(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(RecordPath(dir, testHeader()), testHeader(), false)
	check(t, err)
	check(t, w.Close())
	if all, err := ReadAll(dir); err != nil || len(all) != 0 {
		t.Errorf("%d records, %v", len(all), err)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	// Permissions do not stop root, but a file in a directory's place does.
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o666))
	path := filepath.Join(file, "r.jsonl")
	_, err := Create(path, testHeader(), false)
	wantError(t, err, path, "not a directory")

	if os.Getuid() != 0 {
		dir := t.TempDir()
		check(t, os.Chmod(dir, 0o555))
		path := filepath.Join(dir, "r.jsonl")
		_, err := Create(path, testHeader(), false)
		wantError(t, err, path, "permission denied")
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, testHeader(), false)
	check(t, err)
	check(t, w.Point(10, "train", []float64{1, 2}))
	check(t, w.Sync())
	w.file.Close()
	w.file = full // from here on, the disk is full
	wantError(t, w.Point(20, "train", []float64{1, 2}), path, "no space left on device")
	wantError(t, w.Finish(20, 1, nil), path, "no space left on device")
	check(t, w.Close())

	if _, err := os.Stat(path); err == nil {
		t.Error("half a record was put in place")
	}
	w, err = Resume(path, testHeader(), 10, false)
	check(t, err)
	check(t, w.Point(20, "train", []float64{1, 2}))
	check(t, w.Finish(20, 1, nil))
	r, err := Read(path)
	check(t, err)
	if len(r.Points) != 2 {
		t.Errorf("%d points after the disk had space again, want 2", len(r.Points))
	}
}
