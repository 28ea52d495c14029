package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
)

// TestMain makes the test binary a program that does what its first argument says.
func TestMain(m *testing.M) {
	if os.Getenv("COMMAND_TEST_MAIN") == "" {
		os.Exit(m.Run())
	}
	Main("program", os.Getenv("COMMAND_TEST_INTERRUPTED"), func(ctx context.Context, args []string, out *Output) error {
		switch args[0] {
		case "fails":
			return errors.New("what is \x1b[2Jwrong\nand a stack")
		case "differs":
			return fmt.Errorf("wrapped: %w", Code(1, errors.New("another number")))
		case "waits":
			fmt.Fprintln(out, "waiting")
			<-ctx.Done()
			return errors.New("saved")
		case "ignores SIGHUP":
			if !signal.Ignored(syscall.SIGHUP) {
				return errors.New("it does not")
			}
		case "writes":
			fmt.Fprintln(out, "working")
			return os.WriteFile(args[1], nil, 0o666)
		case "waits and differs":
			fmt.Fprintln(out, "waiting")
			<-ctx.Done()
			return Code(1, errors.New("another number"))
		}
		fmt.Fprintln(out, "done")
		return nil
	})
}

func TestMainExits(t *testing.T) {
	// Under nohup this test ignores SIGHUP, and so would the programs that it starts, unless it handles the signal.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for _, c := range []struct {
		does, interrupted string
		signal            syscall.Signal
		code              int
		stderr            string
	}{
		{"nothing", "", 0, 0, ""},
		{"fails", "", 0, 2, "program: what is \\x1b[2Jwrong\n"},
		{"differs", "", 0, 1, "program: wrapped: another number\n"},
		{"waits", "", syscall.SIGINT, 130, "program: saved\n"},
		{"waits", "", syscall.SIGTERM, 130, "program: saved\n"},
		{"waits", "", syscall.SIGHUP, 130, "program: saved\n"}, // the terminal was closed
		{"waits", "interrupted", syscall.SIGINT, 130, "program: interrupted\n"},
		{"waits and differs", "interrupted", syscall.SIGINT, 1, "program: another number\n"},
	} {
		cmd := exec.Command(os.Args[0], c.does)
		cmd.Env = append(os.Environ(), "COMMAND_TEST_MAIN=1", "COMMAND_TEST_INTERRUPTED="+c.interrupted)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		check.OK(t, err)
		check.OK(t, cmd.Start())
		if c.signal != 0 {
			stdout.Read(make([]byte, 1))
			check.OK(t, cmd.Process.Signal(c.signal))
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code || stderr.String() != c.stderr {
			t.Errorf("%s: code %d, %q; want %d, %q", c.does, code, stderr.String(), c.code, c.stderr)
		}
	}
}

// A program that nohup starts outlives its terminal.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	cmd := exec.Command(os.Args[0], "ignores SIGHUP")
	cmd.Env = append(os.Environ(), "COMMAND_TEST_MAIN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v, %s", err, out)
	}
}

// A write that fails ends a program with code 2, though it checks none.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("needs /dev/full: %v", err)
	}
	defer full.Close()
	cmd := exec.Command(os.Args[0], "nothing")
	cmd.Env = append(os.Environ(), "COMMAND_TEST_MAIN=1")
	cmd.Stdout = full
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exits with %d, %q", cmd.ProcessState.ExitCode(), stderr.String())
	}
}

