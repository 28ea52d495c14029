package main

import (
	"os"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication"
)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The README's table of claims is what the committed records say.
func TestREADMEClaims(t *testing.T) {
	records, err := replication.ReadAll("../../replication/records")
	if err != nil {
		t.Fatal(err)
	}
	if err := replication.CheckTable([]byte(read(t, "../../README.md")), records); err != nil {
		t.Errorf("%v; go run ./scripts/figures -readme README.md brings it up to date", err)
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
