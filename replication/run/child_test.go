package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/filesystem"
	"github.com/warptime/warptime/replication/record"
)

// A child is this test binary as a program that trains one tiny task, with a checkpoint after every update.
type child struct {
	Task    int
	Dir     string // of the records
	Updates int    // in place of the task's, unless 0

	// It kills itself after update Update, or there interrupts itself if Stop; or before the N-th change to a file of
	// this name (filesystem.Step).
	Update int
	Stop   bool
	Step   string
	N      int
}

const childVariable = "RUN_TEST_CHILD"

// TestMain makes the test binary that program where a test asks for it.
func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(childMain(text))
	}
	os.Exit(m.Run())
}

// childMain ends as scripts/replicate does: with 0, or 130 if it was interrupted, or 2 after one line on stderr.
func childMain(text string) int {
	var c child
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.train()
	}
	switch {
	case errors.Is(err, ErrInterrupted):
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

func (c child) train() error {
	filesystem.Step = func(name string) {
		if name == c.Step {
			if c.N--; c.N == 0 {
				die()
			}
		}
	}
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	task, err := c.task()
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	saveAlways = true
	runner := Runner{Backend: b, Name: engine, Dir: c.Dir, Observe: func(s Status) {
		switch {
		case s.Update != c.Update || s.Update == 0:
		case c.Stop:
			cancel()
		default:
			die()
		}
	}}
	_, err = runner.Train(ctx, task)
	return err
}

// die ends the process at once, as SIGKILL from outside does.
func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// task is what the child trains.
func (c child) task() (experiment.Task, error) {
	tasks, err := tiny[c.Task].Tasks(experiment.Options{Scale: "quick", Seed: 7})
	if err != nil {
		return experiment.Task{}, err
	}
	task := tasks[0]
	task.Length.Updates = cmp.Or(c.Updates, task.Length.Updates)
	return task, nil
}

// A process is a child that runs.
type process struct {
	*exec.Cmd
	out bytes.Buffer
}

func (c child) start(t testing.TB) *process {
	t.Helper()
	settings := check.Got(json.Marshal(c))(t)
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), childVariable+"="+string(settings))
	p.Stdout, p.Stderr = &p.out, &p.out
	check.OK(t, p.Start())
	return p
}

// ended returns how a child has ended and what it says.
func (p *process) ended(t testing.TB) (*os.ProcessState, string) {
	t.Helper()
	if err := p.Wait(); err != nil && p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState, strings.TrimSpace(p.out.String())
}

// run runs the child.
func (c child) run(t testing.TB) (*os.ProcessState, string) { return c.start(t).ended(t) }

// killed runs a child that must kill itself.
func (c child) killed(t *testing.T) {
	t.Helper()
	state, says := c.run(t)
	check.Must(t, state.Sys().(syscall.WaitStatus).Signaled(), "%+v is not killed: %v %s", c, state, says)
}

// finished lets the child train to the end, undisturbed, and compares its record.
func (c child) finished(t *testing.T) {
	t.Helper()
	c = child{Task: c.Task, Dir: c.Dir, Updates: c.Updates}
	state, says := c.run(t)
	check.Must(t, state.Success(), "undisturbed at last, it ends with %v: %s", state, says)
	task := check.Got(c.task())(t)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	got := check.Got(record.Read(record.Path(c.Dir, want.Header)))(t)
	check.Equal(t, record.Compare(want, got), nil, "differences")
	check.Entries(t, filepath.Dir(got.Path), 1)
}

// A run that is killed before each change that it makes to a file, one after the other, ends as one that is not.
func TestKilledAtEveryChangeOfAFile(t *testing.T) {
	c := child{Task: warping, Dir: t.TempDir()}
	for _, c.Step = range []string{"create", "write", "sync", "rename", "sync directory"} {
		for c.N = range 3 { // of the first checkpoint, which may be lost, and of the second
			if c.N > 0 {
				c.killed(t)
			}
		}
	}
	// When all is trained there is one more checkpoint, and then the record.
	c.Step, c.N, c.Update, c.Stop = "", 0, 14, true
	state, says := c.run(t)
	check.Must(t, state.ExitCode() == 130, "not interrupted after the last update: %v %s", state, says)
	c.Update, c.Stop, c.N = 0, false, 1
	for _, c.Step = range []string{"create", "write", "sync", "rename"} {
		c.killed(t)
	}
	c.finished(t)
}

type variables = map[string]*tensors.Tensor

// A checkpoint whose state or variables are not of the run, or not of the same update, is rejected with one line, and
// before anything is trained.
func TestForeignStateIsRejected(t *testing.T) {
	task := tinyTask(t, copying)
	h, dir := task.Header(engine), t.TempDir()
	h.Environment = environment(newBackend(t, engine))
	stop(t, newRunner(t, engine, dir), task, 4)
	path := record.Path(dir, h)
	whole := check.Read(t, record.CheckpointPath(path))
	rejected := func(what string, change func(*state, variables)) {
		t.Helper()
		check.Write(t, record.CheckpointPath(path), whole)
		w := check.Got(record.Open(path, h))(t)
		update, data := w.Checkpoint()
		s, values, err := decode(data)
		check.OK(t, err)
		change(&s, values)
		data = check.Got(encode(s, model.NewStore(), values))(t)
		check.OK(t, w.Save(update, data))
		check.OK(t, w.Close())
		runner := newRunner(t, engine, dir)
		runner.Observe = func(s Status) {
			check.That(t, s.Update <= s.First, "%s: it trains update %d", what, s.Update)
		}
		_, err = runner.Train(context.Background(), task)
		check.Rejected(t, what, err, task.String())
	}
	each := func(part string, to func(dims []int) *tensors.Tensor) func(*state, variables) { // nil deletes
		return func(_ *state, values variables) {
			for path, value := range values {
				if !strings.Contains(path, part) {
					continue
				}
				if values[path] = to(value.Shape().Dimensions); values[path] == nil {
					delete(values, path)
				}
			}
		}
	}
	for what, change := range map[string]func(*state, variables){
		"too few sums": func(s *state, _ variables) { s.Sum = s.Sum[:3] },
		"endless time": func(s *state, _ variables) { s.Seconds = math.Inf(1) },
		"weights of another update": each("/"+optimizer.GlobalStepVariableName, func([]int) *tensors.Tensor {
			return tensors.FromScalar(int64(5))
		}),
		"another type of weights": each("/readout/", func(dims []int) *tensors.Tensor {
			return tensors.FromShape(shapes.Make(dtypes.Float64, dims...))
		}),
		"another shape of weights": each("/readout/", func(dims []int) *tensors.Tensor {
			return tensors.FromShape(shapes.Make(dtypes.Float32, append([]int{2}, dims...)...))
		}),
		"no weights": each("/readout/", func([]int) *tensors.Tensor { return nil }),
	} {
		rejected(what, change)
	}
}
