package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Missing directories are made. Neither a directory nor a symbolic link is replaced, nor where it points to, and what
// another process is about to put in the file's place stays.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a", "b.svg"), filepath.Join(dir, "link")
	check.Write(t, filepath.Join(dir, "a", ".b.svg.1.tmp"), nil)
	check.OK(t, WriteFile(path, []byte("mine")))
	check.OK(t, os.Symlink(path, link))
	for _, wrong := range []string{filepath.Join(path, "c"), filepath.Dir(path), link} {
		check.Rejected(t, wrong, WriteFile(wrong, nil), dir)
	}
	check.Equal(t, string(check.Read(t, path)), "mine", "file")
	check.Entries(t, filepath.Dir(path), 2)
}