// A reader that has gone ends no program before its work is done.
func TestReaderHasGone(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	cmd := exec.Command(os.Args[0], "writes", done)
	cmd.Env = append(os.Environ(), "COMMAND_TEST_MAIN=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	reader, writer, err := os.Pipe()
	check.OK(t, err)
	cmd.Stdout = writer
	check.OK(t, reader.Close())
	cmd.Run()
	if _, err := os.Stat(done); err != nil || cmd.ProcessState.ExitCode() != 141 || stderr.Len() > 0 {
		t.Errorf("exits with %v, %q; %v", cmd.ProcessState, stderr.String(), err)
	}
}

func flags() *Flags {
	f := NewFlags("Usage: …\n", "Exit codes: …\n")
	f.String("out", "here", "where `dir` the results go, "+strings.Repeat("and so on ", 10))
	f.Int("trials", 0, "how many; `n` of them")
	f.Bool("list", false, "list them")
	f.String("hidden", "", "")
	return f
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"-nope", "-nope; see -help"},
		{"-trials x", `invalid value "x" for flag -trials`},
		{"-trials", "flag needs an argument"},
		{"-out=", "-out is empty; see -help"},
		{"-list file", `unexpected argument "file"`},
	} {
		done, err := flags().Parse(strings.Fields(c.arguments), &bytes.Buffer{})
		if !done || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want one line with %q", c.arguments, done, err, c.want)
		}
	}
	f := flags()
	f.Arguments = true
	done, err := f.Parse([]string{"-list", "-trials=3", "file"}, &bytes.Buffer{})
	if done || err != nil || f.Arg(0) != "file" || f.Other("list") != "trials" ||
		f.Other("list", "trials") != "" || !f.Given("trials") || f.Given("out") {
		t.Errorf("%v, %v, %q, other flags %q", done, err, f.Args(), f.Other("list"))
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-help", "-h", "--help"} {
		var out bytes.Buffer
		if done, err := flags().Parse([]string{arg}, &out); !done || err != nil {
			t.Errorf("%s: %v, %v", arg, done, err)
		}
		check.Contains(t, out.String(), "Usage: …\n\n", "\n  -out dir   where dir", "(default here)\n",
			"\n  -trials n  how many; n of them\n", "\n  -list      list them\n", "\n  -help ", "\n\nExit")
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(line) > 81 || strings.Contains(line, "hidden") {
				t.Errorf("%s: %q", arg, line)
			}
		}
	}
}

func TestFileIsNoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	check.OK(t, err)
	defer file.Close()
	if o := NewOutput(file); o.Width != nil || o.Colours() || o.Columns() != 100 {
		t.Error("a file is taken for a terminal")
	}
}

func TestDraw(t *testing.T) {
	for columns, want := range map[int]string{1: "", 5: "äb", 6: "äbc", 9: "äbc"} {
		var to bytes.Buffer
		(&Output{To: &to, Width: func() int { return columns }}).Draw("äbc")
		if got := to.String(); got != "\r"+want+ClearLine {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	// What is written replaces the line that was drawn, and what was drawn last can stay.
	var to bytes.Buffer
	o := &Output{To: &to, Width: func() int { return 80 }}
	o.Draw("a")
	o.Note("b")
	o.Note("c")
	o.Draw("d")
	o.End()
	o.End()
	if got, want := to.String(), "\ra"+ClearLine+"\r"+ClearLine+"b\nc\n\rd"+ClearLine+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	to.Reset()
	o.Draw("a\x1b[2Jb\r")
	o.Note("of a\x07record\u202e")
	fmt.Fprint(o.Unquoted(), "\x1b[1mours\x1b[0m")
	check.Equal(t, to.String(), "\ra\\x1b[2Jb\\r"+ClearLine+"\r"+ClearLine+"of a\\arecord\\u202e\n\x1b[1mours\x1b[0m",
		"what is quoted, and what is not")
	for part, want := range map[float64]string{0: "  0% |    |", 0.5: " 50% |██  |", 2: "100% |████|"} {
		check.Equal(t, Bar(part, 4), want, "%g", part)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		columns int
		want    string
	}{
		{80, "go: a bb ccc dddd\n"},
		{11, "go: a bb\n    ccc\n    dddd\n"},
		{10, "go: a bb\n    ccc\n    dddd\n"},
		{4, "go: a\n    bb\n    ccc\n    dddd\n"}, // no word is broken
	} {
		check.Equal(t, Wrap("go: ", "a bb  ccc\ndddd", c.columns), c.want, "%d columns", c.columns)
	}
}
