package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// TestMain makes the test binary the program itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("REPLICATE_TEST_MAIN") != "" {
		silence = time.Hour // so that what is printed does not depend on the machine
		main()
	}
	os.Exit(m.Run())
}

// begin starts a program, and returns what it has printed when so many runs have begun.
func begin(t *testing.T, cmd *exec.Cmd, runs int) (said string) {
	t.Helper()
	lines := bufio.NewReader(check.Got(cmd.StdoutPipe())(t))
	check.OK(t, cmd.Start())
	for strings.Count(said, ": run ") < runs {
		line, err := lines.ReadString('\n')
		check.OK(t, err, said, cmd.Stderr)
		said += line
	}
	return said
}

// interrupt interrupts a program that trains. It must end with 4, and say on one line why.
func interrupt(t *testing.T, cmd *exec.Cmd, by os.Signal) (stderr string) {
	t.Helper()
	check.OK(t, cmd.Process.Signal(by))
	cmd.Wait()
	stderr = cmd.Stderr.(*bytes.Buffer).String()
	if code := cmd.ProcessState.ExitCode(); code != command.Incomplete || strings.Count(stderr, "\n") != 1 {
		t.Errorf("ended with %d, and says %q; want 4 and one line", code, stderr)
	}
	return stderr
}

// files lists what is in a directory that matches a pattern.
func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	return check.Got(fs.Glob(os.DirFS(dir), pattern))(t)
}

func program(env string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "REPLICATE_TEST_MAIN=1", "GOMLX_BACKEND=simd", env)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// fails runs the program, in this process, and returns its error, which takes one line.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("GOMLX_BACKEND", "simd")
	interrupted, cancel := context.WithCancel(t.Context()) // so that it trains nothing if it does not fail
	cancel()
	err := replicate(interrupted, args, &command.Output{To: io.Discard})
	check.Rejected(t, args, err, "")
	return fmt.Sprint(err)
}

func TestBadInput(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(inTheWay, []byte("precious"), 0o666))
	notes := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(notes, "CLAIMS.md"), []byte("# Claims of mine\n"), 0o666))
	spoilt := t.TempDir() // with a record that was edited
	path := invent(t, filepath.Join(spoilt, "records"), declared(t, "adding750"), 0.25)[0]
	edited := bytes.Replace(check.Read(t, path), []byte("0.25"), []byte("0.24"), 1)
	check.Write(t, path, edited)
	r := made.Record(declared(t, "adding200")[0], func(record.Trial, float64) float64 { return 0.25 })
	r.Backend = "xla:" + inTheWay // a record does not choose a file that is loaded
	hostile := check.Got(made.Write(t.TempDir(), r))(t)
	damaged := t.TempDir() // with a checkpoint that cannot be resumed, which is noticed before the other run begins
	checkpoint := filepath.Join(damaged, "records/warp/fig4/adding750.quick.jsonl.checkpoint")
	check.Write(t, checkpoint, []byte("{"))
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "/none")
	for _, c := range []struct{ args, want string }{
		{"-figure=", "-figure"}, // and not all figures
		{"-backend tpu", `"tpu"`},
		{"-list -backend tpu", `"tpu"`},
		{"-list -watch", "-watch"},
		{"fig3", `"fig3"`},
		{"-out FILE", inTheWay},
		{"-out NOTES", "CLAIMS.md"},
		{"-watch -verify FILE", "-watch"},
		{"-verify", "-verify"},
		{"-verify=0 FILE", "-verify"},
		{"-verify FILE", inTheWay},
		{"-verify FOLDER", filepath.Dir(inTheWay)},
		{"-verify HOSTILE", "-backend"},
		{"-figure warp/fig4/adding200 -out SPOILT", path},
		{"-figure warp/fig4 -out DAMAGED", "delete adding750.quick.jsonl.checkpoint"},
	} {
		t.Chdir(t.TempDir()) // where the default -out would go
		args, paths := strings.Fields(c.args), map[string]string{
			"FILE": inTheWay, "FOLDER": filepath.Dir(inTheWay), "NOTES": notes, "HOSTILE": hostile,
			"SPOILT": spoilt, "DAMAGED": damaged,
		}
		for i, arg := range args {
			args[i] = cmp.Or(paths[arg], arg)
		}
		check.Contains(t, fails(t, args...), c.want)
		check.Entries(t, ".", 0)
	}
	check.Equal(t, string(check.Read(t, inTheWay)), "precious", "the file in the way of -out")
	check.Equal(t, string(check.Read(t, path)), string(edited), "the edited record")
	check.Entries(t, filepath.Dir(path), 1)
	check.Entries(t, filepath.Dir(checkpoint), 1)
}

