package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/filesystem"
)

// Missing directories are made. Neither a directory nor a symbolic link is replaced, nor where it points to. Of two
// writers, neither disturbs the other, and the last one's file stays.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a", "b.svg"), filepath.Join(dir, "link")
	filesystem.Step = func(name string) {
		if name == "rename" {
			filesystem.Step = nil
			check.OK(t, WriteFile(path, []byte("another's")))
		}
	}
	check.OK(t, WriteFile(path, []byte("mine")))
	check.OK(t, os.Symlink(path, link))
	for _, wrong := range []string{filepath.Join(path, "c"), filepath.Dir(path), link} {
		check.Rejected(t, wrong, WriteFile(wrong, nil), dir)
	}
	check.Equal(t, string(check.Read(t, path)), "mine", "file")
	check.Entries(t, filepath.Dir(path), 1)
}
