package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
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

// started is what the program prints.
func started(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := start(t.Context(), args, &command.Output{To: &out})
	return out.String(), err
}

func TestBadInput(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // a machine that has no Slurm
	for _, c := range []struct{ args, want string }{
		{"-figure fig9", `"fig9"`},
		{"fig3", `"fig3": put options of sbatch after --`},
		{"-status -scale paper", "-status and -cancel"},
		{"-status -cancel", "-status and -cancel"},
		{"-cancel 7", "-status and -cancel"}, // and not everything
		{"-out a%b", "a%b"},
		{"-out a'b", "a'b"},
		{"-print -backend nope", `"nope"`},
		{"-print -backend simd:threads=many", "threads=many"},
		{"-figure fig5", "no squeue here"},
		{"-status", "no squeue here"},
		{"-cancel", "no squeue here"},
	} {
		t.Chdir(t.TempDir())
		_, err := started(t, strings.Fields(c.args)...)
		check.Rejected(t, c.args, err, c.want)
		check.Entries(t, ".", 0)
	}
	t.Setenv("GOMLX_BACKEND", "nope") // the nodes get it, too
	_, err := started(t, "-print")
	check.Rejected(t, "the variable", err, `"nope"`)
}

// Without Slurm, -print shows what would be submitted, and leaves nothing behind. Engines that this machine alone may
// lack are accepted, and the program's own options come last, where they win.
func TestPrint(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	out := filepath.Join(t.TempDir(), "of two words")
	text, err := started(t, "-print", "-figure", "warp/fig4", "-scale", "quick", "-seed", "2", "-backend", "xla:cuda",
		"-out", out, "--", "--gres=gpu:1", "--array=0-3")
	check.OK(t, err)
	dir := filepath.Join(out, "slurm", "1")
	check.Contains(t, text, "# sbatch --gres=gpu:1 --array=0-3 ", " --requeue ",
		" --array=0-1 --signal=B:TERM@60 "+dir+"/train.sh\n",
		"-figure \"$run\" -out '"+out+"' -seed 2 -backend 'xla:cuda'\n", "\nwarp/fig4/adding750.quick\n",
		" --dependency=afterany:… "+dir+"/draw.sh\n")
	for _, dir := range []string{out, "."} {
		check.Entries(t, dir, 0)
	}
}

// The nodes compute with the engine that the variable names, even if they do not get it (sbatch --export=NONE).
func TestVariable(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	text := check.Got(started(t, "-print", "-figure", "warp/fig4", "-out", t.TempDir()))(t)
	check.Contains(t, text, " -seed 1 -backend 'go'\n")
}

// A directory has one name, also before it is made, whatever links lead to it: by that name its jobs are found again.
func TestDirectoryHasOneName(t *testing.T) {
	link := filepath.Join(t.TempDir(), "scratch")
	check.OK(t, os.Symlink(t.TempDir(), link))
	out := filepath.Join(link, "new", "out")
	before := check.Got(open(out))(t)
	check.OK(t, os.MkdirAll(out, 0o777))
	after := check.Got(open(out))(t)
	check.Equal(t, before, after, "the directory, before it is made and then")
}

// A task's script calls the program for its run, whatever the directory's name.
func TestScript(t *testing.T) {
	bash, out := need.Program(t, "bash"), filepath.Join(t.TempDir(), "a $HOME `b` ü*")
	d := check.Got(open(out))(t)
	dir := filepath.Join(d.home, "1")
	check.Write(t, filepath.Join(dir, "runs"), []byte("a/b/c.quick\na/b/d.quick\n"))
	check.OK(t, os.WriteFile(filepath.Join(dir, "slurm"), []byte("#!"+bash+"\nprintf '%s\\n' \"$@\"\n"), 0o777))
	cmd := exec.Command(bash, "-c", fmt.Sprintf(trainSH, dir, d.out, "-seed 3"))
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=1")
	said := check.Got(cmd.CombinedOutput())(t)
	want := []string{"task", dir + "/train.1.ended", dir + "/replicate", "-figure", "a/b/d.quick", "-out", d.out,
		"-seed", "3"}
	check.Equal(t, strings.Split(strings.TrimSpace(string(said)), "\n"), want, "what it calls")
}

