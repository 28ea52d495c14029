package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is how wide a line of Go may be, a tab counting as four.
const columns = 120

func TestLinesFitThePage(t *testing.T) {
	list := []string{"-C", "..", "ls-files", "--cached", "--others", "--exclude-standard", "*.go"}
	out, err := exec.Command("git", list...).Output()
	if err != nil {
		t.Skipf("no list of files from git: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // deleted, but not committed yet
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > columns {
				t.Errorf("%s:%d has %d columns, want at most %d", name, i+1, n, columns)
			}
		}
	}
}
