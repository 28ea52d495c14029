package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"
)

// ErrExists is returned, wrapped, by Open and Writer.Finish where a complete record already lies in the way.
var ErrExists = errors.New("a complete record is already there")

// ErrBusy is returned, wrapped, by Open where another process is writing the same record.
var ErrBusy = errors.New("another process is writing it")

// A Writer writes a run's record as the run goes on. Every line is handed to the operating system at once, so that a
// killed process loses at most the line it was writing; Sync makes what is written survive a crash of the machine too.
// The file is path.partial until Finish moves it to path. A Writer is not safe for concurrent use.
//
// After an error every further call returns that error, and the .partial file stays as it is, to be resumed.
type Writer struct {
	path   string
	header Header
	files  files
	lock   lock
	file   file // nil until Start or ResumeAt
	sum    hash.Hash
	length int64
	points *promise
	err    error
}

// Open takes the record that will lie at path for this process alone, until Close or Finish, and makes path's
// directories. It writes nothing yet: what an earlier process has left (the record's partial file, and a checkpoint
// beside it) is safe to read from now on. Then Start or ResumeAt must follow.
//
// The path must be the one that Path gives for the header, in some directory. Open fails with ErrBusy if another
// process has the record, and with ErrExists if it is complete.
func Open(path string, h Header) (*Writer, error) { return open(disk{}, path, h) }

func open(files files, path string, h Header) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, recordError(path, err)
	}
	slashed := "/" + filepath.ToSlash(filepath.Clean(path))
	if want := "/" + filepath.ToSlash(Path("", h)); !strings.HasSuffix(slashed, want) {
		return nil, recordError(path, fmt.Errorf("by its header it belongs at …%s", want))
	}
	if err := files.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, recordError(path, err)
	}
	lock, err := files.Lock(lockPath(path))
	if err != nil {
		return nil, recordError(path, err)
	}
	w := &Writer{path: path, header: h, files: files, lock: lock, sum: sha256.New(), points: newPromise(h)}
	complete, err := files.Exists(path)
	if err == nil && complete {
		err = ErrExists
	}
	if err != nil {
		w.Close()
		return nil, recordError(path, err)
	}
	return w, nil
}

// lockPath is an empty file beside the record, there only while a process writes the record, or if one was killed while
// it did.
func lockPath(path string) string { return path + ".lock" }

// Start begins the record of a new run. An unfinished record that is there is thrown away.
func (w *Writer) Start() error {
	if err := w.unused(); err != nil {
		return err
	}
	if err := w.openAt(0); err != nil {
		return err
	}
	w.line(mustLine("run", struct {
		Format int `json:"format"`
		Header
	}{Format, w.header}))
	return w.Sync()
}

// ResumeAt goes on with an unfinished record after a checkpoint, which says how many updates were done by then, and
// what Prefix returned. Whatever was recorded later is cut off. If the environment differs, the record says so from
// here on.
//
// It is an error, and nothing is changed, if the record is not there (fs.ErrNotExist), does not begin with those bytes,
// is of a run with another experiment or backend, or lacks a point that was due by then.
func (w *Writer) ResumeAt(update int, length int64, sha256 string) error {
	if err := w.unused(); err != nil {
		return err
	}
	if update < 0 || update > w.header.Updates {
		return w.fail(fmt.Errorf("checkpoint at update %d of %d", update, w.header.Updates))
	}
	prefix, err := w.readPrefix(length, sha256)
	if err != nil {
		return w.fail(err)
	}
	r, points, err := parseLines(prefix)
	if err != nil {
		return w.fail(err)
	}
	if r.End != nil {
		return w.fail(errors.New("nothing to resume: it ends with an end line"))
	}
	if !r.SameExperiment(w.header) || r.Backend != w.header.Backend {
		return w.fail(errors.New("it is of a run with another experiment or backend"))
	}
	if err := points.kept(update); err != nil {
		return w.fail(err)
	}
	w.points = points
	if err := w.openAt(length); err != nil {
		return err
	}
	w.sum.Write(prefix)
	environment := r.Environment
	if n := len(r.Resumed); n > 0 {
		environment = r.Resumed[n-1].Environment
	}
	if !bytes.Equal(mustJSON(environment), mustJSON(w.header.Environment)) {
		w.line(mustLine("resumed", Resumed{update, w.header.Environment}))
	}
	return w.Sync()
}

// readPrefix reads the first bytes of the unfinished record, which must have the given checksum.
func (w *Writer) readPrefix(length int64, sum string) ([]byte, error) {
	data, err := w.files.ReadFile(PartialPath(w.path))
	if err != nil {
		return nil, err
	}
	if length < 0 || int64(len(data)) < length {
		return nil, fmt.Errorf("truncated: it has %d bytes, and had %d at its checkpoint", len(data), length)
	}
	if got := sha256.Sum256(data[:length]); hex.EncodeToString(got[:]) != sum {
		return nil, errors.New("edited: it does not have the SHA-256 that it had at its checkpoint")
	}
	return data[:length], nil
}

