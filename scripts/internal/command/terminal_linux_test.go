package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/scripts/internal/command"
)

// openTerminal opens a pseudo-terminal of this width in columns: what is written to tty comes out of master.
func openTerminal(t *testing.T, columns int) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		need.Skip(t, "pty", err.Error())
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
		need.Skip(t, "pty", err.Error())
	}
	t.Cleanup(func() { tty.Close() })
	resize(t, tty, columns)
	return master, tty
}

func resize(t *testing.T, tty *os.File, columns int) {
	t.Helper()
	size := &unix.Winsize{Row: 24, Col: uint16(columns)}
	check.OK(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, size))
}

// On a terminal the progress is one line, drawn again and again, and no draw of it reaches the last column.
func TestTerminalLineNeverWraps(t *testing.T) {
	for _, columns := range []int{40, 80, 200} {
		master, tty := openTerminal(t, columns)
		cmd := program("TERM=xterm", "-figure", "fig4", "-out", t.TempDir())
		cmd.Env = append(cmd.Env, "GOMAXPROCS=2")
		cmd.Stdout = tty
		var shown bytes.Buffer
		var reading sync.WaitGroup
		reading.Go(func() { io.Copy(&shown, master) }) // it ends with an error when the last writer is gone
		startHeld(t, cmd, 2)
		interrupt(t, cmd)
		tty.Close()
		reading.Wait()

		notes, rest, _ := strings.Cut(shown.String(), "\r\n\r")
		begins := "2 runs on simd, 2 at a time, into "
		if !strings.HasPrefix(strings.Join(strings.Fields(notes), " "), begins) {
			t.Errorf("it begins with %q", notes)
		}
		for note := range strings.SplitSeq(notes, "\r\n") {
			if n := utf8.RuneCountInString(note); n >= columns && strings.Contains(note, " ") {
				t.Errorf("%d columns: a note has %d: %q", columns, n, note)
			}
		}
		if strings.Count(rest, "\n") != 1 || !strings.HasSuffix(rest, "\r\n") {
			t.Errorf("%d columns: not one line: %q", columns, rest)
		}
		draws := strings.Split(strings.TrimRight(rest, "\r\n"), "\r")
		for _, draw := range draws {
			text := strings.TrimSuffix(draw, command.ClearLine)
			if n := utf8.RuneCountInString(text); n > columns-len("^C") || strings.Contains(text, "\x1b") {
				t.Errorf("%d columns: it draws %d: %q", columns, n, text)
			}
		}
		last := draws[len(draws)-1]
		t.Logf("%3d columns: %s", columns, last)
		if len(draws) < 2 || !strings.Contains(last, "% |") || !strings.Contains(last, "| runs 1-2 of 2") {
			t.Errorf("%d columns, %d draws: the last is %q", columns, len(draws), last)
		}
	}
}

// A terminal that becomes narrower is noticed at the next draw.
func TestTerminalThatShrinks(t *testing.T) {
	master, tty := openTerminal(t, 120)
	o := command.NewOutput(tty)
	if o.Width == nil || o.Width() != 120 {
		t.Fatal("not taken for a terminal of 120 columns")
	}
	resize(t, tty, 50)
	check.Equal(t, o.Width(), 50, "columns after shrinking")
	resize(t, tty, 0) // as some that do not know theirs say
	check.Equal(t, o.Width(), 80, "columns of a terminal that does not know")
	t.Setenv("TERM", "dumb")
	if command.NewOutput(tty).Width != nil {
		t.Error("a terminal that cannot draw a line again is drawn on")
	}
	master.Close()
}
