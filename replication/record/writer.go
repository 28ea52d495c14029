package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/warptime/warptime/replication/filesystem"
)

// ErrExists is returned, wrapped, by Open and Writer.Finish where a complete record already lies in the way.
var ErrExists = errors.New("a complete record is already there")

// ErrBusy is returned, wrapped, by Open where another process is writing the same record.
var ErrBusy = errors.New("another process is writing it")

var errLong = fmt.Errorf("longer than %d bytes", maxBytes)

// A Writer keeps the record of a run in memory while it trains: Save writes a checkpoint, Finish the record. It is not
// safe for concurrent use.
//
// After an error every further call returns that error, and the last checkpoint stays as it is.
type Writer struct {
	path   string
	lock   *flock.Flock
	record Record    // so far
	lines  []byte    // the same as bytes of the file
	order  *sequence // what may follow
	loaded checkpoint
	err    error
}

// Open locks the record that will lie at path for this process, until Close or Finish, and makes path's directories. It
// resumes from the checkpoint beside it, or starts a new record if there is none. If the environment of a resumed run
// differs, the record says so from here on.
//
// The path must be the one that Path gives for the header, in some directory. Open fails with ErrBusy if another
// process has the record, and with ErrExists if it is complete. It also fails, and changes nothing, if the checkpoint
// is damaged, of a version of this program that stored it differently, or of another experiment or backend, unless that
// had done no update yet.
func Open(path string, h Header) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, recordError(path, err)
	}
	slashed := "/" + filepath.ToSlash(filepath.Clean(path))
	if want := "/" + filepath.ToSlash(Path("", h)); !strings.HasSuffix(slashed, want) {
		return nil, recordError(path, fmt.Errorf("by its header it belongs at …%s", want))
	}
	w := &Writer{path: path}
	if err := w.hold(); err != nil {
		return nil, recordError(path, err)
	}
	if err := w.begin(h); err != nil {
		w.Close()
		return nil, recordError(path, err)
	}
	return w, nil
}

