package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A testCheckpoint is what a trainer keeps of a record.
type testCheckpoint struct {
	update int
	length int64
	sum    string
}

// checkpoints returns what a trainer would keep at each checkpoint of the test's run, and the whole record.
func checkpoints(t *testing.T) ([]testCheckpoint, []byte) {
	t.Helper()
	path := testPath(t)
	w := begin(t, path)
	var saved []testCheckpoint
	save := func(update int) {
		check(t, w.Sync())
		length, sum := w.Prefix()
		saved = append(saved, testCheckpoint{update, length, sum})
	}
	save(0)
	for i, p := range testPoints {
		check(t, w.Point(p.Update, p.Series, p.Values))
		if i == len(testPoints)-1 || testPoints[i+1].Update > p.Update {
			save(p.Update)
		}
	}
	finish(t, w)
	data, err := os.ReadFile(path)
	check(t, err)
	return saved, data
}

// unsynced is the files of the system without waiting for the disk, for tests of thousands of runs.
type unsynced struct{ disk }

type unsyncedFile struct{ file }

func (u unsynced) Open(path string) (file, error) {
	f, err := u.disk.Open(path)
	return unsyncedFile{f}, err
}

func (unsynced) SyncDir(string) error { return nil }

func (unsyncedFile) Sync() error { return nil }

// A run that is killed at any byte and resumed at any checkpoint ends with the same bytes as one that is not.
func TestResumeEndsAsUninterrupted(t *testing.T) {
	saved, want := checkpoints(t)
	path := testPath(t)
	for size := range len(want) + 1 {
		for i, c := range saved {
			last := i == len(saved)-1 || int64(size) < saved[i+1].length
			if !last && size%10 > 0 { // earlier checkpoints are all alike
				continue
			}
			check(t, os.MkdirAll(filepath.Dir(path), 0o777))
			check(t, os.WriteFile(PartialPath(path), want[:size], 0o666))
			w, err := open(unsynced{}, path, testHeader())
			check(t, err)
			err = w.ResumeAt(c.update, c.length, c.sum)
			if int64(size) < c.length {
				wantError(t, err, path, "truncated")
				check(t, w.Close())
				continue
			}
			check(t, err)
			writePoints(t, w, c.update)
			finish(t, w)
			got, err := os.ReadFile(path)
			check(t, err)
			if !bytes.Equal(got, want) {
				t.Fatalf("killed at byte %d, resumed at update %d:\n%s\nwant\n%s", size, c.update, got, want)
			}
			check(t, os.Remove(path))
		}
	}
}

func TestResumeElsewhereIsRecorded(t *testing.T) {
	path := testPath(t)
	saved, whole := checkpoints(t)
	check(t, WriteFile(PartialPath(path), whole[:saved[4].length]))

	h := testHeader()
	resume := func(c testCheckpoint) *Writer {
		t.Helper()
		w, err := Open(path, h)
		check(t, err)
		check(t, w.ResumeAt(c.update, c.length, c.sum))
		return w
	}
	h.Commit = "def"
	for range 2 { // killed again before the next checkpoint: said once
		check(t, resume(saved[2]).Close())
	}
	w := resume(saved[2])
	check(t, w.Point(30, Train, testPoints[3].Values))
	length, sum := w.Prefix()
	check(t, w.Close())
	check(t, resume(testCheckpoint{30, length, sum}).Close()) // once more in the second environment: not said again
	h.Instructions = "avx2"
	w = resume(testCheckpoint{30, length, sum})
	writePoints(t, w, 30)
	finish(t, w)

	r, err := Read(path)
	check(t, err)
	if n := r.Resumed; len(n) != 2 || n[0].Update != 20 || n[0].Commit != "def" || n[1].Update != 30 ||
		n[1].Instructions != "avx2" {
		t.Errorf("resumed: %+v", r.Resumed)
	}
	if r.Commit != "abc" || len(r.Points) != len(testPoints) {
		t.Errorf("commit %s, %d points", r.Commit, len(r.Points))
	}
}

