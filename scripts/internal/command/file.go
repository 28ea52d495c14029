package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Replaceable returns an error unless a file may be written: there is none, or a regular one that is of this kind.
func Replaceable(path, kind string, is func(content []byte) bool) error {
	switch content, err := ReadRegular(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !is(content):
		return fmt.Errorf("%s is not %s and is not replaced: name another file, or remove it", path, kind)
	}
	return nil
}

// ReadRegular reads a file that may be replaced by another: no device, and no link, which would then be gone.
func ReadRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file and is not replaced: name another", path)
	}
	return os.ReadFile(path)
}
