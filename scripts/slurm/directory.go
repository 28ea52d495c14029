package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A directory is that of -out. In it, slurm holds what was submitted, a folder for each submission:
//
//	slurm/1/replicate, figures, slurm      the programs
//	slurm/1/train-1.sh, train-2.sh, …      a job array each, with the names of its runs
//	slurm/1/train-1.0.log, …               what a task of it printed
//	slurm/1/draw.sh, draw.log              the last job
//	slurm/errors/warp.fig3.copy500.paper   why a run failed, a line for each time
//	slurm/cancelled                        the number of the last submission that -cancel took out of the queue
type directory struct{ out, home string }

// open finds the directory's name on all nodes, whatever links lead to it from here. It need not be there.
func open(out string) (directory, error) {
	path, err := filepath.Abs(out)
	if err != nil {
		return directory{}, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if !errors.Is(err, fs.ErrNotExist) {
		return directory{}, err
	}
	if strings.ContainsAny(path, ",%\"\\\n") {
		const without = "%, commas, quotes and backslashes"
		return directory{}, fmt.Errorf("-out %s: Slurm's scripts want a path without %s", path, without)
	}
	return directory{path, filepath.Join(path, "slurm")}, nil
}

// records is where the runs' records are, record that of a run, and claims the table that the last job writes.
func (d directory) records() string          { return filepath.Join(d.out, "records") }
func (d directory) record(run string) string { return filepath.Join(d.records(), run+".jsonl") }
func (d directory) claims() string           { return filepath.Join(d.out, "CLAIMS.md") }

// A submitted task trains one run.
type submitted struct {
	submission int
	script     string // "…/slurm/1/train-1.sh"
	index      int
}

func (s submitted) log() string {
	return fmt.Sprintf("%s.%d.log", strings.TrimSuffix(s.script, ".sh"), s.index)
}

// number is that of the last submission; 0 if there was none.
func (d directory) number() (last int) {
	entries, _ := os.ReadDir(d.home)
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			last = max(last, n)
		}
	}
	return last
}

// submitted are the last tasks that were submitted for each run.
func (d directory) submitted() (map[string]submitted, error) {
	all := map[string]submitted{}
	for n := 1; n <= d.number(); n++ {
		dir := filepath.Join(d.home, strconv.Itoa(n))
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "train-") || filepath.Ext(e.Name()) != ".sh" {
				continue
			}
			script := filepath.Join(dir, e.Name())
			runs, err := runsOf(script)
			if err != nil {
				return nil, err
			}
			for i, run := range runs {
				all[run] = submitted{n, script, i}
			}
		}
	}
	return all, nil
}

// cancelled is the number of the last submission that was cancelled; 0 if none was.
func (d directory) cancelled() int {
	text, err := os.ReadFile(filepath.Join(d.home, cancelled))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

const cancelled = "cancelled"

// runsOf reads the names of the runs in a script.
func runsOf(script string) ([]string, error) {
	text, err := os.ReadFile(script)
	if err != nil {
		return nil, err
	}
	_, after, _ := strings.Cut(string(text), "\nruns=(\n")
	list, _, found := strings.Cut(after, "\n)\n")
	if !found {
		return nil, fmt.Errorf("%s has no list of runs: it was changed after it was written", script)
	}
	return strings.Split(list, "\n"), nil
}

// errors are why a run failed, and the file that says it.
func (d directory) errors(run string) (file string, lines []string) {
	file = filepath.Join(d.home, "errors", strings.ReplaceAll(run, "/", "."))
	return file, errorsIn(file)
}

// errorsIn reads the errors in a file, oldest first.
func errorsIn(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// maxErrors is how often a run may fail in all: the same error may contain another number or name each time.
const maxErrors = 5

// givenUp says why a run is not trained again after these errors; it returns "" if the run is.
func givenUp(errors []string) string {
	n := len(errors)
	switch {
	case n > 1 && errors[n-1] == errors[n-2]:
		return "twice"
	case n >= maxErrors:
		return fmt.Sprintf("%d errors", n)
	}
	return ""
}

// A job is a task of an array in the queue, or the last job.
type job struct {
	id     string // of the array
	run    string // empty for the last job
	state  string // "RUNNING"
	node   string
	left   string // of its time
	reason string // why it waits
}

// queue lists what is in the queue for this directory.
func (d directory) queue(ctx context.Context) (jobs []job, err error) {
	text, err := slurm(ctx, "squeue", "--me", "--noheader", "--array", "--format", "%F|%K|%T|%L|%N|%r|%o")
	if err != nil {
		return nil, err
	}
	runs := map[string][]string{}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 7)
		if len(fields) < 7 || filepath.Dir(filepath.Dir(fields[6])) != d.home {
			continue
		}
		j := job{id: fields[0], state: fields[2], left: fields[3], node: fields[4], reason: fields[5]}
		if script := fields[6]; filepath.Base(script) != "draw.sh" {
			if runs[script] == nil {
				if runs[script], err = runsOf(script); err != nil {
					return nil, err
				}
			}
			i, err := strconv.Atoi(fields[1])
			if err != nil || i < 0 || i >= len(runs[script]) {
				return nil, fmt.Errorf("squeue lists task %q of %s, which has none", fields[1], script)
			}
			j.run = runs[script][i]
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// ids are those of jobs, each once.
func ids(jobs []job) (ids []string) {
	for _, j := range jobs {
		if !slices.Contains(ids, j.id) {
			ids = append(ids, j.id)
		}
	}
	return ids
}

// slurm runs one of Slurm's programs, or go, and returns what it prints. Its error is one line.
func slurm(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %s", program, strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("no %s here: run this on a login node of a Slurm cluster, or only -print", program)
	}
	return string(out), err
}
