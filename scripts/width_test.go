package scripts_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
)

// columns is how wide a line of Go may be, a tab counting as four.
const columns = 120

func TestLinesFitThePage(t *testing.T) {
	for _, path := range goFiles(t) {
		text := check.Read(t, path)
		if strings.HasPrefix(string(text), "// Code generated ") {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > columns {
				t.Errorf("%s:%d has %d columns, want at most %d", path, i+1, n, columns)
			}
		}
	}
}

// goFiles lists all files of Go below the repository's top, except in folders that a program or a tool has made.
func goFiles(t *testing.T) (paths []string) { return filesOf(t, ".go") }

// filesOf lists the files with one of these extensions.
func filesOf(t *testing.T, extensions ...string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "out" || strings.HasPrefix(name, ".") && name != ".."):
			return filepath.SkipDir
		case slices.Contains(extensions, filepath.Ext(name)):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files of %v, %v", len(paths), extensions, err)
	}
	return paths
}
