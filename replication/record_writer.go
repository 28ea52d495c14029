package replication

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// ErrExists is returned, wrapped, by Create and Writer.Finish where a complete record already lies in the way.
var ErrExists = errors.New("a complete record is already there")

// ErrBusy is returned, wrapped, where another process is writing the same record.
var ErrBusy = errors.New("another process is writing it")

// A Writer writes a run's record as the run goes on. Every line is handed to the operating system at once, so that a killed process loses
// at most the line it was writing; Sync makes what is written survive a crash of the machine too. The file is path.partial
// until Finish moves it to path. A Writer is not safe for concurrent use.
//
// After an error every further call returns that error, and the .partial file stays as it is, to be resumed.
type Writer struct {
	path    string
	replace bool
	file    *os.File
	sum     hash.Hash
	models  int
	last    map[string]int
	step    int
	err     error
}

// Create starts the record of a new run, which will lie at path once it is finished, and makes path's directories. An unfinished record of the same path is
// thrown away. If a complete record is there, Create fails with ErrExists, unless replace is true: then Finish replaces it, and
// until Finish it stays.
func Create(path string, h Header, replace bool) (*Writer, error) {
	if err := h.validate(); err != nil {
		return nil, recordError(path, err)
	}
	if _, err := os.Lstat(path); err == nil && !replace {
		return nil, recordError(path, ErrExists)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, recordError(path, err)
	}
	file, err := openPartial(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(0); err != nil {
		file.Close()
		return nil, recordError(PartialPath(path), err)
	}
	w := newWriter(path, file, len(h.Models))
	w.replace = replace
	w.line(mustLine("run", struct {
		Format int `json:"format"`
		Header
	}{Format, h}))
	if err := w.Sync(); err != nil {
		w.Close()
		os.Remove(PartialPath(path)) // holds no results yet
		return nil, err
	}
	return w, nil
}

// Resume reopens the unfinished record of path for a run that goes on from its checkpoint at step: whatever was recorded after
// that step is cut off. A point of that very step stays, so points must be written (and synced) before the checkpoint of their step is saved.
//
// The record must be of the run that h describes: a different model, setting or backend is an error. The environment may differ; if it does, the
// record says so from here on. Resume returns an error that wraps fs.ErrNotExist if there is nothing to resume. For replace see Create.
func Resume(path string, h Header, step int, replace bool) (*Writer, error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return nil, recordError(path, ErrExists)
	}
	file, err := openPartial(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	w, err := resume(path, file, h, step)
	if err != nil {
		file.Close()
		return nil, recordError(PartialPath(path), err)
	}
	w.replace = replace
	return w, nil
}

func resume(path string, file *os.File, h Header, step int) (*Writer, error) {
	data, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	keep, err := keepUntil(data, step)
	if err != nil {
		return nil, err
	}
	r, err := parse(keep)
	if err != nil {
		return nil, err
	}
	if !sameRun(r.Header, h) {
		return nil, errors.New("it is of a run with other models, settings or backend")
	}
	if err := file.Truncate(int64(len(keep))); err != nil {
		return nil, err
	}
	if _, err := file.Seek(int64(len(keep)), 0); err != nil {
		return nil, err
	}
	w := newWriter(path, file, len(h.Models))
	w.sum.Write(keep)
	for _, p := range r.Points {
		w.step, w.last[p.Series] = p.Step, p.Step
	}
	env := r.Environment
	if n := len(r.Resumed); n > 0 {
		env = r.Resumed[n-1].Environment
	}
	if !bytes.Equal(mustJSON(env), mustJSON(h.Environment)) {
		w.line(mustLine("resumed", Resumed{step, h.Environment}))
	}
	return w, w.Sync()
}

// keepUntil returns the lines of an unfinished record up to a checkpoint's step. Steps never decrease from line to line.
func keepUntil(data []byte, step int) ([]byte, error) {
	keep := 0
	for keep < len(data) {
		length := bytes.IndexByte(data[keep:], '\n') + 1
		if length == 0 {
			break // the line that was being written when the process died
		}
		var line struct {
			Kind string
			Step int
		}
		if err := json.Unmarshal(data[keep:keep+length], &line); err != nil {
			return nil, fmt.Errorf("not a record: %w", err)
		}
		if line.Kind == "point" && line.Step > step || line.Kind == "resumed" && line.Step >= step || line.Kind == "end" {
			break
		}
		keep += length
	}
	return data[:keep], nil
}

func openPartial(path string, flag int) (*os.File, error) {
	path = PartialPath(path)
	file, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, recordError(path, err)
	}
	if err := lock(file); err != nil {
		file.Close()
		return nil, recordError(path, err)
	}
	return file, nil
}

