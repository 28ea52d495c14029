package main

import (
	"bufio"
	"bytes"
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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/made"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// TestMain makes the test binary the program itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("REPLICATE_TEST_MAIN") != "" {
		if os.Getenv("REPLICATE_TEST_HOLD") != "" {
			held := os.NewFile(3, "held")
			hold = func(ctx context.Context, s run.Status) {
				if s.Update > s.First {
					held.Write([]byte{1})
					<-ctx.Done()
				}
			}
		}
		if os.Getenv("REPLICATE_TEST_DEVICES") != "" {
			onCPU = func(string) bool { return false }
		}
		silence = time.Hour // so that what is printed does not depend on the machine
		main()
	}
	os.Exit(m.Run())
}

// startHeld starts a program whose runs wait, after an update, until the program is interrupted, and returns when so
// many wait.
func startHeld(t *testing.T, cmd *exec.Cmd, runs int) {
	t.Helper()
	held, there, err := os.Pipe()
	check.OK(t, err)
	defer held.Close()
	cmd.Env = append(cmd.Env, "REPLICATE_TEST_HOLD=1")
	cmd.ExtraFiles = []*os.File{there} // 3 there
	check.OK(t, cmd.Start())
	there.Close()
	if _, err := io.ReadFull(held, make([]byte, runs)); err != nil {
		t.Fatalf("it ended before %d runs were in progress: %v, %s", runs, cmd.Wait(), cmd.Stderr)
	}
}

// interrupt interrupts a program that was started by startHeld. It must end with 130, and say on one line why.
func interrupt(t *testing.T, cmd *exec.Cmd) (stderr string) {
	t.Helper()
	check.OK(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	stderr = cmd.Stderr.(*bytes.Buffer).String()
	if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("ended with %d, and says %q; want 130 and one line", code, stderr)
	}
	return stderr
}

// files lists what is in a directory that matches a pattern.
func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(dir), pattern)
	check.OK(t, err)
	return found
}

func program(env string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "REPLICATE_TEST_MAIN=1", "GOMLX_BACKEND=simd", env)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// fails runs the program and checks that it ends with exit code 2 and one line on stderr, which it returns.
func fails(t *testing.T, env string, args ...string) string {
	t.Helper()
	cmd := program(env, args...)
	cmd.Run()
	line := cmd.Stderr.(*bytes.Buffer).String()
	check.Equal(t, cmd.ProcessState.ExitCode(), 2, "exit code of %q", args)
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || !strings.HasPrefix(line, "replicate: ") {
		t.Errorf("%q says %q, want one line", args, line)
	}
	return line
}

