package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptime/warptime/replication/filesystem"
)

// A checkpoint is everything that a run in progress keeps: one file, which is replaced whole. It is a gob of this
// struct and the SHA-256 of that.
type checkpoint struct {
	Format int    // checkpointFormat
	Update int    // updates done
	Lines  []byte // of the record so far
	State  []byte // of the trainer; this package does not interpret it
}

const checkpointFormat = 2

// CheckpointPath returns where a run keeps its checkpoint until its record, at path, is complete.
func CheckpointPath(path string) string { return path + ".checkpoint" }

// ReadPartial reads the record that will be at path as far as its last checkpoint has it, for a look at a run in
// progress, and says how many updates were done by then.
func ReadPartial(path string) (*Record, int, error) {
	saved, err := readCheckpoint(path)
	if err != nil {
		return nil, 0, recordError(path, err)
	}
	r, _, err := saved.parse()
	if err != nil {
		return nil, 0, recordError(path, unusable(path, err.Error()))
	}
	r.Path = CheckpointPath(path)
	return r, saved.Update, nil
}

// parse reads the record so far, which must have every point up to the checkpoint's update.
func (c *checkpoint) parse() (*Record, *sequence, error) {
	r, order, err := parseLines(c.Lines)
	if err == nil && (r.End != nil || c.Update < 0 || c.Update > r.Updates) {
		err = fmt.Errorf("is after update %d of %d", c.Update, r.Updates)
	}
	if err == nil {
		err = order.complete(c.Update)
	}
	return r, order, err
}

func (c checkpoint) write(path string) error {
	c.Format = checkpointFormat
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	if err := filesystem.Replace(CheckpointPath(path), b.Bytes()); err != nil {
		return fmt.Errorf("its checkpoint cannot be written: %w", pathless(err))
	}
	return nil
}

// readCheckpoint reads the checkpoint of the record that will be at path; fs.ErrNotExist if there is none. It is opened
// only if it is a regular file: anything else might never end, or be somebody else's.
func readCheckpoint(path string) (*checkpoint, error) {
	var data []byte
	info, err := os.Lstat(CheckpointPath(path))
	if err == nil && info.Mode().IsRegular() {
		data, err = os.ReadFile(CheckpointPath(path))
	} else if err == nil {
		err = errors.New("not a regular file")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, unusable(path, "cannot be read: "+pathless(err).Error())
	}
	c, err := decodeCheckpoint(data)
	if err != nil {
		return nil, unusable(path, err.Error())
	}
	return c, nil
}

func decodeCheckpoint(data []byte) (*checkpoint, error) {
	body := max(0, len(data)-sha256.Size)
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil, errors.New("is damaged: its bytes do not have the SHA-256 that it ends with")
	}
	c := &checkpoint{}
	if err := gob.NewDecoder(bytes.NewReader(data[:body])).Decode(c); err != nil || c.Format != checkpointFormat {
		return nil, errors.New("is of another version of this program")
	}
	return c, nil
}

// unusable is why the checkpoint of a record cannot be resumed from.
func unusable(path, why string) error {
	return fmt.Errorf("its checkpoint %s; delete %s to start over", why, filepath.Base(CheckpointPath(path)))
}
