// Slurm trains on a cluster what replicate trains on one machine: a task of a job array for each run, and a last job
// that draws the figures and judges the claims. Slurm does the work; this program writes its scripts, and reads the
// queue.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

const usage = `Usage: go run ./scripts/slurm [options] [-- options of sbatch]

Submits the incomplete runs to Slurm, the longest first, as a job array. A task
resumes from its run's last checkpoint and requeues itself before its time limit.
When all have ended, a last job draws the figures and checks the claims. Options
after -- go to sbatch; those that this program sets take precedence over them:

  go run ./scripts/slurm -scale paper -- --partition=gpu --gres=gpu:1 --time=12:00:00

  squeue --me --name=warptime   lists the jobs in the queue
  tail -qn1 out/slurm/*/*.log   tells how far each run is, or why it failed
  scancel --me --name=warptime  removes the jobs; the same command resumes the runs

All nodes must share the directory of -out. Exit codes: 0 done; 2 an error.
`

func main() { command.Main("slurm", start) }

// start is main without the exit.
func start(ctx context.Context, args []string, out *command.Output) error {
	var c plan.Choice
	flags := &flag.FlagSet{}
	c.Flags(flags)
	show := flags.Bool("print", false, "print the scripts and submit nothing")
	if err := command.Parse(flags, usage, args, out); err != nil {
		return err
	}
	if flags.NArg() > 0 && !strings.HasPrefix(flags.Arg(0), "-") {
		return fmt.Errorf("unexpected argument %q: put options of sbatch after --", flags.Arg(0))
	}
	d, err := open(c.Out)
	if err != nil {
		return err
	}
	return d.submit(ctx, c, flags.Args(), *show, out)
}

// A directory is that of -out. In its folder slurm, each submission has a folder: 1/replicate and figures are the
// programs, train.sh and draw.sh the scripts, runs lists the runs, train.0.log, …, draw.log are what jobs printed, and
// failed.0, … are there once a task has failed.
type directory struct{ out, home string }

// open finds the directory's name on all nodes, whatever links lead to it from here: by that name its jobs are found
// again. It need not be there.
func open(out string) (directory, error) {
	path, err := filepath.Abs(out)
	if err != nil {
		return directory{}, err
	}
	for there, rest := path, "."; ; there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest) {
		if real, err := filepath.EvalSymlinks(there); err == nil {
			path = filepath.Join(real, rest)
			break
		}
	}
	if strings.ContainsAny(path, ",%\"\\\n|'") {
		return directory{}, fmt.Errorf("-out %s: Slurm's scripts want a path without quotes and any of ,%%|\\", path)
	}
	return directory{path, filepath.Join(path, "slurm")}, nil
}

// Both scripts, given the folder of the submission and -out. A task of the array trains the run in a line of the list.
// Slurm warns it of its time limit (SIGUSR1), and ends it (SIGTERM) once it has asked to be requeued, or when it is
// cancelled or preempted. A run that another process trains, perhaps on a node that Slurm has lost, is tried until that
// one ends; one that fails, once more. A signal ends bash's wait, so that it waits again.
const (
	trainSH = `#!/bin/bash
#SBATCH --job-name=warptime
dir='%[1]s' task=$SLURM_ARRAY_TASK_ID bySlurm=
again() { for _ in 1 2 3 4 5; do scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task" && return; sleep 1; done; }
[ -z "${SLURM_CPUS_ON_NODE-}" ] || export GOMAXPROCS=$SLURM_CPUS_ON_NODE
"$dir/replicate" -figure "$(sed -n "$((task + 1))p" "$dir/runs")" -out '%[2]s' %[3]s &
pid=$!
trap again USR1
trap 'bySlurm=yes; kill $pid 2>/dev/null' TERM
while kill -0 $pid 2>/dev/null; do wait $pid; done
wait $pid
code=$?
case $bySlurm$code in
yes* | 0) ;;
4) again ;;
*) if mkdir "$dir/failed.$task" 2>/dev/null; then again; fi ;;
esac
exit $code
`
	drawSH = `#!/bin/bash
#SBATCH --job-name=warptime
exec '%[1]s/figures' -records '%[2]s/records' -out '%[2]s' -pages '%[2]s'
`
)

