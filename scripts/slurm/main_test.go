package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// What needs Slurm is tried with a real one, by test.sh.

// TestMain makes the tests the program that a task's script calls, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "task" {
		main()
	}
	os.Exit(m.Run())
}

// withoutSlurm makes this a machine that has none, nor anything else.
func withoutSlurm(t *testing.T) { t.Setenv("PATH", t.TempDir()) }

func TestBadInput(t *testing.T) {
	withoutSlurm(t)
	for _, c := range []struct{ args, want string }{
		{"-figure fig9", `unknown figure "fig9"`},
		{"-run warp/fig3/copy", `unknown run "warp/fig3/copy"`},
		{"-scale huge", `unknown scale "huge"`},
		{"fig3", `unexpected argument "fig3": put options of sbatch after --`},
		{"-- --array=0-3", "--array=0-3 cannot be used: this program sets sbatch's --array itself"},
		{"-- --arr 0-3", "--arr cannot be used: this program sets sbatch's --array itself"},
		{"-- -a0-3", "-a0-3 cannot be used"},
		{"-- -p gpu --dependency=singleton", "--dependency=singleton cannot be used: this program sets"},
		{"-- --dep=singleton", "--dep=singleton cannot be used: this program sets sbatch's --dependency itself"},
		{"-- -p gpu -d singleton", "-d cannot be used"},
		{"-- -dsingleton", "-dsingleton cannot be used"},
		{"-- -Hd singleton", "-Hd cannot be used"},
		{"-- --output=x", "--output=x cannot be used"},
		{"-- --ou=x", "--ou=x cannot be used"},
		{"-- -o x", "-o cannot be used"},
		{"-- --error=x", "--error=x cannot be used"},
		{"-- -ex", "-ex cannot be used"},
		{"-- --open-mode=truncate", "--open-mode=truncate cannot be used"},
		{"-- --no-requeue", "--no-requeue cannot be used: this program sets sbatch's --requeue itself"},
		{"-- --no-r", "--no-r cannot be used"},
		{"-- --requeue", "--requeue cannot be used"},
		{"-- --signal=USR1@60", "--signal=USR1@60 cannot be used"},
		{"-status -scale paper", "-status and -cancel can be combined with -out only"},
		{"-status -cancel", "-status and -cancel can be combined with -out only"},
		{"-out a%b", "without %"},
		{"-out a,b", "without %, commas"},
		{"-figure fig5", "no squeue here: run this on a login node of a Slurm cluster"},
		{"-status", "no squeue here"},
		{"-cancel", "no squeue here"},
	} {
		t.Chdir(t.TempDir())
		err := start(t.Context(), strings.Fields(c.args), &command.Output{To: &bytes.Buffer{}})
		check.Rejected(t, c.args, err, c.want)
	}
}

// cluster puts shell scripts into PATH that stand for Slurm and for go, which builds programs without a commit. In the
// directory that it returns, queue is what squeue prints, and submitted has the arguments of sbatch, a line a job.
func cluster(t *testing.T) string {
	t.Helper()
	bash, dir := need.Program(t, "bash"), t.TempDir()
	file := func(name string) string { return quote(filepath.Join(dir, name)) }
	for name, text := range map[string]string{
		"squeue": `echo "$(<` + file("queue") + `)"`, "scancel": ": >" + file("queue"), "scontrol": "",
		"sbatch": `echo "$*" >>` + file("submitted") + "; echo 7",
		"go":     `while [ "$1" != -o ]; do shift; done; echo "no program" >"$2/replicate"`,
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+bash+"\n"+text+"\n"), 0o777))
	}
	check.OK(t, os.WriteFile(filepath.Join(dir, "queue"), nil, 0o666))
	t.Setenv("PATH", dir)
	return dir
}

// started is what the program prints.
func started(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	check.OK(t, start(t.Context(), args, &command.Output{To: &out}))
	return out.String()
}

