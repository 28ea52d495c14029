// Package papertest tests what a paper says of made-up worlds: that every claim can be reproduced, contradicted and
// inconclusive.
package papertest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// A World is what the records of all that is declared at scale paper would be if things were so.
type World struct {
	Name    string
	Records []*record.Record
}

// Verdicts checks that every claim is reproduced in the first world, the paper's own, and that there are worlds in
// which it is contradicted, and worlds in which it is inconclusive, unless an answer is impossible. The file
// testdata/verdicts.txt holds what is said of each claim in each world, and why, and in the paper's own with which
// numbers.
func Verdicts(t *testing.T, claims []claim.Claim, worlds []World, impossible func(id string, a claim.Answer) bool) {
	t.Helper()
	answers := make([]map[claim.Answer]bool, len(claims))
	text := make([]bytes.Buffer, len(claims))
	for k, w := range worlds {
		for i, j := range claim.Judge(claims, w.Records) {
			if k == 0 {
				answers[i] = map[claim.Answer]bool{}
				if j.Verdict != claim.Reproduced {
					t.Errorf("%s: %v where everything is %s: %s", j.ID, j.Verdict, w.Name, j.Found)
				}
				fmt.Fprintf(&text[i], "%s\n  %s\n", j.ID, strings.ReplaceAll(j.Found, "; ", "\n  "))
			}
			answers[i][j.Verdict] = true
			if (j.Verdict == claim.Inconclusive) != (j.Why != "") || j.Found == "" || j.Scale != record.Paper &&
				!j.Computed {
				t.Errorf("%s, %s: %v at scale %q because %q: %s", w.Name, j.ID, j.Verdict, j.Scale, j.Why, j.Found)
			}
			fmt.Fprintf(&text[i], "    %-26s%s\n", w.Name, strings.TrimSuffix(j.Verdict.String()+": "+j.Why, ": "))
		}
	}
	var all bytes.Buffer
	for i, c := range claims {
		fmt.Fprintf(&all, "%s\n", text[i].Bytes())
		for _, answer := range []claim.Answer{claim.Reproduced, claim.Contradicted, claim.Inconclusive} {
			if !answers[i][answer] && !impossible(c.ID, answer) {
				t.Errorf("%s is %v in no world", c.ID, answer)
			}
		}
	}
	golden.Check(t, "testdata/verdicts.txt", all.Bytes())
}
