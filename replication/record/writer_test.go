package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// A run that is stopped after any point, and resumes from the checkpoint of that update or of an earlier one, ends with
// the same bytes as one that is not. What the trainer saved comes back.
func TestResumeEndsAsUninterrupted(t *testing.T) {
	want := rewritten(t, testRecord())
	for saved, last := range testPoints {
		if next := saved + 1; next < len(testPoints) && testPoints[next].Update == last.Update {
			continue // the other point of that update is still to come
		}
		for stopped := saved + 1; stopped <= len(testPoints); stopped++ {
			path := testPath(t)
			w := begin(t, path)
			if n, state := w.Checkpoint(); n != 0 || state != nil {
				t.Fatalf("a new run resumes from update %d", n)
			}
			for i, p := range testPoints[:stopped] {
				check.OK(t, w.Point(p.Update, p.Series, p.Values))
				if i == saved {
					check.OK(t, w.Save(p.Update, fmt.Append(nil, p.Update)))
				}
			}
			check.OK(t, w.Close())
			w = begin(t, path)
			if n, state := w.Checkpoint(); n != last.Update || string(state) != fmt.Sprint(n) {
				t.Fatalf("resumed from update %d with %q, want %d", n, state, last.Update)
			}
			writePoints(t, w, last.Update)
			finish(t, w)
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("saved at update %d:\n%s\nwant\n%s", last.Update, got, want)
			}
			check.Entries(t, filepath.Dir(path), 1)
		}
	}
}

func TestResumeElsewhereIsRecorded(t *testing.T) {
	path := testPath(t)
	h := testHeader()
	resume := func() *Writer {
		t.Helper()
		w, err := Open(path, h)
		check.OK(t, err)
		return w
	}
	w := resume()
	for _, p := range testPoints[:3] {
		check.OK(t, w.Point(p.Update, p.Series, p.Values))
	}
	check.OK(t, w.Save(20, nil))
	check.OK(t, w.Close())
	h.Commit = "def"
	for range 2 { // killed again before the next checkpoint: said once
		check.OK(t, resume().Close())
	}
	w = resume()
	check.OK(t, w.Point(30, Train, testPoints[3].Values))
	check.OK(t, w.Save(30, nil))
	check.OK(t, w.Close())
	check.OK(t, resume().Close())                              // once more in the second environment: not said again
	h.Instructions, h.Backend = "avx2", h.Backend+":threads=3" // other threads are no other engine
	w = resume()
	writePoints(t, w, 30)
	finish(t, w)

	r, err := Read(path)
	check.OK(t, err)
	if n := r.Resumed; len(n) != 2 || n[0].Update != 20 || n[0].Commit != "def" || n[1].Update != 30 ||
		n[1].Instructions != "avx2" {
		t.Errorf("resumed: %+v", r.Resumed)
	}
	if r.Commit != "abc" || len(r.Points) != len(testPoints) {
		t.Errorf("commit %s, %d points", r.Commit, len(r.Points))
	}
	if so := r.Until(20); len(so.Points) != 3 || so.End != nil {
		t.Errorf("until update 20: %+v", so)
	}
}

// A checkpoint of no update holds nothing: the run starts in the environment that there is now.
func TestCheckpointOfNoUpdate(t *testing.T) {
	path := testPath(t)
	w := begin(t, path)
	check.OK(t, w.Save(0, []byte("state")))
	check.OK(t, w.Close())
	h := testHeader()
	h.Commit = "def"
	w, err := Open(path, h)
	check.OK(t, err)
	defer w.Close()
	if n, state := w.Checkpoint(); n != 0 || state != nil || w.Record().Resumed != nil || w.Record().Commit != "def" {
		t.Errorf("resumed: %d, %q, %+v", n, state, w.Record())
	}
}