// Who submits is told that records will not name a commit if the program that trains has none, whatever this one has.
func TestProgramWithoutCommit(t *testing.T) {
	cluster(t)
	text := started(t, "-run", "warp/fig4/adding750.paper.standard-1", "-out", t.TempDir())
	check.Contains(t, text, "Records will not name the commit that this program was built from", "Job 7: 1 run\n")
}

// Programs have a commit even if GOFLAGS says that they have none. The repository is not this one: go takes the commit
// of no git worktree, in which these tests may run.
func TestBuild(t *testing.T) {
	need.Program(t, "go")
	need.Program(t, "git")
	t.Chdir(t.TempDir())
	check.Write(t, "go.mod", []byte("module github.com/warptime/warptime\n"))
	check.Write(t, "scripts/replicate/main.go", []byte("package main\nfunc main() {}\n"))
	git := func(args ...string) string {
		args = append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init")
	git("add", ".")
	git("commit", "-m", "one")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-buildvcs=false")
	dir := t.TempDir()
	check.OK(t, build(t.Context(), dir, "replicate"))
	check.Equal(t, run.CommitOf(filepath.Join(dir, "replicate")), git("rev-parse", "HEAD"), "the program's commit")
}

// Where git does not trust the checkout, go advises what build overrides.
func TestBuildWithoutGit(t *testing.T) {
	script := "#!" + need.Program(t, "bash") + "\necho error obtaining VCS status: exit status 128 >&2\nexit 1\n"
	dir := cluster(t)
	check.OK(t, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777))
	check.Rejected(t, "build", build(t.Context(), dir, "replicate"), "run git status here")
}

// Options of sbatch that begin like ours, or are none of ours, are the user's.
func TestOtherOptions(t *testing.T) {
	for _, args := range []string{
		"--account=a --exclude n1 --export=ALL --exclusive --reservation=r --reboot --no-kill --deadline=1",
		"-A a -p debug -H -C avx512 -x n1 -t 60 -v -Jdae -D / --gres=gpu:1 --comment=-d",
	} {
		check.OK(t, checkOptions(strings.Fields(args)))
	}
}

// printed is what -print prints, line by line.
func printed(t *testing.T, args ...string) []string {
	t.Helper()
	var out bytes.Buffer
	check.OK(t, start(t.Context(), append([]string{"-print"}, args...), &command.Output{To: &out}))
	return strings.Split(out.String(), "\n")
}

