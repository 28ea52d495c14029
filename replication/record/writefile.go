package record

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/warptime/warptime/replication/filesystem"
)

// WriteFile writes a generated file whole or not at all, so that an error, which is one line, leaves what was there
// before. It makes the directories it needs, and replaces nothing but regular files. Of several writers of one file the
// last one's stays.
func WriteFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write %s: it is not a regular file", path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = filesystem.Replace(path, data, time.Hour)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, pathless(err))
	}
	return nil
}
