package claim

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/record"
)

// WriteText writes what is known of each paper for a terminal of this width in columns (0: unlimited): how many claims
// got which answer, and of those that are not inconclusive the sentences. With colours, for a terminal, the answers
// have theirs.
func (p Page) WriteText(w io.Writer, width int, colours bool) error {
	var b strings.Builder
	for _, paper := range p.groups(Claim.Paper) {
		wrap(&b, "", "", p.title(paper.Name, paper.Name), width)
		for _, a := range append(slices.Clone(Answers), NotRun) {
			group := Only(paper.Judgements, a)
			if len(group) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s: %s\n", a.heading(colours), claims(len(group)))
			if a == Inconclusive || a == NotRun {
				continue
			}
			for _, j := range group {
				says := j.Says
				if a == Reproduced && j.Scale != record.Paper && j.Scale != computation {
					says += " (In smaller runs.)"
				}
				wrap(&b, "  - ", "    ", says, width)
				if a == Depends {
					wrap(&b, "      ", "        ", sentence(cmp.Or(j.under, j.Why)), width)
				}
			}
		}
		b.WriteString("\n")
	}
	wrap(&b, "", "", Count(p.Judgements), width)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCounts writes for a terminal how many claims of each paper got which answer.
func (p Page) WriteCounts(w io.Writer, width int, colours bool) error {
	var b strings.Builder
	for _, paper := range p.groups(Claim.Paper) {
		wrap(&b, "", "", p.title(paper.Name, paper.Name)+", "+claims(len(counted(paper.Judgements)))+":", width)
		for _, a := range append(slices.Clone(Answers), NotRun) {
			group := Only(paper.Judgements, a)
			if len(group) == 0 {
				continue
			}
			line := fmt.Sprintf("  %4d  %s", len(group), a.heading(colours))
			if own := at(record.Paper, group); a == Reproduced && own > 0 {
				line += fmt.Sprintf(", %d of them at the paper's own size", own)
			}
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is the answer at the beginning of a line: on a terminal bold, and green, cyan, red, yellow or as it is.
func (a Answer) heading(colours bool) string {
	name := a.String()
	name = strings.ToUpper(name[:1]) + name[1:]
	if !colours {
		return name
	}
	colour := [...]string{NotRun: "", Inconclusive: ";33", Contradicted: ";31", Depends: ";36", Reproduced: ";32"}[a]
	return "\x1b[1" + colour + "m" + name + "\x1b[0m"
}

// wrap writes a paragraph of at most width columns, its first line after first and the others after rest. Nothing is
// written of an empty text. A number stays on one line with the range in brackets behind it.
func wrap(b *strings.Builder, first, rest, text string, width int) {
	prefix, column := first, 0
	for _, word := range words(text) {
		size := utf8.RuneCountInString(word)
		if column > 0 && width > 0 && column+1+size > width {
			b.WriteString("\n")
			prefix, column = rest, 0
		}
		if column == 0 {
			b.WriteString(prefix)
			column = utf8.RuneCountInString(prefix)
		} else {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += size
	}
	if column > 0 {
		b.WriteString("\n")
	}
}

// words splits a text where a line may be broken: at spaces, but not in "3 % [1, 6]" or "T = 500".
func words(text string) []string {
	var words []string
	keep := false // the next word on the line of the last
	for _, word := range strings.Fields(text) {
		if n := len(words); n > 0 && (keep || strings.ContainsRune("[%=×", []rune(word)[0])) {
			words[n-1] += " " + word
		} else {
			words = append(words, word)
		}
		last := words[len(words)-1]
		keep = strings.LastIndex(last, "[") > strings.LastIndex(last, "]") || strings.HasSuffix(last, "=")
	}
	return words
}
