package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
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
	memoryless := 0.2
	h := record.Header{
		Paper: warp.Paper.Name, Figure: "fig3", Panel: "copy500", Scale: "quick",
		Updates: 1000, Window: 10, Batch: 32, Units: 64, Steps: 80,
		Experiment: json.RawMessage("{}"), Backend: "go",
	}
	for i := range 6 {
		h.Trials = append(h.Trials, record.Trial{
			Arm: []string{"standard", "chrono"}[i/3], Number: i % 3, Memoryless: &memoryless,
		})
	}
	w, err := record.Open(record.Path(dir, h), h)
	check(t, err)
	defer w.Close()
	check(t, w.Start())
	for update := 10; update <= 1000; update += 10 {
		check(t, w.Point(update, record.Train, []float64{0.2, 0.2, 0.2, 0.01, 0.01, 0.01}))
	}
	check(t, w.Finish(1, nil, nil))
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, err)
	return string(content)
}

func TestDrawsAndJudges(t *testing.T) {
	dir := t.TempDir()
	out, claims, readme := filepath.Join(dir, "out"), filepath.Join(dir, "CLAIMS.md"), filepath.Join(dir, "README.md")
	check(t, os.WriteFile(readme, []byte("# a\n"+claim.TableBegin+"\n"+claim.TableEnd+"\nb\n"), 0o644))
	dir = someRecords(t)
	code, stdout, stderr := program(t, "-records", dir, "-out", out, "-claims", claims, "-readme", readme)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	records, err := record.ReadAll(dir)
	check(t, err)
	judgements := judge(records)

	var text bytes.Buffer
	check(t, claim.WriteText(&text, judgements, 100, false))
	if stdout != text.String() {
		t.Errorf("printed:\n%s\nwant:\n%s", stdout, &text)
	}
	for _, name := range []string{"fig1.svg", "fig2.png", "fig3.svg", "fig3.png", "fig4.svg", "fig5.png"} {
		if info, err := os.Stat(filepath.Join(out, warp.Paper.Name, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if page := read(t, claims); page != string(table(judgements)) || !strings.HasPrefix(page, "# Claims\n") {
		t.Errorf("CLAIMS.md is:\n%s", page)
	}
	document := read(t, readme)
	check(t, claim.CheckSummary([]byte(document), summary(judgements, records)))
	if !strings.HasPrefix(document, "# a\n") || !strings.HasSuffix(document, "\nb\n") {
		t.Errorf("the rest of the README changed:\n%s", document)
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-help", "-h", "--help"} {
		code, stdout, stderr := program(t, flag)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "-records dir") {
			t.Errorf("%s: exit code %d, %q, %q", flag, code, stdout, stderr)
		}
	}
}

// Bad input: one line on stderr, exit code 2, and no file made or changed.
func TestBadInput(t *testing.T) {
	good, edited := someRecords(t), someRecords(t)
	path := filepath.Join(edited, "warp", "fig3", "copy500.quick.jsonl")
	check(t, os.WriteFile(path, []byte(strings.Replace(read(t, path), "0.01", "0.02", 1)), 0o644))
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, []byte("precious"), 0o644))

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":       {[]string{"-scale", "paper"}, "-scale"},
		"argument":           {[]string{"fig3"}, `unexpected argument "fig3"`},
		"missing records":    {[]string{"-records", "/nonexistent"}, "/nonexistent: no such file"},
		"empty records":      {[]string{"-records", t.TempDir()}, "no complete record"},
		"records is a file":  {[]string{"-records", file}, "not a directory"},
		"edited record":      {[]string{"-records", edited}, "edited: its bytes"},
		"out is a file":      {[]string{"-records", good, "-out", file}, "not a directory"},
		"out is empty":       {[]string{"-records", good, "-out", ""}, "-out is empty"},
		"readme is missing":  {[]string{"-records", good, "-readme", "/nonexistent"}, "/nonexistent"},
		"readme has no mark": {[]string{"-records", good, "-readme", file}, "needs the lines"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			claims := filepath.Join(t.TempDir(), "CLAIMS.md")
			code, stdout, stderr := program(t, append([]string{"-out", out, "-claims", claims}, c.args...)...)
			if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q, want 2 and a line with %q", code, stdout, stderr, c.want)
			}
			for _, path := range []string{out, claims} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("it wrote %s", path)
				}
			}
			if read(t, file) != "precious" {
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
