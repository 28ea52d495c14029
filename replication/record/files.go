package record

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// files is what a Writer does to the file system. Tests make each of it fail, or let another process come between.
type files interface {
	MkdirAll(dir string) error
	Lock(path string) (lock, error) // without waiting: ErrBusy if it is taken
	Exists(path string) (bool, error)
	Read(path string) (*Record, error)
	ReadFile(path string) ([]byte, error)
	Open(path string) (file, error) // for writing, at its start; made if it is not there
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string)
}

type file interface {
	io.WriteSeeker
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A lock is held until it is unlocked or the process ends in any way.
type lock interface{ Unlock() error }

// disk is the files of the system.
type disk struct{}

func (disk) MkdirAll(dir string) error            { return os.MkdirAll(dir, 0o777) }
func (disk) Read(path string) (*Record, error)    { return Read(path) }
func (disk) ReadFile(path string) ([]byte, error) { return readFile(path) }
func (disk) Open(path string) (file, error)       { return os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666) }
func (disk) Rename(from, to string) error         { return os.Rename(from, to) }
func (disk) Remove(path string) error             { return os.Remove(path) }

func (disk) Exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Lock makes a lock file and locks it. The file under the lock must be the one that the name still means: its last
// owner may have removed it between our opening and our locking it.
func (disk) Lock(path string) (lock, error) {
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
			return nil, ErrBusy
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
	return nil, ErrBusy
}

// SyncDir makes a renaming durable, where the system can sync a directory. The record is whole either way.
func (disk) SyncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