func TestResumeRefuses(t *testing.T) {
	saved, whole := checkpoints(t)
	at := saved[2] // update 20
	flipped := bytes.Clone(whole)
	flipped[100] ^= 1
	unchanged := func(*Header) {}
	for _, c := range []struct {
		what   string
		data   []byte
		at     testCheckpoint
		change func(*Header)
	}{
		{"another experiment or backend", whole, at,
			func(h *Header) { h.Experiment = []byte(`{"data":{"is":"a>b"}}`) }},
		{"another experiment or backend", whole, at, func(h *Header) { h.Trials[0].Seed++ }},
		{"another experiment or backend", whole, at, func(h *Header) { h.Window = 35 }},
		{"another experiment or backend", whole, at, func(h *Header) { h.Backend = "xla:cpu" }},
		{"truncated: it has 100 bytes", whole[:100], at, unchanged},
		{"edited", flipped, at, unchanged},
		{"edited", whole, testCheckpoint{20, at.length, saved[1].sum}, unchanged},
		{"edited", whole, testCheckpoint{20, at.length - 1, at.sum}, unchanged},
		{"truncated", whole, testCheckpoint{20, math.MaxInt64, at.sum}, unchanged},
		{"truncated", whole, testCheckpoint{20, -1, at.sum}, unchanged},
		{`lacks the point of "train" at update 30`, whole, testCheckpoint{30, at.length, at.sum}, unchanged},
		{"has a line of update 20, after update 19", whole, testCheckpoint{19, at.length, at.sum}, unchanged},
		{"checkpoint at update 36 of 35", whole, testCheckpoint{36, at.length, at.sum}, unchanged},
		{"checkpoint at update -1 of 35", whole, testCheckpoint{-1, at.length, at.sum}, unchanged},
		{"empty", whole, testCheckpoint{0, 0, sumOf(nil)}, unchanged},
		{"end line", whole, testCheckpoint{35, int64(len(whole)), sumOf(whole)}, unchanged},
	} {
		h := testHeader()
		c.change(&h)
		path := Path(t.TempDir(), h)
		check(t, WriteFile(PartialPath(path), c.data))
		w, err := Open(path, h)
		check(t, err)
		wantError(t, w.ResumeAt(c.at.update, c.at.length, c.at.sum), path, c.what)
		wantError(t, w.Start(), path, c.what) // the error stays
		check(t, w.Close())
		if after, err := os.ReadFile(PartialPath(path)); err != nil || !bytes.Equal(after, c.data) {
			t.Errorf("%s: the record was changed", c.what)
		}
	}
	path := testPath(t)
	w, err := Open(path, testHeader())
	check(t, err)
	defer w.Close()
	if err := w.ResumeAt(0, 0, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resuming what is not there: %v", err)
	}
}

// sumOf returns a checksum as Prefix does.
func sumOf(data []byte) string {
	w := Writer{sum: sha256.New()}
	w.sum.Write(data)
	_, sum := w.Prefix()
	return sum
}

