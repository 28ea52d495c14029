//go:build unix

package record

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Neither a pipe that nobody writes, which would never end, nor a link is taken for a lock, a checkpoint or a record,
// nor a file for their folder.
func TestOddFilesAreRejected(t *testing.T) {
	path := testPath(t)
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	for _, place := range []string{lockPath(path), CheckpointPath(path), path} {
		for what, put := range map[string]func() error{
			"pipe": func() error { return syscall.Mkfifo(place, 0o666) },
			"link": func() error { return os.Symlink("nowhere", place) },
		} {
			check.OK(t, put())
			_, err := Open(path, testHeader())
			if place == path {
				_, err = ReadAll(filepath.Dir(path))
			}
			check.Rejected(t, what, err, path)
			check.OK(t, os.Remove(place))
		}
	}
	check.Write(t, path, nil)
	below := Path(path, testHeader())
	_, err := Open(below, testHeader())
	check.Rejected(t, "a file in place of the folder", err, below)
}
