package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Replaceable returns an error unless a file may be written: there is none, or one that is of this kind.
func Replaceable(path, kind string, is func(content []byte) bool) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !is(content) {
		err = fmt.Errorf("%s is not %s and is not replaced: name another file, or remove it", path, kind)
	}
	return err
}
