package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/warptime/warptime/replication/filesystem"
)

// A checkpoint is everything that a run in progress keeps: one file, which is replaced whole. It has, as gob writes
// them, the record so far and what the trainer needs besides, and then the SHA-256 of both. So who wants to look at the
// record need not read the rest.
type checkpoint struct {
	Update int    // updates done
	Lines  []byte // of the record so far
}

// maxCheckpoint is the size of the largest checkpoint that is written or read.
const maxCheckpoint = 4 << 30

// CheckpointPath returns where a run keeps its checkpoint until its record, at path, is complete.
func CheckpointPath(path string) string { return path + ".checkpoint" }

// ReadPartial reads the record that will be at path as far as its last checkpoint has it, for a look at a run in
// progress, and says how many updates were done by then.
func ReadPartial(path string) (*Record, int, error) {
	s, err := readCheckpoint(path, false)
	if err != nil {
		return nil, 0, recordError(path, err)
	}
	s.record.Path = CheckpointPath(path)
	return s.record, s.update, nil
}

// saved is what a checkpoint holds.
type saved struct {
	record *Record      // so far: it has every point up to the update
	update int          // updates done
	state  *gob.Decoder // of what the trainer needs
}

// readCheckpoint reads the checkpoint of the record that will be at path; fs.ErrNotExist if there is none. What follows
// the record is compared with the checksum, and can be used, only on request.
func readCheckpoint(path string, whole bool) (*saved, error) {
	path = CheckpointPath(path)
	file, err := open(path, maxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var s *saved
	if err == nil {
		defer file.Close()
		s, err = decodeCheckpoint(file, whole)
	}
	if err != nil {
		return nil, fmt.Errorf("its checkpoint: %w; delete %s to start over", pathless(err), filepath.Base(path))
	}
	return s, nil
}

func decodeCheckpoint(from io.Reader, whole bool) (*saved, error) {
	if whole {
		data, err := io.ReadAll(from)
		if err != nil {
			return nil, err
		}
		body := data[:max(0, len(data)-sha256.Size)]
		if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
			return nil, errors.New("damaged: its bytes do not have the SHA-256 that follows them")
		}
		from = bytes.NewReader(body)
	}
	var c checkpoint
	s := &saved{state: gob.NewDecoder(from)}
	if err := s.state.Decode(&c); err != nil {
		return nil, errors.New("damaged, or of another version of this program")
	}
	var err error
	s.record, err = parse(c.Lines)
	if err == nil && (s.record.End != nil || c.Update < 0 || c.Update > s.record.Updates) {
		err = fmt.Errorf("after update %d of %d", c.Update, s.record.Updates)
	}
	if err == nil {
		err = s.record.check(c.Update)
	}
	s.update = c.Update
	return s, err
}

// writeCheckpoint replaces the checkpoint of the record that will be at path. State encodes what follows the record.
func writeCheckpoint(path string, c checkpoint, state func(*gob.Encoder) error) error {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	err := e.Encode(c)
	if err == nil {
		err = state(e)
	}
	if err == nil && b.Len() > maxCheckpoint-sha256.Size {
		err = fmt.Errorf("%d bytes long, want at most %d", b.Len()+sha256.Size, maxCheckpoint)
	}
	if err == nil {
		sum := sha256.Sum256(b.Bytes())
		b.Write(sum[:])
		err = filesystem.Replace(CheckpointPath(path), b.Bytes(), 0)
	}
	if err != nil {
		return fmt.Errorf("its checkpoint cannot be written: %w", pathless(err))
	}
	return nil
}
