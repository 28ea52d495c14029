package claim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// place returns the parts of a claim's identifier: "warp", "fig3", "copy500.beats-standard".
func (c Claim) place() (paper, figure, what string) {
	paper, rest, _ := strings.Cut(c.ID, "/")
	figure, what, _ = strings.Cut(rest, ".")
	return paper, figure, what
}

// Figure returns the paper and the figure that the claim is about, "warp/fig3".
func (c Claim) Figure() string {
	paper, figure, _ := c.place()
	return paper + "/" + figure
}

// Count says in one sentence how many claims got which verdict.
func Count(judgements []Judgement) string {
	if len(judgements) == 0 {
		return "There are no claims."
	}
	return fmt.Sprintf("Of %s: %s.", claims(len(judgements)), Verdicts(judgements))
}

// Verdicts says in short how many claims got which verdict: "2 reproduced at the paper's scale, 3 inconclusive at quick
// scale (1 of them found the reverse)".
func Verdicts(judgements []Judgement) string {
	var parts []string
	for _, answer := range Answers {
		for _, scale := range scales() {
			group := with(judgements, answer, scale)
			if len(group) == 0 {
				continue
			}
			part := fmt.Sprintf("%d %v %s", len(group), answer, atScale(scale))
			reverse := 0
			for _, j := range group {
				if j.Why == onlyPaper {
					reverse++
				}
			}
			if reverse > 0 {
				part += fmt.Sprintf(" (%d of them found the reverse)", reverse)
			}
			parts = append(parts, part)
		}
	}
	if n := len(with(judgements, NotRun, "")); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %v", n, NotRun))
	}
	return strings.Join(parts, ", ")
}

func claims(n int) string {
	if n == 1 {
		return "1 claim"
	}
	return fmt.Sprintf("%d claims", n)
}

// scales are those at which claims are judged, the largest first.
func scales() []record.Scale {
	s := slices.Clone(record.Scales)
	slices.Reverse(s)
	return append(s, computation)
}

func atScale(scale record.Scale) string {
	switch scale {
	case "": // of what was not run
		return ""
	case record.Paper:
		return "at the paper's scale"
	case computation:
		return "by computation"
	}
	return fmt.Sprintf("at %s scale", scale)
}

// with returns the judgements with one verdict at one scale.
func with(judgements []Judgement, verdict Answer, scale record.Scale) []Judgement {
	var group []Judgement
	for _, j := range judgements {
		if j.Answer == verdict && j.Scale == scale {
			group = append(group, j)
		}
	}
	return group
}
