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
	"github.com/warptime/warptime/scripts/internal/command"
)

// What needs Slurm is tried with a real one, by test.sh.

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
		{"fig3", `"fig3": put options of sbatch after --`},
		{"-out a%b", "a%b"},
		{"-out a'b", "a'b"},
		{"-print -backend nope", `"nope"`},
		{"-print -backend simd:threads=many", "threads=many"},
		{"-figure fig5", "no squeue here"},
	} {
		t.Chdir(t.TempDir())
		_, err := started(t, strings.Fields(c.args)...)
		check.Rejected(t, c.args, err, c.want)
		check.Entries(t, "out", 0)
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
		" --array=0-1 --signal=B:USR1@60 "+dir+"/train.sh\n",
		" -out '"+out+"' -seed 2 -backend 'xla:cuda' &\n", "\nwarp/fig4/adding750.quick\n",
		" --dependency=afterany:… "+dir+"/draw.sh\n")
	check.Entries(t, out, 0)
	t.Setenv("GOMLX_BACKEND", "go") // the nodes get it, even if they do not get the variable (sbatch --export=NONE)
	check.Contains(t, check.Got(started(t, "-print", "-figure", "warp/fig4"))(t), " -seed 1 -backend 'go' &\n")
}

// A task's script calls the program for its run, whatever the directory's name. How that ends, and a signal of Slurm,
// which passes it on, decides whether the task is requeued.
func TestScript(t *testing.T) {
	slurm, out := cluster(t), filepath.Join(t.TempDir(), "a $HOME `b` ü*")
	d := check.Got(open(out))(t)
	dir, bash := filepath.Join(d.home, "1"), need.Program(t, "bash")
	check.Write(t, filepath.Join(dir, "runs"), []byte("a/b/c.quick\na/b/d.quick\n"))
	const stops = `trap "exit 4" TERM; sleep 0.3; kill -%s $PPID; for i in {1..600}; do sleep 0.1; done`
	for _, c := range []struct {
		name, program string
		code          int
		again         bool
	}{
		{"done", "exit 0", 0, false},
		{"near its limit", fmt.Sprintf(stops, "USR1"), 4, true},
		{"cancelled", fmt.Sprintf(stops, "TERM"), 4, false},
		{"trained elsewhere", "exit 4", 4, true},
		{"killed", "kill -9 $$", 137, true},
		{"failed after that", "exit 2", 2, false},
	} {
		requeued := filepath.Join(slurm, "requeued")
		os.Remove(requeued)
		check.Write(t, filepath.Join(slurm, "busy"), nil)
		program := "#!" + bash + "\nprintf '%s\\n' \"$*\"\n" + c.program + "\n"
		check.OK(t, os.WriteFile(filepath.Join(dir, "replicate"), []byte(program), 0o777))
		cmd := exec.Command(bash, "-c", fmt.Sprintf(trainSH, dir, d.out, "-seed 3"))
		cmd.Env = append(os.Environ(), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1")
		said, _ := cmd.Output()
		check.Equal(t, string(said), "-figure a/b/d.quick -out "+d.out+" -seed 3\n", "%s: arguments", c.name)
		check.Equal(t, cmd.ProcessState.ExitCode(), c.code, "%s: exit code", c.name)
		again, _ := os.ReadFile(requeued)
		check.Equal(t, string(again), map[bool]string{true: "requeue 7_1\n"}[c.again], "%s: requeued", c.name)
	}
}

// cluster puts shell scripts into PATH that stand for Slurm: queue is what squeue prints. Where there is a file busy,
// the first that is asked removes it and fails.
func cluster(t *testing.T) (dir string) {
	t.Helper()
	bash, dir := need.Program(t, "bash"), t.TempDir()
	for name, text := range map[string]string{
		"squeue": "cat '" + dir + "/queue'", "scontrol": "echo $* >'" + dir + "/requeued'; kill $PPID",
	} {
		text = "#!" + bash + "\nrm '" + dir + "/busy' 2>/dev/null && exit 1\n" + text + "\n"
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	check.Write(t, filepath.Join(dir, "queue"), nil)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// What is in the queue is found again, whatever links lead to the directory, and nothing of other directories is.
func TestQueue(t *testing.T) {
	slurm, out := cluster(t), filepath.Join(t.TempDir(), "link")
	check.OK(t, os.Symlink(t.TempDir(), out))
	d := check.Got(open(out))(t)
	script := filepath.Join(d.home, "2")
	check.Write(t, filepath.Join(script, "runs"), []byte("a/b/done\na/b/waits\n"))
	check.Write(t, filepath.Join(slurm, "queue"), []byte("8|1|"+script+"/train.sh\n9|N/A|"+script+"/draw.sh\n"+
		"6|0|/elsewhere/slurm/1/train.sh\n"))
	runs, jobs, err := d.queue(t.Context())
	check.OK(t, err)
	check.Equal(t, append(runs, jobs...), []string{"a/b/waits", "8", "9"}, "runs and jobs")
}

// A program is built from the commit that its records name, and from nothing else that is in the checkout, such as a
// file that git ignores, or one that is edited while it is compiled. Of modified files it names none.
func TestBuild(t *testing.T) {
	need.Program(t, "go")
	need.Program(t, "git")
	dir, built := t.TempDir(), filepath.Join(t.TempDir(), "built")
	for name, text := range map[string]string{
		"go.mod": "module github.com/warptime/warptime\ngo 1.26\n", ".gitignore": "ignored.go\n",
		"replicate/main.go":    "package main\nfunc main() {}\n",
		"replicate/ignored.go": "package main\nfunc init() { print(\"ignored\") }\n",
		"scripts/build.sh":     string(check.Read(t, "../build.sh")),
	} {
		check.Write(t, filepath.Join(dir, name), []byte(text))
	}
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
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-buildvcs=false")          // whatever the user has set
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git")) // as git sets it for hooks
	program := filepath.Join(built, "replicate")
	do("bash", "scripts/build.sh", built, "./replicate")
	check.Equal(t, do(program), "", "what is not of the commit")
	check.Contains(t, do("go", "version", "-m", program), "vcs.revision="+do("git", "rev-parse", "HEAD"))
	do("git", "symbolic-ref", "HEAD") // the checkout is on its branch
	check.Write(t, filepath.Join(dir, "notes"), nil)
	do("bash", "scripts/build.sh", built, "./replicate")
	check.Equal(t, do(program), "ignored", "what is compiled of modified files")
	check.Equal(t, strings.Contains(do("go", "version", "-m", program), "vcs.revision"), false, "a commit of theirs")
}
