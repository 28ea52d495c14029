package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/warptime/warptime/internal/printable"
)

// Output is what a program prints on. It keeps the error of the first write that failed, as on a full disk, so that a
// program need not check each.
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

// Write writes a text in place of the line that was drawn last. What would steer a terminal is quoted: the text may
// come from a record, or from the name of a file.
func (o *Output) Write(text []byte) (int, error) {
	_, err := o.replace(printable.Text(string(text)))
	return len(text), err
}

// Unquoted writes as o does, with colours. The text must be ours.
func (o *Output) Unquoted() io.Writer { return unquoted{o} }

type unquoted struct{ *Output }

func (u unquoted) Write(text []byte) (int, error) { return u.replace(string(text)) }

func (o *Output) replace(text string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.drawn {
		o.write("\r" + ClearLine)
	}
	o.drawn = false
	o.write(text)
	return len(text), o.err
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

// ClearLine is the terminal's command to clear the line from here on.
const ClearLine = "\x1b[K"

// Room is the columns of a line that is drawn. Some are left: the cursor stays there, and an interruption's ^C.
func (o *Output) Room() int { return max(0, o.Width()-3) }

// Draw draws a terminal's last line, a status, again. What does not fit is cut off.
func (o *Output) Draw(line string) {
	line = printable.Text(line)
	if runes := []rune(line); len(runes) > o.Room() {
		line = string(runes[:o.Room()])
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write("\r" + line + ClearLine)
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

// Note writes a paragraph, broken into lines at its spaces.
func (o *Output) Note(text string) { fmt.Fprint(o, Wrap("", text, o.Columns())) }

// Bar draws a part of one as a percentage and as a bar of this width in columns.
func Bar(part float64, columns int) string {
	part = max(0, min(1, part))
	full := int(part * float64(columns))
	return fmt.Sprintf("%3.0f%% |%s%s|", 100*part, strings.Repeat("█", full), strings.Repeat(" ", columns-full))
}

// Columns is how wide a text should be: as wide as the terminal, but no wider than can be read well.
func (o *Output) Columns() int {
	const most, least = 100, 20
	if o.Width != nil {
		return max(least, min(o.Width()-1, most))
	}
	return most
}

// Colours reports whether a text may have colours: on a terminal, unless NO_COLOR is set (https://no-color.org).
func (o *Output) Colours() bool { return os.Getenv("NO_COLOR") == "" && o.Width != nil }

// Wrap breaks a text at spaces into lines that fit the columns, where its words allow it. The first begins with
// first, and the others are indented as far.
func Wrap(first, text string, columns int) string {
	indent := utf8.RuneCountInString(first)
	var b strings.Builder
	b.WriteString(first)
	at := indent
	for i, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		if i > 0 && at+1+size > columns {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		} else if i > 0 {
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += size
	}
	return b.String() + "\n"
}

// errorLine is an error of replicate, or how Go begins to report a bug.
var errorLine = regexp.MustCompile(`(?m)^(?:replicate|panic|fatal error): .*`)

// ErrorLine returns the line of what replicate has printed that says why it failed.
func ErrorLine(text string) string { return cmp.Or(errorLine.FindString(text), LastLine(text)) }

// LastLine returns the last line of a text, where programs say what went wrong.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