// savedAt20 leaves a checkpoint after update 20, and returns its bytes.
func savedAt20(t testing.TB, path string) []byte {
	t.Helper()
	w := begin(t, path)
	for _, p := range testPoints[:3] {
		check.OK(t, w.Point(p.Update, p.Series, p.Values))
	}
	check.OK(t, w.Save(20, []byte("state")))
	check.OK(t, w.Close())
	data := check.Read(t, CheckpointPath(path))
	return data
}

func TestReadPartial(t *testing.T) {
	path := testPath(t)
	_, _, err := ReadPartial(path)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a checkpoint: %v", err)
	}
	savedAt20(t, path)
	if r, updates, err := ReadPartial(path); err != nil || r.End != nil || len(r.Points) != 3 || updates != 20 {
		t.Errorf("%+v, after %d updates, %v", r, updates, err)
	}
}

// Every prefix of a checkpoint, and every one with a byte changed, is rejected; and so is a whole one of another run.
// It stays as it is, and so does every other file.
func TestCheckpointIsRejected(t *testing.T) {
	path := testPath(t)
	whole := savedAt20(t, path)
	rejected := func(what string, data []byte) {
		t.Helper()
		if _, err := decodeCheckpoint(bytes.NewReader(data), int64(len(data)), true); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	for n := range whole {
		rejected(fmt.Sprintf("cut to %d bytes", n), whole[:n])
		damaged := slices.Clone(whole)
		damaged[n] ^= 1 << (n % 8)
		rejected(fmt.Sprintf("byte %d changed", n), damaged)
	}
	rejected("bytes behind it", append(slices.Clone(whole), '\n'))

	unchanged := func(*Header) {}
	file := func(data []byte) func() error {
		return func() error { return os.WriteFile(CheckpointPath(path), data, 0o666) }
	}
	const sparseSize = 200 << 30 // which takes no space, but would not fit into memory
	sparse := func(begin []byte) func() error {
		return func() error { return errors.Join(file(begin)(), os.Truncate(CheckpointPath(path), sparseSize)) }
	}
	other := func(c checkpoint) func() error { return func() error { return c.write(path) } }
	lines := rewritten(t, testRecord().Until(20))
	const asked = "is of another experiment, of other seeds or of another engine"
	for _, c := range []struct {
		what   string
		put    func() error
		change func(*Header)
	}{
		{"is damaged", file(whole[:len(whole)-1]), unchanged},
		{"is damaged", file(nil), unchanged},
		{"is damaged: it has 214748364800 bytes", sparse(whole), unchanged},
		{"and 214748364800 of state, want", sparse(fmt.Appendf(nil, checkpointLine, 20, 0, sparseSize)), unchanged},
		{"has 67108865 bytes of lines", file(fmt.Appendf(nil, checkpointLine, 20, maxBytes+1, 0)), unchanged},
		{"not a regular file", func() error { return os.Mkdir(CheckpointPath(path), 0o777) }, unchanged},
		{"not a regular file", func() error { return os.Symlink(path, CheckpointPath(path)) }, unchanged},
		{asked, file(whole), func(h *Header) { h.Experiment = []byte(`{"data":1}`) }},
		{asked, file(whole), func(h *Header) { h.Trials[0].Seed++ }},
		{asked, file(whole), func(h *Header) { h.Backend = "xla:cpu" }},
		{`lacks the point of "train" at update 30`, other(checkpoint{Update: 30, Lines: lines}), unchanged},
		{"has a line of update 20, after update 19", other(checkpoint{Update: 19, Lines: lines}), unchanged},
		{"is after update 36 of 35", other(checkpoint{Update: 36, Lines: lines}), unchanged},
		{"empty", other(checkpoint{Update: 1}), unchanged},
		{"is after update 35", other(checkpoint{Update: 35, Lines: rewritten(t, testRecord())}), unchanged},
	} {
		check.OK(t, os.RemoveAll(CheckpointPath(path)))
		check.OK(t, c.put())
		before, err := os.Lstat(CheckpointPath(path))
		check.OK(t, err)
		h := testHeader()
		c.change(&h)
		_, err = Open(path, h)
		wantError(t, err, path, c.what)
		if c.what == asked { // somebody may have trained it for days
			wantError(t, err, path, "ask for the same, or choose another directory")
		} else {
			wantError(t, err, path, "delete copy500.quick.jsonl.checkpoint to start over")
		}
		if again := Resumable(path, h); again == nil || !strings.HasSuffix(err.Error(), again.Error()) {
			t.Errorf("Open fails with %q, Resumable with %v", err, again)
		}
		if after, err := os.Lstat(CheckpointPath(path)); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: the checkpoint was replaced, %v", c.what, err)
		}
		check.Entries(t, filepath.Dir(path), 1)
	}
}

