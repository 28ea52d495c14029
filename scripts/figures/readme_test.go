package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// CLAIMS.md and the README's summary are what the committed records say.
func TestCommittedClaims(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err) // replication/warp's tests want records
	}
	check.OK(t, err)
	judgements := judge(records)
	readme, err := withSummary("../../README.md", summary(judgements, records))
	check.OK(t, err)
	if read(t, "../../README.md") != string(readme) {
		t.Error("README.md has other verdicts than the records: run go run ./scripts/figures -readme README.md")
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
	check.OK(t, err)
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

// FINDINGS.md has the verdicts that the records give, of the first claim that a row names, and numbers of all.
func TestFindings(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err)
	}
	check.OK(t, err)
	judgements := judge(records)
	text := read(t, "../../FINDINGS.md")
	row := regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| (.*) <!-- from: ((\S+).*) --> \|.*$`)
	rows := row.FindAllStringSubmatch(text, -1)
	for _, r := range rows { // of a row, what the paper says and the number; then what is not in a table
		text = strings.Replace(text, r[0], "\n\n"+r[1]+r[3]+"<!-- from: "+r[4]+" -->\n\n", 1)
	}
	for _, wrong := range claim.CheckProse(text, judgements) {
		t.Errorf("FINDINGS.md: %s", wrong)
	}
	if len(rows) < 20 {
		t.Errorf("%d claims, want at least 20", len(rows))
	}
	for _, r := range rows {
		i := slices.IndexFunc(judgements, func(j claim.Judgement) bool { return j.ID == r[5] })
		if i < 0 {
			continue // CheckProse has said so
		}
		want := "**" + judgements[i].Short() + "** in smaller runs"
		if judgements[i].Scale == record.Paper {
			want = "**" + judgements[i].Short() + "** at the paper's size"
		}
		if r[2] != want {
			t.Errorf("FINDINGS.md: %s %q, want %q (%s)", r[1], r[2], want, r[5])
		}
	}
}

// What the pages link to, or show, is there.
func TestLinks(t *testing.T) {
	pages := []string{"README.md", "FINDINGS.md", "chrono/README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"}
	for _, page := range pages {
		links := regexp.MustCompile(`(?:\]\(|href="|src=")([^):"#]+)[#)"]`).
			FindAllStringSubmatch(read(t, "../../"+page), -1)
		if len(links) == 0 {
			t.Errorf("%s has no links within the repository", page)
		}
		for _, link := range links {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// The README is short, and so are its tables.
func TestREADMEIsShort(t *testing.T) {
	document := read(t, "../../README.md")
	if n := strings.Count(document, "\n"); n > 180 {
		t.Errorf("%d lines, want at most 180", n)
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