func TestBadInput(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(inTheWay, []byte("precious"), 0o666))
	notes := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(notes, "CLAIMS.md"), []byte("# Claims of mine\n"), 0o666))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-figure", "fig9"}, `unknown figure "fig9": choose from warp/fig1,`},
		{[]string{"-figure", "fig3,"}, `unknown figure ""`},
		{[]string{"-figure", "fig3,,fig4"}, `unknown figure ""`},
		{[]string{"-figure", "warp/"}, `unknown figure "warp/"`},
		{[]string{"-figure", "fig4", "-panel", "copy500"}, `has no panel "copy500": choose adding200 or adding750`},
		{[]string{"-panel", "copy500"}, "-panel needs a single figure"},
		{[]string{"-figure", "fig5", "-panel", "generalization"}, "name it with -figure, such as warp/fig5"},
		{[]string{"-scale", "huge"}, `unknown scale "huge": choose quick, reduced or paper`},
		{[]string{"-scale", "reduced"}, "not declared at scale reduced"},
		{[]string{"-backend", "tpu"}, `unknown backend "tpu": choose one of`},
		{[]string{"-backend", "xla:/no/plugin.so"}, "/no/plugin.so"},
		{[]string{"-backend", "xla:cuda"}, "backend xla:cuda is not available: "},
		{[]string{"-trials", "-1"}, "-1 trials"},
		{[]string{"-trials", "1000000"}, "1000000 trials"},
		{[]string{"-trials", "three"}, "-trials"},
		{[]string{"-jobs", "0"}, "0 jobs"},
		{[]string{"-jobs", "-2"}, "-2 jobs"},
		{[]string{"-jobs", "1000000"}, "1000000 jobs"},
		{[]string{"-seed", "-1"}, "-seed"},
		{[]string{"-seed", "18446744073709551615"}, "seed 18446744073709551615"},
		{[]string{"-steps", "5"}, "-steps"},
		{[]string{"fig3"}, `unexpected argument "fig3"`},
		{[]string{"-figure", ""}, "-figure is empty"}, // and not all figures
		{[]string{"-list", "-backend", "tpu"}, `unknown backend "tpu"`},
		{[]string{"-backend", "simd:threads=99999999"}, "threads=99999999"},
		{[]string{"-backend", "go:nope"}, "nope"},
		{[]string{"-out", inTheWay}, inTheWay},
		{[]string{"-out", notes}, "CLAIMS.md is not a page of claims and is not replaced"},
		{[]string{"-out", "/proc/out"}, "/proc"},
		{[]string{"-watch", "-list"}, "-watch cannot be combined with -list"},
		{[]string{"-watch", "-out", inTheWay}, inTheWay},
		{[]string{"-watch", "-verify", inTheWay}, "-watch cannot be combined with -verify"},
		{[]string{"-run", "warp/fig4/adding200"}, `unknown run "warp/fig4/adding200": -list -scale quick`},
		{[]string{"-run", "warp/fig4/adding200.quick,warp/fig4/adding200.quick"}, "named twice"},
		{[]string{"-run", "warp/fig4/adding200.quick", "-scale", "paper"}, "-scale cannot be combined with -run"},
		{[]string{"-run", ""}, "-run is empty"},
		{[]string{"-shard", "4/4"}, `shard "4/4": want i/n with i from 0 to n-1`},
		{[]string{"-shard", "1"}, `shard "1"`},
		{[]string{"-shard", "0/4x"}, `shard "0/4x"`},
		{[]string{"-devices", "0,1", "-backend", "simd"}, "-devices chooses GPUs, and simd uses none: use -jobs"},
		{[]string{"-devices", "0,1", "-jobs", "2"}, "-jobs cannot be combined with -devices"},
		{[]string{"-devices", "0,,1"}, "-devices 0,,1: want different numbers"},
		{[]string{"-devices", "0,1,0"}, "-devices 0,1,0: want different numbers"},
		{[]string{"-verify"}, "-verify needs records"},
		{[]string{"-verify", "-jobs", "2", inTheWay}, "-jobs cannot be combined with -verify"},
		{[]string{"-verify", "-updates", "0", inTheWay}, "-updates"},
		{[]string{"-updates", "5"}, "-updates"},
		{[]string{"-verify", "/no/where"}, "/no/where"},
		{[]string{"-verify", inTheWay}, inTheWay},
		{[]string{"-verify", filepath.Dir(inTheWay)}, "no complete record"},
	} {
		t.Chdir(t.TempDir()) // where the default -out would go
		line := fails(t, "PJRT_PLUGIN_LIBRARY_PATH=/none", c.args...)
		if !strings.Contains(line, c.want) {
			t.Errorf("%q says %q, want %q", c.args, line, c.want)
		}
		check.Entries(t, ".", 0)
	}
	if data, err := os.ReadFile(inTheWay); err != nil || string(data) != "precious" {
		t.Errorf("the file in the way of -out has become %q", data)
	}
}

// A directory that cannot be written is told from the one in the way by its permissions, which root does not feel.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes anywhere; TestBadInput has /proc")
	}
	out := t.TempDir()
	check.OK(t, os.Chmod(out, 0o500))
	if line := fails(t, "", "-out", out); !strings.Contains(line, out) {
		t.Errorf("says %q, want %s", line, out)
	}
}

// The error of a directory in which no file can be created names the directory and is the same each time.
func TestUnwritableDirectory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	out := t.TempDir()
	check.OK(t, os.Symlink("/proc/self", filepath.Join(out, "records"))) // not even root creates files there
	c := request{Choice: plan.Choice{Out: out}}
	first := c.check()
	check.Rejected(t, "a directory of /proc", first, "cannot create files in "+filepath.Join(out, "records")+": ")
	check.Equal(t, c.check().Error(), first.Error(), "the second error")
}

