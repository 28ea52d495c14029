package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/replication/filesystem"
	"github.com/warptime/warptime/replication/record"
)

// A checkpoint directory lies beside a run's unfinished record, and goes when the record is complete. GoMLX's
// checkpoint package writes the variables into it; state.json holds the rest, and the SHA-256 of everything that it
// belongs to: the record up to that update, GoMLX's two files, and itself. All are checked before anything is loaded.
// It is written last, and replaced in one step, so that a process killed at any moment leaves the old checkpoint or the
// new one.
type checkpoints struct {
	dir     string
	handler *checkpoint.Handler
}

// saved is the content of state.json.
type saved struct {
	State  state
	Prefix prefix            // of the record
	Files  map[string]string // SHA-256 of GoMLX's two, by name
}

// prefix is how much of a record belongs to a checkpoint.
type prefix struct {
	Length int64
	SHA256 string
}

// signed is how state.json looks: the content as it is written, and its checksum.
type signed struct {
	Saved  json.RawMessage `json:"saved"`
	SHA256 string          `json:"sha256"`
}

const stateFile = "state.json"

// checkpointDir is the directory of the run whose record will be at path.
func checkpointDir(path string) string { return path + ".checkpoint" }

// readCheckpoint reads state.json and checks it and the files that it names; nil if there is none.
func readCheckpoint(dir string) (*saved, error) {
	damaged := func(what string) error {
		return fmt.Errorf("checkpoint %s is damaged: %s; without that directory the run starts anew", dir, what)
	}
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var envelope signed
	if err := strict(data, &envelope); err != nil || digest(envelope.Saved) != envelope.SHA256 {
		return nil, damaged(stateFile + " does not have the checksum that it names")
	}
	s := &saved{}
	if err := strict(envelope.Saved, s); err != nil {
		return nil, damaged(stateFile + " is of another version of this program")
	}
	for name, sum := range s.Files {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || digest(content) != sum {
			return nil, damaged(name + " is not as it was written")
		}
	}
	return s, nil
}

// strict decodes exactly one JSON value without fields that v does not have.
func strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// openCheckpoints prepares the store to be saved into dir. What s names is loaded into it; nil starts anew.
func openCheckpoints(dir string, store *model.Store, s *saved) (*checkpoints, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	// GoMLX loads the last checkpoint that it finds. One that state.json does not name was not finished, and neither
	// was any other file.
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if name := file.Name(); name != stateFile && (s == nil || s.Files[name] == "") {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	absolute, err := filepath.Abs(dir) // GoMLX takes a name that begins with ~ for a home
	if err != nil {
		return nil, err
	}
	// Two are kept: while one is being written, state.json names the one before. Compressed files would stay open.
	handler, err := checkpoint.Build(store).Dir(absolute).Keep(2).
		WithCompression(checkpoint.BinUncompressed).ExcludeAllParams().Done()
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s cannot be loaded: %s", dir, firstLine(err))
	}
	return &checkpoints{dir, handler}, nil
}

// save writes a checkpoint. When it returns without an error, the checkpoint is on the disk. After an error the one
// before is still the one to resume from.
func (c *checkpoints) save(s state, p prefix, store *model.Store) error {
	// GoMLX's moving averages stay out; they have a new random name in every process. What was loaded and no graph has
	// asked for yet is saved again.
	count := store.NumVariables() + len(c.handler.LoadedVariables())
	for v := range store.Scope(metric.Scope).IterVariables() {
		c.handler.ExcludeVarsFromSaving(v)
		count--
	}
	if err := c.handler.Save(); err != nil {
		if e := (*fs.PathError)(nil); errors.As(err, &e) {
			err = e.Err // the reason, without the names of three files around it
		}
		return fmt.Errorf("checkpoint %s cannot be written: %s", c.dir, firstLine(err))
	}
	names, err := c.handler.ListCheckpoints()
	if err != nil {
		return err
	}
	base := names[len(names)-1]
	if err := c.whole(base, count); err != nil {
		return err
	}
	content := saved{State: s, Prefix: p, Files: map[string]string{}}
	for _, suffix := range []string{checkpoint.JsonNameSuffix, checkpoint.BinDataSuffix} {
		if content.Files[base+suffix], err = syncFile(filepath.Join(c.dir, base+suffix)); err != nil {
			return err
		}
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return err
	}
	data, err := json.Marshal(signed{encoded, digest(encoded)})
	if err != nil {
		return err
	}
	if err := record.WriteFile(filepath.Join(c.dir, stateFile), data); err != nil {
		return err
	}
	return filesystem.SyncDir(c.dir)
}

// whole returns an error unless GoMLX has written so many variables. Its Save leaves out a variable that could not be
// written, on a full disk for instance, and returns no error.
func (c *checkpoints) whole(base string, count int) error {
	data, err := os.ReadFile(filepath.Join(c.dir, base+checkpoint.JsonNameSuffix))
	if err != nil {
		return err
	}
	var list struct{ Variables []struct{ Length int64 } }
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	length := int64(0)
	for _, v := range list.Variables {
		length += v.Length
	}
	values, err := os.Stat(filepath.Join(c.dir, base+checkpoint.BinDataSuffix))
	if err != nil {
		return err
	}
	if len(list.Variables) != count || values.Size() != length {
		return fmt.Errorf("checkpoint %s cannot be written: %d of %d variables are there; is the disk full?",
			c.dir, len(list.Variables), count)
	}
	return nil
}

// remove deletes the directory: the record is complete.
func (c *checkpoints) remove() error { return os.RemoveAll(c.dir) }

// syncFile returns the SHA-256 of a file once it is on the disk.
func syncFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return "", err
	}
	content, err := os.ReadFile(path)
	return digest(content), err
}