// declared returns the tasks of one panel of Figure 4.
func declared(t *testing.T, panel string) []experiment.Task {
	t.Helper()
	choice := plan.Choice{Names: "warp/fig4/" + panel, Seed: 1}
	return check.Got(choice.Tasks())(t)
}

// invent writes complete records of tasks without training them, and returns their paths.
func invent(t *testing.T, dir string, tasks []experiment.Task, value float64) []string {
	t.Helper()
	var paths []string
	for _, task := range tasks {
		r := made.Record(task, func(record.Trial, float64) float64 { return value })
		r.Backend = "simd"
		paths = append(paths, check.Got(made.Write(dir, r))(t))
	}
	return paths
}

// An interruption ends all jobs and names each, and the second start resumes them there. SIGTERM, which a scheduler
// sends to a script and to what it started, and the script passes on, saves once. For a program whose runs another
// trains there is an exit code of its own.
func TestInterruptAndResume(t *testing.T) {
	const one, other = "warp/fig4/adding200.paper", "warp/fig4/adding750.paper.chrono-1" // which take hours
	out, first := t.TempDir(), " updates\n"
	for range 2 {
		cmd := program("GOMAXPROCS=2", "-figure", one+","+other, "-out", out)
		check.Contains(t, begin(t, cmd, 2), "6 models, 20000"+first)
		succeeds(t, command.Incomplete, "-figure", one, "-out", out)
		check.OK(t, cmd.Process.Signal(syscall.SIGTERM))
		said := interrupt(t, cmd, syscall.SIGTERM)
		at := regexp.MustCompile(`adding200 paper: interrupted at (update \d+) of`).FindStringSubmatch(said)
		check.Must(t, at != nil && strings.Count(said, ": interrupted at ") == 2, "two runs are not named in %q", said)
		first = " updates, from " + at[1] + "\n"
	}
}

// succeeds runs the program, checks that it ends with that exit code, and returns what it prints.
func succeeds(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := program("", args...)
	out, err := cmd.Output()
	check.That(t, cmd.ProcessState.ExitCode() == code,
		"%q ended with %v, want exit code %d: %s", args, err, code, cmd.Stderr)
	return string(out)
}

// A record is trained again, and compared: ours is confirmed, and one that was invented is not.
func TestVerify(t *testing.T) {
	ours := filepath.Join("../..", papers.Committed, "warp/fig4/adding200.quick.jsonl")
	check.Contains(t, succeeds(t, 0, "-verify=30", ours), ours, "30 of 1200 updates")
	small := plan.Choice{Names: "warp/beyond-trace/copy200", Seed: 1}
	r := made.Record(check.Got(small.Tasks())(t)[0], func(record.Trial, float64) float64 { return 0.25 })
	r.Device = check.Got(backend.New(r.Backend))(t).DeviceDescription(0) // of engine go
	said := succeeds(t, 1, "-verify=30", ours, check.Got(made.Write(t.TempDir(), r))(t))
	check.Contains(t, said, string(run.Differs))
	check.That(t, !strings.Contains(said, "the device was"), "a record is trained on another's engine: %s", said)
}

