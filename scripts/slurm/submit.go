package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/filesystem"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

var (
	//go:embed train.sh
	trainText string
	//go:embed draw.sh
	drawText string

	functions = template.FuncMap{"quote": quote}
	trainSH   = template.Must(template.New("train").Funcs(functions).Parse(trainText))
	drawSH    = template.Must(template.New("draw").Funcs(functions).Parse(drawText))
)

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// A script is a file that sbatch takes.
type script struct {
	path, text string
	runs       int // of its array; 0 if it is none
}

// submit submits the runs of a choice that are neither complete, nor in the queue, nor given up.
func (d directory) submit(ctx context.Context, c *plan.Choice, options []string, show bool, out *command.Output) error {
	tasks, err := c.Tasks()
	if err != nil {
		return err
	}
	// Only the nodes know whether they have XLA's plugins and cards. Other engines are here as they are there.
	engine := cmp.Or(c.Backend, os.Getenv(compute.ConfigEnvVar))
	if _, err := backend.Choose(engine); err != nil && !strings.HasPrefix(engine, "xla:") {
		return err
	}
	if show {
		_, scripts, err := d.scripts(ctx, c, tasks, nil, true)
		for _, s := range scripts {
			fmt.Fprintf(out, "# sbatch %s\n%s\n", strings.Join(s.arguments(options, []string{"…"}), " "), s.text)
		}
		return err
	}
	if err := os.MkdirAll(filepath.Join(d.home, "errors"), 0o777); err != nil {
		return err
	}
	if d, err = open(d.out); err != nil { // now that it is there
		return err
	}
	lock, err := filesystem.Lock(filepath.Join(d.home, "lock"))
	if err != nil {
		return fmt.Errorf("%s: %w", d.home, err)
	}
	defer lock.Unlock()
	queued, err := d.queue(ctx) // before looking for records: a run that ends meanwhile is in one of the two
	if err != nil {
		return err
	}
	tasks, scripts, err := d.scripts(ctx, c, tasks, queued, false)
	if err != nil {
		return err
	}
	drawing := false
	for _, j := range queued {
		drawing = drawing || j.run == ""
	}
	all, err := d.submitted()
	if err != nil {
		return err
	}
	if len(tasks) == 0 && (drawing || len(queued) == 0 && d.drawn(all)) {
		fmt.Fprintln(out, "Nothing to submit; -status reports the progress")
		return nil
	}
	dir := filepath.Dir(scripts[0].path)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := build(ctx, dir, "replicate", "figures", "slurm"); err != nil {
		return err
	}
	for _, s := range scripts {
		if err := record.WriteFile(s.path, []byte(s.text)); err != nil {
			return err
		}
	}
	commit := run.CommitOf(filepath.Join(dir, "replicate"))
	if err := c.Registered(tasks, commit); err != nil {
		return err
	}
	if note := plan.Unclear(tasks, commit); note != "" {
		fmt.Fprintln(out, note)
	}
	after := ids(queued)
	for _, s := range scripts {
		id, err := slurm(ctx, "sbatch", s.arguments(options, after)...)
		if err != nil {
			return err
		}
		id, _, _ = strings.Cut(strings.TrimSpace(id), ";") // and the cluster's name, where there are several
		what := "the figures"
		if s.runs > 0 {
			what = plan.Count(s.runs, "run")
		} else if len(after) > 0 {
			what += ", when all others have ended"
		}
		fmt.Fprintf(out, "Job %s: %s\n", id, what)
		after = append(after, id)
	}
	return nil
}

// build builds programs of this module in a directory. They contain the commit that they were built from, because
// records name it, even if GOFLAGS has -buildvcs=false: the command line takes precedence.
func build(ctx context.Context, dir string, programs ...string) error {
	args := []string{"build", "-buildvcs=auto", "-o", dir + string(filepath.Separator)}
	for _, name := range programs {
		args = append(args, "github.com/warptime/warptime/scripts/"+name)
	}
	_, err := slurm(ctx, "go", args...)
	if err != nil && strings.Contains(err.Error(), "VCS status") { // go advises -buildvcs=false, in vain
		return errors.New("go build needs the commit, and git fails: run git status here and do what it says")
	}
	return err
}

// scripts returns the tasks that are to be submitted, the longest first, and the scripts of a new submission: arrays of
// them, none longer than Slurm takes, and the last job.
func (d directory) scripts(ctx context.Context, c *plan.Choice, tasks []experiment.Task, queued []job, show bool) (
	[]experiment.Task, []script, error) {
	missing, err := c.Missing(tasks)
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, j := range queued {
		known[j.run] = true
	}
	tasks = nil
	for _, task := range plan.LongestFirst(missing) {
		if _, errors := d.errors(plan.Name(task)); !known[plan.Name(task)] && givenUp(errors) == "" {
			tasks = append(tasks, task)
		}
	}
	most, err := d.mostTasks(ctx)
	if err != nil && !show {
		return nil, nil, err
	}
	dir := filepath.Join(d.home, strconv.Itoa(d.number()+1))
	options := []string{"-out", d.out, "-trials", strconv.Itoa(c.Options.Trials),
		"-seed", strconv.FormatUint(c.Options.Seed, 10)}
	if c.Backend != "" {
		options = append(options, "-backend", c.Backend)
	}
	if c.Unregistered {
		options = append(options, "-unregistered")
	}
	fields := map[string]any{
		"Home": d.home, "Dir": dir, "Out": d.out, "Records": d.records(), "Options": options,
	}
	var scripts []script
	for first := 0; first < len(tasks); first += most {
		var runs []string
		for _, task := range tasks[first:min(first+most, len(tasks))] {
			runs = append(runs, plan.Name(task))
		}
		fields["Runs"] = runs
		path := filepath.Join(dir, fmt.Sprintf("train-%d.sh", len(scripts)+1))
		scripts = append(scripts, script{path, fill(trainSH, fields), len(runs)})
	}
	return tasks, append(scripts, script{filepath.Join(dir, "draw.sh"), fill(drawSH, fields), 0}), nil
}

// mostTasks is how many tasks an array may have; with an error, Slurm's default.
func (d directory) mostTasks(ctx context.Context) (int, error) {
	const standard = 1001
	text, err := slurm(ctx, "scontrol", "show", "config")
	if err != nil {
		return standard, err
	}
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(line, "="); strings.TrimSpace(name) == "MaxArraySize" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 1 {
				return standard, fmt.Errorf("this cluster takes no job arrays: %s", strings.TrimSpace(line))
			}
			return n, nil // which is one more than the largest index
		}
	}
	return standard, nil
}

func fill(t *template.Template, fields map[string]any) string {
	var b bytes.Buffer
	if err := t.Execute(&b, fields); err != nil {
		panic(err) // both are here
	}
	return b.String()
}
