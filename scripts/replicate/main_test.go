package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// TestMain makes the test binary the program itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("REPLICATE_TEST_MAIN") != "" {
		limitFileSize(os.Getenv("REPLICATE_TEST_FILE_SIZE"))
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(env string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "REPLICATE_TEST_MAIN=1", "GOMLX_BACKEND=simd", env)
	return cmd
}

// fails runs the program and checks that it ends with exit code 2 and one line on stderr, which it returns.
func fails(t *testing.T, env string, args ...string) string {
	t.Helper()
	cmd := program(env, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	line := stderr.String()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("%q ended with %v, want exit code 2", args, err)
	}
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || !strings.HasPrefix(line, "replicate: ") {
		t.Errorf("%q says %q, want one line", args, line)
	}
	return line
}

func TestBadInput(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-figure", "fig9"}, `unknown figure "fig9": choose from warp/fig1,`},
		{[]string{"-figure", "fig3,"}, `unknown figure ""`},
		{[]string{"-figure", "fig3,,fig4"}, `unknown figure ""`},
		{[]string{"-figure", "warp/"}, `unknown figure "warp/"`},
		{[]string{"-figure", "fig4", "-panel", "copy500"}, `warp/fig4 has no panel "copy500": choose one of`},
		{[]string{"-panel", "copy500"}, "-panel wants one figure"},
		{[]string{"-figure", "fig5", "-panel", "generalization"}, "name it with -figure, such as warp/fig5"},
		{[]string{"-scale", "huge"}, `unknown scale "huge": choose one of`},
		{[]string{"-scale", ""}, `unknown scale ""`},
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
		{[]string{"-out", ""}, "no output directory"},
		{[]string{"-out", inTheWay}, inTheWay},
		{[]string{"-out", "/proc/out"}, "/proc"},
		{[]string{"-compare", "/no/where"}, "/no/where"},
		{[]string{"-compare", filepath.Dir(inTheWay)}, "no complete record"},
		{[]string{"-compare", inTheWay}, inTheWay},
		{[]string{"-watch", "-list"}, "-watch does not go with -list"},
		{[]string{"-watch", "-out", inTheWay}, inTheWay},
		{[]string{"-watch", "-verify", inTheWay}, "-watch does not go with -verify"},
		{[]string{"-verify"}, "-verify wants records"},
		{[]string{"-verify", "-jobs", "2", inTheWay}, "-jobs does not go with -verify"},
		{[]string{"-verify", "/no/where"}, "/no/where"},
		{[]string{"-verify", inTheWay}, inTheWay},
		{[]string{"-verify", filepath.Dir(inTheWay)}, "no complete record"},
	} {
		t.Chdir(t.TempDir()) // where the default -out would go
		line := fails(t, "PJRT_PLUGIN_LIBRARY_PATH=/none", c.args...)
		if !strings.Contains(line, c.want) {
			t.Errorf("%q says %q, want %q", c.args, line, c.want)
		}
		if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
			t.Errorf("%q left %v", c.args, files)
		}
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
	if err := os.Chmod(out, 0o500); err != nil {
		t.Fatal(err)
	}
	if line := fails(t, "", "-out", out); !strings.Contains(line, out) {
		t.Errorf("says %q, want %s", line, out)
	}
}

