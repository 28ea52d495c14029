//go:build unix

package record

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes would never end.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := Path(dir, testHeader())
	check(t, os.MkdirAll(filepath.Dir(path), 0o777))
	check(t, syscall.Mkfifo(path, 0o666))
	check(t, syscall.Mkfifo(PartialPath(path), 0o666))
	check(t, syscall.Mkfifo(filepath.Join(dir, "other"), 0o666))
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, read := range []func() error{
			func() error { _, err := Read(path); return err },
			func() error { _, err := ReadPartial(path); return err },
			func() error { _, err := ReadAll(dir); return err },
		} {
			if err := read(); err == nil {
				t.Error("a pipe was read")
			} else {
				t.Log(err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a pipe hangs")
	}
}
