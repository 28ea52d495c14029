package record

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/warptime/warptime/replication/filesystem"
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
	SyncDir(dir string) error
}

type file interface {
	io.WriteSeeker
	Truncate(size int64) error
	Sync() error
	Close() error
}

type lock = filesystem.Held

// disk is the files of the system.
type disk struct{}

func (disk) MkdirAll(dir string) error            { return os.MkdirAll(dir, 0o777) }
func (disk) Read(path string) (*Record, error)    { return Read(path) }
func (disk) ReadFile(path string) ([]byte, error) { return readFile(path) }
func (disk) Open(path string) (file, error)       { return os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666) }
func (disk) Rename(from, to string) error         { return os.Rename(from, to) }
func (disk) Remove(path string) error             { return os.Remove(path) }
func (disk) SyncDir(dir string) error             { return filesystem.SyncDir(dir) }

func (disk) Exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (disk) Lock(path string) (lock, error) {
	l, err := filesystem.Lock(path)
	if errors.Is(err, filesystem.ErrLocked) {
		return nil, ErrBusy
	}
	return l, err
}
