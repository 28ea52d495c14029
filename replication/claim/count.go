package claim

import (
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// place returns the parts of a claim's identifier: "warp", "fig3", "copy500.beats-standard".
func (c Claim) place() (paper, figure, what string) {
	paper, rest, _ := strings.Cut(c.ID, "/")
	figure, what, _ = strings.Cut(rest, ".")
	return paper, figure, what
}

// Paper returns the paper that makes the claim, "warp".
func (c Claim) Paper() string {
	paper, _, _ := c.place()
	return paper
}

// Figure returns the paper and the figure that the claim is about, "warp/fig3".
func (c Claim) Figure() string {
	paper, figure, _ := c.place()
	return paper + "/" + figure
}

// Only returns the judgements with one of these answers, without checks of our own.
func Only(judgements []Judgement, answers ...Answer) []Judgement {
	var group []Judgement
	for _, a := range answers {
		for _, j := range judgements {
			if j.Answer == a && !j.Ours {
				group = append(group, j)
			}
		}
	}
	return group
}

// counted are the judgements without checks of our own.
func counted(judgements []Judgement) []Judgement { return Only(judgements, append(Answers, NotRun)...) }

// Count says how many claims got which answer: "Of 79 claims, 26 are reproduced (11 of them by runs of the paper's own
// size), 12 depend on a choice that the paper leaves open, 3 are contradicted and 38 are inconclusive. 2 checks of our
// own are not counted."
func Count(judgements []Judgement) string {
	if len(judgements) == 0 {
		return "There are no claims."
	}
	var parts []string
	for _, a := range append(Answers, NotRun) {
		group := Only(judgements, a)
		if len(group) == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", len(group), phrase(a, len(group)))
		if own := at(record.Paper, group); a == Reproduced && own > 0 && own < len(group) {
			part += fmt.Sprintf(" (%d of them by runs of the paper's own size)", own)
		}
		parts = append(parts, part)
	}
	text := fmt.Sprintf("Of %s, %s.", claims(len(counted(judgements))), and(parts))
	switch ours := len(judgements) - len(counted(judgements)); ours {
	case 0:
	case 1:
		text += " 1 check of our own is not counted."
	default:
		text += fmt.Sprintf(" %d checks of our own are not counted.", ours)
	}
	return text
}

// phrase is the predicate of n claims that got an answer.
func phrase(a Answer, n int) string {
	switch {
	case a == Depends && n == 1:
		return "depends on a choice that the paper leaves open"
	case a == Depends:
		return "depend on a choice that the paper leaves open"
	case n == 1:
		return "is " + a.String()
	}
	return "are " + a.String()
}

// at is how many claims were judged at a scale.
func at(scale record.Scale, judgements []Judgement) int {
	n := 0
	for _, j := range judgements {
		if j.Scale == scale {
			n++
		}
	}
	return n
}

func claims(n int) string {
	if n == 1 {
		return "1 claim"
	}
	return fmt.Sprintf("%d claims", n)
}

// and joins parts of a sentence.
func and(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// A Row is how many claims of a group got each answer, for a table.
type Row struct {
	Name       string
	Judgements []Judgement
}

// Counted are the judgements of a row without checks of our own.
func (r Row) Counted() []Judgement { return counted(r.Judgements) }

// CountTable writes a table in Markdown: a row for each group of claims, a column for each answer. The first column has
// a heading.
func CountTable(heading string, rows []Row) string {
	answers := append(Answers, NotRun)
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", heading)
	for _, a := range answers {
		fmt.Fprintf(&b, " %v |", a)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(answers)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.Name)
		for _, a := range answers {
			if n := len(Only(row.Judgements, a)); n > 0 {
				fmt.Fprintf(&b, " %d |", n)
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// at says by what a claim was judged.
func (j Judgement) at() string {
	switch {
	case j.Scale == "": // of what was not run
		return ""
	case j.Scale == record.Paper && j.Ours:
		return "at full size"
	case j.Scale == record.Paper:
		return "at the paper's size"
	case j.Scale == computation:
		return "by computation"
	}
	return fmt.Sprintf("at scale %s", j.Scale)
}
