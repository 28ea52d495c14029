package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// CLAIMS.md and the README's count are what the committed records say.
func TestCommittedClaims(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err) // replication/warp's tests want records
	}
	check(t, err)
	judgements := claim.Judge(warp.Claims(), records)
	if err := claim.CheckCount([]byte(read(t, "../../README.md")), judgements); err != nil {
		t.Errorf("README.md: %v", err)
	}
	if read(t, "../../CLAIMS.md") != string(table(judgements)) {
		t.Error("CLAIMS.md is not what the records say: run go run ./scripts/figures -claims CLAIMS.md")
	}
}

// The README's example is the one that the tests compile and run.
func TestREADMEExample(t *testing.T) {
	_, shown, _ := strings.Cut(read(t, "../../README.md"), "<!-- example: begin -->\n```go\n")
	shown, _, ok := strings.Cut(shown, "```\n<!-- example: end -->")
	if !ok {
		t.Fatal("README.md has no example")
	}
	_, example, _ := strings.Cut(read(t, "../../chrono/cell/example_test.go"), "func Example() {\n")
	example, _, _ = strings.Cut(example, "\n}\n")
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(example, line) {
			t.Errorf("README's example has a line that the tested one has not: %s", line)
		}
	}
	if lines := strings.Count(strings.TrimSpace(shown), "\n") + 1; lines < 15 || lines > 25 {
		t.Errorf("README's example has %d lines, want about 20", lines)
	}
}
