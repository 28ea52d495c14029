// Faults trains a tiny run again and again while it kills, interrupts and damages it, and checks that the record is
// always the one of an undisturbed run.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	sequence "github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/faults [options]

Trains a tiny run in rounds. In each round, processes are killed at random
moments, interrupted, started at the same time, and started with a damaged
checkpoint; then the run is completed, and its record must equal that of an
undisturbed run. The first failure ends the program, which prints the seed of
its round. The seed does not determine when exactly a signal arrives.

It works in $TMPDIR and is ten times faster on a file system in memory.
`

const exitCodes = `Exit codes: 0 all records are correct; 1 a round failed; 2 bad input;
130 interrupted.
`

// childVariable makes this program a child that trains in the directory that it names.
const childVariable = "WARPTIME_FAULTS_CHILD"

func main() { command.Main("faults", "interrupted", start) }

func start(ctx context.Context, args []string, out *command.Output) error {
	if dir := os.Getenv(childVariable); dir != "" {
		return train(ctx, dir, func(s run.Status) { fmt.Fprintln(out, s.Update) })
	}
	flags := command.NewFlags(usage, exitCodes)
	rounds := flags.Uint64("rounds", 100, "run `n` rounds of about ten faults each")
	seed := flags.Uint64("seed", 1, "use seed `n` for the first round, and the next seed for each further round")
	if done, err := flags.Parse(args, out); done {
		return err
	}
	err := drive(ctx, *seed, *rounds)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return command.Code(1, err)
}

// tiny is the adding problem of Figure 4 with one model of each arm, but so small that an update takes a tenth of a
// millisecond. There is a checkpoint after each.
func tiny() (experiment.Task, error) {
	tasks, err := warp.Fig4.Tasks(experiment.Options{Scale: record.Quick, Panel: "adding200", Trials: 1, Seed: 1})
	if err != nil {
		return experiment.Task{}, err
	}
	task := tasks[0]
	network := task.Network.(experiment.Recurrent)
	network.Cell = cell.LSTM{Hidden: 4}
	task.Network = network
	task.Data = trial.Regression{Tasks: []sequence.Regression{sequence.Adding{T: 6}}, Split: "train", Batch: 3}
	task.Length.Updates, task.Window = 600, 7
	return task, nil
}

func train(ctx context.Context, dir string, observe func(run.Status)) error {
	task, err := tiny()
	if err != nil {
		return err
	}
	b, err := backend.New("simd:threads=1")
	if err != nil {
		return err
	}
	defer b.Finalize()
	runner := run.Runner{Backend: b, Name: "simd", Dir: dir, Checkpoint: 1, Observe: observe}
	_, err = runner.Train(ctx, task)
	return err
}

// A driver does the rounds, and counts what it did.
type driver struct {
	program string
	task    experiment.Task
	want    *record.Record
	counts  map[string]int

	rng       *rand.Rand
	dir, path string // of the round's records, and its record
}

func drive(ctx context.Context, seed, rounds uint64) error {
	home, err := os.MkdirTemp("", "faults-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	d := driver{counts: map[string]int{}}
	if d.program, err = os.Executable(); err != nil {
		return err
	}
	if d.task, err = tiny(); err != nil {
		return err
	}
	if err := train(context.Background(), home+"/undisturbed", nil); err != nil {
		return err
	}
	if d.want, err = record.Read(record.Path(home+"/undisturbed", d.task.Header("simd"))); err != nil {
		return err
	}
	began, done := time.Now(), 0
	report := func() {
		fmt.Printf("%d rounds from seed %d in %.0f s, every record as it should be:",
			done, seed, time.Since(began).Seconds())
		for _, what := range slices.Sorted(maps.Keys(d.counts)) {
			fmt.Printf(" %d %s;", d.counts[what], what)
		}
		fmt.Println()
	}
	for n := range rounds {
		if ctx.Err() != nil {
			report()
			return ctx.Err()
		}
		d.rng = rand.New(rand.NewPCG(seed+n, 0))
		d.dir = fmt.Sprintf("%s/%d", home, n)
		d.path = record.Path(d.dir, d.task.Header("simd"))
		if err := d.round(); err != nil {
			report()
			return fmt.Errorf("round of seed %d: %w", seed+n, err)
		}
		if done++; done%100 == 0 {
			report()
		}
		os.RemoveAll(d.dir)
	}
	report()
	return nil
}

// round does some faults and completes the run.
func (d *driver) round() error {
	faults := []func() error{d.kill, d.kill, d.kill, d.interrupt, d.handOver, d.two, d.damage}
	for range 6 + d.rng.IntN(10) {
		if _, err := os.Stat(d.path); err == nil {
			break
		}
		if err := faults[d.rng.IntN(len(faults))](); err != nil {
			return err
		}
	}
	p, err := d.start()
	if err != nil {
		return err
	}
	if err := d.ended(p); err != nil {
		return err
	}
	files, err := os.ReadDir(d.path[:strings.LastIndexByte(d.path, '/')])
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("left behind: %v", files)
	}
	return err
}

// A process is a child that trains.
type process struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner // one for each update
	stderr bytes.Buffer
}

func (d *driver) start() (*process, error) {
	p := &process{cmd: exec.Command(d.program)}
	p.cmd.Env = append(os.Environ(), childVariable+"="+d.dir)
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewScanner(out)
	return p, p.cmd.Start()
}

// sometime starts a child and waits for a moment in its life: an update and a little more, or any moment.
func (d *driver) sometime() (*process, error) {
	p, err := d.start()
	if err != nil {
		return nil, err
	}
	if d.rng.IntN(4) > 0 {
		for range 1 + d.rng.IntN(100) {
			p.lines.Scan()
		}
		time.Sleep(time.Duration(d.rng.IntN(2000)) * time.Microsecond)
	} else {
		time.Sleep(time.Duration(d.rng.IntN(40)) * time.Millisecond)
	}
	return p, nil
}

const busy = "another process is writing it"

// ended waits for the end of a child. It must be complete with the right record, or end with one of the codes: -1 if it
// was killed, 130 if it was interrupted, 2 after one line that another is writing the record.
func (d *driver) ended(p *process, codes ...int) error {
	for p.lines.Scan() {
	}
	p.cmd.Wait()
	said, code := strings.TrimSpace(p.stderr.String()), p.cmd.ProcessState.ExitCode() // -1 if it was killed
	switch {
	case code == 0:
		got, err := record.Read(d.path)
		if err != nil {
			return err
		}
		if !record.Equal(got, d.want) {
			return fmt.Errorf("the record differs: %v", record.Compare(d.want, got))
		}
		return nil
	case code != 2 && slices.Contains(codes, code):
		return nil
	case code == 2 && slices.Contains(codes, 2) && strings.HasSuffix(said, busy) && !strings.Contains(said, "\n"):
		d.counts["refused beside another"]++
		return nil
	}
	return fmt.Errorf("a child ends with %v: %s", p.cmd.ProcessState, said)
}

func (d *driver) kill() error { return d.stop("kills", syscall.SIGKILL, -1) }

func (d *driver) interrupt() error { return d.stop("interruptions", syscall.SIGTERM, 130, -1) }

// stop starts a child and sends it a signal.
func (d *driver) stop(what string, signal os.Signal, codes ...int) error {
	p, err := d.sometime()
	if err != nil {
		return err
	}
	d.counts[what]++
	p.cmd.Process.Signal(signal)
	return d.ended(p, codes...)
}

// handOver starts a child while another is being interrupted or killed.
func (d *driver) handOver() error {
	p, err := d.sometime()
	if err != nil {
		return err
	}
	d.counts["handovers"]++
	p.cmd.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[d.rng.IntN(2)])
	next, err := d.sometime()
	if err != nil {
		return err
	}
	if err := d.ended(p, 130, -1); err != nil {
		return err
	}
	next.cmd.Process.Kill()
	return d.ended(next, 2, -1)
}

// two starts two children at once, of which one is refused, unless it comes when the other is done.
func (d *driver) two() error {
	a, err := d.start()
	if err != nil {
		return err
	}
	b, err := d.sometime()
	if err != nil {
		return err
	}
	d.counts["pairs"]++
	a.cmd.Process.Kill()
	b.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.ended(a, 2, -1); err != nil {
		return err
	}
	return d.ended(b, 130, 2, -1)
}

// damage changes a byte of the checkpoint, cuts it off, or puts another file in its place: a child rejects it with one
// line, and leaves it. Then it is put back, or deleted, as that line says.
func (d *driver) damage() error {
	path := record.CheckpointPath(d.path)
	whole, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	damaged := slices.Clone(whole)
	switch at := d.rng.IntN(len(whole)); d.rng.IntN(3) {
	case 0:
		damaged[at] ^= 1 << d.rng.IntN(8)
	case 1:
		damaged = damaged[:at]
	case 2:
		damaged = append(damaged, damaged[at:]...)
	}
	if err := os.WriteFile(path, damaged, 0o666); err != nil {
		return err
	}
	d.counts["damaged checkpoints"]++
	p, err := d.start()
	if err != nil {
		return err
	}
	for p.lines.Scan() {
	}
	p.cmd.Wait()
	said := strings.TrimSpace(p.stderr.String())
	if p.cmd.ProcessState.ExitCode() != 2 || strings.Contains(said, "\n") || !strings.Contains(said, "to start over") {
		return fmt.Errorf("on a damaged checkpoint a child ends with %v: %s", p.cmd.ProcessState, said)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
		return fmt.Errorf("a rejected checkpoint was changed: %v", err)
	}
	if d.rng.IntN(2) == 0 {
		return os.Remove(path)
	}
	return os.WriteFile(path, whole, 0o666)
}
