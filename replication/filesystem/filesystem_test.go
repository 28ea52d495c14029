package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
)

// The owner of a lock removes its file before it lets go. Nobody may then hold the lock of a removed file while another
// holds that of a new one.
func TestLockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for mine := 0; mine < 100; {
				l, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				mine++
				if err != nil {
					t.Error(err)
					return
				}
				check.That(t, holders.Add(1) <= 1, "two hold the lock")
				runtime.Gosched() // so that others can come
				holders.Add(-1)
				os.Remove(path)
				l.Unlock()
			}
		})
	}
	wg.Wait()
}

// Replace leaves what was there, and nothing else, when it fails; and it removes what a killed process has left.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"old and long", "new"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, ".file.123.tmp"), []byte("of a killed process"), 0o666))
		check.OK(t, Replace(path, []byte(text), 0))
		check.Equal(t, string(check.Read(t, path)), text, "file")
		check.Entries(t, dir, 1)
	}
	for name, age := range map[string]time.Duration{".file.1.tmp": 2 * time.Hour, ".file.2.tmp": time.Minute,
		".file.mine.tmp": 2 * time.Hour, ".file.3": 2 * time.Hour, "file.4.tmp": 2 * time.Hour} {
		name, at := filepath.Join(dir, name), time.Now().Add(-age)
		check.OK(t, errors.Join(os.WriteFile(name, nil, 0o666), os.Chtimes(name, at, at)))
	}
	check.OK(t, Replace(path, []byte("third"), time.Hour)) // of these, it removes the first
	folder := filepath.Join(dir, "folder")
	check.OK(t, os.MkdirAll(filepath.Join(folder, "sub"), 0o777))
	check.That(t, Replace(folder, nil, 0) != nil, "a directory was replaced")
	err := Replace(filepath.Join(dir, "none", "file"), nil, 0)
	check.That(t, errors.Is(err, fs.ErrNotExist), "without a directory: %v", err)
	check.Equal(t, string(check.Read(t, path)), "third", "file")
	check.Entries(t, dir, 6)
}
