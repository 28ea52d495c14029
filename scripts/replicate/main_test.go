package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication"
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
		{[]string{"-figure", "fig9"}, `unknown figure "fig9": choose from fig1,`},
		{[]string{"-figure", "fig3,"}, `unknown figure ""`},
		{[]string{"-scale", "huge"}, `unknown scale "huge": choose one of`},
		{[]string{"-scale", ""}, `unknown scale ""`},
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
		{[]string{"-out", inTheWay}, inTheWay},
		{[]string{"-out", "/proc/out"}, "/proc"},
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
	if line := fails(t, "", "-backend", "xla:"+plugin, "-out", t.TempDir()); !strings.Contains(line, "backend xla:"+plugin) {
		t.Errorf("says %q, want which backend", line)
	}
}

// smallRecord writes the complete record of a run, which has little to do with any figure.
func smallRecord(t *testing.T, out string) string {
	t.Helper()
	h := replication.Header{Figure: "fig4", Panel: "other", Scale: "quick", Backend: "go",
		Models: []replication.Model{{Arm: "standard"}}, Settings: map[string]any{"T": 5}}
	path := replication.RecordPath(recordsDir(out), h)
	w, err := replication.Create(path, h, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Point(1, "train", []float64{0.25}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(1, 2, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSpoiltRecordStopsEverything(t *testing.T) {
	for what, spoil := range map[string]func(data []byte) []byte{
		"truncated": func(data []byte) []byte { return data[:len(data)/2] },
		"edited":    func(data []byte) []byte { return bytes.Replace(data, []byte("0.25"), []byte("0.24"), 1) },
	} {
		out := t.TempDir()
		path := smallRecord(t, out)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spoilt := spoil(data)
		if err := os.WriteFile(path, spoilt, 0o666); err != nil {
			t.Fatal(err)
		}
		if line := fails(t, "", "-figure", "fig4", "-out", out); !strings.Contains(line, path) || !strings.Contains(line, what) {
			t.Errorf("%s record: says %q, want the file and what is wrong", what, line)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoilt) {
			t.Errorf("%s record was changed", what)
		}
		if files, _ := filepath.Glob(filepath.Join(recordsDir(out), "*", "*")); len(files) != 1 {
			t.Errorf("%s record: there are now %v, want that record alone", what, files)
		}
	}
}

// With a limit on the size of files a record cannot be written to its end, as on a full disk.
func TestRecordThatCannotGrow(t *testing.T) {
	out := t.TempDir()
	path := smallRecord(t, out)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := fails(t, "REPLICATE_TEST_FILE_SIZE=2500", "-figure", "fig4", "-trials", "1", "-out", out)
	if !strings.Contains(line, "adding200") || !strings.Contains(line, "file too large") {
		t.Errorf("says %q, want which record and why", line)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Error("another record was changed")
	}
	if partial, err := filepath.Glob(filepath.Join(recordsDir(out), "fig4", "adding200.*.partial")); err != nil || len(partial) != 1 {
		t.Errorf("the unfinished record is gone: %v", partial)
	}
}

func TestInterruptAndResume(t *testing.T) {
	out := t.TempDir()
	from := regexp.MustCompile(`adding200 quick: 2 models, \d+ steps(, from step \d+)?\n`)
	for i := range 2 {
		cmd := program("", "-figure", "fig4", "-trials", "1", "-out", out)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v; stderr: %s", err, stderr.String())
			}
			if m := from.FindStringSubmatch(line); m != nil {
				if resumed := m[1] != ""; resumed != (i > 0) {
					t.Errorf("start %d says %q", i, line)
				}
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
		if want := "replicate: fig4 adding200 quick: interrupted at step "; !strings.Contains(stderr.String(), want) || !strings.Contains(stderr.String(), "goes on from there") {
			t.Errorf("says %q, want %q and how to go on", stderr.String(), want)
		}
		if next, _ := filepath.Glob(filepath.Join(recordsDir(out), "fig4", "adding750*")); len(next) > 0 {
			t.Errorf("after the interruption it began another run: %v", next)
		}
	}
}

func TestListAndHelp(t *testing.T) {
	for arg, want := range map[string][]string{
		"-list": {"fig1", "fig3", "copy2000", "paper", "T=2000", "simd", "xla:cuda", "taken by default"},
		"-help": {"-figure", "-scale", "-trials", "-backend", "-seed", "-out", "-list", "-jobs"},
	} {
		text, err := program("", arg).Output()
		if err != nil {
			t.Errorf("%s: %v", arg, err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s does not mention %s", arg, w)
			}
		}
	}
}
