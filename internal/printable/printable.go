// Package printable makes texts of others fit to be shown: names of files, and what is in them. Whoever makes a record
// or a folder must not steer the terminal of those who look at it, nor break their pictures.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with its control characters (among them ESC), characters that change the direction of others, and
// bytes that are not UTF-8 as a Go string has them: `\x1b`. Tabs and ends of lines stay.
func Text(text string) string {
	if !strings.ContainsFunc(text, steers) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(rest[0]), 16))
		case r != utf8.RuneError && steers(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		rest = rest[size:]
	}
	return b.String()
}

func steers(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Noncharacter_Code_Point) || r == utf8.RuneError
}

// Lines breaks a text, or a list of anything, into lines: as many words into each as fit, but one at least.
func Lines[T any](words []T, fit func(line []T) bool) (lines [][]T) {
	for from, i := 0, 1; i <= len(words); i++ {
		if i == len(words) || !fit(words[from:i+1]) {
			lines, from = append(lines, words[from:i]), i
		}
	}
	return lines
}
