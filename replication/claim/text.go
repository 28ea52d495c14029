package claim

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteText writes judgements for a terminal of this width in columns (0: unlimited): the sentences that were
// reproduced, with the numbers, then those contradicted; those inconclusive and what was not run in short; and at the
// end how many got which verdict. Of the claims with one verdict, only the first writes a statement that several of
// them share. With colours, for a terminal, the verdicts have theirs.
func WriteText(w io.Writer, judgements []Judgement, width int, colours bool) error {
	var b strings.Builder
	for _, answer := range append(slices.Clone(Answers), NotRun) {
		for _, scale := range append(scales(), "") {
			group := with(judgements, answer, scale)
			if len(group) == 0 {
				continue
			}
			b.WriteString(strings.TrimSpace(answer.heading(colours)+" "+atScale(scale)) + ":\n")
			switch answer {
			case NotRun:
				writeNotRun(&b, group, width)
			case Inconclusive:
				writeInconclusive(&b, group, width)
			default:
				writeFound(&b, group, width)
			}
			b.WriteString("\n")
		}
	}
	wrap(&b, "", "", Count(judgements), width)
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is the answer at the beginning of a line: on a terminal bold, and green, red, yellow or as it is.
func (a Answer) heading(colours bool) string {
	name := a.String()
	name = strings.ToUpper(name[:1]) + name[1:]
	if !colours {
		return name
	}
	colour := [...]string{NotRun: "", Inconclusive: ";33", Depends: ";36", Reproduced: ";32", Contradicted: ";31"}[a]
	return "\x1b[1" + colour + "m" + name + "\x1b[0m"
}

// writeFound writes sentences, and under each the numbers that are not yet written.
func writeFound(b *strings.Builder, group []Judgement, width int) {
	written := map[string]bool{} // statements
	for _, j := range group {
		wrap(b, "  - ", "    ", j.Says, width)
		for _, statement := range j.Found {
			if !written[statement] {
				wrap(b, "      ", "        ", statement, width)
			}
			written[statement] = true
		}
	}
}

// writeInconclusive writes sentences, and under those that are inconclusive for the same reason the reason.
func writeInconclusive(b *strings.Builder, group []Judgement, width int) {
	whys, byWhy := reasons(group)
	for _, why := range whys {
		for _, j := range byWhy[why] {
			wrap(b, "  - ", "    ", j.Says, width)
		}
		wrap(b, "      ", "        ", why, width)
	}
}

// writeNotRun writes what is missing, each with the number of claims that it keeps from being judged.
func writeNotRun(b *strings.Builder, group []Judgement, width int) {
	whys, byWhy := reasons(group)
	for _, why := range whys {
		wrap(b, "  - ", "    ", fmt.Sprintf("%s (%s)", why, claims(len(byWhy[why]))), width)
	}
}

// reasons returns the reasons of judgements in the order of their first appearance, and the judgements of each.
func reasons(group []Judgement) (whys []string, byWhy map[string][]Judgement) {
	byWhy = map[string][]Judgement{}
	for _, j := range group {
		if byWhy[j.Why] == nil {
			whys = append(whys, j.Why)
		}
		byWhy[j.Why] = append(byWhy[j.Why], j)
	}
	return whys, byWhy
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
