package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/scripts/internal/terminal"
)

// openTerminal opens a pseudo-terminal of so many columns: what is written to tty comes out of master.
func openTerminal(t *testing.T, columns int) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("needs a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("needs a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	resize(t, tty, columns)
	return master, tty
}

func resize(t *testing.T, tty *os.File, columns int) {
	t.Helper()
	size := &unix.Winsize{Row: 24, Col: uint16(columns)}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

// On a terminal the progress is one line, drawn again and again, and no draw of it reaches the last column.
func TestTerminalLineNeverWraps(t *testing.T) {
	for _, columns := range []int{40, 80, 200} {
		master, tty := openTerminal(t, columns)
		cmd := program("", "-figure", "fig4", "-trials", "1", "-jobs", "2", "-out", t.TempDir())
		cmd.Stdout = tty
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var shown bytes.Buffer
		var reading sync.WaitGroup
		reading.Go(func() { io.Copy(&shown, master) }) // it ends with an error when the last writer is gone
		time.Sleep(4 * time.Second)                    // after two it says how long it will take
		cmd.Process.Signal(os.Interrupt)
		err := cmd.Wait()
		tty.Close()
		reading.Wait()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 130 {
			t.Fatalf("ended with %v: %s", err, stderr.String())
		}

		first, rest, _ := strings.Cut(shown.String(), "\r\n")
		second, rest, _ := strings.Cut(rest, "\r\n")
		if !strings.HasPrefix(second, "How long it takes is not known") {
			t.Errorf("it goes on with %q", second)
		}
		if !strings.HasPrefix(first, "2 runs at scale quick on simd, 2 at a time, into ") {
			t.Errorf("it begins with %q", first)
		}
		if strings.Count(rest, "\n") != 1 || !strings.HasSuffix(rest, "\r\n") {
			t.Errorf("%d columns: not one line: %q", columns, rest)
		}
		draws := strings.Split(strings.TrimRight(rest, "\r\n"), "\r")
		for _, draw := range draws {
			text := strings.TrimSuffix(draw, "\x1b[K")
			if n := utf8.RuneCountInString(text); n >= columns || strings.Contains(text, "\x1b") {
				t.Errorf("%d columns: it draws %d: %q", columns, n, text)
			}
		}
		last := strings.TrimSuffix(draws[len(draws)-1], "\x1b[K")
		t.Logf("%3d columns: %s", columns, last)
		if len(draws) < 5 || !strings.Contains(last, "runs 1-2 of 2, ") || !strings.Contains(last, " left") {
			t.Errorf("%d columns, %d draws: the last is %q", columns, len(draws), last)
		}
	}
}

// Ctrl-C under go run: the run is saved, and go run says the program's exit code and ends with its own.
func TestInterruptUnderGoRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	master, tty := openTerminal(t, 80)
	out := t.TempDir()
	cmd := exec.Command("go", append([]string{"run", "."}, trained(out)...)...)
	cmd.Env = append(os.Environ(), "GOMLX_BACKEND=simd")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // Ctrl-C goes to both processes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var shown bytes.Buffer
	typed := false
	for buffer := make([]byte, 1<<10); ; {
		n, err := master.Read(buffer)
		if shown.Write(buffer[:n]); err != nil {
			break // both processes are gone
		}
		if !typed && strings.Contains(shown.String(), "run 1 of 1; adding200") {
			master.WriteString("\x03")
			typed = true
		}
	}
	err := cmd.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Errorf("go run ended with %v, want exit code 1", err)
	}
	for _, want := range []string{
		"replicate: warp/fig4 adding200 quick: interrupted at update ", "goes on from there\r\n", "exit status 130\r\n",
	} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("no %q in %q", want, shown.String())
		}
	}
	saved, err := filepath.Glob(filepath.Join(out, "records", "warp", "fig4", "adding200.quick.jsonl.*"))
	if err != nil || len(saved) < 1 {
		t.Errorf("saved is %v, want a checkpoint", saved)
	}
}

// A terminal that becomes narrower is noticed at the next draw.
func TestTerminalThatShrinks(t *testing.T) {
	master, tty := openTerminal(t, 120)
	width := terminal.Width(tty)
	if width == nil || width() != 120 {
		t.Fatal("not taken for a terminal of 120 columns")
	}
	resize(t, tty, 50)
	if width() != 50 {
		t.Errorf("after shrinking it has %d columns", width())
	}
	resize(t, tty, 0) // as some that do not know theirs say
	if width() != 80 {
		t.Errorf("unknown, it has %d columns", width())
	}
	if terminal.Colours(tty) == (os.Getenv("NO_COLOR") != "") {
		t.Errorf("with NO_COLOR=%q, colours: %v", os.Getenv("NO_COLOR"), terminal.Colours(tty))
	}
	t.Setenv("NO_COLOR", "1")
	if terminal.Colours(tty) {
		t.Error("colours in spite of NO_COLOR")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if terminal.Colours(tty) || terminal.Width(tty) != nil {
		t.Error("a dumb terminal is taken for another")
	}
	master.Close()
}