func newWriter(path string, file *os.File, models int) *Writer {
	return &Writer{path: path, file: file, sum: sha256.New(), models: models, last: map[string]int{}, step: -1}
}

// Point records one value per model at a step. Steps must not decrease, and must increase within a series.
func (w *Writer) Point(step int, series string, values []float64) error {
	before, seen := w.last[series]
	switch {
	case w.err != nil:
		return w.err
	case series == "" || step < max(w.step, 0) || seen && step == before:
		return w.fail(fmt.Errorf("point of %q at step %d after step %d", series, step, w.step))
	case len(values) != w.models:
		return w.fail(fmt.Errorf("%d values for %d models", len(values), w.models))
	}
	w.step, w.last[series] = step, step
	w.line(mustLine("point", Point{step, series, values}))
	return w.err
}

// Sync returns once everything recorded so far is on the disk. Call it before saving a checkpoint.
func (w *Writer) Sync() error {
	if w.err != nil {
		return w.err
	}
	if err := w.file.Sync(); err != nil {
		return w.fail(err)
	}
	return nil
}

// Finish completes the record and moves it to its place in one step: a reader finds the whole record or none. A complete record that has
// come to lie there meanwhile is left alone, with ErrExists, unless it holds the same run and results, or Create was told to replace it.
func (w *Writer) Finish(steps int, seconds float64, final map[string][]float64) error {
	if w.err != nil {
		return w.err
	}
	end := End{Steps: steps, Seconds: seconds, Final: map[string]Values{}}
	if steps < w.step || math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return w.fail(fmt.Errorf("end after %d steps and %g seconds, but a point at step %d", steps, seconds, w.step))
	}
	for name, values := range final {
		if len(values) != w.models {
			return w.fail(fmt.Errorf("final %s has %d values for %d models", name, len(values), w.models))
		}
		end.Final[name] = values
	}
	line := mustLine("end", end)
	line = line[:len(line)-len("}\n")]
	w.sum.Write(line)
	line = fmt.Appendf(line, "%s%s\"}\n", sumKey, hex.EncodeToString(w.sum.Sum(nil)))
	if _, err := w.file.Write(line); err != nil {
		return w.fail(err)
	}
	if err := w.Sync(); err != nil {
		return err
	}
	if err := w.moveIntoPlace(); err != nil {
		return err
	}
	return w.Close()
}

func (w *Writer) moveIntoPlace() error {
	partial := PartialPath(w.path)
	if _, err := os.Lstat(w.path); !errors.Is(err, fs.ErrNotExist) && !w.replace {
		there, err := Read(w.path)
		if err != nil {
			return w.fail(err)
		}
		if mine, err := Read(partial); err != nil || !Equal(there, mine) {
			return w.fail(ErrExists)
		}
	}
	if err := os.Rename(partial, w.path); err != nil {
		return w.fail(err)
	}
	// Makes the rename itself durable. Not every system can sync a directory; the record is whole either way.
	if dir, err := os.Open(filepath.Dir(w.path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Close releases the file. An unfinished record stays, to be resumed. Closing twice does no harm.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = errors.New("closed")
	}
	if err := w.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return recordError(w.path, err)
	}
	return nil
}

// line writes one whole line; an error shows in w.err.
func (w *Writer) line(line []byte) {
	w.sum.Write(line)
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
