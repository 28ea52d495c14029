package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// The owner of a lock removes its file before it lets go. Nobody may then hold the lock of a removed file while another
// holds that of a new one.
func TestLockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3000 {
				l, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if holders.Add(1) > 1 {
					t.Error("two hold the lock")
				}
				taken.Add(1)
				runtime.Gosched() // so that others can come
				holders.Add(-1)
				os.Remove(path)
				l.Unlock()
			}
		})
	}
	wg.Wait()
	t.Log("taken", taken.Load())
	if taken.Load() < 100 {
		t.Errorf("taken %d times: the test is no test", taken.Load())
	}
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no directory: %v", err)
	}
	if runtime.GOOS == "linux" { // whose /proc refuses with EINVAL
		if err := SyncDir("/proc"); err != nil {
			t.Errorf("where directories cannot be synced: %v", err)
		}
	}
	for _, err := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EACCES} {
		if cannotSync(&fs.PathError{Op: "sync", Path: dir, Err: err}) {
			t.Errorf("%v is passed over", err)
		}
	}
	for _, err := range []error{syscall.EINVAL, syscall.ENOTSUP} {
		if !cannotSync(&fs.PathError{Op: "sync", Path: dir, Err: err}) {
			t.Errorf("%v is an error", err)
		}
	}
}