// watched reads the page whose address a line names.
func watched(t *testing.T, line string) string {
	t.Helper()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	response := check.Got(http.Get(url))(t)
	defer response.Body.Close()
	return string(check.Got(io.ReadAll(response.Body))(t))
}

// While it trains, afterwards, and alone, the program shows the curves of its runs.
func TestWatch(t *testing.T) {
	out := t.TempDir()
	invent(t, filepath.Join(out, "records"), declared(t, "adding750"), 0.25)
	training := program("", "-watch", "-figure", "warp/fig4/adding200.paper", "-out", out)
	check.Contains(t, watched(t, begin(t, training, 1)), "1 training, 1 complete")
	interrupt(t, training, os.Interrupt)

	for until, chosen := range map[string][]string{
		"The curves are at": nil, "The page with the curves": {"-figure", "warp/fig4/adding750.quick"}, // a run
	} {
		done := program("", append(chosen, "-watch", "-out", out)...)
		lines := bufio.NewScanner(check.Got(done.StdoutPipe())(t))
		check.OK(t, done.Start())
		said := ""
		for !strings.Contains(said, until) && lines.Scan() {
			said += lines.Text()
		}
		check.Contains(t, watched(t, said), "adding200", "adding750", "1 training, 1 complete")
		done.Process.Signal(os.Interrupt)
		check.OK(t, done.Wait(), "interrupted, which is its regular end")
	}
}

// The list of figures names what can be trained and with what; that of runs their sizes, and how long ours took.
func TestList(t *testing.T) {
	t.Chdir("../..")
	check.Contains(t, succeeds(t, 0, "-list"), "warp/fig1", "context/fig6", "Backends:", "used: ", "xla:cuda")
	for args, want := range map[string]string{
		"-figure warp/fig4 -scale quick":               ` 100 +32 +32 +1200 +6 +[\d.]+ warp/fig4/adding200\.quick\n`,
		"-figure context/fig5 -scale paper":            ` 25 +128 +128 +2600 +5 .* context/fig5/decay\.paper\.zero\n`,
		"-figure warp/fig6/mnist -scale paper":         ` 784 +512 +100 +25000 +6 +– warp/fig6/mnist\.paper\n`,
		"-figure warp/fig6 -scale paper":               `; runs without a record: 2\.\n`,
		"-figure warp/fig4/adding750.paper.standard-1": ` warp/fig4/adding750\.paper\.standard-1\n`,
	} {
		text := succeeds(t, 0, append([]string{"-list"}, strings.Fields(args)...)...)
		check.That(t, regexp.MustCompile(want).MatchString(text), "%s: no line like %s in\n%s", args, want, text)
	}
}

// Exactly the runs that are named are trained, and nothing is drawn; what others have in the directory does not matter.
// A share without runs is no error: where shares are given out, it has nothing to do.
func TestRun(t *testing.T) {
	out := t.TempDir()
	spoilt := filepath.Join(out, "records", "warp", "fig1", "spoilt.quick.jsonl")
	check.Write(t, spoilt, nil)
	tasks := declared(t, "adding200")
	invent(t, filepath.Join(out, "records"), tasks, 0.25)
	said := succeeds(t, 0, "-figure", plan.Name(tasks[0]), "-out", out)
	check.Contains(t, said, "1 run on simd, 1 at a time", "complete already (1 of 1)")
	said += succeeds(t, 0, "-figure", "warp/fig4", "-shard", "5/16", "-out", out)
	drawn := files(t, out, "*/*.svg")
	check.That(t, len(drawn) == 0 && !strings.Contains(said, "laims") && !strings.Contains(said, "drawn"),
		"it draws %v, and says\n%s", drawn, said)
}

