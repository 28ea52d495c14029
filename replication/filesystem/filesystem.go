// Package filesystem is what records, checkpoints and downloads ask of the file system beyond package os: that one
// process at a time writes a file, and that a directory's names survive a crash of the machine.
package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrLocked is returned by Lock where another holds the lock.
var ErrLocked = errors.New("another process has locked it")

// A Held lock is held until it is unlocked or the process ends in any way. Who removes its file does so before
// unlocking it.
type Held interface{ Unlock() error }

// Lock makes a lock file and locks it, without waiting. The file under the lock must be the one that the name still
// means: its last owner may have removed it between our opening and our locking it.
//
// The lock keeps nobody out on a file system without locks.
func Lock(path string) (Held, error) {
	for range 100 { // each time because another process has just come and gone
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		taken, err := l.TryLock()
		if errors.Is(err, errors.ErrUnsupported) {
			return l, nil // a file system without locks is no hindrance
		}
		if err != nil {
			return nil, err
		}
		if !taken {
			return nil, ErrLocked
		}
		mine, err := l.Stat()
		if err == nil {
			var there fs.FileInfo
			if there, err = os.Lstat(path); err == nil && os.SameFile(mine, there) {
				return l, nil
			}
		}
		l.Unlock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, ErrLocked
}

// SyncDir returns once a directory's names are on the disk, such as that of a file that was renamed. Where the system
// cannot sync directories there is nothing to wait for, and no error.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !cannotSync(err) {
		return err
	}
	return nil
}

// cannotSync tells an error that says that a directory is nothing to sync from one that says that syncing it failed.
func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
