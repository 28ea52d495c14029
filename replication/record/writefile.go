package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// WriteFile writes a generated file: whole or not at all, so that an error, which is one line, leaves what was there
// before. It makes the directories it needs. Of several writers of one file each waits for the one before.
//
// The file is written beside its place, under a name of its own; what a killed process left there is written over.
func WriteFile(path string, data []byte) error {
	if err := writeBeside(path, data); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	return nil
}

func writeBeside(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	lock, err := disk{}.Lock(beside)
	for tries := 0; errors.Is(err, ErrBusy) && tries < 1000; tries++ {
		time.Sleep(10 * time.Millisecond)
		lock, err = disk{}.Lock(beside)
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err = writeSynced(beside, data); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		os.Remove(beside)
	}
	return err
}

// writeSynced writes a file and returns once it is on the disk.
func writeSynced(path string, data []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		err = file.Sync()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}
