package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/filesystem"
)

// A run that is stopped anywhere, and resumes from the checkpoint of any update before, ends with the same bytes as one
// that is not. What the trainer saved comes back.
func TestResumeEndsAsUninterrupted(t *testing.T) {
	for _, r := range []*Record{testRecord(), odd()} {
		r.Resumed = nil
		want := string(r.encode())
		for saved := 1; saved <= r.Updates; saved++ {
			path := Path(t.TempDir(), r.Header)
			for stopped := range 2 {
				w := check.Got(Open(path, r.Header))(t)
				n, d := w.Checkpoint()
				var state string
				if d != nil {
					check.OK(t, d.Decode(&state))
				}
				if n != stopped*saved || stopped > 0 && state != fmt.Sprint(n) ||
					Compare(&w.record, r.Until(n)) != nil {
					t.Fatalf("resumed from update %d with %q and %+v, want %d", n, state, w.record, saved)
				}
				grow(w, r, saved+stopped*r.Updates)
				if stopped > 0 {
					check.OK(t, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors))
					continue
				}
				check.OK(t, w.Save(saved, text(fmt.Sprint(saved))))
				so, n, err := ReadPartial(path)
				check.That(t, err == nil && n == saved && Compare(so, &w.record) == nil,
					"at update %d it is %+v at update %d, %v", saved, so, n, err)
				grow(w, r, saved+10) // what is not saved is done again
				check.OK(t, w.Close())
			}
			check.Equal(t, string(check.Read(t, path)), want, "the record of a run that was saved at update %d", saved)
			check.Entries(t, filepath.Dir(path), 1)
		}
	}
	if _, _, err := ReadPartial(testPath(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a checkpoint: %v", err)
	}
}

// A run that is killed before any of the changes that it makes to files resumes from the last checkpoint that was
// saved, or a later one, and ends with the same bytes as one that is not killed.
func TestKilledAtEveryChangeOfAFile(t *testing.T) {
	defer func() { filesystem.Step = nil }()
	r := testRecord()
	saved := 0
	// train ends a run, unless it is killed before that change to a file.
	train := func(path string, change int) (ended bool) {
		filesystem.Step = func(string) {
			if change--; change == 0 {
				panic("killed")
			}
		}
		w, err := Open(path, r.Header)
		if errors.Is(err, ErrExists) {
			check.Got(Read(path))(t).Tidy()
			return true
		}
		check.OK(t, err)
		defer func() {
			if recover() != nil {
				w.lock.Unlock() // as the system does at the end of a process
			}
		}()
		n, _ := w.Checkpoint()
		check.That(t, n >= saved, "resumed from update %d, though there was a checkpoint of update %d", n, saved)
		for _, update := range []int{0, 10, 35} {
			if update >= n {
				grow(w, r, update)
				check.OK(t, w.Save(update, text("")))
				saved = update
			}
		}
		check.OK(t, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors))
		return true
	}
	for change := 1; ; change++ {
		path := testPath(t)
		saved = 0
		undisturbed := train(path, change)
		check.That(t, train(path, 0), "it does not end")
		check.Equal(t, string(check.Read(t, path)), string(r.encode()), "killed before change %d, the record", change)
		check.Entries(t, filepath.Dir(path), 1)
		if undisturbed {
			check.That(t, change > 4*5, "it has only %d changes to kill it before", change) // of four files
			break
		}
	}
}

// A run says where it was resumed by another program or on another machine, once.
func TestResumeElsewhereIsRecorded(t *testing.T) {
	path, r, h := testPath(t), testRecord(), testHeader()
	for _, c := range []struct {
		commit, instructions, backend string
		to                            int // -1: killed before its first checkpoint
	}{
		{"abc", "", "go", 0}, // a checkpoint of no update holds nothing: the run starts in the next environment
		{"abc2", "", "go", 20}, {"def", "", "go", -1}, {"def", "", "go", -1}, {"def", "", "go", 30},
		{"def", "", "go", -1}, {"def", "avx2", "go:threads=3", 31}, // other threads are no other engine
		{"unknown", "avx2", "go", 32}, {"unknown", "avx2", "go", 34}, {"unknown", "avx2", "go", 35}, // may differ
	} {
		h.Commit, h.Instructions, h.Backend = c.commit, c.instructions, c.backend
		w := check.Got(Open(path, h))(t)
		if c.to >= 0 {
			grow(w, r, c.to)
			check.OK(t, w.Save(c.to, text("")))
		}
		if c.to == r.Updates {
			finish(t, w)
		}
		check.OK(t, w.Close())
	}
	got := check.Got(Read(path))(t)
	says := []string{got.Commit}
	for _, at := range got.Resumed {
		says = append(says, fmt.Sprint(at.Update, " ", at.Commit, " ", at.Instructions))
	}
	check.Equal(t, says, []string{"abc2", "20 def ", "30 def avx2", "31 unknown avx2", "32 unknown avx2",
		"34 unknown avx2"}, "resumptions")
	check.Equal(t, len(got.Points), len(r.Points), "points")
}

// savedAt20 leaves a checkpoint after update 20, and returns its bytes.
func savedAt20(t testing.TB, path string) []byte {
	t.Helper()
	w := begin(t, path)
	grow(w, testRecord(), 20)
	check.OK(t, w.Save(20, text("state")))
	check.OK(t, w.Close())
	return check.Read(t, CheckpointPath(path))
}