// cluster puts shell scripts into PATH that stand for Slurm: queue is what squeue prints, and submitted has the
// arguments of sbatch. Where there is a file busy, the first that is asked removes it and fails.
func cluster(t *testing.T) (dir string) {
	t.Helper()
	bash, dir := need.Program(t, "bash"), t.TempDir()
	for name, text := range map[string]string{
		"squeue": "cat '" + dir + "/queue'", "scancel": "echo $* >'" + dir + "/cancelled'; : >'" + dir + "/queue'",
		"scontrol": "echo $* >'" + dir + "/requeued'", "sbatch": "echo $* >>'" + dir + "/submitted'; echo '7;cluster'",
	} {
		text = "#!" + bash + "\nrm '" + dir + "/busy' 2>/dev/null && exit 1\n" + text + "\n"
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	check.Write(t, filepath.Join(dir, "queue"), nil)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// Who submits programs of no commit is told before they train: their records are no evidence.
func TestSubmitsWhatNamesNoCommit(t *testing.T) {
	slurm, root, out := cluster(t), t.TempDir(), t.TempDir()
	bash := "#!" + need.Program(t, "bash") + "\n"
	check.OK(t, os.WriteFile(filepath.Join(slurm, "go"), []byte(bash+"echo '"+root+"'\n"), 0o777))
	check.OK(t, os.Mkdir(filepath.Join(root, "scripts"), 0o777))
	build := filepath.Join(root, "scripts", "build.sh") // modified files
	check.OK(t, os.WriteFile(build, []byte(bash+"touch \"$1/replicate\"\n"), 0o777))
	text := check.Got(started(t, "-figure", "warp/fig4/adding200", "-scale", "paper", "-out", out))(t)
	choice := plan.Choice{Names: "warp/fig4/adding200", Scale: "paper"}
	note := check.Got(plan.Evidence(check.Got(choice.Tasks())(t), "unknown", nil))(t)
	check.Contains(t, text, note, "Job 7: ")
}

// -status tells what is done, runs, waits and has stopped, and why; -cancel takes what is there out of the queue. A run
// is where its last submission has it.
func TestStatusAndCancel(t *testing.T) {
	slurm, out := cluster(t), filepath.Join(t.TempDir(), "a [b] ü*")
	check.OK(t, os.Mkdir(out, 0o777))
	d := check.Got(open(out))(t)
	ours := check.Read(t, "../../replication/records/warp/fig4/adding200.quick.jsonl")
	for path, text := range map[string]string{
		"slurm/1/runs": "a/b/runs\nwarp/fig4/adding200.quick\n", "slurm/1/train.0.log": "the first submission\n",
		"slurm/2/runs":                            "a/b/runs\na/b/waits\na/b/failed\na/b/damaged\n",
		"slurm/2/train.0.log":                     "begins\na/b/runs: update 3/600\n",
		"slurm/2/train.2.log":                     "begins\nreplicate: disk full\n\n",
		"slurm/2/draw.log":                        "figures: no record\n",
		"records/warp/fig4/adding200.quick.jsonl": string(ours), "records/a/b/damaged.jsonl": "damaged",
	} {
		check.Write(t, filepath.Join(out, path), []byte(text))
	}
	script := filepath.Join(d.home, "2")
	queue := "8|0|RUNNING|1:00|n1|None|" + script + "/train.sh\n8|1|PENDING|1:00||Resources|" + script + "/train.sh\n" +
		"6|0|PENDING|1:00||Priority|/elsewhere/slurm/1/train.sh\n"
	status := func(queue string) string {
		t.Helper()
		check.Write(t, filepath.Join(slurm, "queue"), []byte(queue))
		return check.Got(started(t, "-status", "-out", out))(t)
	}
	check.Contains(t, status(queue), "Of 5 runs, 1 done, 1 running, 1 waiting, 2 stopped\n",
		"  a/b/runs on n1, 1:00 until its limit: a/b/runs: update 3/600\n", "  a/b/failed: replicate: disk full\n",
		"  a/b/damaged: record ", "  figures: no record\n", "scripts/figures -records '"+out+"/records' -out '"+out)
	last := "9|N/A|PENDING|1:00||Dependency|" + script + "/draw.sh\n"
	check.Contains(t, status(queue+last), "job 9 ", "PENDING (Dependency)\n")
	check.Got(started(t, "-cancel", "-out", out))(t)
	check.Equal(t, string(check.Read(t, filepath.Join(slurm, "cancelled"))), "8 9\n", "the jobs that are cancelled")
	check.Contains(t, status(""), "Of 5 runs, 1 done, 0 running, 0 waiting, 4 stopped\n")
}

// What a task does when its program has ended, by how it ended and by what Slurm says of the task: done, or again.
func TestTask(t *testing.T) {
	const busy = "trained elsewhere, and Slurm is busy"
	const at3, at4 = "replicate: interrupted at update 3", "replicate: interrupted at update 4"
	for _, c := range []struct {
		name, program, queue string
		again                bool
		code                 int
		before, after        string // how it ended the last time
	}{
		{"done", "exit 0", "RUNNING n1", false, 0, "failed", "failed"},
		{"told to stop, twice", `trap "echo ` + at3 + ` >&2; exit 4" TERM; kill $PPID; kill $PPID
			for i in {1..600}; do sleep 0.1; done`, "RUNNING n1", true, 4, "", at3},
		{"and again, at the same update", `trap "echo ` + at3 + ` >&2; exit 4" TERM; kill $PPID
			for i in {1..600}; do sleep 0.1; done`, "RUNNING n1", false, 4, at3, at3},
		{"and again, at another", `trap "echo ` + at4 + ` >&2; exit 4" TERM; kill $PPID
			for i in {1..600}; do sleep 0.1; done`, "RUNNING n1", true, 4, at3, at4},
		{"preempted or cancelled", "exit 4", "COMPLETING n1", false, 4, at3, at3},
		{"on a node that Slurm had lost", "exit 2", "RUNNING n2", false, 2, "", ""},
		{"trained elsewhere", "exit 4", "RUNNING n1", true, 4, "failed", "failed"},
		{busy, "exit 4", "RUNNING n1", true, 4, "failed", "failed"},
		{"failed", "echo replicate: full >&2; exit 2", "RUNNING n1", true, 2, at3, "failed"},
		{"failed twice in a row", "exit 2", "RUNNING n1", false, 2, "failed", "failed"},
		{"killed", "kill -9 $$", "RUNNING n1", true, 255, "", "failed"},
		{"not there", "", "RUNNING n1", true, 2, "", "failed"},
		{"failed and cannot record it", "exit 2", "RUNNING n1", false, 2, "no file", ""},
	} {
		slurm := cluster(t)
		check.Write(t, filepath.Join(slurm, "queue"), []byte(c.queue+"\n"))
		file, program := filepath.Join(slurm, "ended"), filepath.Join(slurm, "program")
		if c.name == busy {
			check.Write(t, filepath.Join(slurm, "busy"), nil)
		}
		if c.before == "no file" {
			check.OK(t, os.Mkdir(file, 0o777))
		} else {
			check.Write(t, file, []byte(c.before))
		}
		if c.program != "" {
			check.OK(t, os.WriteFile(program, []byte("#!"+need.Program(t, "bash")+"\n"+c.program+"\n"), 0o777))
		}
		cmd := exec.Command(os.Args[0], "task", file, program)
		cmd.Env = append(os.Environ(), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1", "SLURMD_NODENAME=n1",
			"LC_ALL=C")
		said, _ := cmd.CombinedOutput()
		check.Equal(t, cmd.ProcessState.ExitCode(), c.code, "%s: exit code", c.name)
		requeued, _ := os.ReadFile(filepath.Join(slurm, "requeued"))
		want := map[bool]string{true: "requeue 7_1\n"}[c.again]
		check.Equal(t, string(requeued), want, "%s: requeued by (%s)", c.name, said)
		after, _ := os.ReadFile(file)
		check.Equal(t, string(after), c.after, "%s: how it ended", c.name)
	}
}

// A program is built from the commit that its records name, even if a file is edited while it is compiled, and
// restored. Of modified files it names none. Go compiles package p through a script that edits it in the checkout.
func TestBuild(t *testing.T) {
	need.Program(t, "go")
	need.Program(t, "git")
	dir, elsewhere := t.TempDir(), t.TempDir()
	p := filepath.Join(dir, "p", "p.go")
	check.Write(t, p, []byte("package p\nconst Is = \"clean\"\n"))
	check.Write(t, filepath.Join(dir, "go.mod"), []byte("module github.com/warptime/warptime\ngo 1.26\n"))
	check.Write(t, filepath.Join(dir, "replicate", "main.go"),
		[]byte("package main\nimport \"github.com/warptime/warptime/p\"\nfunc main() { print(p.Is) }\n"))
	check.Write(t, filepath.Join(dir, "scripts", "build.sh"), check.Read(t, "../build.sh"))
	do := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		check.OK(t, err, name, args, string(out))
		return strings.TrimSpace(string(out))
	}
	do("git", "init")
	do("git", "add", ".")
	do("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-m", "one")
	edits := filepath.Join(elsewhere, "edits")
	check.OK(t, os.WriteFile(edits, []byte("#!/bin/sh\ncase \"$*\" in *' -p github.com/warptime/warptime/p '*)\n"+
		"cp '"+p+"' '"+elsewhere+"/p.go'\necho 'package p; const Is = \"edited\"' >'"+p+"'\n\"$@\"\ncode=$?\n"+
		"cp '"+elsewhere+"/p.go' '"+p+"'\nexit $code\nesac\nexec \"$@\"\n"), 0o777))
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-buildvcs=false '-toolexec=\""+edits+"\"'") // whatever the user has set
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))                  // as git sets it for hooks
	built := filepath.Join(elsewhere, "built")
	do("bash", "scripts/build.sh", built, "./replicate")
	check.Equal(t, do(filepath.Join(built, "replicate")), "clean", "what was compiled")
	do("git", "symbolic-ref", "HEAD") // the checkout is on its branch
	commit := run.CommitOf(filepath.Join(built, "replicate"))
	check.Equal(t, commit, do("git", "rev-parse", "HEAD"), "the program's commit")
	check.Write(t, filepath.Join(dir, "notes"), nil)
	do("bash", "scripts/build.sh", built, "./replicate")
	check.Equal(t, run.CommitOf(filepath.Join(built, "replicate")), "unknown", "the commit of modified files")
}
