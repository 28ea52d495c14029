package command

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/warptime/warptime/internal/printable"
)

// Output is what a program prints on. It keeps the error of the first write that failed, as on a full disk, so that a
// program need not check each. What would steer a terminal is quoted: it may come from a record, or the name of a file.
type Output struct {
	To    io.Writer
	Width func() int // the columns of the terminal at this moment; nil if To is none

	mu    sync.Mutex
	err   error
	drawn bool // the last line is one that Draw drew
}

// NewOutput returns what prints on a file. A terminal that cannot draw a line again (TERM=dumb) is treated as a file.
func NewOutput(file *os.File) *Output {
	o := &Output{To: file}
	if fd := int(file.Fd()); term.IsTerminal(fd) && os.Getenv("TERM") != "dumb" {
		o.Width = func() int {
			columns, _, err := term.GetSize(fd)
			if err != nil || columns < 1 {
				return 80
			}
			return columns
		}
	}
	return o
}

// ClearLine is the terminal's command to clear the line from here on.
const ClearLine = "\x1b[K"

// Write writes a text in place of the line that was drawn last. It returns no error, which would end the work of who
// copies to it: see Err.
func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.drawn {
		o.write("\r" + ClearLine)
	}
	o.drawn = false
	o.write(printable.Text(string(text)))
	return len(text), nil
}

// Draw draws a terminal's last line, a status, again. What does not fit is cut off: some columns stay free for the
// cursor, and for an interruption's ^C.
func (o *Output) Draw(line string) {
	const free = 3
	runes := []rune(printable.Text(line))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write("\r" + string(runes[:min(len(runes), max(0, o.Width()-free))]) + ClearLine)
	o.drawn = true
}

// End ends the line that was drawn last, if there is one, so that it stays.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.drawn {
		o.write("\n")
	}
	o.drawn = false
}

func (o *Output) write(text string) {
	if _, err := io.WriteString(o.To, text); o.err == nil {
		o.err = err
	}
}

// Err is the error of the first write that failed.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Note writes a paragraph, broken at its spaces into lines of a terminal's width, but none wider than can be read well.
func (o *Output) Note(text string) {
	const most, least = 100, 20
	columns := math.MaxInt // of a file
	if o.Width != nil {
		columns = max(least, min(o.Width()-1, most))
	}
	all := ""
	for _, line := range printable.Lines(strings.Fields(text), func(words []string) bool {
		return utf8.RuneCountInString(strings.Join(words, " ")) <= columns
	}) {
		all += strings.Join(line, " ") + "\n"
	}
	fmt.Fprint(o, all)
}

// Bar draws a part of one as a percentage and as a bar.
func Bar(part float64) string {
	const columns = 12
	part = max(0, min(1, part))
	full := int(part * columns)
	return fmt.Sprintf("%3.0f%% |%s%s|", 100*part, strings.Repeat("█", full), strings.Repeat(" ", columns-full))
}