// submit submits the runs of a choice that are neither complete nor in the queue.
func (d directory) submit(ctx context.Context, c plan.Choice, options []string, show bool, out *command.Output) error {
	tasks, err := c.Tasks()
	if err != nil {
		return err
	}
	// Only the nodes know whether they have XLA's plugins and cards. Other engines are here as they are there.
	engine := cmp.Or(c.Backend, os.Getenv(compute.ConfigEnvVar))
	if _, err := backend.Choose(engine); err != nil && !strings.HasPrefix(engine, "xla:") {
		return err
	}
	var queued, jobs []string
	if !show { // before looking for records: a run that ends is in one of the two
		if queued, jobs, err = d.queue(ctx); err != nil {
			return err
		}
	}
	missing, err := c.Missing(tasks)
	if err != nil {
		return err
	}
	if _, err := plan.Evidence(missing, "", papers.Unregistered()); err != nil {
		return err
	}
	var names []string
	for _, task := range plan.LongestFirst(missing) {
		name := plan.Name(task)
		if !slices.Contains(queued, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		fmt.Fprintln(out, "Nothing to submit: all runs are complete or in the queue")
		return nil
	}
	dir := filepath.Join(d.home, "1")
	for n := 2; ; n++ {
		if _, err := os.Stat(dir); err != nil {
			break
		}
		dir = filepath.Join(d.home, strconv.Itoa(n))
	}
	flags := fmt.Sprintf("-seed %d", c.Seed)
	if engine != "" {
		flags += " -backend '" + strings.ReplaceAll(engine, "'", `'\''`) + "'"
	}
	train, draw := fmt.Sprintf(trainSH, dir, d.out, flags), fmt.Sprintf(drawSH, dir, d.out)
	// Ours come last, where they take precedence over the user's and over SBATCH_… in the environment.
	arguments := func(job, log string, ours ...string) []string {
		log = "=" + filepath.Join(dir, job+log)
		return slices.Concat(options, []string{"--parsable", "--open-mode=append", "--requeue", "--output" + log,
			"--error" + log}, ours, []string{filepath.Join(dir, job+".sh")})
	}
	array := arguments("train", ".%a.log", fmt.Sprintf("--array=0-%d", len(names)-1), "--signal=B:USR1@60")
	list := strings.Join(names, "\n") + "\n"
	if show {
		fmt.Fprintf(out, "# sbatch %s\n%s\n# runs:\n%s\n# sbatch %s\n%s", strings.Join(array, " "), train, list,
			strings.Join(arguments("draw", ".log", "--dependency=afterany:…"), " "), draw)
		return nil
	}
	if err := os.MkdirAll(d.home, 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil { // another process may be submitting
		return err
	}
	if err := build(ctx, dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	for name, text := range map[string]string{"train.sh": train, "draw.sh": draw, "runs": list} {
		if err := record.WriteFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return err
		}
	}
	sbatch := func(arguments []string) (id string, err error) {
		text, err := output(ctx, "sbatch", arguments...)
		id, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the cluster's name, where there are several
		return id, err
	}
	id, err := sbatch(array)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Job %s: %s\n", id, plan.Count(len(names), "run"))
	after := strings.Join(append(jobs, id), ":")
	last, err := sbatch(arguments("draw", ".log", "--dependency=afterany:"+after))
	if err == nil {
		fmt.Fprintf(out, "Job %s: the figures, when all others have ended\n", last)
	}
	return err
}

// build builds the programs. The script says on stderr if their records will name no commit.
func build(ctx context.Context, dir string) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/warptime/warptime")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(strings.TrimSpace(root), "scripts/build.sh"), dir,
		"./scripts/replicate", "./scripts/figures")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// queue lists the runs in the queue, and the jobs there, the last ones of submissions included.
func (d directory) queue(ctx context.Context) (runs, jobs []string, err error) {
	text, err := output(ctx, "squeue", "--me", "--noheader", "--array", "--format", "%F|%K|%o")
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if len(f) < 3 || filepath.Dir(filepath.Dir(f[2])) != d.home {
			continue
		}
		jobs = append(jobs, f[0])
		if filepath.Base(f[2]) == "train.sh" {
			text, _ := os.ReadFile(filepath.Join(filepath.Dir(f[2]), "runs"))
			submitted := strings.Fields(string(text))
			i, err := strconv.Atoi(f[1])
			if err != nil || i < 0 || i >= len(submitted) {
				return nil, nil, fmt.Errorf("squeue lists task %q of %s, which has none", f[1], f[2])
			}
			runs = append(runs, submitted[i])
		}
	}
	return runs, jobs, nil
}

// output runs a program and returns what it prints. Its error is one line.
func output(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %s", program, strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("no %s here: run this on a login node of a Slurm cluster, or only -print", program)
	}
	return string(out), err
}
