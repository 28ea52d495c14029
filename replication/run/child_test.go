package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A child is this test binary as a program that trains one tiny task, to be killed.
type child struct {
	Task       int
	Engine     string
	Dir        string        // of the records
	Checkpoint time.Duration // between two
	Updates    int           // in place of the task's, unless 0
	Hidden     int           // in place of the task's, unless 0
	Wild       bool          // whether trial 1 diverges
	Stop       int           // after so many updates, unless 0
	FileSize   uint64        // no file of it may be larger, unless 0
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
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	err := c.train(ctx, cancel)
	switch {
	case errors.Is(err, ErrInterrupted):
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

func (c child) train(ctx context.Context, cancel func()) error {
	if c.FileSize > 0 {
		signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: c.FileSize, Max: c.FileSize}); err != nil {
			return err
		}
	}
	b, err := backend.New(c.Engine)
	if err != nil {
		return err
	}
	task, err := c.task()
	if err != nil {
		return err
	}
	runner := Runner{Backend: b, Name: c.Engine, Dir: c.Dir, Checkpoint: c.Checkpoint, Observe: func(s Status) {
		fmt.Println("update", s.Update, s.First)
		if c.Stop > 0 && s.Update == c.Stop {
			cancel()
		}
	}}
	_, err = runner.Train(ctx, task)
	return err
}

// task is what the child trains.
func (c child) task() (experiment.Task, error) {
	tasks, err := tiny[c.Task].Tasks(experiment.Options{Scale: "quick", Seed: 7})
	if err != nil {
		return experiment.Task{}, err
	}
	task := tasks[0]
	if c.Updates > 0 {
		task.Length.Updates = c.Updates
	}
	if c.Hidden > 0 {
		task = wider(task, c.Hidden)
	}
	if c.Wild {
		task = wild(task, 1)
	}
	return task, nil
}

// command returns the child as a program to start, perhaps by another one.
func (c child) command(by ...string) *exec.Cmd {
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		panic(err)
	}
	words := append(by, program)
	settings, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"="+string(settings))
	return cmd
}

// reference is the record of an undisturbed training of what the child trains.
func (c child) reference(t testing.TB) *record.Record {
	t.Helper()
	task, err := c.task()
	if err != nil {
		t.Fatal(err)
	}
	return mustTrain(t, newRunner(t, c.Engine, t.TempDir()), task)
}

// finished lets the child train to the end, undisturbed, and compares its record.
func (c child) finished(t testing.TB, want *record.Record) {
	t.Helper()
	c.Stop, c.FileSize = 0, 0
	if out, err := c.command().CombinedOutput(); err != nil {
		t.Fatalf("undisturbed at last, it ends with %v: %s", err, lastOf(out))
	}
	got, err := record.Read(record.Path(c.Dir, want.Header))
	if err != nil {
		t.Fatal(err)
	}
	if !record.Equal(got, want) {
		t.Fatalf("the record differs: %v", record.Compare(want, got))
	}
	if left, _ := os.ReadDir(filepath.Dir(got.Path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func lastOf(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(lines[len(lines)-1])
}

func TestKilledRunEqualsUninterrupted(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		// With a checkpoint after every update, a process killed after it announced update n has saved n−1 at least,
		// and may be killed while it writes. With none, everything is done again.
		for every, lost := range map[time.Duration]int{1: 1, time.Hour: 1000} {
			c := child{Task: warping, Engine: engine, Dir: t.TempDir(), Checkpoint: every}
			want := c.reference(t)
			at := 0
			for range 4 {
				cmd := c.command()
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				begun := -1
				for lines := bufio.NewScanner(out); lines.Scan(); {
					var update, first int
					if n, _ := fmt.Sscanf(lines.Text(), "update %d %d", &update, &first); n != 2 {
						t.Fatalf("the process says %q", lines.Text())
					}
					if begun < 0 {
						if begun = first; begun < at-lost {
							t.Errorf("went on from update %d after a kill at %d", begun, at)
						}
					}
					if update == begun+3 {
						at = update
						cmd.Process.Kill()
					}
				}
				cmd.Wait()
			}
			c.finished(t, want)
		}
	})
}

// A checkpoint whose values do not fit on the disk while everything else does is not taken for one. (GoMLX leaves out
// what it cannot write, and says nothing.)
func TestCheckpointThatDoesNotFitTheDisk(t *testing.T) {
	c := child{Task: copying, Engine: engine, Dir: t.TempDir(), Checkpoint: time.Hour, Hidden: 32, Stop: 5}
	want := c.reference(t)
	for _, size := range []uint64{8_000, 30_000} {
		c.FileSize = size
		cmd := c.command()
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(lastOf(out), "cannot be written") {
			t.Errorf("with files of at most %d bytes it ends with %v: %s", size, err, lastOf(out))
		}
	}
	c.finished(t, want)
}