// A figure's name alone means those of both papers, and a figure named twice is one figure.
func TestFiguresByName(t *testing.T) {
	c, _, err := parse([]string{"-figure", "5,warp/fig5,fig5"}, nil)
	check.OK(t, err)
	if len(c.Figures) != 2 || !c.chosen("warp/fig5") || !c.chosen("context/fig5") {
		t.Errorf("has %d figures, want warp/fig5 and context/fig5", len(c.Figures))
	}
}

// All figures come with all claims, also those that the text makes without a figure; one figure with its own.
func TestClaimsOfTheChosen(t *testing.T) {
	all, _, err := parse(nil, nil)
	check.OK(t, err)
	check.Equal(t, len(all.claims()), len(papers.All.Sets()), "sets of all figures")
	one, _, err := parse([]string{"-figure", "warp/fig4"}, nil)
	check.OK(t, err)
	if sets := one.claims(); len(sets) != 1 || sets[0].ID != "warp/fig4" {
		t.Errorf("with Figure 4 come %d sets of claims", len(sets))
	}
}

// declared returns the tasks of one panel of Figure 4 with one trial.
func declared(t *testing.T, panel string) []experiment.Task {
	t.Helper()
	found, err := experiment.Find(plan.Figures(), "fig4")
	check.OK(t, err)
	tasks, err := found[0].Tasks(experiment.Options{Scale: "quick", Panel: panel, Trials: 1, Seed: 1})
	check.OK(t, err)
	return tasks
}

// invent writes complete records of tasks without training them, and returns their paths.
func invent(t *testing.T, dir string, tasks []experiment.Task, value float64) []string {
	t.Helper()
	var paths []string
	for _, task := range tasks {
		r := made.Record(task, func(record.Trial, float64) float64 { return value })
		r.Backend = "simd"
		path, err := made.Write(dir, r)
		check.OK(t, err)
		paths = append(paths, path)
	}
	return paths
}

// trained are the arguments that ask for what declared returns.
func trained(out string, more ...string) []string {
	return append([]string{"-figure", "fig4", "-panel", "adding200", "-trials", "1", "-out", out}, more...)
}

func TestSpoiltRecordStopsEverything(t *testing.T) {
	for what, spoil := range map[string]func(data []byte) []byte{
		"truncated": func(data []byte) []byte { return data[:len(data)/2] },
		"edited":    func(data []byte) []byte { return bytes.Replace(data, []byte("0.25"), []byte("0.24"), 1) },
	} {
		out := t.TempDir()
		records := filepath.Join(out, "records")
		path := invent(t, records, declared(t, "adding750"), 0.25)[0]
		data := check.Read(t, path)
		spoilt := spoil(data)
		check.OK(t, os.WriteFile(path, spoilt, 0o666))
		if line := fails(t, "", trained(out)...); !strings.Contains(line, path) || !strings.Contains(line, what) {
			t.Errorf("%s record: says %q, want the file and what is wrong", what, line)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoilt) {
			t.Errorf("%s record was changed", what)
		}
		if found := files(t, records, "*/*/*"); len(found) != 1 {
			t.Errorf("%s record: there are now %v, want that record alone", what, found)
		}
	}
}

func TestRecordOfAnotherVersion(t *testing.T) {
	out := t.TempDir()
	tasks := declared(t, "adding750")
	tasks[0].Length.Updates++
	path := invent(t, filepath.Join(out, "records"), tasks, 0.25)[0]
	if line := fails(t, "", trained(out)...); !strings.Contains(line, path) || !strings.Contains(line, "move it away") {
		t.Errorf("says %q, want the file and what to do", line)
	}
}

// The second start resumes where the first was interrupted.
func TestInterruptAndResume(t *testing.T) {
	out := t.TempDir()
	for i, from := range []string{"updates\n", "updates, from update 1\n"} {
		cmd := program("", trained(out)...)
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		startHeld(t, cmd, 1)
		check.Contains(t, interrupt(t, cmd),
			fmt.Sprint("replicate: warp/fig4 adding200 quick: interrupted at update ", i+1),
			". Run the same command to resume\n")
		check.Contains(t, stdout.String(), from)
	}
}