// openAt opens the partial file and cuts it off after length bytes.
func (w *Writer) openAt(length int64) error {
	file, err := w.files.Open(PartialPath(w.path))
	if err != nil {
		return w.fail(err)
	}
	w.file, w.length = file, length
	if err := file.Truncate(length); err != nil {
		return w.fail(err)
	}
	if _, err := file.Seek(length, io.SeekStart); err != nil {
		return w.fail(err)
	}
	return nil
}

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
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.points.point(p); err != nil {
		return w.fail(err)
	}
	w.line(mustLine("point", p))
	return w.err
}

// Diverged records that a trial's loss was not finite at an update, for the first time, and the norms of its gradients
// at the update before and at this one. Its training curve stops there: Point takes no more numbers for it. It must
// come before the point of that update.
func (w *Writer) Diverged(update, trial int, norms [2]float64) error {
	if err := w.ready(); err != nil {
		return err
	}
	d := Diverged{update, trial, norms[:]}
	if err := w.points.diverge(d); err != nil {
		return w.fail(err)
	}
	w.line(mustLine("diverged", d))
	return w.err
}

// Sync returns once everything recorded so far is on the disk. Call it before saving a checkpoint.
func (w *Writer) Sync() error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return w.fail(err)
	}
	return nil
}

// Prefix returns the length in bytes of what was recorded so far, and its SHA-256 in hexadecimal: what ResumeAt wants
// to know. A checkpoint that holds them must be saved after Sync.
func (w *Writer) Prefix() (length int64, sha256 string) {
	return w.length, hex.EncodeToString(w.sum.Sum(nil))
}

// Finish completes the record with how long it took and its results, [R] or [R][n] each, and moves it to its place in
// one step: a reader finds the whole record or none. A record without a point that its header promises is not finished.
// A complete record that has come to lie in the place meanwhile is left alone, with ErrExists, unless it has the same
// run and results. If the disk fails after the move, that is an error, but the record is in its place and whole.
func (w *Writer) Finish(seconds float64, final map[string]Values, vectors map[string][]Values) error {
	if err := w.ready(); err != nil {
		return err
	}
	end := End{Updates: w.header.Updates, Seconds: seconds, Final: final, Vectors: vectors}
	err := w.points.kept(end.Updates)
	if err == nil {
		err = end.check(len(w.header.Trials))
	}
	if err != nil {
		return w.fail(err)
	}
	line := bytes.TrimSuffix(mustLine("end", end), []byte("}\n"))
	w.sum.Write(line)
	w.write(fmt.Appendf(line, "%s%s\"}\n", sumKey, hex.EncodeToString(w.sum.Sum(nil))))
	if err := w.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil { // some systems rename no open file
		return w.fail(err)
	}
	if err := w.moveIntoPlace(); err != nil {
		return w.fail(err)
	}
	return w.Close()
}

// moveIntoPlace renames the finished file. Only a program that knows nothing of the lock can have put another there.
func (w *Writer) moveIntoPlace() error {
	partial := PartialPath(w.path)
	if complete, err := w.files.Exists(w.path); err != nil {
		return err
	} else if complete {
		there, err := w.files.Read(w.path)
		if err != nil {
			return err
		}
		if mine, err := w.files.Read(partial); err != nil || !Equal(there, mine) {
			return ErrExists
		}
	}
	if err := w.files.Rename(partial, w.path); err != nil {
		return err
	}
	return w.files.SyncDir(filepath.Dir(w.path))
}

// Close lets the record go, for this or another process to open. An unfinished record stays, to be resumed. Closing
// twice does no harm.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	if w.file != nil {
		w.file.Close() // what it holds is synced, or not needed
	}
	// Removed first: whoever gets the lock of a removed file sees that and tries anew. If it stays, it does no harm.
	w.files.Remove(lockPath(w.path))
	err := w.lock.Unlock()
	w.lock = nil
	if w.err == nil {
		w.err = recordError(w.path, errors.New("closed"))
	}
	if err != nil {
		return recordError(w.path, err)
	}
	return nil
}

// unused returns an error if the record cannot be started or resumed.
func (w *Writer) unused() error {
	if w.err == nil && w.file != nil {
		w.fail(errors.New("started or resumed twice"))
	}
	return w.err
}

// ready returns an error if nothing can be written.
func (w *Writer) ready() error {
	if w.err == nil && w.file == nil {
		w.fail(errors.New("neither started nor resumed"))
	}
	return w.err
}

// line writes one whole line; an error shows in w.err.
func (w *Writer) line(line []byte) {
	w.sum.Write(line)
	w.write(line)
}

func (w *Writer) write(line []byte) {
	w.length += int64(len(line))
	if w.err != nil {
		return
	}
	if w.length > maxBytes {
		w.fail(fmt.Errorf("longer than %d bytes", maxBytes))
		return
	}
	if _, err := w.file.Write(line); err != nil {
		w.fail(err)
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
