package command

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// A terminal that becomes narrower is noticed at the next draw.
func TestTerminalThatShrinks(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		need.Skip(t, "pty", err.Error())
	}
	defer master.Close()
	number := check.Got(unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN))(t)
	check.OK(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		need.Skip(t, "pty", err.Error())
	}
	defer tty.Close()
	o := NewOutput(tty)
	for _, c := range []struct{ columns, want int }{{120, 120}, {50, 50}, {0, 80}} { // some say 0
		size := &unix.Winsize{Row: 24, Col: uint16(c.columns)}
		check.OK(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, size))
		check.Equal(t, o.Width(), c.want, "columns of a terminal that has %d", c.columns)
	}
	t.Setenv("TERM", "dumb")
	check.That(t, NewOutput(tty).Width == nil, "a terminal that cannot draw a line again is drawn on")
}