// An interruption ends all jobs, names each, and starts no other run.
func TestInterruptStopsAllJobs(t *testing.T) {
	cmd := program("", "-figure", "fig1,fig4", "-trials", "1", "-jobs", "2", "-out", t.TempDir())
	startHeld(t, cmd, 2)
	if said := interrupt(t, cmd); strings.Count(said, "interrupted at update ") != 2 {
		t.Errorf("says %q, want both runs", said)
	}
}

// succeeds runs the program, checks that it ends with that exit code, and returns what it prints.
func succeeds(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := program("", args...)
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != code {
		t.Errorf("%q ended with %v, want exit code %d: %s", args, err, code, cmd.Stderr)
	}
	return string(out)
}

// The directory of records may be a link to another; one that is a file or a link to nothing is an error.
func TestRecordsThroughALink(t *testing.T) {
	out, elsewhere := t.TempDir(), t.TempDir()
	invent(t, elsewhere, declared(t, "adding200"), 0.25)
	check.OK(t, os.Symlink(elsewhere, filepath.Join(out, "records")))
	if said := succeeds(t, 0, trained(out)...); !strings.Contains(said, "complete already") {
		t.Errorf("through a link it finds no records:\n%s", said)
	}
	dangling := t.TempDir()
	check.OK(t, os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(dangling, "records")))
	fails(t, "", trained(dangling)...)
	file := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(file, "records"), nil, 0o666))
	fails(t, "", trained(file)...)
}

// A share without runs is no error: where shares are given out, it has nothing to do.
func TestEmptyShare(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{nil, {"-list", "-scale", "quick"}} {
		said := succeeds(t, 0, append([]string{"-figure", "warp/fig4", "-shard", "5/16"}, args...)...)
		check.Contains(t, said, "there are more shares than runs")
	}
	check.Entries(t, ".", 0)
}

// A record is trained again, and compared: what was trained is the same, what was invented is not.
func TestVerify(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	found, err := experiment.Find(plan.Figures(), "fig1")
	check.OK(t, err)
	tasks, err := found[0].Tasks(experiment.Options{Scale: "quick", Panel: "uniform-pad", Trials: 1, Seed: 1})
	check.OK(t, err)
	b, err := backend.New("simd")
	check.OK(t, err)
	defer b.Finalize()
	dir := t.TempDir()
	runner := run.Runner{Backend: b, Name: "simd", Dir: dir}
	if _, err := runner.Train(t.Context(), tasks[0]); err != nil {
		t.Fatal(err)
	}
	honest := record.Path(dir, tasks[0].Header(""))
	invented := t.TempDir()
	invent(t, invented, tasks[:1], 0.25)
	said := succeeds(t, 1, "-verify", filepath.Dir(honest), invented)
	check.Contains(t, said, honest+": the same\n", "not the same\n",
		"Of 2 records, 1 are the same, 0 are equal within rounding, 0 are checked in part, and 1 are not the same.\n")
	said = succeeds(t, 0, "-verify", "-updates", "30", honest)
	check.Contains(t, said, honest+": its first 30 of 600 updates: the same\n")
}

// watched reads the page whose address a line names.
func watched(t *testing.T, line string) string {
	t.Helper()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	response, err := http.Get(url)
	check.OK(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	check.OK(t, err)
	return string(page)
}

// While it trains, afterwards, and alone, the program shows the curves of its runs.
func TestWatch(t *testing.T) {
	out := t.TempDir()
	invent(t, filepath.Join(out, "records"), declared(t, "adding750"), 0.25)
	training := program("", trained(out, "-watch")...)
	said, err := training.StdoutPipe()
	check.OK(t, err)
	startHeld(t, training, 1)
	first, err := bufio.NewReader(said).ReadString('\n')
	check.OK(t, err)
	check.Contains(t, watched(t, first), "1 training, 1 complete", "0 of 1 run")
	interrupt(t, training)

	invented := t.TempDir()
	invent(t, filepath.Join(invented, "records"), declared(t, "adding200"), 0.25)
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"-watch", "-out", out}, []string{"adding200", "adding750", "1 training, 1 complete"}},
		{trained(invented, "-watch"), []string{"1 of 1 run: all are complete", "0 training, 1 complete"}},
	} {
		cmd := program("", c.args...)
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		check.OK(t, err)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() && !strings.Contains(lines.Text(), "until Ctrl-C") {
		}
		check.Contains(t, watched(t, lines.Text()), c.wants...)
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("interrupted, which is its regular end, it ends with %v", err)
		}
	}
}

