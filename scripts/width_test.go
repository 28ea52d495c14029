package scripts_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
)

// columns is how wide a line of Go may be, a tab counting as four.
const columns = 120

// All files of Go are looked at that no program has written, but those in folders that a program or a tool has made.
func TestLinesFitThePage(t *testing.T) {
	check.OK(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || filepath.Ext(name) != ".go" {
			if entry.IsDir() && (name == "out" || strings.HasPrefix(name, ".") && name != "..") {
				return filepath.SkipDir
			}
			return err
		}
		text := string(check.Read(t, path))
		if strings.HasPrefix(text, "// Code generated ") {
			return nil
		}
		for i, line := range strings.Split(text, "\n") {
			n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			check.That(t, n <= columns, "%s:%d has %d columns, want at most %d", path, i+1, n, columns)
		}
		return nil
	}))
}
