package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication"
)

// As a program: the test runs itself with this variable set, to see the exit code and what goes where.
const asProgram = "WARPTIME_TEST_AS_FIGURES"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program runs figures with arguments, and returns its exit code and output.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// someRecords returns a directory with a record of Figure 3's first panel in which chrono learns and standard does not.
func someRecords(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	h := replication.Header{Figure: "fig3", Panel: "copy500", Scale: "quick", Backend: "go", Settings: map[string]any{"memoryless": 0.2, "T": 100}}
	for i := range 6 {
		h.Models = append(h.Models, replication.Model{Arm: []string{"standard", "chrono"}[i/3], Trial: i % 3})
	}
	w, err := replication.Create(replication.RecordPath(dir, h), h, false)
	check(t, err)
	for step := 10; step <= 1000; step += 10 {
		check(t, w.Point(step, "train", []float64{0.2, 0.2, 0.2, 0.01, 0.01, 0.01}))
	}
	check(t, w.Finish(1000, 1, map[string][]float64{"loss": {0.2, 0.2, 0.2, 0.01, 0.01, 0.01}}))
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDrawsAndJudges(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	readme := filepath.Join(t.TempDir(), "README.md")
	check(t, os.WriteFile(readme, []byte("# a\n"+replication.TableBegin+"\n"+replication.TableEnd+"\nb\n"), 0o644))
	records := someRecords(t)

	code, stdout, stderr := program(t, "-records", records, "-out", out, "-readme", readme)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"fig3.copy500.beats-standard", "reproduced at reduced scale (quick)", "not run"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
	for _, name := range []string{"fig1.svg", "fig2.png", "fig3.svg", "fig3.png", "fig4.svg", "fig5.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	document, err := os.ReadFile(readme)
	check(t, err)
	all, err := replication.ReadAll(records)
	check(t, err)
	check(t, replication.CheckTable(document, all))
	if s := string(document); !strings.HasPrefix(s, "# a\n") || !strings.HasSuffix(s, "\nb\n") {
		t.Errorf("the rest of the README changed:\n%s", s)
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-help", "-h", "--help"} {
		if code, stdout, stderr := program(t, flag); code != 0 || stderr != "" || !strings.Contains(stdout, "-records dir") {
			t.Errorf("%s: exit code %d, %q, %q", flag, code, stdout, stderr)
		}
	}
}

// Bad input: one line on stderr, exit code 2, and no file made or changed.
func TestBadInput(t *testing.T) {
	good := someRecords(t)
	edited := someRecords(t)
	path := filepath.Join(edited, "fig3", "copy500.quick.jsonl")
	data, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, bytes.Replace(data, []byte("0.01"), []byte("0.02"), 1), 0o644))
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, []byte("precious"), 0o644))

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":       {[]string{"-scale", "paper"}, "-scale"},
		"argument":           {[]string{"fig3"}, `unexpected argument "fig3"`},
		"no records":         {[]string{"-records", "/nonexistent"}, "/nonexistent: no such file"},
		"edited record":      {[]string{"-records", edited}, "copy500.quick.jsonl: edited"},
		"out is a file":      {[]string{"-records", good, "-out", file}, "not a directory"},
		"readme is missing":  {[]string{"-records", good, "-readme", "/nonexistent"}, "/nonexistent"},
		"readme has no mark": {[]string{"-records", good, "-readme", file}, "needs the lines"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			args := c.args
			if !strings.Contains(strings.Join(args, " "), "-out") {
				args = append([]string{"-out", out}, args...)
			}
			code, stdout, stderr := program(t, args...)
			if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q, want 2 and one line with %q", code, stdout, stderr, c.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("it wrote figures")
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != "precious" {
				t.Error("it changed a file")
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	defer full.Close()
	err = run([]string{"-records", someRecords(t), "-out", t.TempDir()}, full)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
}
