package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// CLAIMS.md and the README's summary are what the committed records say.
func TestCommittedClaims(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err) // replication/warp's tests want records
	}
	check(t, err)
	judgements := judge(records)
	if err := claim.CheckSummary([]byte(read(t, "../../README.md")), summary(judgements, records)); err != nil {
		t.Errorf("README.md: %v", err)
	}
	if read(t, "../../CLAIMS.md") != string(table(judgements)) {
		t.Error("CLAIMS.md is not what the records say: run go run ./scripts/figures -claims CLAIMS.md")
	}
}

// The README states what came out with numbers of the claims that it names, and every item that has a share or an error
// names some.
func TestREADMENumbers(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err)
	}
	check(t, err)
	_, text, _ := strings.Cut(read(t, "../../README.md"), "\nIn short")
	text, _, ok := strings.Cut(text, claim.TableBegin)
	if !ok {
		t.Fatal("README.md has no list of what came out")
	}
	for _, wrong := range claim.CheckProse(text, judge(records)) {
		t.Error(wrong)
	}
	measured := regexp.MustCompile(`\d+ %|0\.\d+`)
	for _, p := range claim.Paragraphs(text) {
		if number := measured.FindString(p); number != "" && !claim.Sourced(p) {
			t.Errorf("%s is of no claim in: %s", number, p)
		}
	}
}

// What the README links to is there.
func TestREADMELinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(read(t, "../../README.md"), -1)
	if len(links) < 10 {
		t.Errorf("%d links within the repository", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("../..", link[1])); err != nil {
			t.Error(err)
		}
	}
}

// The README is short, and so are its tables.
func TestREADMEIsShort(t *testing.T) {
	document := read(t, "../../README.md")
	if n := strings.Count(document, "\n"); n > 300 {
		t.Errorf("%d lines, want at most 300", n)
	}
	for _, table := range regexp.MustCompile(`(?m)(^\|.*\n)+`).FindAllString(document, -1) {
		if rows := strings.Count(table, "\n") - 2; rows > 12 {
			t.Errorf("a table of %d rows, want at most 12:\n%s", rows, table)
		}
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
