package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNone is returned, wrapped, by ReadAll where there is no complete record.
var ErrNone = errors.New("no complete record")

var (
	errTruncated = errors.New("truncated: it does not end with an end line")
	errEdited    = errors.New("edited: its bytes do not have the SHA-256 that it ends with")
	errNoCommit  = errors.New("no commit of the program, want one or \"unknown\"")
)

// maxBytes is the size of the largest record that is read or written. Those of the papers' figures are a thousand times
// smaller.
const maxBytes = 64 << 20

// maxDepth is how deep folders are looked at: two folders deeper than a record may lie, so that one in a wrong place is
// still seen.
const maxDepth = 4

// Read reads the complete record at path. An error is one line that names path and says what is wrong: it is missing,
// truncated, edited, of an unknown format, or lacks a point that its header asks for.
func Read(path string) (*Record, error) {
	file, err := open(path, maxBytes)
	if err != nil {
		return nil, recordError(path, err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, recordError(path, err)
	}
	r, err := parse(data)
	if err == nil && r.End == nil {
		err = errTruncated
	}
	if err == nil {
		err = r.check(r.Updates)
	}
	if err != nil {
		return nil, recordError(path, err)
	}
	r.Path = path
	return r, nil
}

// ReadAll reads every complete record (*.jsonl) under dir, in the order of their paths, and passes over unfinished
// ones. Symbolic links are followed, and must lead somewhere. It fails at the first record that cannot be read, or if
// one does not lie where Path puts it, so that no run can count twice. It fails with ErrNone if there is none: an
// empty folder is more likely a wrong one than one without evidence.
func ReadAll(dir string) ([]*Record, error) {
	records, err := ReadUnder(dir)
	for _, r := range records {
		if want := Path(dir, r.Header); r.Path != want {
			return nil, recordError(r.Path, fmt.Errorf("by its first line it belongs at %s", want))
		}
	}
	return records, err
}

// ReadAny is ReadAll for a directory that is still to be filled: one that is not there, or has no record, gives none.
func ReadAny(dir string) ([]*Record, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	records, err := ReadAll(dir)
	if errors.Is(err, ErrNone) {
		err = nil
	}
	return records, err
}

// ReadUnder is ReadAll for a single record, too, and for any folder, whether records belong there or not.
func ReadUnder(path string) ([]*Record, error) {
	records, err := readUnder(path, 0)
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("records in %s: %w", path, ErrNone)
	}
	return records, err
}

// readUnder reads the records in a folder and in those below it, or a record.
func readUnder(path string, depth int) (records []*Record, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("records in %s: %w", path, pathless(err))
	}
	if !info.IsDir() {
		r, err := Read(path)
		if err != nil {
			return nil, err
		}
		return []*Record{r}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil || depth > maxDepth {
		return nil, err
	}
	for _, entry := range entries {
		name := filepath.Join(path, entry.Name())
		info, err := os.Stat(name)
		if gone := err != nil && entry.Type() != fs.ModeSymlink; gone || err == nil && !info.IsDir() &&
			filepath.Ext(name) != ".jsonl" {
			continue
		}
		below, err := readUnder(name, depth+1)
		if err != nil {
			return nil, err
		}
		records = append(records, below...)
	}
	return records, nil
}

// open opens a regular file that is no larger than most. Anything else might never end, or never begin.
func open(path string, most int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%d bytes long, want at most %d", info.Size(), most)
	}
	return os.Open(path)
}

// recordError puts the path before an error, if there is one, which is one line without it.
func recordError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record %s: %w", strings.ReplaceAll(path, "\n", `\n`), pathless(err))
}

// pathless returns what an error of the file system says without the paths, for a message that names the path already.
func pathless(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// parse reads a record from whole lines, its end line optional. It rejects whatever is not what this package writes of
// the same: no key is unknown or there twice, and nothing is spelled in two ways. See check for what must be there.
func parse(data []byte) (*Record, error) {
	if !bytes.HasSuffix(data, []byte("\n")) {
		return nil, errTruncated
	}
	r, n := &Record{}, 0
	for line := range bytes.Lines(data) {
		n++
		var kind struct {
			Kind   string
			Format int
		}
		err := json.Unmarshal(line, &kind)
		switch {
		case err != nil:
		case kind.Kind == "run" && kind.Format != Format:
			err = fmt.Errorf("unknown format %d: this program reads format %d", kind.Format, Format)
		case kind.Kind == "run":
			err = json.Unmarshal(line, &r.Header)
		case kind.Kind == "point":
			err = add(&r.Points, line)
		case kind.Kind == "diverged":
			err = add(&r.Diverged, line)
		case kind.Kind == "resumed":
			err = add(&r.Resumed, line)
		case kind.Kind == "end":
			r.End = &End{}
			err = json.Unmarshal(line, r.End)
		default:
			err = fmt.Errorf("unknown kind %q", kind.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	written, at := r.encode(), 0
	for at < min(len(data), len(written)) && data[at] == written[at] {
		at++
	}
	switch {
	case at == len(data) && at == len(written):
		return r, nil
	case r.End != nil && at > len(written)-sumTail:
		return nil, errEdited
	}
	return nil, fmt.Errorf("line %d has %.20q, where this program writes %.20q", 1+bytes.Count(data[:at], []byte("\n")),
		data[at:], written[at:])
}

func add[T any](list *[]T, line []byte) error {
	var v T
	err := json.Unmarshal(line, &v)
	*list = append(*list, v)
	return err
}
