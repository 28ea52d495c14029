// Package run trains experiments and writes their records. A run that was interrupted or killed resumes from its last
// checkpoint, and its record ends up the same, bit for bit, as if nothing had happened.
//
// It uses the parts of an experiment only through their interfaces.
//
// A checkpoint is one file with all that the run needs: the record so far, the state, and every variable. GoMLX's
// checkpoint package is not used: it writes two files under names of its own, so that a killed process may leave one
// without the other, and on a full disk it leaves out variables without an error.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Runner trains tasks and writes their records.
type Runner struct {
	Backend compute.Backend
	Name    string // of the backend, as in the record: "xla:cpu"
	Dir     string // of the records; see record.Path

	// Rules, if not nil, are those by which the claims that a run decides are judged, for its header; see papers.Rules.
	Rules func(record.Header) map[string]string

	// Observe, if not nil, is called at the start and the end of a run, after every update and, in the tests that
	// follow the last one, after every batch.
	Observe func(Status)

	moves *moves // nil for a run that counts
}

// moves of every weight by its last bit, after each update from one on, as another rounding may make: see Verify.
type moves struct {
	since int
	seed  uint64
}

// Status is how far a task is.
type Status struct {
	Task   *experiment.Task
	Update int       // updates done
	First  int       // of them, in an earlier process
	Losses []float64 // [R], the last point of the training curve, as in the record; nil before the first
	Tested int       // batches of the tests after training that are done
	Done   bool      // the record is complete

	// Record is the record so far. It must not be changed, nor kept after Observe returns.
	Record *record.Record
}

// ErrInterrupted is returned, wrapped, by Train if its context is done. The run is then saved, to be resumed from
// there.
var ErrInterrupted = errors.New("interrupted")

// Train trains a task and returns its complete record. A record that is already there is returned as it is, and
// what a killed process left beside it is removed; a run that was interrupted or killed resumes from its last
// checkpoint, and its record will be the same, bit for bit, as far as the backend computes the same twice.
//
// When ctx is done, Train finishes the update it is at, saves a checkpoint and returns ErrInterrupted.
//
// Any other error is one line. A record of another experiment, a damaged one, or one that another process is writing is
// left as it is.
func (r *Runner) Train(ctx context.Context, task experiment.Task) (*record.Record, error) {
	header := task.Header(r.Name)
	path := record.Path(r.Dir, header)
	done, err := Complete(path, header)
	if done != nil {
		done.Tidy()
	}
	if done != nil || err != nil {
		return done, err
	}
	err = task.Ready() // before anything is written
	var t *training
	if err == nil {
		t, err = r.open(ctx, task, header, path)
	}
	if errors.Is(err, record.ErrExists) { // another process has completed it since
		return r.Train(ctx, task)
	}
	if err == nil {
		defer t.close()
		err = t.train()
	}
	if err == nil {
		err = t.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", task, oneLine(err))
	}
	return record.Read(path)
}

// Complete returns the record at path if it is that of the header's run, nil if there is none, and a one-line error if
// it is another's or damaged.
func Complete(path string, h record.Header) (*record.Record, error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	there, err := record.Read(path)
	if err != nil {
		return nil, fmt.Errorf("%w: move it away, or choose another directory", err)
	}
	if !there.SameExperiment(h) {
		return nil, fmt.Errorf("record %s is of another experiment or other seeds: "+
			"move it away, or choose another directory", path)
	}
	return there, nil
}

// oneLine cuts an error that came through GoMLX down to its first line: the others are a stack.
func oneLine(err error) error {
	if line, _, more := strings.Cut(err.Error(), "\n"); more {
		return errors.New(line)
	}
	return err
}
