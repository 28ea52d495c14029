package record

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Missing directories are made. Neither a directory nor a symbolic link is replaced, nor where it points to.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a", "b.svg"), filepath.Join(dir, "link")
	check.OK(t, WriteFile(path, []byte("mine")))
	check.OK(t, os.Symlink(path, link))
	for _, wrong := range []string{filepath.Join(path, "c"), filepath.Dir(path), link} {
		check.Rejected(t, wrong, WriteFile(wrong, nil), dir)
	}
	check.Equal(t, string(check.Read(t, path)), "mine", "file")
	check.Entries(t, filepath.Dir(path), 1)
}

// Of several that write one file at once, the file is always one's, whole, and none fails.
func TestWriteFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.svg")
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 5 {
				err := WriteFile(path, bytes.Repeat([]byte{byte(n)}, 1000*(n+1)))
				data, _ := os.ReadFile(path)
				if err != nil || len(data) == 0 || !bytes.Equal(data, bytes.Repeat(data[:1], 1000*(int(data[0])+1))) {
					t.Errorf("%d bytes that nobody wrote: %v", len(data), err)
				}
			}
		})
	}
	wg.Wait()
	check.Entries(t, filepath.Dir(path), 1)
}
