package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// TestMain makes the test binary a program that does what its first argument says.
func TestMain(m *testing.M) {
	if os.Getenv("COMMAND_TEST_MAIN") == "" {
		os.Exit(m.Run())
	}
	Main("program", func(ctx context.Context, args []string, out *Output) error {
		switch args[0] {
		case "fails":
			return errors.New("what is \x1b[2Jwrong\nand a stack")
		case "differs":
			return fmt.Errorf("wrapped: %w", Code(1, errors.New("another number")))
		case "waits":
			fmt.Fprintln(out, "waiting")
			<-ctx.Done()
			return errors.New("saved")
		case "helps":
			return flag.ErrHelp
		case "ignores SIGHUP":
			if !signal.Ignored(syscall.SIGHUP) {
				return errors.New("it does not")
			}
		case "fails by a pipe of its own":
			return fmt.Errorf("a server: %w", syscall.EPIPE)
		case "writes":
			_, err := fmt.Fprintln(out, "working")
			return err // as os/exec and text/tabwriter do
		case "waits and differs":
			fmt.Fprintln(out, "waiting")
			<-ctx.Done()
			return Code(1, errors.New("another number"))
		}
		fmt.Fprintln(out, "done")
		return nil
	})
}

// program is this test binary as that program.
func program(args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	cmd, stderr = exec.Command(os.Args[0], args...), &bytes.Buffer{}
	cmd.Env = append(os.Environ(), "COMMAND_TEST_MAIN=1")
	cmd.Stderr = stderr
	return cmd, stderr
}

// A write that fails, as on a full disk, ends a program with code 2, though it checks none. A reader that has gone ends
// no program before its work is done.
func TestMainExits(t *testing.T) {
	// Under nohup this test ignores SIGHUP, and so would the programs that it starts, unless it handles the signal.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("needs /dev/full: %v", err)
	}
	reader, gone, err := os.Pipe()
	check.OK(t, errors.Join(err, reader.Close()))
	for _, c := range []struct {
		does   string
		to     *os.File // nil for a pipe
		signal syscall.Signal
		code   int
		stderr string
	}{
		{"nothing", nil, 0, 0, ""},
		{"nothing", full, 0, 2, "program: write /dev/stdout: no space left on device\n"},
		{"writes", gone, 0, 0, ""},
		{"helps", nil, 0, 0, ""},
		{"fails", nil, 0, 2, "program: what is \\x1b[2Jwrong\n"},
		{"fails by a pipe of its own", nil, 0, 2, "program: a server: broken pipe\n"},
		{"differs", nil, 0, 1, "program: wrapped: another number\n"},
		{"waits", nil, syscall.SIGINT, Incomplete, "program: saved\n"},
		{"waits", nil, syscall.SIGTERM, Incomplete, "program: saved\n"},
		{"waits", nil, syscall.SIGHUP, Incomplete, "program: saved\n"}, // the terminal was closed
		{"waits and differs", nil, syscall.SIGINT, 1, "program: another number\n"},
	} {
		cmd, stderr := program(c.does)
		said := check.Got(cmd.StdoutPipe())(t)
		if c.to != nil {
			cmd.Stdout = c.to
		}
		check.OK(t, cmd.Start())
		if c.signal != 0 {
			said.Read(make([]byte, 1))
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
	cmd, stderr := program("ignores SIGHUP")
	check.OK(t, cmd.Run(), stderr)
}

func TestFlags(t *testing.T) {
	flags := func() *flag.FlagSet {
		f := &flag.FlagSet{}
		f.String("out", "here", "where `dir` the results go")
		f.Int("trials", 0, "how many")
		f.Bool("list", false, "list them")
		return f
	}
	for _, arguments := range []string{"-nope", "-trials x", "-trials", "-out="} {
		err := Parse(flags(), "", strings.Fields(arguments), &bytes.Buffer{})
		check.Rejected(t, arguments, err, strings.Trim(strings.Fields(arguments)[0], "-="))
	}
	f := flags()
	check.OK(t, Parse(f, "", []string{"-list", "-trials=3", "file"}, &bytes.Buffer{}))
	got := []string{f.Arg(0), Other(f, "list"), Other(f, "list", "trials")}
	check.Equal(t, got, []string{"file", "trials", ""}, "argument, other flags")
	check.Rejected(t, "file", NoArguments(f), `"file"`)
	for _, arg := range []string{"-help", "-h", "--help"} {
		var out bytes.Buffer
		check.Equal(t, Parse(flags(), "Usage: …\n", []string{arg}, &out), flag.ErrHelp, "%s: error", arg)
		check.Contains(t, out.String(), "Usage: …\n", "  -out dir\n", "-trials", "-list")
	}
}

func TestDraw(t *testing.T) {
	for columns, want := range map[int]string{1: "", 5: "äb", 6: "äbc", 9: "äbc"} {
		var to bytes.Buffer
		(&Output{To: &to, Width: func() int { return columns }}).Draw("äbc")
		check.Equal(t, to.String(), "\r"+want+ClearLine, "%d columns", columns)
	}
	// What is written replaces the line that was drawn, and what was drawn last can stay. Nothing steers the terminal.
	var to bytes.Buffer
	o := &Output{To: &to, Width: func() int { return 80 }}
	o.Draw("a\x1b[2Jb\r")
	o.Note("of a\x07record\u202e")
	o.Note("c")
	o.Draw("d")
	o.End()
	o.End()
	want := "\ra\\x1b[2Jb\\r" + ClearLine + "\r" + ClearLine + "of a\\arecord\\u202e\nc\n\rd" + ClearLine + "\n"
	check.Equal(t, to.String(), want, "what is drawn")
	for part, want := range map[float64]string{0: "  0% |            |", 0.5: " 50% |██████      |",
		2: "100% |████████████|"} {
		check.Equal(t, Bar(part), want, "%g", part)
	}
}

// A paragraph has lines of a terminal's width, where its words allow it.
func TestNote(t *testing.T) {
	for columns, want := range map[int]string{80: "a bb ccccccccccccccccccccc d e\n",
		21: "a bb\nccccccccccccccccccccc\nd e\n", 3: "a bb\nccccccccccccccccccccc\nd e\n"} {
		var to bytes.Buffer
		(&Output{To: &to, Width: func() int { return columns }}).Note("a bb  ccccccccccccccccccccc\nd e")
		check.Equal(t, to.String(), want, "%d columns", columns)
	}
}