// Without Slurm, -print shows what would be submitted, the longest run first, and leaves nothing behind.
func TestPrint(t *testing.T) {
	withoutSlurm(t)
	t.Chdir(t.TempDir())
	out := filepath.Join(t.TempDir(), "of two 'words'")
	lines := printed(t, "-figure", "warp/fig4", "-scale", "paper", "-out", out, "--", "--gres=gpu:1")
	dir := filepath.Join(out, "slurm", "1")
	for _, want := range []string{
		"# sbatch --gres=gpu:1 --parsable --open-mode=append --requeue --array=0-6 --signal=B:TERM@60 --output=" +
			dir + "/train-1.%a.log --error=" + dir + "/train-1.%a.log " + dir + "/train-1.sh",
		"# sbatch --gres=gpu:1 --parsable --open-mode=append --requeue --dependency=afterany:… --output=" + dir +
			"/draw.log --error=" + dir + "/draw.log " + dir + "/draw.sh",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if i := slices.Index(lines, "runs=("); lines[i+1] != "warp/fig4/adding750.paper.standard-1" || lines[i+8] != ")" {
		t.Errorf("the runs are %q", lines[i+1:i+9])
	}
	for _, dir := range []string{out, "."} {
		check.Entries(t, dir, 0)
	}
}

// An engine that no node can have is refused before anything is submitted; one that this machine alone may lack is not.
func TestBackend(t *testing.T) {
	withoutSlurm(t)
	out := t.TempDir()
	args := func(engine string) []string {
		return []string{"-print", "-run", "warp/fig4/adding200.quick", "-out", out, "-backend", engine}
	}
	for _, engine := range []string{"nope", "simd:threads=many", "xla"} {
		check.Rejected(t, engine, start(t.Context(), args(engine), &command.Output{To: &bytes.Buffer{}}), engine)
	}
	for _, engine := range []string{"simd", "simd:threads=2", "go", "xla:cpu", "xla:cuda"} {
		check.Contains(t, started(t, args(engine)...), "'-backend' '"+engine+"'")
	}
	t.Setenv("GOMLX_BACKEND", "nope") // the nodes get it, too
	err := start(t.Context(), args("")[:5], &command.Output{To: &bytes.Buffer{}})
	check.Rejected(t, "the variable", err, `unknown backend "nope"`)
}

// A run that has failed twice in a row with the same error, or five times, is not submitted again.
func TestFailedTwice(t *testing.T) {
	withoutSlurm(t)
	d, err := open(t.TempDir())
	check.OK(t, err)
	check.OK(t, os.MkdirAll(filepath.Join(d.home, "errors"), 0o777))
	for errors, want := range map[string]bool{
		"": true, "a\n": true, "a\nb\n": true, "b\na\na\n": false, "a\na\nb\n": true,
		"a\nb\nc\nd\n": true, "a\nb\nc\nd\ne\n": false,
	} {
		file, _ := d.errors("warp/fig4/adding750.paper.standard-1")
		check.OK(t, os.WriteFile(file, []byte(errors), 0o666))
		lines := printed(t, "-figure", "warp/fig4", "-scale", "paper", "-out", d.out)
		if slices.Contains(lines, "warp/fig4/adding750.paper.standard-1") != want {
			t.Errorf("after the errors %q: submitted is not %v", errors, want)
		}
	}
}

// header is that of a run at scale quick.
func header(paper, figure, panel string, updates int) record.Header {
	return record.Header{
		Paper: paper, Figure: figure, Panel: panel, Scale: "quick", Trials: []record.Trial{{Arm: "d"}},
		Updates: updates, Window: 1, Batch: 1, Units: 1, Steps: 1, Experiment: json.RawMessage("{}"), Backend: "simd",
		Environment: record.Environment{Commit: "unknown"}, Started: "2026-11-25T00:00:00Z",
	}
}

// checkpoint writes a checkpoint of a run after an update.
func checkpoint(t *testing.T, path string, h record.Header, update int) {
	t.Helper()
	w, err := record.Open(path, h)
	check.OK(t, err)
	for u := 1; u <= update; u++ {
		w.Record().Points = append(w.Record().Points, record.Point{Update: u, Series: record.Train, Values: []float64{1}})
	}
	check.OK(t, w.Save(update, nil))
	check.OK(t, w.Close())
}

// finish writes the record of a run.
func finish(t *testing.T, path string, h record.Header) {
	t.Helper()
	w, err := record.Open(path, h)
	check.OK(t, err)
	for update := h.Window; update <= h.Updates; update += h.Window {
		w.Record().Points = append(w.Record().Points, record.Point{
			Update: update, Series: record.Train, Values: make([]float64, len(h.Trials)),
		})
	}
	check.OK(t, w.Finish(1, nil, nil))
	check.OK(t, w.Close())
}

// What -cancel took out of the queue has not failed, unless it had before.
func TestCancelled(t *testing.T) {
	bash := need.Program(t, "bash")
	d, err := open(filepath.Join(t.TempDir(), "a [b] ü*"))
	check.OK(t, err)
	dir := filepath.Join(d.home, "1")
	script, queue := filepath.Join(dir, "train-1.sh"), filepath.Join(dir, "queue")
	check.OK(t, os.MkdirAll(dir, 0o777))
	check.OK(t, os.MkdirAll(filepath.Join(d.home, "errors"), 0o777))
	check.OK(t, os.MkdirAll(filepath.Join(d.out, "records", "a", "b"), 0o777))
	done := filepath.Join(d.out, "records", "a", "b", "done.quick.jsonl")
	failed, _ := d.errors("a/failed")
	for path, text := range map[string]string{
		script: "\nruns=(\na/b/done.quick\na/failed\na/waiting\n)\n",
		queue:  "7|2|PENDING|1:00||Resources|" + script + "\n",
		done:   "damaged", failed: "full\n", // two shell scripts stand for Slurm
		filepath.Join(dir, "squeue"):  "#!" + bash + "\necho \"$(<" + quote(queue) + ")\"\n",
		filepath.Join(dir, "scancel"): "#!" + bash + "\n[ \"$*\" = 7 ] && : >" + quote(queue) + "\n",
	} {
		check.OK(t, os.WriteFile(path, []byte(text), 0o777))
	}
	t.Setenv("PATH", dir)
	status := func() string {
		var out bytes.Buffer
		check.OK(t, d.status(t.Context(), &command.Output{To: &out}))
		line, _, _ := strings.Cut(out.String(), "\n")
		return line
	}
	if got, want := status(), "Of 3 runs, 0 done, 0 running, 1 waiting, 2 failed"; got != want {
		t.Errorf("with a damaged record: %s, want %s", got, want)
	}
	check.OK(t, os.Remove(done))
	finish(t, done, header("a", "b", "done", 1))
	if got, want := status(), "Of 3 runs, 1 done, 0 running, 1 waiting, 1 failed"; got != want {
		t.Errorf("before: %s, want %s", got, want)
	}
	check.OK(t, d.cancel(t.Context(), &command.Output{To: &bytes.Buffer{}}))
	if got, want := status(), "Of 3 runs, 1 done, 0 running, 0 waiting, 1 failed, 1 cancelled"; got != want {
		t.Errorf("after -cancel: %s, want %s", got, want)
	}
}

// -status reports what the last job does. If it has not drawn the complete runs, -status reports why, and submitting
// again submits it again, after nothing.
func TestFigures(t *testing.T) {
	dir := cluster(t)
	d, err := open(t.TempDir())
	check.OK(t, err)
	const name = "warp/fig4/adding200.quick"
	c := plan.Choice{Figures: plan.Figures(), Runs: []string{name}}
	c.Options.Seed = 1
	tasks, err := c.Tasks()
	check.OK(t, err)
	h := tasks[0].Header("simd")
	h.Commit = "unknown"
	finish(t, d.record(name), h)
	submission := filepath.Join(d.home, "1")
	check.Write(t, filepath.Join(submission, "train-1.sh"), []byte("\nruns=(\n"+name+"\n)\n"))
	status := func(want ...string) {
		t.Helper()
		lines := append([]string{"Of 1 runs, 1 done, 0 running, 0 waiting, 0 failed\n"}, want...)
		check.Equal(t, started(t, "-status", "-out", d.out), strings.Join(lines, ""), "status")
	}
	const figures = "go run ./scripts/figures -records '%[1]s/records' -out '%[1]s' -pages '%[1]s'\n"
	draw := fmt.Sprintf(figures, d.out)
	status("Figures:\n  not drawn since the last run was completed; submit again, or run: ", draw)

	check.Write(t, filepath.Join(submission, "draw.log"), []byte("a line\nfigures: disk full\n"))
	status("Figures:\n  not drawn since the last run was completed (the last job ended with: figures: disk full); ",
		"submit again, or run: ", draw)

	check.Equal(t, started(t, "-run", name, "-out", d.out), "Job 7: the figures\n", "submitting")
	args := string(check.Read(t, filepath.Join(dir, "submitted")))
	if strings.Contains(args, "dependency") || strings.Count(args, "\n") != 1 {
		t.Errorf("the last job alone is submitted by sbatch %s", args)
	}
	for state, want := range map[string]string{
		"PENDING|1:00||Dependency": "PENDING (Dependency)", "RUNNING|1:00|n1|None": "RUNNING on n1",
	} {
		check.Write(t, filepath.Join(dir, "queue"), []byte("8|N/A|"+state+"|"+submission+"/draw.sh\n"))
		status("Figures:\n  job 8 draws them when all runs have ended: ", want, "\n")
	}
	check.Write(t, filepath.Join(dir, "queue"), nil)

	check.Write(t, d.claims(), []byte("# Claims\n"))
	then := time.Unix(1e9, 0)
	check.OK(t, os.Chtimes(d.record(name), then, then))
	check.OK(t, os.Chtimes(d.claims(), then, then.Add(-time.Second)))
	status("Figures:\n  not drawn since the last run was completed; submit again, or run: ", draw)
	check.OK(t, os.Chtimes(d.claims(), then, then))
	status()
	text := started(t, "-run", name, "-out", d.out)
	check.Equal(t, text, "Nothing to submit; -status reports the progress\n", "submitting when all is drawn")
}

// What a task does when its program has ended, by how it ended and by what Slurm says of the task: done, or again.
func TestTaskScript(t *testing.T) {
	bash := need.Program(t, "bash")
	path := os.Getenv("PATH")
	const (
		save   = `save() { cp "$saved/$1" "$record.checkpoint"; }` // after this update
		stuck0 = "interrupted with no update saved since update 0: submit it with more --time\n"
		stuck1 = "interrupted with no update saved since update 1: submit it with more --time\n"
		noFile = "a directory in the place of the file of errors"
	)
	saved := t.TempDir()
	for update := range 3 {
		file := filepath.Join(saved, "warp/fig3/b.quick.jsonl")
		checkpoint(t, file, header("warp", "fig3", "b", 3), update)
		check.OK(t, os.Rename(record.CheckpointPath(file), filepath.Join(saved, strconv.Itoa(update))))
	}
	for _, c := range []struct {
		name, program, queue string
		again                bool
		code                 int
		errors               string // there are before and after
		saved                int    // updates, before
	}{
		{"done", "exit 0", "RUNNING n1", false, 0, "old\n→", 0},
		{"saved before its limit", "save 1; exit 130", "RUNNING n1", true, 130, "→", 0},
		{"saved more before its limit", "save 2; exit 130", "RUNNING n1", true, 130, stuck0 + "→" + stuck0, 1},
		{"completed and told to stop", `echo >"$record"; exit 130`, "RUNNING n1", true, 130, "→", 1},
		{"saved nothing", "save 0; exit 130", "RUNNING n1", true, 130, "→" + stuck0, 0},
		{"saved nothing twice", "exit 130", "RUNNING n1", false, 130, stuck0 + "→" + stuck0 + stuck0, 0},
		{"saved only the same again", "save 1; exit 130", "RUNNING n1", true, 130, stuck0 + "→" + stuck0 + stuck1, 1},
		{"preempted or cancelled", "exit 130", "COMPLETING n1", false, 130, "→", 0},
		{"preempted again at once", "exit 130", "COMPLETING n1", false, 130, stuck0 + "→" + stuck0, 0},
		{"on a node that Slurm had lost", "exit 130", "RUNNING n2", false, 130, "→", 0},
		{"trained elsewhere", "exit 4", "RUNNING n1", true, 4, "→", 0},
		{"failed", "echo replicate: full >&2; exit 2", "RUNNING n1", true, 2, "→replicate: full\n", 0},
		{"failed otherwise", "echo noise >&2; echo replicate: full >&2; exit 2", "RUNNING n1", true, 2,
			"replicate: late\n→replicate: late\nreplicate: full\n", 0},
		{"failed twice", "echo replicate: full >&2; exit 2", "RUNNING n1", false, 2,
			"replicate: full\n→replicate: full\nreplicate: full\n", 0},
		{"failed for the fourth time", "echo replicate: d >&2; exit 2", "RUNNING n1", true, 2,
			"a\nb\nc\n→a\nb\nc\nreplicate: d\n", 0},
		{"failed for the fifth time", "echo replicate: e >&2; exit 2", "RUNNING n1", false, 2,
			"a\nb\nc\nd\n→a\nb\nc\nd\nreplicate: e\n", 0},
		{"failed and cannot record it", "echo replicate: full >&2; exit 2", "RUNNING n1", false, 2, noFile, 0},
		{"panicked", "echo panic: nil >&2; echo goroutine 1 >&2; exit 2", "RUNNING n1", true, 2, "→panic: nil\n", 0},
		{"killed", "kill -9 $$", "RUNNING n1", true, 137, "→killed by signal 9\n", 0},
		{"told to stop", `trap "save 1; exit 130" TERM; kill $PPID; kill $PPID; for i in {1..600}; do sleep 0.1; done`,
			"RUNNING n1", true, 130, "→", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := open(filepath.Join(t.TempDir(), "a 'place'"))
			check.OK(t, err)
			dir := filepath.Join(d.home, "1")
			check.OK(t, os.MkdirAll(filepath.Join(d.home, "errors"), 0o777))
			check.OK(t, os.MkdirAll(dir, 0o777))
			records := filepath.Join(d.out, "records")
			train := fill(trainSH, map[string]any{"Home": d.home, "Dir": dir, "Records": records,
				"Options": []string{"-out", d.out}, "Runs": []string{"warp/fig1/a.quick", "warp/fig3/b.quick"}})
			for name, text := range map[string]string{
				"squeue": "echo " + c.queue, "scontrol": `echo "$@" >` + quote(dir+"/requeued"),
				"replicate": save + "\n" + c.program, "train-1.sh": strings.TrimPrefix(train, "#!/bin/bash\n"),
			} {
				check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+bash+"\n"+text+"\n"), 0o777))
			}
			program, err := os.Executable()
			check.OK(t, err)
			check.OK(t, os.Symlink(program, filepath.Join(dir, "slurm")))
			before, after, _ := strings.Cut(c.errors, "→")
			file, _ := d.errors("warp/fig3/b.quick")
			if c.errors == noFile {
				check.OK(t, os.Mkdir(file, 0o777))
			} else {
				check.OK(t, os.WriteFile(file, []byte(before), 0o666))
			}
			record := filepath.Join(records, "warp", "fig3", "b.quick.jsonl")
			check.Write(t, record+".checkpoint", check.Read(t, filepath.Join(saved, strconv.Itoa(c.saved))))
			cmd := exec.Command(filepath.Join(dir, "train-1.sh"))
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+path, "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1",
				"SLURMD_NODENAME=n1", "SLURM_CPUS_ON_NODE=1", "saved="+saved, "record="+record,
				"LC_ALL=C") // bash, which plays replicate here, warns of locales that are not installed
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("ended with %d, want %d: %s", code, c.code, out)
			}
			requeued, _ := os.ReadFile(filepath.Join(dir, "requeued"))
			if want := map[bool]string{true: "requeue 7_1\n"}[c.again]; string(requeued) != want {
				t.Errorf("requeued by %q, want %q: %s", requeued, want, out)
			}
			if c.errors == noFile {
				check.Contains(t, string(out), "slurm: replicate: full; not requeued, because this cannot be recorded:")
			}
			if errors, _ := os.ReadFile(file); string(errors) != after {
				t.Errorf("its errors are %q, want %q", errors, after)
			}
			if runs, err := runsOf(filepath.Join(dir, "train-1.sh")); err != nil || len(runs) != 2 {
				t.Errorf("the script's runs are %q, %v", runs, err)
			}
		})
	}
}
