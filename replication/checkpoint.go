package replication

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train/metric"
)

// A checkpoint directory lies beside a run's unfinished record, and goes when the record is complete. GoMLX's checkpoint package writes the weights
// and the optimizer's state into it; state.json holds the rest and names the GoMLX checkpoint that it belongs to. It is written
// last, and replaced in one step, so that a process killed at any moment leaves the old checkpoint or the new one, and never half of
// one.
type checkpoints struct {
	dir     string
	handler *checkpoint.Handler
}

// progress is what a run needs to go on from a step, besides its variables.
type progress struct {
	Step    int     // steps of training done
	Seconds float64 // they took
	Sum     Values  // [R] losses since the last point of the curve, added up
	Count   int     // over so many steps
	Last    Values  // [R] the last point
	Halving halving // the learning rates' schedule

	Checkpoint string // base name of GoMLX's files
}

const stateFile = "state.json"

// checkpointDir is the directory of the run whose record will be at path.
func checkpointDir(path string) string { return path + ".checkpoint" }

// openCheckpoints prepares the store to be saved into dir, and loads what was saved there: the progress, or nil if nothing was.
func openCheckpoints(dir string, store *model.Store) (*checkpoints, *progress, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	saved, err := readProgress(dir)
	if err != nil {
		return nil, nil, err
	}
	// GoMLX loads the last checkpoint that it finds. One that state.json does not name was not finished.
	keep := ""
	if saved != nil {
		keep = saved.Checkpoint
	}
	if err := removeOthers(dir, keep); err != nil {
		return nil, nil, err
	}
	// Two are kept: while one is being written, state.json names the one before. Compressed files would stay open (GoMLX v0.28.2).
	handler, err := checkpoint.Build(store).Dir(dir).Keep(2).WithCompression(checkpoint.BinUncompressed).ExcludeAllParams().Done()
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint %s cannot be loaded: %s", dir, firstLine(err))
	}
	return &checkpoints{dir, handler}, saved, nil
}

// readProgress reads state.json; nil if there is none.
func readProgress(dir string) (*progress, error) {
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &progress{}
	if err := json.Unmarshal(data, p); err != nil || p.Checkpoint == "" {
		return nil, fmt.Errorf("checkpoint %s is damaged; without that directory the run starts anew", dir)
	}
	for _, suffix := range []string{checkpoint.JsonNameSuffix, checkpoint.BinDataSuffix} {
		if _, err := os.Stat(filepath.Join(dir, p.Checkpoint+suffix)); err != nil {
			return nil, fmt.Errorf("checkpoint %s lacks %s; without that directory the run starts anew", dir, p.Checkpoint+suffix)
		}
	}
	return p, nil
}

// removeOthers removes all GoMLX checkpoints but one.
func removeOthers(dir, keep string) error {
	files, err := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if keep == "" || !strings.HasPrefix(filepath.Base(file), keep+".") {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// save writes a checkpoint. When it returns without an error, the checkpoint is on the disk. After an error the one before is still
// the one to resume from.
func (c *checkpoints) save(p progress, store *model.Store) error {
	for v := range store.Scope(metric.Scope).IterVariables() {
		c.handler.ExcludeVarsFromSaving(v) // GoMLX's moving averages; they have a new random name in every process
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
	p.Checkpoint = names[len(names)-1]
	for _, suffix := range []string{checkpoint.JsonNameSuffix, checkpoint.BinDataSuffix} {
		if err := syncFile(filepath.Join(c.dir, p.Checkpoint+suffix)); err != nil {
			return err
		}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := WriteFile(filepath.Join(c.dir, stateFile), data); err != nil {
		return err
	}
	return syncFile(c.dir)
}

// remove deletes the directory: the record is complete.
func (c *checkpoints) remove() error { return os.RemoveAll(c.dir) }

// syncFile returns once a file, or a directory, is on the disk.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	err = file.Sync()
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

// firstLine is the message of an error without the stack that GoMLX's errors bring along.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
