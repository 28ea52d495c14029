package record

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a generated file: whole or not at all, so that an error, which is one line, leaves what was there
// before. It makes the directories it needs.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	defer os.Remove(tmp.Name()) // nothing is left there once it is renamed
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	return nil
}