// put writes a file under the lock. Who deletes a folder in which a run trains, even while it writes, loses nothing
// that the run has in memory.
func (w *Writer) put(write func() error) (err error) {
	for range 3 {
		if err = w.hold(); err == nil {
			err = write()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// hold makes the record's directories and takes its lock, unless it has both.
func (w *Writer) hold() error {
	if w.lock != nil && filesystem.Holds(w.lock) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return err
	}
	lock, err := filesystem.Lock(lockPath(w.path))
	if errors.Is(err, filesystem.ErrLocked) {
		return ErrBusy // for one who has lost its lock, too: another has begun meanwhile
	}
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
		if there, err := Read(w.path); err == nil && there.SameExperiment(h) {
			filesystem.Remove(CheckpointPath(w.path)) // of a process that died at the end
		}
		return ErrExists
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := h.Environment.validate(); err != nil {
		return err
	}
	saved, r, order, err := resumable(w.path, h)
	if err != nil {
		return err
	}
	if saved == nil {
		w.start(h)
		return w.err
	}
	w.record, w.lines, w.order, w.loaded = *r, saved.Lines, order, *saved
	environment := r.Environment
	if n := len(r.Resumed); n > 0 {
		environment = r.Resumed[n-1].Environment
	}
	if !h.Traceable() || !bytes.Equal(mustJSON(environment), mustJSON(h.Environment)) {
		w.resume(Resumed{saved.Update, h.Environment}) // programs of no commit may differ, though both are "unknown"
	}
	return w.err
}

// Resumable returns nil if a run can begin at path, or resume from the checkpoint that is there, and the error of Open
// if it cannot resume.
func Resumable(path string, h Header) error {
	_, _, _, err := resumable(path, h)
	return err
}

// resumable reads the checkpoint that a run resumes from; nil if there is none, or nothing is done yet.
func resumable(path string, h Header) (*checkpoint, *Record, *sequence, error) {
	saved, err := readCheckpoint(path, true)
	if errors.Is(err, fs.ErrNotExist) || err == nil && saved.Update == 0 {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	r, order, err := saved.parse()
	if err != nil {
		return nil, nil, nil, unusable(path, err.Error())
	}
	if !r.SameExperiment(h) || r.Engine() != h.Engine() {
		return nil, nil, nil, fmt.Errorf("its checkpoint is of another experiment, of other seeds or of another "+
			"engine: it was trained on %s; ask for the same, or choose another directory", r.Backend)
	}
	return saved, r, order, nil
}

func (w *Writer) resume(r Resumed) {
	w.record.Resumed = append(w.record.Resumed, r)
	w.line("resumed", r)
}

// start begins a new record.
func (w *Writer) start(h Header) {
	w.record, w.order = Record{Header: h}, newSequence(h)
	w.line("run", runLine{Format, &w.record.Header})
}

// A runLine is the first line of a record.
type runLine struct {
	Format int `json:"format"`
	*Header
}

// Checkpoint returns what the checkpoint holds that Open resumed from: the updates done by then, and the state that was
// saved; 0 and nil if it started a new record.
func (w *Writer) Checkpoint() (update int, state []byte) { return w.loaded.Update, w.loaded.State }

// Record returns the record so far, which grows with every call of a Writer's methods.
func (w *Writer) Record() *Record { return &w.record }

// Point records one value for each trial ([R]) after an update. It must be the point that is due in its series, and
// updates must not decrease.
func (w *Writer) Point(update int, series string, values []float64) error {
	return w.point(Point{Update: update, Series: series, Values: values})
}

// Vectors records several numbers for each trial ([R][n]) after an update, in place of one. A series has either.
func (w *Writer) Vectors(update int, series string, vectors []Values) error {
	return w.point(Point{Update: update, Series: series, Vectors: vectors})
}

func (w *Writer) point(p Point) error {
	if w.err == nil {
		if w.err = w.order.point(p); w.err != nil {
			return w.fail(w.err)
		}
		w.record.Points = append(w.record.Points, p)
		w.line("point", p)
	}
	return w.err
}

// Diverged records that a trial's loss was not finite at an update, for the first time, and the norms of its gradients
// at the update before and at this one. Its training curve stops there: Point takes no more numbers for it. It must
// come before the point of that update.
func (w *Writer) Diverged(update, trial int, norms [2]float64) error {
	if w.err == nil {
		d := Diverged{update, trial, norms[:]}
		if w.err = w.order.diverge(d); w.err != nil {
			return w.fail(w.err)
		}
		w.record.Diverged = append(w.record.Diverged, d)
		w.line("diverged", d)
	}
	return w.err
}

// Save replaces the checkpoint by one of the record so far, after this number of updates, and of the state that the
// trainer needs besides. When it returns without an error, the checkpoint is on the disk.
func (w *Writer) Save(update int, state []byte) error {
	if w.err != nil {
		return w.err
	}
	err := w.order.complete(update)
	if err == nil {
		err = w.put(func() error { return checkpoint{update, w.lines, state}.write(w.path) })
	}
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// Finish completes the record with how long it took and its results, [R] or [R][n] each, and writes it: a reader finds
// the whole record or none. A record that lacks a point which its header asks for is not finished.
//
// A complete record that has come to lie in the place meanwhile (only a program that ignores the lock can put it there)
// is left alone, with ErrExists unless it has the same run and results.
func (w *Writer) Finish(seconds float64, final map[string]Values, vectors map[string][]Values) error {
	if w.err != nil {
		return w.err
	}
	w.record.End = &End{Updates: w.record.Updates, Seconds: seconds, Final: final, Vectors: vectors}
	if err := w.finish(); err != nil {
		return w.fail(err)
	}
	return w.Close()
}

func (w *Writer) finish() error {
	data, err := w.sealed()
	if err != nil {
		return err
	}
	err = w.put(func() error {
		if _, err := os.Lstat(w.path); err != nil {
			return filesystem.Replace(w.path, data)
		}
		if there, err := Read(w.path); err != nil || !Equal(there, &w.record) {
			return ErrExists
		}
		return nil
	})
	if err != nil {
		return err
	}
	return filesystem.Remove(CheckpointPath(w.path))
}

// sealed returns the file of the complete record.
func (w *Writer) sealed() ([]byte, error) {
	if err := w.order.complete(w.record.Updates); err != nil {
		return nil, err
	}
	if err := w.record.checkEnd(); err != nil {
		return nil, err
	}
	data := append(w.lines, bytes.TrimSuffix(mustLine("end", w.record.End), []byte("}\n"))...)
	sum := sha256.Sum256(data)
	if data = fmt.Appendf(data, "%s%s\"}\n", sumKey, hex.EncodeToString(sum[:])); len(data) > maxBytes {
		return nil, errLong
	}
	return data, nil
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
	if e := w.lock.Unlock(); err == nil {
		err = e
	}
	w.lock = nil
	if w.err == nil {
		w.err = recordError(w.path, errors.New("closed"))
	}
	if err != nil {
		return recordError(w.path, err)
	}
	return nil
}

// line adds a line; an error shows in w.err.
func (w *Writer) line(kind string, v any) {
	w.lines = append(w.lines, mustLine(kind, v)...)
	if len(w.lines) > maxBytes {
		w.fail(errLong)
	}
}

func (w *Writer) fail(err error) error {
	w.err = recordError(w.path, err)
	return w.err
}

// mustLine encodes v, a struct, as a line that starts with its kind.
func mustLine(kind string, v any) []byte {
	line := fmt.Appendf(nil, `{"kind":%q,`, kind)
	return append(append(line, mustJSON(v)[1:]...), '\n')
}
