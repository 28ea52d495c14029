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
	check.OK(t, os.WriteFile(filepath.Join(dir, ".file.123.tmp"), []byte("of another process"), 0o666))
	check.OK(t, Replace(path, []byte("third"), time.Hour))
	folder := filepath.Join(dir, "folder")
	check.OK(t, os.MkdirAll(filepath.Join(folder, "sub"), 0o777))
	check.That(t, Replace(folder, nil, 0) != nil, "a directory was replaced")
	err := Replace(filepath.Join(dir, "none", "file"), nil, 0)
	check.That(t, errors.Is(err, fs.ErrNotExist), "without a directory: %v", err)
	check.Equal(t, string(check.Read(t, path)), "third", "file")
	check.Entries(t, dir, 3)
}

// What a killed process has left is removed an hour later; files of live ones, and others, stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	const old = 2 * time.Hour
	ages := map[string]time.Duration{
		"[x].123.partial": old, "[x].9.partial": old, "[x].124.partial": 50 * time.Minute, "[x].partial": old,
		"[x].mine.partial": old, "[x]": old, "x.125.partial": old, "[x].126": old,
	}
	for name, age := range ages {
		path := filepath.Join(dir, name)
		check.OK(t, os.WriteFile(path, nil, 0o666))
		at := time.Now().Add(-age)
		check.OK(t, os.Chtimes(path, at, at))
	}
	Sweep(dir, "[x].*.partial", time.Hour)
	check.Entries(t, dir, len(ages)-2)
	for _, gone := range []string{"[x].123.partial", "[x].9.partial"} {
		_, err := os.Lstat(filepath.Join(dir, gone))
		check.That(t, err != nil, "%s is still there", gone)
	}
}