// A figure is drawn when its own runs are complete, and those that need no training before.
func TestFiguresAreDrawnEarly(t *testing.T) {
	out := t.TempDir()
	tasks := declared(t, "adding200")
	invent(t, filepath.Join(out, "records"), append(tasks, declared(t, "adding750")...), 0.25)
	cmd := program("", "-figure", "warp/fig3,warp/fig4", "-trials", "1", "-jobs", "1", "-out", out)
	startHeld(t, cmd, 1) // fig4 has less work, and comes first
	if got, want := files(t, out, "*/*.png"), []string{"warp/fig4.png"}; !slices.Equal(got, want) {
		t.Errorf("in the first run of Figure 3 there are %v, want %v", got, want)
	}
	interrupt(t, cmd)

	all, _, err := parse(nil, nil)
	check.OK(t, err)
	var said bytes.Buffer
	all.Out = t.TempDir()
	if _, err := draw(all, tasks, &command.Output{To: &said}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"warp/fig2", "context/fig1", "context/fig3", "context/fig4"} {
		for _, extension := range []string{".svg", ".png"} {
			if len(files(t, all.Out, name+extension)) != 1 {
				t.Errorf("%s is not drawn before the training", name+extension)
			}
		}
		check.Contains(t, said.String(), "Figure drawn: "+filepath.Join(all.Out, name+".png")+"\n")
	}
}

// The figure of a paper that takes least comes first, then the one that matters most, and ours last.
func TestOrder(t *testing.T) {
	c, _, err := parse(nil, nil)
	check.OK(t, err)
	tasks, err := c.Tasks()
	check.OK(t, err)
	var ids []string
	for _, task := range inOrder(tasks) {
		ids = append(ids, task.Figure.ID())
	}
	runs := len(ids)
	ids = slices.Compact(ids)
	first := []string{"context/fig6", "warp/fig4", "warp/fig1", "warp/fig3"}
	if runs != len(tasks) || len(ids) != len(plan.Figures()) || !slices.Equal(ids[:len(first)], first) ||
		strings.HasPrefix(ids[len(ids)-1], "context/fig") {
		t.Errorf("%d of %d runs, in the order %v", runs, len(tasks), ids)
	}
	if got := inOrder(nil); got != nil {
		t.Errorf("of nothing there is %v", got)
	}
}

// What is not declared is refused before anything is trained.
func TestVerifyRefusesOtherRecords(t *testing.T) {
	task := declared(t, "adding200")[0]
	task.Length.Updates++
	path := invent(t, t.TempDir(), []experiment.Task{task}, 0.25)[0]
	if line := fails(t, "", "-verify", path); !strings.Contains(line, path) {
		t.Errorf("says %q, want the record's name", line)
	}
}

// A record does not choose a file that is loaded.
func TestVerifyLoadsNoPluginOfARecord(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "evil.so")
	check.Write(t, plugin, nil)
	r := made.Record(declared(t, "adding200")[0], func(record.Trial, float64) float64 { return 0.25 })
	r.Backend = "xla:" + plugin
	path, err := made.Write(t.TempDir(), r)
	check.OK(t, err)
	check.Contains(t, fails(t, "", "-verify", path), path, r.Backend, "-backend")
}

func TestListAndHelp(t *testing.T) {
	for arg, all := range map[string][]string{
		"-list": {"warp/fig1", "warp/fig3", "Backends:", "simd", "xla:cuda", "used: "},
		"-help": {"-figure", "-panel", "-scale", "-trials", "-backend", "-seed", "-out", "-list", "-jobs", "-updates",
			"-verify", "-watch", "-run", "-shard", "-devices"},
	} {
		text := succeeds(t, 0, arg)
		check.Contains(t, text, all...)
		for line := range strings.SplitSeq(text, "\n") {
			if most := map[string]int{"-help": 80, "-list": 100}[arg]; utf8.RuneCountInString(line) > most {
				t.Errorf("%s has a line of %d columns: %q", arg, len(line), line)
			}
		}
	}
}

