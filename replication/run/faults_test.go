package run

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

var rounds = flag.Int("rounds", 1, "kill and damage runs at random for this many rounds")

// directory is the environment variable that makes the test binary a program: it trains longTask into that directory,
// with a checkpoint after every update, and ends as scripts/replicate does, with 0, 130 if it was interrupted, or 2
// after one line on stderr.
const directory = "RUN_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	dir := os.Getenv(directory)
	if dir == "" {
		os.Exit(m.Run())
	}
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	saveAlways = true
	b, err := backend.New(engine)
	if err == nil {
		runner := Runner{Backend: b, Name: engine, Dir: dir}
		_, err = runner.Train(ctx, longTask())
	}
	switch {
	case errors.Is(err, ErrInterrupted):
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

func longTask() experiment.Task {
	tasks, err := tiny[copying].Tasks(experiment.Options{Scale: "quick", Seed: 7})
	if err != nil {
		panic(err)
	}
	tasks[0].Length.Updates = 600
	return tasks[0]
}

// start starts that program, whose Stderr is what it says.
func start(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), directory+"="+dir)
	cmd.Stderr = &bytes.Buffer{}
	check.OK(t, cmd.Start())
	return cmd
}

// A run that is killed and interrupted at random moments, begun twice at once, and begun with a damaged checkpoint ends
// as one that is undisturbed. The seed of a round does not determine when exactly a signal arrives.
func TestRandomFaults(t *testing.T) {
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), longTask())
	for seed := range *rounds {
		t.Logf("seed %d", seed)
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		dir := t.TempDir()
		path := record.Path(dir, want.Header)
		checkpoint := record.CheckpointPath(path)
		for range 6 + rng.IntN(10) {
			var damaged []byte
			whole, err := os.ReadFile(checkpoint)
			if err == nil && rng.IntN(3) == 0 {
				damaged = slices.Clone(whole)
				damaged[rng.IntN(len(whole))] ^= 1 << rng.IntN(8)
				check.Write(t, checkpoint, damaged)
			}
			var processes []*exec.Cmd
			for range 1 + rng.IntN(2) {
				processes = append(processes, start(t, dir))
				time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
			}
			for _, p := range processes {
				p.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[rng.IntN(2)])
			}
			for _, p := range processes {
				p.Wait()
				says := strings.TrimSpace(fmt.Sprint(p.Stderr))
				refused := damaged != nil || strings.HasSuffix(says, record.ErrBusy.Error())
				switch code := p.ProcessState.ExitCode(); {
				case code == 2 && refused && !strings.Contains(says, "\n"):
				case !slices.Contains([]int{-1, 0, 130}, code), code == 0 && damaged != nil:
					t.Fatalf("it ends with %v: %s", p.ProcessState, says)
				}
			}
			if damaged == nil {
				continue
			}
			now := check.Read(t, checkpoint)
			check.Must(t, bytes.Equal(now, damaged), "a damaged checkpoint was changed")
			check.Write(t, checkpoint, whole)
			if rng.IntN(2) == 0 {
				check.OK(t, os.Remove(checkpoint))
			}
		}
		last := start(t, dir)
		check.OK(t, last.Wait(), last.Stderr)
		check.Equal(t, record.Compare(want, check.Got(record.Read(path))(t)), nil, "differences")
		check.Entries(t, filepath.Dir(path), 1)
	}
}
