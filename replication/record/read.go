package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
	if err != nil {
		return nil, recordError(path, err)
	}
	r.Path = path
	return r, nil
}

// ReadAll reads every complete record (*.jsonl) under dir, in the order of their paths, and passes over unfinished
// ones. Symbolic links are followed. It fails at the first record that cannot be read or does not lie where Path puts
// it, so that no run can count twice. It also fails, with ErrNone, where there is none: an empty folder is more likely
// a wrong one than one without evidence.
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
		} else if info, err := os.Stat(path); err == nil && info.IsDir() && depth < maxDepth {
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

// recordError puts the path before an error, which is one line without it.
func recordError(path string, err error) error {
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

// sumTail is the length of what follows the checksummed bytes: `,"sha256":"<64 hex digits>"}` and the end of the line.
const (
	sumKey  = `,"sha256":"`
	sumTail = len(sumKey) + 2*sha256.Size + len("\"}\n")
)

// parse reads a record from whole lines, its end line optional.
func parse(data []byte) (*Record, error) {
	r, _, err := parseLines(data)
	return r, err
}

// parseLines also returns what may follow.
func parseLines(data []byte) (*Record, *sequence, error) {
	if len(data) == 0 {
		return nil, nil, errors.New("empty")
	}
	if data[len(data)-1] != '\n' {
		return nil, nil, errTruncated
	}
	r := &Record{}
	var points *sequence
	for n, start := 1, 0; start < len(data); n++ {
		line := data[start : start+bytes.IndexByte(data[start:], '\n')]
		var kind struct {
			Kind   string
			Format int
		}
		if err := json.Unmarshal(line, &kind); err != nil {
			return nil, nil, fmt.Errorf("line %d is not a line of a record: %w", n, err)
		}
		if (n == 1) != (kind.Kind == "run") {
			return nil, nil, fmt.Errorf("line %d has the kind %q: a record has one run line, its first", n, kind.Kind)
		}
		if r.End != nil {
			return nil, nil, fmt.Errorf("line %d follows the end line", n)
		}
		var err error
		switch kind.Kind {
		case "run":
			if kind.Format != Format {
				return nil, nil, fmt.Errorf("unknown format %d: this program reads format %d", kind.Format, Format)
			}
			if err = decode(line, kind.Kind, &runLine{Header: &r.Header}); err == nil {
				err = r.validate()
			}
			if err == nil {
				err = r.Environment.validate()
			}
			points = newSequence(r.Header)
		case "point":
			var p Point
			if err = decode(line, kind.Kind, &p); err == nil {
				err = points.point(p)
			}
			r.Points = append(r.Points, p)
		case "diverged":
			var d Diverged
			if err = decode(line, kind.Kind, &d); err == nil {
				err = points.diverge(d)
			}
			r.Diverged = append(r.Diverged, d)
		case "resumed":
			var s Resumed
			if err = decode(line, kind.Kind, &s); err == nil {
				err = s.validate()
			}
			if err == nil && s.Update < points.update {
				err = fmt.Errorf("resumed at update %d after a line of update %d", s.Update, points.update)
			}
			r.Resumed = append(r.Resumed, s)
		case "end":
			if r.End, err = parseEnd(data[:start+len(line)+1], start); err == nil && r.End.Updates != r.Updates {
				err = fmt.Errorf("%d updates in all, want %d", r.End.Updates, r.Updates)
			}
			if err == nil {
				err = points.complete(r.Updates)
			}
			if err == nil {
				err = r.checkEnd()
			}
		default:
			err = fmt.Errorf("unknown kind %q", kind.Kind)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
		start += len(line) + 1
	}
	return r, points, nil
}

// parseEnd reads the end line, which starts at start, of a whole record, and checks the sum that it ends with.
func parseEnd(data []byte, start int) (*End, error) {
	body := len(data) - sumTail
	if body < start || !bytes.HasPrefix(data[body:], []byte(sumKey)) {
		return nil, errEdited
	}
	end := &End{SHA256: string(data[body+len(sumKey) : len(data)-len("\"}\n")])}
	sum := sha256.Sum256(data[:body])
	if hex.EncodeToString(sum[:]) != end.SHA256 {
		return nil, errEdited
	}
	return end, decode(append(data[start:body:body], '}'), "end", end)
}

// decode reads a line, and rejects one that is not what this package writes of the same: no key is unknown or there
// twice, and nothing is spelled in two ways.
func decode(line []byte, kind string, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return err
	}
	written := mustLine(kind, v)
	written = written[:len(written)-1]
	if bytes.Equal(line, written) {
		return nil
	}
	at := 0
	for at < min(len(line), len(written)) && line[at] == written[at] {
		at++
	}
	return fmt.Errorf("has %.20q at byte %d, where this program writes %.20q", line[at:], at+1, written[at:])
}
