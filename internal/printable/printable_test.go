package printable_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/printable"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"T = 500, 1\u00a0% “ä” 中\n\t": "T = 500, 1\u00a0% “ä” 中\n\t",
		"a\x1b[2Jb\x07":               `a\x1b[2Jb\a`,
		"a\rb\x00\x7f":                `a\rb\x00\x7f`,
		"\u009b31m":                   `\u009b31m`, // ESC [ in one character
		"\u202egpj.exe\u2028":         `\u202egpj.exe\u2028`,
		"a\xffb\xc3":                  `a\xffb\xc3`,
		"\ufffd":                      "\ufffd",
	} {
		check.Equal(t, printable.Text(text), want, "%q", text)
	}
}

// Nothing is left that XML does not allow, and nothing is quoted twice.
func FuzzText(f *testing.F) {
	f.Add("a\x1b\xff\ufffe\U0001f600")
	f.Fuzz(func(t *testing.T, text string) {
		got := printable.Text(text)
		check.Equal(t, printable.Text(got), got, "%q again", text)
		var b strings.Builder
		check.OK(t, xml.EscapeText(&b, []byte(got)))
		check.That(t, strings.Count(b.String(), "\ufffd") == strings.Count(got, "\ufffd"),
			"%q has characters that XML does not allow", got)
	})
}
