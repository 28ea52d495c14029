package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/replication/record"
)

// What a process reads before it has the record's lock may be out of date once it has it. So while another has the
// lock, nobody reads: in the place of the checkpoint and of the unfinished record are pipes, at which a reader would
// wait.
func TestNothingIsReadWithoutTheLock(t *testing.T) {
	u := stopped(t, 4)
	owner, err := record.Open(u.path, u.task.Header(engine))
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	for path := range u.files {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(path, 0o666); err != nil {
			t.Skipf("needs pipes: %v", err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := newRunner(t, engine, u.dir).Train(context.Background(), u.task)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, record.ErrBusy) {
			t.Errorf("error %v, want ErrBusy", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it reads")
		for path := range u.files { // whoever waits finds an empty file
			if pipe, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
				pipe.Close()
			}
		}
		<-ended
	}
	if left, _ := filepath.Glob(filepath.Join(checkpointDir(u.path), "*")); len(left) != 3 {
		t.Errorf("of 3 files of the checkpoint there are %v", left)
	}
}