// Every prefix of a checkpoint, and every one with a byte changed, is rejected; and so is a whole one of another run.
// It stays as it is, and so does every other file.
func TestCheckpointIsRejected(t *testing.T) {
	path := testPath(t)
	whole := savedAt20(t, path)
	rejected := func(what string, data []byte) {
		t.Helper()
		if _, err := decodeCheckpoint(bytes.NewReader(data), true); err == nil {
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
	sparse := func() error { // which takes no space, but would not fit into memory
		return errors.Join(file(whole)(), os.Truncate(CheckpointPath(path), 200<<30))
	}
	other := func(update int, r *Record) func() error {
		return func() error { return writeCheckpoint(path, checkpoint{update, r.encode()}, text("")) }
	}
	at20 := testRecord().Until(20)
	for what, c := range map[string]struct {
		put    func() error
		change func(*Header)
	}{
		"cut":                {file(whole[:len(whole)-1]), unchanged},
		"large":              {sparse, unchanged},
		"a folder":           {func() error { return os.Mkdir(CheckpointPath(path), 0o777) }, unchanged},
		"another experiment": {file(whole), func(h *Header) { h.Experiment = []byte(`{"data":1}`) }},
		"another seed":       {file(whole), func(h *Header) { h.Trials[0].Seed++ }},
		"another engine":     {file(whole), func(h *Header) { h.Backend = "xla:cpu" }},
		"a point less":       {other(30, at20), unchanged},
		"a point more":       {other(19, at20), unchanged},
		"after the end":      {other(36, testRecord().Until(35)), unchanged},
		"an end":             {other(35, testRecord()), unchanged},
		"no record": {
			func() error { return writeCheckpoint(path, checkpoint{Update: 1}, text("")) }, unchanged,
		},
	} {
		check.OK(t, os.RemoveAll(CheckpointPath(path)))
		check.OK(t, c.put())
		before, err := os.Lstat(CheckpointPath(path))
		check.OK(t, err)
		h := testHeader()
		c.change(&h)
		_, err = Open(path, h)
		check.Rejected(t, what, err, path)
		check.That(t, Resumable(path, h) != nil, "%s is resumable", what)
		(&Record{Header: h, Path: path}).Tidy()
		if after, err := os.Lstat(CheckpointPath(path)); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: the checkpoint was replaced, %v", what, err)
		}
		check.Entries(t, filepath.Dir(path), 1)
	}
}

// What is not complete is not saved, and nothing is written once the record is closed. Files that are not the run's
// stay.
func TestNothingElseIsWritten(t *testing.T) {
	path := testPath(t)
	for _, name := range []string{"notes", "copy500.quick.jsonl.partial", "copy500.quick.jsonl.old"} {
		check.Write(t, filepath.Join(filepath.Dir(path), name), []byte(name))
	}
	w := begin(t, path)
	grow(w, testRecord(), 20)
	long := w.record.Experiment
	w.record.Experiment = fmt.Appendf(nil, `{"a":"%s"}`, bytes.Repeat([]byte("a"), maxBytes))
	check.Rejected(t, "a long one", w.Save(20, text("")), path)
	w.record.Experiment = long
	grow(w, testRecord(), 35)
	points := w.record.Points
	w.record.Points = slices.Clone(points)
	w.record.Points[2], w.record.Points[3] = points[3], points[2]
	check.Rejected(t, "one in another order", w.Finish(1, nil, nil), path)
	w.record.Points = points
	check.OK(t, w.Close())
	check.OK(t, w.Close())
	check.Rejected(t, "a closed one", w.Save(20, text("")), path)
	check.Entries(t, filepath.Dir(path), 3)
}

// A complete record stays as it is, also one that a program which knows nothing of the lock, like git, puts in place
// while it is trained. The checkpoint stays then, too.
func TestCompleteRecordIsNotOverwritten(t *testing.T) {
	path := testPath(t)
	w := begin(t, path)
	grow(w, testRecord(), 35)
	check.OK(t, w.Save(35, text("")))
	check.Write(t, path, []byte("a record"))
	finished := w.Finish(7, testRecord().End.Final, nil)
	check.OK(t, w.Close())
	_, opened := Open(path, testHeader())
	check.That(t, errors.Is(finished, ErrExists) && errors.Is(opened, ErrExists), "%v, %v", finished, opened)
	check.Equal(t, string(check.Read(t, path)), "a record", "the record in place")
	check.Entries(t, filepath.Dir(path), 2)
}

// One process has a record at a time. A run whose folder was deleted writes it anew, unless another process has begun
// the run meanwhile.
func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	path := Path(filepath.Join(dir, "a\nb"), testHeader())
	deleted := func() { t.Helper(); check.OK(t, os.RemoveAll(filepath.Join(dir, "a\nb"))) }
	busy := func(err error) {
		t.Helper()
		check.That(t, errors.Is(err, ErrBusy) && !strings.Contains(err.Error(), "\n"), "%v, want ErrBusy", err)
	}
	second := func() error { _, err := Open(path, testHeader()); return err }
	check.Write(t, lockPath(path), nil) // of the dead, which nobody holds
	w := begin(t, path)
	busy(second())
	deleted()
	grow(w, testRecord(), 35)
	check.OK(t, w.Save(35, text("state")))
	busy(second())
	deleted()
	finish(t, w)
	check.Got(Read(path))(t)
	check.Entries(t, filepath.Dir(path), 1)

	deleted()
	w = begin(t, path)
	deleted()
	other := begin(t, path)
	grow(w, testRecord(), 35)
	busy(w.Save(35, text("")))
	check.OK(t, w.Close())
	grow(other, testRecord(), 35)
	finish(t, other)
}