// A run that another process trains waits until the others are done, and is then tried again. One that is interrupted
// alone interrupts the others, too. One that fails ends with its own error, even if Ctrl-C has come.
func TestTrain(t *testing.T) {
	tasks := append(declared(t, "adding200"), declared(t, "adding750")...)
	busy, full := record.ErrBusy, errors.New("no space left")
	for what, c := range map[string]struct {
		ends  []error // of the first run, each time that it is begun
		order string
		says  string
	}{
		"busy at first":     {[]error{busy, nil}, "adding200 adding750 adding200", "<nil>"},
		"busy":              {[]error{busy, busy}, "adding200 adding750 adding200", busy.Error()},
		"interrupted alone": {[]error{run.ErrInterrupted}, "adding200", "adding200: " + run.ErrInterrupted.Error()},
		"full, and Ctrl-C":  {[]error{full}, "adding200", "adding200: no space left"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var order []string
		err := train(ctx, tasks, []worker{func(_ context.Context, task experiment.Task) error {
			order = append(order, task.Panel.Name)
			if task.Panel.Name == "adding750" {
				return nil
			}
			end := c.ends[0]
			c.ends = c.ends[1:]
			switch end {
			case nil:
				return nil
			case full:
				cancel()
			}
			return fmt.Errorf("adding200: %w", end)
		}})
		check.Equal(t, strings.Join(order, " "), c.order, "%s: runs that are begun", what)
		check.Contains(t, fmt.Sprint(err), c.says)
		cancel()
	}
}

// A figure is drawn as soon as its own runs are complete, and those that need no training before. What came out of our
// records is not said of those that were trained here. A damaged record of another figure, which comes while others are
// trained, does not end their training.
func TestPicturesWhileTraining(t *testing.T) {
	choice := plan.Choice{Names: "warp/fig4/adding200", Scale: "paper"}
	tasks, all := check.Got(choice.Tasks())(t), plan.Choice{}
	p := pictures{records: t.TempDir(), dir: t.TempDir(), out: &command.Output{To: io.Discard}, left: map[string]int{}}
	check.OK(t, p.start(true, check.Got(all.Tasks())(t)))
	check.Equal(t, files(t, p.dir, "*/*.svg"), []string{"context/fig1.svg", "context/fig3.svg", "context/fig4.svg",
		"warp/fig2.svg"}, "what is drawn before the training")

	p.left = map[string]int{}
	invent(t, p.records, tasks, 0.1)
	check.OK(t, p.start(false, append(tasks, tasks...))) // of a figure with two runs
	p.complete(tasks[0])
	check.Equal(t, len(files(t, p.dir, "warp/fig4.*")), 0, "pictures after the first of two runs")
	p.complete(tasks[0])
	check.OK(t, p.failed)
	caption := string(check.Read(t, filepath.Join(p.dir, "warp", "fig4.svg")))
	check.That(t, !strings.Contains(caption, warp.Fig4.Found), "what came out is said")

	check.OK(t, p.start(false, tasks))
	check.Write(t, filepath.Join(p.records, "warp/fig3/copy500.quick.jsonl"), []byte("{"))
	p.complete(tasks[0])
	check.Contains(t, fmt.Sprint(p.failed), "warp/fig4 is not drawn: ", "copy500.quick.jsonl")
}

// Where data is missing, one line says which files belong where, and nothing is written.
func TestMissingData(t *testing.T) {
	for _, variable := range []string{dataset.Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, t.TempDir())
	}
	const trained = "../../replication/records/warp/fig6/mnist.reduced.standard.jsonl"
	line := fails(t, "-verify", trained)
	check.Contains(t, line, trained, "mnist/train-images-idx3-ubyte.gz")
	t.Chdir(t.TempDir())
	line = fails(t, "-figure", "warp/fig6", "-scale", "reduced")
	check.Contains(t, line, "warp/fig6 mnist reduced standard: ", "mnist/train-images-idx3-ubyte.gz", "put them there",
		"go run github.com/warptime/warptime/scripts/data mnist")
	check.Entries(t, ".", 0)
}
