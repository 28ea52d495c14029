// Package terminal tells programs what their output goes to.
package terminal

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Width returns what tells the columns of a terminal, at every call anew; nil if the file is none, or one that cannot
// draw a line again (TERM=dumb).
func Width(file *os.File) func() int {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() int {
		columns, _, err := term.GetSize(fd)
		if err != nil || columns < 1 {
			return 80
		}
		return columns
	}
}

// Columns is how wide a text should be: as wide as a terminal, but no wider than can be read well, as it is elsewhere.
func Columns(file *os.File) int {
	const most, least = 100, 20
	if width := Width(file); width != nil {
		return max(least, min(width()-1, most))
	}
	return most
}

// Colours reports whether a text may have colours: on a terminal, unless NO_COLOR is set (https://no-color.org).
func Colours(file *os.File) bool { return os.Getenv("NO_COLOR") == "" && Width(file) != nil }

// Wrap breaks a text at spaces into lines of at most so many columns, where its words allow it. The first begins with
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
