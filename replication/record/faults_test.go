package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// faulty is the files of the system, with something happening before each operation. If before returns an error, the
// operation fails with it; a write that fails has written half of its data.
type faulty struct {
	unsynced
	before func() error
	locks  []lock // the real ones, to be let go when the process "dies"
}

type faultyFile struct {
	file
	before func() error
}

type faultyLock struct {
	lock
	before func() error
}

func (f *faulty) MkdirAll(dir string) error {
	if err := f.before(); err != nil {
		return err
	}
	return f.unsynced.MkdirAll(dir)
}

func (f *faulty) Lock(path string) (lock, error) {
	if err := f.before(); err != nil {
		return nil, err
	}
	l, err := f.unsynced.Lock(path)
	if err != nil {
		return nil, err
	}
	f.locks = append(f.locks, l)
	return faultyLock{l, f.before}, nil
}

func (f *faulty) Exists(path string) (bool, error) {
	if err := f.before(); err != nil {
		return false, err
	}
	return f.unsynced.Exists(path)
}

func (f *faulty) Read(path string) (*Record, error) {
	if err := f.before(); err != nil {
		return nil, err
	}
	return f.unsynced.Read(path)
}

func (f *faulty) ReadFile(path string) ([]byte, error) {
	if err := f.before(); err != nil {
		return nil, err
	}
	return f.unsynced.ReadFile(path)
}

func (f *faulty) Open(path string) (file, error) {
	if err := f.before(); err != nil {
		return nil, err
	}
	opened, err := f.unsynced.Open(path)
	return faultyFile{opened, f.before}, err
}

func (f *faulty) Rename(from, to string) error {
	if err := f.before(); err != nil {
		return err
	}
	return f.unsynced.Rename(from, to)
}

func (f *faulty) Remove(path string) error {
	if err := f.before(); err != nil {
		return err
	}
	return f.unsynced.Remove(path)
}

func (f *faulty) SyncDir(dir string) error {
	if err := f.before(); err != nil {
		return err
	}
	return f.unsynced.SyncDir(dir)
}

func (f faultyFile) Write(data []byte) (int, error) {
	if err := f.before(); err != nil {
		n, _ := f.file.Write(data[:len(data)/2])
		return n, err
	}
	return f.file.Write(data)
}

func (f faultyFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.before(); err != nil {
		return 0, err
	}
	return f.file.Seek(offset, whence)
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.before(); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f faultyFile) Sync() error {
	if err := f.before(); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f faultyFile) Close() error {
	f.file.Close() // else the test would leak files
	return f.before()
}

func (l faultyLock) Unlock() error {
	if err := l.before(); err != nil {
		return err
	}
	return l.lock.Unlock()
}

// resumeRun goes on with the test's run from a checkpoint and finishes it.
func resumeRun(f files, path string, c testCheckpoint) error {
	w, err := open(f, path, testHeader())
	if err != nil {
		return err
	}
	defer w.Close()
	if c.update == 0 {
		err = w.Start()
	} else {
		err = w.ResumeAt(c.update, c.length, c.sum)
	}
	if err != nil {
		return err
	}
	for _, p := range testPoints {
		if p.Update > c.update {
			if err := w.Point(p.Update, p.Series, p.Values); err != nil {
				return err
			}
		}
	}
	return w.Finish(1.5, testFinal, testVectors)
}

var errInjected = errors.New("injected")

// At every file operation of a run, new or resumed: it fails; or the process dies, so that all later ones fail too; or
// another process comes and tries to do the same run. There is then no record or the right one, every error is the one
// to be expected, and who comes next ends with the right record.
func TestEveryFileOperation(t *testing.T) {
	saved, want := checkpoints(t)
	junk := make([]byte, 2*len(want)) // a crashed machine may leave what was never written
	for _, from := range []testCheckpoint{saved[0], saved[2]} {
		for _, what := range []string{"fails", "dies", "intruder"} {
			operations := 0
			for at := 0; ; at++ {
				path := testPath(t)
				check(t, os.MkdirAll(filepath.Dir(path), 0o777))
				check(t, os.WriteFile(PartialPath(path), append(want[:saved[3].length:saved[3].length], junk...),
					0o666))
				f := &faulty{}
				n := -1
				f.before = func() error {
					n++
					switch {
					case n == at && what == "intruder":
						if err := resumeRun(unsynced{}, path, from); err != nil && !errors.Is(err, ErrBusy) &&
							!errors.Is(err, ErrExists) {
							t.Errorf("at operation %d the intruder: %v", at, err)
						}
					case n == at && what == "fails", n >= at && what == "dies":
						return errInjected
					}
					return nil
				}
				err := resumeRun(f, path, from)
				if n < at {
					operations = n + 1
					break
				}
				expected := errInjected
				if what == "intruder" {
					expected = ErrExists
				}
				if err != nil && !errors.Is(err, expected) {
					t.Errorf("%s at operation %d: %v", what, at, err)
				}
				data, readError := os.ReadFile(path)
				if readError == nil && !bytes.Equal(data, want) {
					t.Errorf("%s at operation %d: the record is\n%s", what, at, data)
				}
				if err == nil && readError != nil {
					t.Errorf("%s at operation %d: no error and no record", what, at)
				}
				for _, l := range f.locks {
					l.Unlock() // as the system does
				}
				if readError != nil {
					check(t, resumeRun(unsynced{}, path, from))
					data, err := os.ReadFile(path)
					check(t, err)
					if !bytes.Equal(data, want) {
						t.Errorf("after it %s at operation %d, the record is\n%s", what, at, data)
					}
				}
				if _, err := os.Stat(PartialPath(path)); err == nil {
					t.Errorf("%s at operation %d: the partial record stays", what, at)
				}
			}
			if operations < 10 {
				t.Errorf("%d operations: the test is no test", operations)
			}
		}
	}
}

// failingDir is the files of a disk that fails where a directory is synced.
type failingDir struct{ unsynced }

func (failingDir) SyncDir(string) error { return errInjected }

// A disk that fails after the record has been moved is no success, since a crash could undo the move; but the record is
// there.
func TestFailingDirectory(t *testing.T) {
	_, want := checkpoints(t)
	path := testPath(t)
	if err := resumeRun(failingDir{}, path, testCheckpoint{}); !errors.Is(err, errInjected) {
		t.Errorf("%v, want the disk's error", err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, want) {
		t.Errorf("the record is\n%s, %v", data, err)
	}
}