// The list is of what was asked for, and estimates how long it takes where a scale is named.
func TestListTimes(t *testing.T) {
	estimated := regexp.MustCompile(`(?m)^  warp/fig4/adding200.quick .* [\d.]+$`)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := succeeds(t, 0, "-list", "-figure", "fig4", "-panel", "adding200", "-trials", "1")
	if estimated.MatchString(text) || strings.Contains(text, "adding750") {
		t.Errorf("without a scale:\n%s", text)
	}
	check.Contains(t, text, "  adding200    quick    100     32     32     1200       1     1\n", "paper")
	text = succeeds(t, 0, "-list", "-figure", "context/fig5") // with several runs of an arm
	check.Contains(t, text, "  decay    paper     25    128    128     2600      10     4\n")
	text = succeeds(t, 0, "-list", "-figure", "beyond-safe") // with more models at some values of T
	check.Contains(t, text, "  lstm-adding    reduced    200     64     32     3000     3-8     7\n")
	text = succeeds(t, 0, "-list", "-figure", "fig4", "-panel", "adding200", "-trials", "1", "-scale", "quick")
	if !estimated.MatchString(text) || strings.Contains(text, " paper ") {
		t.Errorf("at a scale that is named:\n%s", text)
	}
	check.Contains(t, text, "core-hours", "\n   1  ", "\n  64  ")
	if left := files(t, dir, "*"); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// Exactly the runs that are named are trained, and nothing is drawn; what others have in the directory does not matter.
func TestRun(t *testing.T) {
	out := t.TempDir()
	spoilt := filepath.Join(out, "records", "warp", "fig1", "spoilt.quick.jsonl")
	check.Write(t, spoilt, nil)
	tasks := declared(t, "adding200")
	invent(t, filepath.Join(out, "records"), tasks, 0.25)
	said := succeeds(t, 0, "-run", plan.Name(tasks[0]), "-trials", "1", "-out", out)
	check.Contains(t, said, "1 run on simd, 1 at a time", "complete already (1 of 1)")
	if drawn := files(t, out, "*/*.svg"); len(drawn) > 0 || strings.Contains(said, "laims") {
		t.Errorf("it draws %v, and says\n%s", drawn, said)
	}
}

// A run that another process trains is no failure of this one, which has an exit code of its own for it.
func TestBusyRun(t *testing.T) {
	out := t.TempDir()
	first, second := program("", trained(out)...), program("", trained(out)...)
	startHeld(t, first, 1)
	second.Run()
	said := second.Stderr.(*bytes.Buffer).String()
	if code := second.ProcessState.ExitCode(); code != 4 || !strings.Contains(said, "another process is writing it") {
		t.Errorf("beside another it ends with %d, %q", code, said)
	}
	interrupt(t, first)
}

// A run that another process trains waits until the others are done, and is then tried again.
func TestBusyRunsWait(t *testing.T) {
	tasks := append(declared(t, "adding200"), declared(t, "adding750")...)
	var order []string
	started := map[string]int{}
	busyFor := func(busy int) worker {
		return func(_ context.Context, task experiment.Task) error {
			name := task.Panel.Name
			order = append(order, name)
			if started[name]++; name == "adding200" && started[name] <= busy {
				return fmt.Errorf("%s: %w", name, record.ErrBusy)
			}
			return nil
		}
	}
	completed := 0
	complete := func(experiment.Task) { completed++ }
	check.OK(t, train(t.Context(), tasks, []worker{busyFor(1)}, complete))
	check.Equal(t, strings.Join(order, " "), "adding200 adding750 adding200", "order")
	check.Equal(t, completed, 2, "completed runs")

	clear(started)
	completed = 0
	err := train(t.Context(), tasks, []worker{busyFor(2)}, complete)
	if !errors.Is(err, record.ErrBusy) || completed != 1 {
		t.Errorf("%v, after %d runs", err, completed)
	}
}

// A run that is interrupted alone, as a process of -devices can be, interrupts the others, too: it is not complete.
func TestOneRunIsInterrupted(t *testing.T) {
	tasks := append(declared(t, "adding200"), declared(t, "adding750")...)
	err := train(t.Context(), tasks, []worker{func(_ context.Context, task experiment.Task) error {
		if task.Panel.Name == "adding750" {
			t.Error("the next run was begun")
		}
		return fmt.Errorf("adding200: %w", run.ErrInterrupted)
	}}, func(experiment.Task) {})
	if err == nil || !strings.Contains(err.Error(), "Run the same command to resume") {
		t.Errorf("ends with %v", err)
	}
}

// A run that fails ends with its own error, even if Ctrl-C has come.
func TestFailureWhileInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	disk := errors.New("no space left")
	err := train(ctx, declared(t, "adding200"), []worker{func(context.Context, experiment.Task) error {
		cancel()
		return disk
	}}, func(experiment.Task) {})
	if !errors.Is(err, disk) {
		t.Errorf("%v, want %v", err, disk)
	}
}

