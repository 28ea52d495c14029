package record

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/warptime/warptime/replication/filesystem"
)

// ErrExists is returned, wrapped, by Open and Writer.Finish where a complete record already lies in the way.
var ErrExists = errors.New("a complete record is already there")

// ErrBusy is returned, wrapped, by Open where another process is writing the same record, and by Writer.Save where one
// has begun it meanwhile.
var ErrBusy = filesystem.ErrLocked

// A Writer keeps a run's record, locked, while it trains: Save writes a checkpoint, Finish the record. Points are added
// to its Record. It is not safe for concurrent use.
type Writer struct {
	path   string
	lock   *flock.Flock // nil once it is closed
	record Record       // so far
	loaded saved        // what it resumes from
}

// Open locks the record that will lie at path for this process, until Close or Finish, and makes path's directories. It
// resumes from the checkpoint beside it, or starts a new record if there is none. If the environment of a resumed run
// differs, the record says so from here on.
//
// The path is the one that Path gives for the header, in some directory: ReadAll rejects a record in another place.
// Open fails with ErrBusy if another process has the record, and with ErrExists if it is complete. It also fails, and
// changes nothing, if the checkpoint is damaged, of a version of this program that stored it differently, or of another
// experiment or backend, unless that had done no update yet.
func Open(path string, h Header) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, recordError(path, err)
	}
	w := &Writer{path: path}
	err := w.hold()
	if err == nil {
		err = w.begin(h)
	}
	if err != nil {
		w.Close()
		return nil, recordError(path, err)
	}
	return w, nil
}

// hold makes the record's directories and takes its lock, unless it has both. Whoever deletes a folder in which a run
// trains loses nothing that the run has in memory.
func (w *Writer) hold() error {
	if w.lock != nil && filesystem.Holds(w.lock) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return err
	}
	lock, err := filesystem.Lock(lockPath(w.path))
	if err != nil {
		return err
	}
	if w.lock != nil {
		w.lock.Unlock() // of a file that is gone
	}
	w.lock = lock
	return nil
}

// lockPath is an empty file beside the record, there only while a process writes the record, or if one was killed while
// it did.
func lockPath(path string) string { return path + ".lock" }

// begin reads the checkpoint, or starts anew.
func (w *Writer) begin(h Header) error {
	if _, err := os.Lstat(w.path); err == nil {
		return ErrExists
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s, err := resumable(w.path, h)
	if err != nil {
		return err
	}
	if s == nil {
		w.record.Header = h
		return nil
	}
	w.record, w.loaded = *s.record, *s
	environment := s.record.Environment
	if n := len(s.record.Resumed); n > 0 {
		environment = s.record.Resumed[n-1].Environment
	}
	if !h.Traceable() || !bytes.Equal(mustJSON(environment), mustJSON(h.Environment)) {
		// Programs of no commit may differ, though both are "unknown".
		w.record.Resumed = append(w.record.Resumed, Resumed{s.update, h.Environment})
	}
	return nil
}

// Resumable returns nil if a run can begin at path, or resume from the checkpoint that is there, and the error of Open
// if it cannot resume.
func Resumable(path string, h Header) error {
	_, err := resumable(path, h)
	return err
}

// resumable reads the checkpoint that a run resumes from; nil if there is none, or nothing is done yet.
func resumable(path string, h Header) (*saved, error) {
	s, err := readCheckpoint(path, true)
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.update == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !s.record.SameExperiment(h) || s.record.Engine() != h.Engine() {
		return nil, fmt.Errorf("its checkpoint is of another experiment, of other seeds or of another engine: it was "+
			"trained on %s; ask for the same, or choose another directory", s.record.Backend)
	}
	return s, nil
}

// Checkpoint returns what the checkpoint holds that Open resumed from: the updates done by then, and what Save's state
// encoded; 0 and nil if it started a new record.
func (w *Writer) Checkpoint() (update int, state *gob.Decoder) {
	return w.loaded.update, w.loaded.state
}

// Record returns the record so far, for its points and divergences to be added in the order of their updates, each as
// it is due. Save and Finish check that.
func (w *Writer) Record() *Record { return &w.record }

// Save replaces the checkpoint by one of the record so far, after this number of updates, and of what state encodes:
// what the trainer needs besides. When it returns without an error, the checkpoint is on the disk. After an error, the
// last one stays as it is.
func (w *Writer) Save(update int, state func(*gob.Encoder) error) error {
	lines, err := w.lines(update)
	if err == nil {
		err = writeCheckpoint(w.path, checkpoint{update, lines}, state)
	}
	return recordError(w.path, err)
}

// lines returns those of the record, under its lock, if it is complete up to an update.
func (w *Writer) lines(update int) ([]byte, error) {
	if w.lock == nil {
		return nil, errors.New("closed")
	}
	if err := cmp.Or(w.hold(), w.record.check(update)); err != nil {
		return nil, err
	}
	lines := w.record.encode()
	if len(lines) > maxBytes {
		return nil, fmt.Errorf("longer than %d bytes", maxBytes)
	}
	return lines, nil
}

// Finish completes the record with how long it took and its results, [R] or [R][n] each, and writes it: a reader finds
// the whole record or none. A record that lacks a point which its header asks for is not finished.
//
// A file that has come to lie in the place meanwhile (only a program that ignores the lock can put it there) is left
// alone, with ErrExists.
func (w *Writer) Finish(seconds float64, final map[string]Values, vectors map[string][]Values) error {
	w.record.End = &End{Updates: w.record.Updates, Seconds: seconds, Final: final, Vectors: vectors}
	lines, err := w.lines(w.record.Updates)
	if _, missing := os.Lstat(w.path); err == nil && missing == nil {
		err = ErrExists
	}
	if err == nil {
		err = filesystem.Replace(w.path, lines, 0)
	}
	if err == nil {
		err = filesystem.Remove(CheckpointPath(w.path))
	}
	if err != nil {
		return recordError(w.path, err)
	}
	return w.Close()
}

// Tidy removes the run's checkpoint and lock from beside a complete record, where a process was killed between writing
// the one and removing the others. A checkpoint of another run stays.
func (r *Record) Tidy() {
	if Resumable(r.Path, r.Header) == nil {
		filesystem.Remove(CheckpointPath(r.Path))
	}
	filesystem.Remove(lockPath(r.Path))
}

// Close unlocks the record, for this or another process to open. Closing twice does no harm.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	var err error
	if filesystem.Holds(w.lock) {
		err = filesystem.Remove(lockPath(w.path))
	}
	err = cmp.Or(err, w.lock.Unlock())
	w.lock = nil
	return recordError(w.path, err)
}

// WriteFile writes a generated file whole or not at all, so that an error, which is one line, leaves what was there
// before. It makes the directories it needs, and replaces nothing but regular files. Of several writers of one file the
// last one's stays.
func WriteFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write %s: it is not a regular file", path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = filesystem.Replace(path, data, time.Hour)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	return nil
}
