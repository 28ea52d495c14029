package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// between is what a file has between two marks.
func between(t *testing.T, path, begin, end string) string {
	t.Helper()
	_, text, _ := strings.Cut(string(check.Read(t, path)), begin)
	text, _, found := strings.Cut(text, end)
	check.Must(t, found, "%s has nothing between %q and %q", path, begin, end)
	return text
}

// What README shows stands in a program that the tests compile and run.
func TestREADMEExamples(t *testing.T) {
	for mark, path := range map[string]string{"example": "../chrono/cell/example_test.go", "copy": "copy/main.go"} {
		shown := between(t, "../README.md", "<!-- "+mark+": begin -->\n```go\n", "```\n<!-- "+mark+": end -->")
		check.Contains(t, strings.ReplaceAll(string(check.Read(t, path)), "\n\t", "\n"), shown)
	}
}

// The cookbook in chrono/README.md names examples that are there and have an output, so that go test runs them.
func TestCookbook(t *testing.T) {
	table := between(t, "../chrono/README.md", "<!-- cookbook: begin -->", "<!-- cookbook: end -->")
	entries := regexp.MustCompile("\\[`(Example\\w*)`\\]\\(([^)]+)\\)").FindAllStringSubmatch(table, -1)
	check.Must(t, len(entries) >= 15, "the cookbook has %d examples", len(entries))
	for _, entry := range entries {
		text := between(t, filepath.Join("../chrono", entry[2]), "\nfunc "+entry[1]+"() {", "\n}\n")
		check.That(t, strings.Contains(text, "\n\t// Output:"), "%s has no output", entry[1])
	}
}

// What the pages link to, or show, is there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`(?:\]\(|href="|src=")([^):"#]+)[#)"]`)
	for _, page := range []string{
		"../README.md", "../FINDINGS.md", "../chrono/README.md", "../CONTRIBUTING.md", "../ARCHITECTURE.md",
	} {
		links := link.FindAllStringSubmatch(string(check.Read(t, page)), -1)
		check.That(t, len(links) != 0, "%s has no links within the repository", page)
		for _, link := range links {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), link[1]))
			check.OK(t, err, page)
		}
	}
}

// The pages that say which Go one needs say what go.mod says.
func TestGoVersion(t *testing.T) {
	needed := between(t, "../go.mod", "\ngo ", "\n")
	for _, path := range []string{"../README.md", "../notebooks/README.md"} {
		named := regexp.MustCompile(`\bGo[ -](1\.[0-9.]*[0-9])`).FindAllSubmatch(check.Read(t, path), -1)
		for _, version := range named {
			check.Equal(t, string(version[1]), needed, "%s: the version of Go", path)
		}
		check.That(t, len(named) != 0, "%s names no version of Go", path)
	}
}

// An action is named by its commit, an image by its digest: whoever moves a tag must not run in our CI.
func TestActionsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9.]+$|^"?[\w.:-]+@sha256:[0-9a-f]{64}"?,?$`)
	for path, least := range map[string]int{"../.github/workflows/ci.yml": 2, "../.devcontainer/devcontainer.json": 1} {
		named := regexp.MustCompile(`(?:uses|image"?): *(.*)`).FindAllSubmatch(check.Read(t, path), -1)
		for _, match := range named {
			check.That(t, pinned.Match(match[1]),
				"%s: %s, want action@commit # version or image@sha256:digest", path, match[1])
		}
		check.That(t, len(named) >= least, "%s names %d actions and images", path, len(named))
	}
}
