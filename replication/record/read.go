package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNone is returned, wrapped, by ReadAll where there is no complete record.
var ErrNone = errors.New("no complete record")

var (
	errTruncated = errors.New("truncated: it does not end with an end line")
	errEdited    = errors.New("edited: its bytes do not have the SHA-256 that it ends with")
)

// maxBytes is the size of the largest record that is read or written. Those of the papers' figures are a thousand times
// smaller.
const maxBytes = 64 << 20

// maxDepth is how deep ReadAll looks: two folders deeper than a record may lie, so that one in a wrong place is still
// seen.
const maxDepth = 4

// Read reads the complete record at path. An error is one line that names path and says what is wrong: it is missing,
// truncated, edited, of an unknown format, or lacks a point that its header asks for.
func Read(path string) (*Record, error) {
	data, err := readFile(path)
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
// ones. Symbolic links are followed, and must lead somewhere. It fails at the first record that cannot be read or does
// not lie where Path puts it, so that no run can count twice. It also fails, with ErrNone, where there is none: an
// empty folder is more likely a wrong one than one without evidence.
func ReadAll(dir string) ([]*Record, error) {
	records, err := readUnder(dir, dir, 0)
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("records in %s: %w", dir, ErrNone)
	}
	return records, err
}

// ReadAny is ReadAll for a directory that is still to be filled: one that is not there, or has no record, gives none.
func ReadAny(dir string) ([]*Record, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readUnder(dir, dir, 0)
}

// readUnder reads the records in a folder of root and in the folders below it.
func readUnder(root, folder string, depth int) ([]*Record, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("records in %s: %w", folder, pathless(err))
	}
	var records []*Record
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if filepath.Ext(path) == ".jsonl" {
			r, err := Read(path)
			if err != nil {
				return nil, err
			}
			if want := Path(root, r.Header); path != want {
				return nil, recordError(path, fmt.Errorf("by its first line it belongs at %s", want))
			}
			records = append(records, r)
		} else if info, err := os.Stat(path); err != nil && entry.Type() == fs.ModeSymlink {
			return nil, fmt.Errorf("records in %s: the link %s: %w", folder, entry.Name(), pathless(err))
		} else if err == nil && info.IsDir() && depth < maxDepth {
			below, err := readUnder(root, path, depth+1)
			if err != nil {
				return nil, err
			}
			records = append(records, below...)
		}
	}
	return records, nil
}

// readFile reads a regular file that is no larger than a record may be. Anything else might never end, or never begin.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("%d bytes long, want at most %d", info.Size(), maxBytes)
	}
	return os.ReadFile(path)
}

// recordError puts the path before an error, if there is one, which is one line without it.
func recordError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record %s: %w", path, pathless(err))
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
	if err := cmp.Or(r.validate(), r.Environment.validate()); err != nil {
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