func TestStartThrowsAnUnfinishedRecordAway(t *testing.T) {
	path := testPath(t)
	_, want := checkpoints(t)
	w := begin(t, path)
	writePoints(t, w, 0)
	check(t, w.Close())
	write(t, path)
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestCompleteRecordIsNotOverwritten(t *testing.T) {
	path := testPath(t)
	write(t, path)
	before, err := os.ReadFile(path)
	check(t, err)
	_, err = Open(path, testHeader())
	wantError(t, err, path, "already there")
	if !errors.Is(err, ErrExists) {
		t.Errorf("%v is not ErrExists", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the complete record was changed")
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

// A program that knows nothing of the lock, like git, has put a record in place.
func TestFinishFindsARecordInItsPlace(t *testing.T) {
	path := testPath(t)
	_, data := checkpoints(t)

	w := begin(t, path)
	writePoints(t, w, 0)
	check(t, os.WriteFile(path, data, 0o666))
	finish(t, w) // the same content: nothing is lost
	if _, err := os.Stat(PartialPath(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the .partial is still there: %v", err)
	}

	check(t, os.Remove(path))
	w = begin(t, path)
	writePoints(t, w, 0)
	check(t, os.WriteFile(path, data, 0o666))
	wantError(t, w.Finish(1, map[string]Values{"loss": {0, 0}}, nil), path, "already there")
	if got, _ := os.ReadFile(path); !bytes.Equal(got, data) {
		t.Error("the record in place was changed")
	}
	if _, err := os.Stat(PartialPath(path)); err != nil {
		t.Errorf("the refused record is lost: %v", err)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	path := testPath(t)
	w := begin(t, path)
	check(t, w.Point(10, Train, []float64{1, 2}))
	_, err := Open(path, testHeader())
	if !errors.Is(err, ErrBusy) {
		t.Errorf("second Open: %v", err)
	}
	wantError(t, err, path, "another process is writing it")
	if r, err := ReadPartial(path); err != nil || len(r.Points) != 1 {
		t.Errorf("the first writer's record suffered: %v", err)
	}
	check(t, w.Close())
	check(t, w.Close())
	write(t, path) // free again
}

// A process that was killed leaves its lock file, which nobody holds.
func TestLockFileOfTheDead(t *testing.T) {
	path := testPath(t)
	check(t, WriteFile(lockPath(path), nil))
	write(t, path)
	if _, err := os.Stat(lockPath(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock file is still there: %v", err)
	}
}

// Processes that take a run from each other at its checkpoints, as when one is started while another is being
// interrupted, end with the record of one that did it alone. (The first version wrote incomplete records, and truncated
// complete ones.)
func TestHandover(t *testing.T) {
	_, want := checkpoints(t)
	const workers, runs = 4, 100
	for range runs {
		path := testPath(t)
		var finished atomic.Int32
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					done, err := turn(path)
					if err == nil && done {
						finished.Add(1)
					}
					if errors.Is(err, ErrExists) {
						return
					}
					if err != nil && !errors.Is(err, ErrBusy) {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		got, err := os.ReadFile(path)
		check(t, err)
		if !bytes.Equal(got, want) {
			t.Fatalf("the record is\n%s\nwant\n%s", got, want)
		}
		if finished.Load() != 1 {
			t.Fatalf("finished %d times", finished.Load())
		}
	}
}

// turn does a part of the test's run: it reads the checkpoint beside the record, goes on from there, and saves a
// checkpoint, stops without one, or finishes.
func turn(path string) (done bool, err error) {
	w, err := open(unsynced{}, path, testHeader())
	if err != nil {
		return false, err
	}
	defer w.Close()
	c := testCheckpoint{}
	if data, err := os.ReadFile(path + ".checkpoint"); errors.Is(err, fs.ErrNotExist) {
		if err := w.Start(); err != nil {
			return false, err
		}
	} else if err != nil {
		return false, err
	} else {
		fields := strings.Fields(string(data))
		c.update, _ = strconv.Atoi(fields[0])
		c.length, _ = strconv.ParseInt(fields[1], 10, 64)
		if err := w.ResumeAt(c.update, c.length, fields[2]); err != nil {
			return false, err
		}
	}
	for i, p := range testPoints {
		if p.Update <= c.update {
			continue
		}
		if err := w.Point(p.Update, p.Series, p.Values); err != nil {
			return false, err
		}
		between := i < len(testPoints)-1 && testPoints[i+1].Update > p.Update
		if between && rand.IntN(2) == 0 {
			if rand.IntN(2) == 0 {
				return false, nil // killed
			}
			if err := w.Sync(); err != nil {
				return false, err
			}
			length, sum := w.Prefix()
			return false, os.WriteFile(path+".checkpoint", fmt.Appendln(nil, p.Update, length, sum), 0o666)
		}
	}
	return true, w.Finish(1.5, testFinal, testVectors)
}

func TestWriterRefuses(t *testing.T) {
	type call = func(*Writer) error
	point := func(update int, series string) call {
		return func(w *Writer) error { return w.Point(update, series, []float64{1, 2}) }
	}
	all := func(w *Writer) error {
		for _, p := range testPoints {
			w.Point(p.Update, p.Series, p.Values)
		}
		return nil
	}
	finish := func(seconds float64, final map[string]Values, vectors map[string][]Values) call {
		return func(w *Writer) error { return w.Finish(seconds, final, vectors) }
	}
	for _, c := range []struct {
		what string
		do   []call // the last fails
	}{
		{"1 values for 2 trials", []call{func(w *Writer) error { return w.Point(10, Train, []float64{1}) }}},
		{`"train" at update 20, but the next is due at 10`, []call{point(20, Train)}},
		{`"train" at update 10, but the next is due at 20`, []call{point(10, Train), point(10, Train)}},
		{`"train" at update 0,`, []call{point(0, Train)}},
		{`"train" at update 35, but the next is due at 30`, []call{
			point(10, Train), point(20, Train), point(35, Train),
		}},
		{`"train" at update 10 after one at update 20`, []call{point(20, "valid"), point(10, Train)}},
		{`"valid" at update 40 after the last`, []call{all, point(40, "valid")}},
		{`"train" at update 36 after the last`, []call{all, point(36, Train)}},
		{"series that the header does not have", []call{point(10, "test")}},
		{"series that the header does not have", []call{point(10, "")}},
		{`lacks the point of "train" at update 10`, []call{finish(1, nil, nil)}},
		{`lacks the point of "valid" at update 20`, []call{
			point(10, Train), point(20, Train), point(30, Train), point(35, Train), finish(1, nil, nil),
		}},
		{"took NaN seconds", []call{all, finish(math.NaN(), nil, nil)}},
		{"final loss has 3 values", []call{all, finish(1, map[string]Values{"loss": {1, 2, 3}}, nil)}},
		{"final b has 1 vectors", []call{all, finish(1, nil, map[string][]Values{"b": {{1}}})}},
		{"final b has vectors of 1 and of 0", []call{all, finish(1, nil, map[string][]Values{"b": {{1}, {}}})}},
		{"started or resumed twice", []call{(*Writer).Start}},
		{"started or resumed twice", []call{func(w *Writer) error { return w.ResumeAt(0, 0, "") }}},
		{"closed", []call{(*Writer).Close, point(10, Train)}},
		{"longer than 67108864 bytes", []call{
			func(w *Writer) error { w.length = maxBytes - 10; return nil }, point(10, Train),
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			path := testPath(t)
			w := begin(t, path)
			var err error
			for _, do := range c.do {
				check(t, err)
				err = do(w)
			}
			wantError(t, err, path, c.what)
			wantError(t, w.Sync(), path, c.what) // the error stays
			wantError(t, w.Finish(1, nil, nil), path, c.what)
			if _, err := os.Stat(path); err == nil {
				t.Error("a record of a failed run was put in place")
			}
		})
	}
	path := testPath(t)
	w, err := Open(path, testHeader())
	check(t, err)
	defer w.Close()
	wantError(t, w.Point(10, Train, []float64{1, 2}), path, "neither started nor resumed")
}

func TestUnwritableDirectory(t *testing.T) {
	// Permissions do not stop root, but a file in a directory's place does.
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o666))
	path := Path(file, testHeader())
	_, err := Open(path, testHeader())
	wantError(t, err, path, "not a directory")

	if os.Getuid() != 0 {
		dir := t.TempDir()
		check(t, os.Chmod(dir, 0o555))
		path := Path(dir, testHeader())
		_, err := Open(path, testHeader())
		wantError(t, err, path, "permission denied")
	}
}
