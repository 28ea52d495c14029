package scripts_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// The cookbook in chrono/README.md names examples that are there, that go test runs, and that are short.
func TestCookbook(t *testing.T) {
	readme := check.Read(t, "../chrono/README.md")
	_, table, _ := strings.Cut(string(readme), "<!-- cookbook: begin -->")
	table, _, ended := strings.Cut(table, "<!-- cookbook: end -->")
	entries := regexp.MustCompile("\\[`(Example\\w*)`\\]\\(([^)]+)\\)").FindAllStringSubmatch(table, -1)
	if !ended || len(entries) < 15 {
		t.Fatalf("the cookbook has %d examples", len(entries))
	}
	for _, entry := range entries {
		name, path := entry[1], filepath.Join("../chrono", entry[2])
		_, text, _ := strings.Cut(string(check.Read(t, path)), "\nfunc "+name+"() {")
		text, _, _ = strings.Cut(text, "\n}\n")
		text, _, runs := strings.Cut(text, "// Output:")
		if !runs {
			t.Errorf("%s has no %s whose output go test compares", path, name)
		}
		text = strings.ReplaceAll(text, "\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}", "")
		if lines := strings.Count(strings.TrimSpace(text), "\n") + 1; lines > 60 {
			t.Errorf("%s has %d lines, want at most 60", name, lines)
		}
	}
}