// Files that are not the run's stay.
func TestUnknownFilesStay(t *testing.T) {
	path := testPath(t)
	dir := filepath.Dir(path)
	check.OK(t, os.MkdirAll(dir, 0o777))
	for _, name := range []string{"notes", "copy500.quick.jsonl.partial", "copy500.quick.jsonl.old"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666))
	}
	savedAt20(t, path)
	w := begin(t, path)
	writePoints(t, w, 20)
	finish(t, w)
	check.Entries(t, dir, 4)
}

func TestCompleteRecordIsNotOverwritten(t *testing.T) {
	path := testPath(t)
	savedAt20(t, path)
	checkpoint := check.Read(t, CheckpointPath(path))
	w := begin(t, path)
	writePoints(t, w, 20)
	finish(t, w)
	before := check.Read(t, path)
	// The process died before it could remove them.
	check.OK(t, os.WriteFile(CheckpointPath(path), checkpoint, 0o666))
	check.OK(t, os.WriteFile(lockPath(path), nil, 0o666))
	_, err := Open(path, testHeader())
	wantError(t, err, path, "already there")
	if !errors.Is(err, ErrExists) {
		t.Errorf("%v is not ErrExists", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the complete record was changed")
	}
	check.Entries(t, filepath.Dir(path), 1)
}

// A program that knows nothing of the lock, like git, has put a record in place.
func TestFinishFindsARecordInItsPlace(t *testing.T) {
	data := rewritten(t, testRecord())
	other := testRecord()
	other.End.Seconds, other.End.Final["accuracy"] = 2, Values{1, 1}
	for _, c := range []struct {
		there []byte
		fails bool
	}{{data, false}, {rewritten(t, other), true}, {data[:100], true}} {
		path := testPath(t)
		w := begin(t, path)
		writePoints(t, w, 0)
		check.OK(t, w.Save(35, nil))
		check.OK(t, os.WriteFile(path, c.there, 0o666))
		err := w.Finish(1.5, testFinal, testVectors)
		check.OK(t, w.Close())
		if !c.fails {
			check.OK(t, err)
			continue
		}
		wantError(t, err, path, "already there")
		if got, _ := os.ReadFile(path); !bytes.Equal(got, c.there) {
			t.Error("the record in place was changed")
		}
		if _, err := os.Stat(CheckpointPath(path)); err != nil {
			t.Errorf("the refused record is lost: %v", err)
		}
	}
}

func TestOneWriterAtATime(t *testing.T) {
	path := testPath(t)
	w := begin(t, path)
	_, err := Open(path, testHeader())
	if !errors.Is(err, ErrBusy) {
		t.Errorf("second Open: %v", err)
	}
	wantError(t, err, path, "another process is writing it")
	check.OK(t, w.Close())
	check.OK(t, w.Close())
	check.OK(t, os.WriteFile(lockPath(path), nil, 0o666)) // of the dead, which nobody holds
	write(t, path)
}

// A run whose folder was deleted writes it anew, unless another process has begun the run meanwhile.
func TestDeletedFolder(t *testing.T) {
	dir := t.TempDir()
	path := Path(filepath.Join(dir, "out"), testHeader())
	deleted := func() { t.Helper(); check.OK(t, os.RemoveAll(filepath.Join(dir, "out"))) }
	w := begin(t, path)
	deleted()
	writePoints(t, w, 0)
	check.OK(t, w.Save(35, []byte("state")))
	_, err := Open(path, testHeader())
	if !errors.Is(err, ErrBusy) {
		t.Errorf("a second process: %v, want ErrBusy", err)
	}
	deleted()
	finish(t, w)
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
	check.Entries(t, filepath.Dir(path), 1)

	deleted()
	w = begin(t, path)
	deleted()
	other := begin(t, path)
	writePoints(t, w, 0)
	if err := w.Save(35, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("where another has begun: %v, want ErrBusy", err)
	}
	check.OK(t, w.Close())
	writePoints(t, other, 0)
	finish(t, other)
}

func TestWriterRefuses(t *testing.T) {
	type call = func(*Writer) error
	point := func(update int, series string) call {
		return func(w *Writer) error { return w.Point(update, series, []float64{1, 2}) }
	}
	diverged := func(update, trial int) call {
		return func(w *Writer) error { return w.Diverged(update, trial, [2]float64{1, 2}) }
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
		{`"train" at update 10, but the next is due at 20`, []call{point(10, Train), point(10, Train)}},
		{`"train" at update 10 after one at update 20`, []call{point(20, "valid"), point(10, Train)}},
		{`"valid" at update 40 after the last`, []call{all, point(40, "valid")}},
		{"series that the header does not have", []call{point(10, "test")}},
		{`lacks the point of "train" at update 10`, []call{finish(1, nil, nil)}},
		{`lacks the point of "train" at update 10`, []call{func(w *Writer) error { return w.Save(10, nil) }}},
		{"trial 2 of 2", []call{diverged(3, 2)}},
		{"at update 36 of 35", []call{diverged(36, 1)}},
		{"update 14 and at update", []call{diverged(14, 1), diverged(15, 1)}},
		{"at update 13 of 35, after what is said of update 14", []call{diverged(14, 1), diverged(13, 0)}},
		{"after what is said of update 10", []call{point(10, Train), diverged(10, 1)}},
		{"a loss of trial 1 at update 10, but its curve stops at update 4", []call{diverged(4, 1), point(10, Train)}},
		{"took NaN seconds", []call{all, finish(math.NaN(), nil, nil)}},
		{`final "loss" is not the last point`, []call{all, finish(1, map[string]Values{"loss": {1, 2}}, nil)}},
		{`final "b" has vectors of 1 and of 0`, []call{all, finish(1, nil, map[string][]Values{"b": {{1}, {}}})}},
		{"closed", []call{(*Writer).Close, point(10, Train)}},
		{"longer than 67108864 bytes", []call{
			func(w *Writer) error { w.lines = make([]byte, maxBytes-10); return nil }, point(10, Train),
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			path := testPath(t)
			w := begin(t, path)
			var err error
			for _, do := range c.do {
				check.OK(t, err)
				err = do(w)
			}
			wantError(t, err, path, c.what)
			wantError(t, w.Save(10, nil), path, c.what) // the error stays
			wantError(t, w.Finish(1, nil, nil), path, c.what)
			if _, err := os.Stat(path); err == nil {
				t.Error("a record of a failed run was put in place")
			}
		})
	}
}

func TestUnwritableDirectory(t *testing.T) {
	// Permissions do not stop root, but a file in a directory's place does.
	file := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(file, nil, 0o666))
	path := Path(file, testHeader())
	_, err := Open(path, testHeader())
	wantError(t, err, path, "not a directory")

	if os.Getuid() != 0 {
		dir := t.TempDir()
		check.OK(t, os.Chmod(dir, 0o555))
		path := Path(dir, testHeader())
		_, err := Open(path, testHeader())
		wantError(t, err, path, "permission denied")
	}
}
