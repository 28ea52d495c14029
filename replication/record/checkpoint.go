package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptime/warptime/replication/filesystem"
)

// A checkpoint is everything that a run in progress keeps: one file, which is replaced whole. It is a line with the
// sizes of what follows, the lines, the SHA-256 of both, the state, and the SHA-256 of all before it. So who wants to
// look at the record need not read the state.
type checkpoint struct {
	Update int    // updates done
	Lines  []byte // of the record so far
	State  []byte // of the trainer; this package does not interpret it
}

const (
	checkpointLine = "checkpoint 3: update %d, %d bytes of lines, %d bytes of state\n"

	// maxState is the size of the largest state that is read or written.
	maxState = 4 << 30
)

// CheckpointPath returns where a run keeps its checkpoint until its record, at path, is complete.
func CheckpointPath(path string) string { return path + ".checkpoint" }

// ReadPartial reads the record that will be at path as far as its last checkpoint has it, for a look at a run in
// progress, and says how many updates were done by then.
func ReadPartial(path string) (*Record, int, error) {
	saved, err := readCheckpoint(path, false)
	if err != nil {
		return nil, 0, recordError(path, err)
	}
	r, err := saved.parse()
	if err != nil {
		return nil, 0, recordError(path, unusable(path, err.Error()))
	}
	r.Path = CheckpointPath(path)
	return r, saved.Update, nil
}

// parse reads the record so far, which must have every point up to the checkpoint's update.
func (c *checkpoint) parse() (*Record, error) {
	r, err := parse(c.Lines)
	if err == nil && (r.End != nil || c.Update < 0 || c.Update > r.Updates) {
		err = fmt.Errorf("is after update %d of %d", c.Update, r.Updates)
	}
	if err == nil {
		err = r.check(c.Update)
	}
	return r, err
}

func (c checkpoint) write(path string) error {
	if int64(len(c.State)) > maxState {
		return fmt.Errorf("its checkpoint has %d bytes of state, want at most %d", len(c.State), int64(maxState))
	}
	if err := filesystem.Replace(CheckpointPath(path), c.encode(), 0); err != nil {
		return fmt.Errorf("its checkpoint cannot be written: %w", pathless(err))
	}
	return nil
}

func (c checkpoint) encode() []byte {
	b := make([]byte, 0, 200+len(c.Lines)+len(c.State)+2*sha256.Size)
	b = fmt.Appendf(b, checkpointLine, c.Update, len(c.Lines), len(c.State))
	for _, part := range [][]byte{c.Lines, c.State} {
		b = append(b, part...)
		sum := sha256.Sum256(b)
		b = append(b, sum[:]...)
	}
	return b
}

// readCheckpoint reads the checkpoint of the record that will be at path, its state only on request; fs.ErrNotExist if
// there is none. It is opened only if it is a regular file: anything else might never end, or be somebody else's.
func readCheckpoint(path string, state bool) (*checkpoint, error) {
	info, err := os.Lstat(CheckpointPath(path))
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(CheckpointPath(path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		defer file.Close()
		info, err = file.Stat() // it may have been replaced
	}
	if err != nil {
		return nil, unusable(path, "cannot be read: "+pathless(err).Error())
	}
	c, err := decodeCheckpoint(file, info.Size(), state)
	if err != nil {
		return nil, unusable(path, err.Error())
	}
	return c, nil
}

// decodeCheckpoint reads a checkpoint of a size. It allocates no more than that, nor than a checkpoint may have.
func decodeCheckpoint(from io.ReaderAt, size int64, state bool) (*checkpoint, error) {
	first := make([]byte, min(size, 200))
	if _, err := from.ReadAt(first, 0); err != nil && err != io.EOF {
		return nil, pathless(err)
	}
	line, _, _ := bytes.Cut(first, []byte("\n"))
	var c checkpoint
	var lines, rest int64
	fmt.Sscanf(string(line)+"\n", checkpointLine, &c.Update, &lines, &rest)
	if string(line)+"\n" != fmt.Sprintf(checkpointLine, c.Update, lines, rest) {
		return nil, errors.New("is damaged, or of another version of this program")
	}
	if lines < 0 || lines > maxBytes || rest < 0 || rest > maxState {
		return nil, fmt.Errorf("has %d bytes of lines and %d of state, want at most %d and %d", lines, rest, maxBytes,
			int64(maxState))
	}
	head := int64(len(line)) + 1 + lines + sha256.Size
	if whole := head + rest + sha256.Size; size != whole {
		return nil, fmt.Errorf("is damaged: it has %d bytes, and says %d", size, whole)
	}
	if state {
		head = size
	}
	data := make([]byte, head)
	if _, err := from.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, pathless(err)
	}
	body := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil, errors.New("is damaged: its bytes do not have the SHA-256 that follows them")
	}
	c.Lines = data[len(line)+1:][:lines:lines]
	if state {
		c.State = data[len(body)-int(rest) : len(body) : len(body)]
	}
	return &c, nil
}

// unusable is why the checkpoint of a record cannot be resumed from.
func unusable(path, why string) error {
	return fmt.Errorf("its checkpoint %s; delete %s to start over", why, filepath.Base(CheckpointPath(path)))
}