// A checkpoint of other seeds is refused before the first run, and nobody is told to delete it.
func TestForeignCheckpoint(t *testing.T) {
	out := t.TempDir()
	cmd := program("", trained(out)...)
	startHeld(t, cmd, 1)
	interrupt(t, cmd)
	line := fails(t, "", trained(out, "-seed", "7")...)
	check.Contains(t, line, "warp/fig4/adding200.quick: its checkpoint is of ", "choose another directory")
	if strings.Contains(line, "delete") {
		t.Errorf("%q: want no advice to delete what somebody has trained", line)
	}
}

// A damaged record of another figure, which comes while others are trained, does not end their training.
func TestDamagedRecordDoesNotEndTraining(t *testing.T) {
	var said bytes.Buffer
	c, _, err := parse(trained(t.TempDir()), nil)
	check.OK(t, err)
	tasks := declared(t, "adding200")
	p, err := draw(c, tasks, &command.Output{To: &said})
	check.OK(t, err)
	check.Write(t, filepath.Join(c.RecordsDir(), "warp/fig3/copy500.quick.jsonl"), []byte("{"))
	p.complete(tasks[0])
	check.Contains(t, fmt.Sprint(p.failed), "warp/fig4 is not drawn: ", "copy500.quick.jsonl")
	check.Contains(t, said.String(), "warp/fig4 is not drawn: ")
}

// SIGTERM, which a scheduler sends to a script and to what it started, and the script passes on, saves once.
func TestTermTwice(t *testing.T) {
	cmd := program("", trained(t.TempDir())...)
	startHeld(t, cmd, 1)
	for range 2 {
		check.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	}
	cmd.Wait()
	said := cmd.Stderr.(*bytes.Buffer).String()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(said, "interrupted at update 1 of") {
		t.Errorf("ended with %d, %q", code, said)
	}
}

// Each device has a process that sees no other, all runs are trained, the longest first, and the figures are drawn.
func TestDevices(t *testing.T) {
	out := t.TempDir()
	records := filepath.Join(out, "records")
	invent(t, records, append(declared(t, "adding200"), declared(t, "adding750")...), 0.25)
	cmd := program("REPLICATE_TEST_DEVICES=1", "-figure", "warp/fig4", "-trials", "1", "-devices", "3,5", "-out", out)
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, cmd.Stderr)
	}
	check.Contains(t, string(said), "2 at a time", "device 3: ", "device 5: ",
		"warp/fig4 adding200 quick: complete already (1 of 1)", "warp/fig4 adding750 quick: complete already (1 of 1)")
	if found := files(t, out, "*/fig4.svg"); len(found) != 1 {
		t.Error("fig4 is not drawn")
	}
}

// A process on a device that fails, or is interrupted, says why through the one that started it.
func TestDevicesFail(t *testing.T) {
	out := t.TempDir()
	tasks := declared(t, "adding200")
	path := record.Path(filepath.Join(out, "records"), tasks[0].Header("simd")) + ".lock"
	if err := os.MkdirAll(path, 0o777); err != nil { // no lock can be a directory
		t.Fatal(err)
	}
	line := fails(t, "REPLICATE_TEST_DEVICES=1", trained(out, "-devices", "1")...)
	check.Contains(t, line, "replicate: on device 1: warp/fig4 adding200 quick: ", filepath.Base(path))

	cmd := program("REPLICATE_TEST_DEVICES=1", trained(t.TempDir(), "-devices", "1")...)
	startHeld(t, cmd, 1)
	check.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	cmd.Wait()
	said := cmd.Stderr.(*bytes.Buffer).String()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(said, "Run the same command to resume") {
		t.Errorf("ended with %d, %q", code, said)
	}
}
