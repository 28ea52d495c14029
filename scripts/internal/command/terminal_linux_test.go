package command

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
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

// A terminal that becomes narrower is noticed at the next draw.
func TestTerminalThatShrinks(t *testing.T) {
	master, tty := openTerminal(t, 120)
	o := NewOutput(tty)
	if o.Width == nil || o.Width() != 120 {
		t.Fatal("not taken for a terminal of 120 columns")
	}
	resize(t, tty, 50)
	check.Equal(t, o.Width(), 50, "columns after shrinking")
	resize(t, tty, 0) // as some that do not know theirs say
	check.Equal(t, o.Width(), 80, "columns of a terminal that does not know")
	t.Setenv("TERM", "dumb")
	if NewOutput(tty).Width != nil {
		t.Error("a terminal that cannot draw a line again is drawn on")
	}
	master.Close()
}
