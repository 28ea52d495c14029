package record

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b.svg")
	for _, text := range []string{"old and long", "new"} {
		check.OK(t, WriteFile(path, []byte(text)))
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q: %v", data, err)
		}
	}
	check.Entries(t, filepath.Dir(path), 1)
	wantError(t, WriteFile(filepath.Join(path, "c"), nil), path, "not a directory")
	check.OK(t, os.Mkdir(filepath.Join(dir, "d"), 0o777))
	wantError(t, WriteFile(filepath.Join(dir, "d"), nil), "d", "not a regular file") // a directory in its place
	check.Entries(t, dir, 2)
}

// Neither a directory nor a symbolic link is replaced, nor where it points to.
func TestWriteFileReplacesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	check.OK(t, os.WriteFile(file, []byte("mine"), 0o666))
	check.OK(t, os.Symlink(file, link))
	wantError(t, WriteFile(link, nil), link, "not a regular file")
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("written through: %q", data)
	}
}

// Of several that write one file at once, the file is always one's, whole, and none fails.
func TestWriteFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.svg")
	text := func(n int) string { return strings.Repeat(string(rune('a'+n)), 1000*(n+1)) }
	check.OK(t, WriteFile(path, []byte(text(0))))
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := WriteFile(path, []byte(text(n))); err != nil {
					t.Error(err)
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data) == 0 || string(data) != text(int(data[0]-'a')) {
					t.Errorf("%d bytes that nobody wrote: %v", len(data), err)
				}
			}
		})
	}
	wg.Wait()
	check.Entries(t, filepath.Dir(path), 1)
}