func TestPluginThatIsNone(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	if err := os.WriteFile(plugin, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	line := fails(t, "", "-backend", "xla:"+plugin, "-out", t.TempDir())
	if !strings.Contains(line, "backend xla:"+plugin) {
		t.Errorf("says %q, want which backend", line)
	}
}

// A figure's name alone means those of both papers.
func TestFigureOfBothPapers(t *testing.T) {
	c, err := parse([]string{"-figure", "5,warp/fig5"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.figures) != 2 || !c.chosen("warp/fig5") || !c.chosen("context/fig5") {
		t.Errorf("has %d figures, want warp/fig5 and context/fig5", len(c.figures))
	}
}

// All figures come with all claims, also those that the text makes without a figure; one figure with its own.
func TestClaimsOfTheChosen(t *testing.T) {
	all, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	every := papers.All.Claims()
	if got := all.claims(); len(got) != len(every) {
		t.Errorf("all figures come with %d of %d claims", len(got), len(every))
	}
	one, err := parse([]string{"-figure", "warp/fig4"})
	if err != nil {
		t.Fatal(err)
	}
	claims := one.claims()
	if len(claims) == 0 {
		t.Error("no claims of Figure 4")
	}
	for _, c := range claims {
		if c.Figure() != "warp/fig4" {
			t.Errorf("with Figure 4 comes %s", c.ID)
		}
	}
}

// declared returns the tasks of one panel of Figure 4 with one trial.
func declared(t *testing.T, panel string) []experiment.Task {
	t.Helper()
	found, err := experiment.Find(allFigures(), "fig4")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := found[0].Tasks(experiment.Options{Scale: "quick", Panel: panel, Trials: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// invent writes complete records of tasks without training them, and returns their paths.
func invent(t *testing.T, dir string, tasks []experiment.Task, value float64,
	changes ...func(*record.Header)) []string {
	t.Helper()
	var paths []string
	for _, task := range tasks {
		h := task.Header("simd")
		for _, change := range changes {
			change(&h)
		}
		paths = append(paths, record.Path(dir, h))
		w, err := record.Open(record.Path(dir, h), h)
		if err == nil {
			err = w.Start()
		}
		values := make([]float64, len(h.Trials))
		for r := range values {
			values[r] = value
		}
		for update := 1; update <= h.Updates; update++ {
			if err == nil && (update%h.Window == 0 || update == h.Updates) {
				err = w.Point(update, record.Train, values)
			}
			for name, every := range h.Series {
				if err == nil && update%every == 0 {
					err = w.Point(update, name, values)
				}
			}
		}
		if err == nil {
			err = w.Finish(1, map[string]record.Values{record.Loss: values}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
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
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spoilt := spoil(data)
		if err := os.WriteFile(path, spoilt, 0o666); err != nil {
			t.Fatal(err)
		}
		if line := fails(t, "", trained(out)...); !strings.Contains(line, path) || !strings.Contains(line, what) {
			t.Errorf("%s record: says %q, want the file and what is wrong", what, line)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoilt) {
			t.Errorf("%s record was changed", what)
		}
		if files, _ := filepath.Glob(filepath.Join(records, "*", "*", "*")); len(files) != 1 {
			t.Errorf("%s record: there are now %v, want that record alone", what, files)
		}
	}
}

// With a limit on the size of files a record cannot be written to its end, as on a full disk.
func TestRecordThatCannotGrow(t *testing.T) {
	out := t.TempDir()
	path := invent(t, filepath.Join(out, "records"), declared(t, "adding750"), 0.25)[0]
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := fails(t, "REPLICATE_TEST_FILE_SIZE=2500", trained(out)...)
	if !strings.Contains(line, "adding200") || !strings.Contains(line, "file too large") {
		t.Errorf("says %q, want which record and why", line)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Error("another record was changed")
	}
	partial, err := filepath.Glob(filepath.Join(out, "records", "warp", "fig4", "adding200.*.partial"))
	if err != nil || len(partial) != 1 {
		t.Errorf("the unfinished record is gone: %v", partial)
	}
}

func TestInterruptAndResume(t *testing.T) {
	out := t.TempDir()
	from := regexp.MustCompile(`adding200 quick: run 1 of 1, 2 trials, \d+ updates(, from update \d+)?\n`)
	interrupted := regexp.MustCompile(`^replicate: warp/fig4 adding200 quick: interrupted at update \d+ of \d+\. ` +
		`The same command goes on from there\n$`)
	for i := range 2 {
		cmd := program("", trained(out)...)
		stderr := interrupt(t, cmd, func(line string) bool {
			m := from.FindStringSubmatch(line)
			if m != nil && (m[1] != "") != (i > 0) {
				t.Errorf("start %d says %q", i, line)
			}
			return m != nil
		})
		if !interrupted.MatchString(stderr) {
			t.Errorf("says %q, want where it is and how to go on", stderr)
		}
	}
}

// interrupt starts a program, interrupts it after a line, and returns what it says on stderr. It must end with 130.
func interrupt(t *testing.T, cmd *exec.Cmd, after func(line string) bool) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v; stderr: %s", err, stderr.String())
		}
		if after(line) {
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit code 130", err)
	}
	if strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("says %q, want one line", stderr.String())
	}
	return stderr.String()
}

// An interruption ends all jobs, and begins no other run.
func TestInterruptStopsAllJobs(t *testing.T) {
	out := t.TempDir()
	started := 0
	cmd := program("", "-figure", "fig1,fig4", "-trials", "1", "-jobs", "2", "-out", out)
	interrupt(t, cmd, func(line string) bool {
		if strings.Contains(line, " trials, ") {
			started++
		}
		return started == 2
	})
	files, _ := filepath.Glob(filepath.Join(out, "records", "warp", "*", "*.partial"))
	if len(files) != 2 {
		t.Errorf("it began %v, want 2 runs", files)
	}
}

// succeeds runs the program, checks that it ends with that exit code, and returns what it prints.
func succeeds(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := program("", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Errorf("%q ended with %v, want exit code %d: %s", args, err, code, stderr.String())
	}
	return string(out)
}

func TestCompare(t *testing.T) {
	tasks := declared(t, "adding200")
	ours, other, strange, out := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	invent(t, ours, tasks, 0.25)
	invent(t, other, tasks, 0.26)
	invent(t, strange, declared(t, "adding750"), 0.25)
	invent(t, filepath.Join(out, "records"), tasks, 0.25)
	link := filepath.Join(t.TempDir(), "link to [ours]")
	if err := os.Symlink(ours, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir   string
		code  int
		wants []string
	}{
		{ours, 0, []string{"Of 1 runs, 1 agree with " + ours + " number by number, 0 do not, and 0 are not there."}},
		{link, 0, []string{"Of 1 runs, 1 agree with " + link}},
		{other, 1, []string{"warp/fig4 adding200 quick:\n  train: ", "0 agree", "1 do not"}},
		{strange, 0, []string{"0 agree", "1 are not there"}},
	} {
		said := succeeds(t, c.code, trained(out, "-compare", c.dir)...)
		for _, want := range append(c.wants, "complete already (1 of 1)", "claims") {
			if !strings.Contains(said, want) {
				t.Errorf("compared with %s: no %q in\n%s", c.dir, want, said)
			}
		}
	}
	for _, name := range []string{"fig4.svg", "fig4.png"} {
		if found, _ := filepath.Glob(filepath.Join(out, "*", name)); len(found) != 1 {
			t.Errorf("%s is not drawn: %v", name, found)
		}
	}
}

// A figure named twice is one figure: it does not collide with itself.
func TestFigureNamedTwice(t *testing.T) {
	for _, names := range []string{"fig4,4", "4,warp/fig4,fig4"} {
		out := t.TempDir()
		invent(t, filepath.Join(out, "records"), declared(t, ""), 0.25)
		said := succeeds(t, 0, "-figure", names, "-trials", "1", "-jobs", "4", "-out", out)
		if !strings.HasPrefix(said, "2 runs at scale quick on simd") || strings.Count(said, "complete already") != 2 {
			t.Errorf("%s: says\n%s", names, said)
		}
	}
}

// The directory of records may be a link to another; one that is a file or a link to nothing is an error.
func TestRecordsThroughALink(t *testing.T) {
	out, elsewhere := t.TempDir(), t.TempDir()
	invent(t, elsewhere, declared(t, "adding200"), 0.25)
	if err := os.Symlink(elsewhere, filepath.Join(out, "records")); err != nil {
		t.Fatal(err)
	}
	if said := succeeds(t, 0, trained(out)...); !strings.Contains(said, "complete already") {
		t.Errorf("through a link it finds no records:\n%s", said)
	}
	dangling := t.TempDir()
	if err := os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(dangling, "records")); err != nil {
		t.Fatal(err)
	}
	fails(t, "", trained(dangling)...)
	file := t.TempDir()
	if err := os.WriteFile(filepath.Join(file, "records"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, "", trained(file)...)
}

// A record is trained again, and compared: what was trained is the same, what was invented is not.
func TestVerify(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	found, err := experiment.Find(allFigures(), "fig1")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := found[0].Tasks(experiment.Options{Scale: "quick", Panel: "uniform-pad", Trials: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	honest := record.Path(filepath.Join(out, "records"), tasks[0].Header(""))
	training := []string{"-figure", "fig1", "-panel", "uniform-pad", "-trials", "1", "-jobs", "1", "-out", out}
	interrupt(t, program("", training...), func(line string) bool {
		return strings.Contains(line, "quick rnn: done in ")
	})
	invented := t.TempDir()
	invent(t, invented, tasks[:1], 0.25)
	said := succeeds(t, 1, "-verify", honest, invented)
	for _, want := range []string{
		honest + ": the same, number by number\n", ": not the same:\n  train: ",
		"Of 2 records, 1 are the same number by number, 0 in their first points, and 1 are not.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// watched reads the page whose address a line names.
func watched(t *testing.T, line string) string {
	t.Helper()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// While it trains, and alone, the program shows the curves of its runs.
func TestWatch(t *testing.T) {
	out := t.TempDir()
	invent(t, filepath.Join(out, "records"), declared(t, "adding750"), 0.25)
	first := ""
	interrupt(t, program("", trained(out, "-watch")...), func(line string) bool {
		if first == "" {
			first = line
		}
		if strings.Contains(line, ": run 1 of 1, ") {
			if page := watched(t, first); !strings.Contains(page, "1 training, 1 complete") {
				t.Errorf("while it trains the page is\n%s", page)
			}
			return true
		}
		return false
	})

	cmd := program("", "-watch", "-out", out)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if page := watched(t, line); !strings.Contains(page, "adding200") || !strings.Contains(page, "adding750") {
		t.Errorf("alone, the page is\n%s", page)
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted, which is its regular end, it ends with %v", err)
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

func TestListAndHelp(t *testing.T) {
	for arg, want := range map[string][]string{
		"-list": {"warp/fig1", "warp/fig3", "copy2000", "paper", "2020", "simd", "xla:cuda", "taken by default"},
		"-help": {
			"-figure", "-panel", "-scale", "-trials", "-backend", "-seed", "-out", "-list", "-jobs", "-compare",
			"-verify", "-watch",
		},
	} {
		text := succeeds(t, 0, arg)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not mention %s", arg, w)
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if most := map[string]int{"-help": 80, "-list": 100}[arg]; utf8.RuneCountInString(line) > most {
				t.Errorf("%s has a line of %d columns: %q", arg, len(line), line)
			}
		}
	}
}

// The list is of what was asked for, and says how long it takes: by records, by measuring, or that it is unknown.
func TestListTimes(t *testing.T) {
	out := t.TempDir()
	tasks := declared(t, "adding200")
	header := succeeds(t, 0, "-list", "-figure", "fig4", "-trials", "1", "-out", out)
	row := func(text, panel string) string {
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "  "+panel+" ") && strings.Contains(line, " quick ") {
				return line
			}
		}
		t.Errorf("no panel %s in\n%s", panel, text)
		return ""
	}
	if !strings.HasSuffix(row(header, "adding200"), "unknown") || strings.Contains(header, "fig3") {
		t.Errorf("without records, of Figure 4:\n%s", header)
	}

	// A record of this machine: one whose first line is what a run writes here.
	begins := func(line string) bool { return strings.Contains(line, ": run 1 of 1, ") }
	interrupt(t, program("", trained(out)...), begins)
	path := record.Path(filepath.Join(out, "records"), tasks[0].Header(""))
	begun, err := record.ReadPartial(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(out, "records")); err != nil {
		t.Fatal(err)
	}
	invent(t, filepath.Join(out, "records"), tasks, 0.25, func(h *record.Header) {
		h.Environment, h.Started = begun.Environment, begun.Started
	})
	text := succeeds(t, 0, "-list", "-figure", "fig4", "-trials", "1", "-out", out)
	if !strings.HasSuffix(row(text, "adding200"), " 1 s") || !strings.HasSuffix(row(text, "adding750"), "unknown") {
		t.Errorf("with a record of one second:\n%s", text)
	}
	said := succeeds(t, 0, trained(out)...)
	if !strings.Contains(said, "All are complete") {
		t.Errorf("with all records:\n%s", said)
	}

	if testing.Short() {
		return
	}
	text = succeeds(t, 0, "-list", "-figure", "fig4", "-scale", "quick", "-trials", "1", "-out", out)
	if !strings.HasSuffix(row(text, "adding200"), " 1 s") || !strings.HasSuffix(row(text, "adding750"), "*") ||
		!strings.Contains(text, "\n* By the first updates") || strings.Contains(text, " paper ") {
		t.Errorf("at a scale that is named:\n%s", text)
	}
	text = succeeds(t, 0, "-list", "-figure", "fig4", "-panel", "adding200", "-backend", "tpu")
	if !strings.Contains(text, `Times are unknown: unknown backend "tpu"`) || strings.Contains(text, "adding750") {
		t.Errorf("on another backend:\n%s", text)
	}
}
