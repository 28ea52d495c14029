//go:build unix

package replication

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a file for this process alone, until the file is closed or the process ends in any way. It does not wait: if
// the file is taken, it returns ErrBusy. A file system without locks is no hindrance.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return nil
}
