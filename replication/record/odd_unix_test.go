//go:build unix

package record

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/internal/check"
)

// Neither a pipe that nobody writes, which would never end, nor a link is taken for a lock, a checkpoint or a record.
func TestOddFilesAreRejected(t *testing.T) {
	path := testPath(t)
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	for _, place := range []string{lockPath(path), CheckpointPath(path), path} {
		for what, put := range map[string]func() error{
			"pipe": func() error { return syscall.Mkfifo(place, 0o666) },
			"link": func() error { return os.Symlink("nowhere", place) },
		} {
			check.OK(t, put())
			w, err := Open(path, testHeader())
			if place == path {
				_, err = ReadAll(filepath.Dir(path))
			}
			if what == "link" && place == CheckpointPath(path) {
				check.OK(t, errors.Join(err, w.Save(0, text("")), w.Close())) // in place of the link
			} else {
				check.Rejected(t, what, err, path)
			}
			check.OK(t, os.Remove(place))
		}
	}
}

// A checkpoint that does not fit on the disk is a one-line error, and the one before stays.
func TestCheckpointThatDoesNotFitTheDisk(t *testing.T) {
	const most = 1 << 24 // more than go test's own log
	path := testPath(t)
	before := savedAt20(t, path)
	w := begin(t, path)
	var old unix.Rlimit
	check.OK(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead
	defer signal.Reset(syscall.SIGXFSZ)
	check.OK(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: old.Max}))
	err := w.Save(20, text(strings.Repeat("a", most)))
	check.OK(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	check.Rejected(t, "a large checkpoint", err, path+"…its checkpoint cannot be written: ")
	check.That(t, bytes.Equal(check.Read(t, CheckpointPath(path)), before), "the checkpoint before is gone")
	check.Entries(t, filepath.Dir(path), 2) // with the lock
}
