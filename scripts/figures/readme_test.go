package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// The committed pages are what the committed records say, and their prose has the numbers of the claims that it names.
func TestCommittedPages(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	check.OK(t, err)
	judgements, err := papers.Judge("../../replication/records", records)
	check.OK(t, err)
	documents, err := documentsOf("../..", judgements)
	check.OK(t, err)
	for path, want := range documents {
		text := read(t, path)
		if text != string(want) {
			t.Errorf("%s is not what the records say: run go run ./scripts/figures -pages .", path)
		}
		if filepath.Ext(path) == ".md" {
			for _, wrong := range claim.CheckProse(text, judgements) {
				t.Errorf("%s: %s", path, wrong)
			}
		}
	}
	const most = 45_000
	if n := len(documents[filepath.Join("..", "..", "CLAIMS.md")]); n > most {
		t.Errorf("CLAIMS.md has %d bytes, want at most %d", n, most)
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
}
