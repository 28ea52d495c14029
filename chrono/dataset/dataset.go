// Package dataset reads the real data that the papers train on: MNIST, text8, and Mikolov's Penn Treebank. It finds
// their files, checks them by SHA-256, parses and splits them. It makes no batches, and downloads nothing:
// `go run github.com/warptime/warptime/scripts/data` does.
//
// A dataset is a plain value, such as MNIST{Validation: 5000}. Its Description states, for records and captions, which
// part of the data is used for what. Read and Symbols return all of that, or an error.
//
// Files are searched for in the directory named by WARPTIME_DATA, then in warptime/data in the user's cache directory,
// by the names that [Sets] lists, such as mnist/train-images-idx3-ubyte.gz. If one is missing, the error wraps
// fs.ErrNotExist and names the places where to put it. A file with a wrong size or checksum is rejected, and no further
// place is searched.
package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Variable is the environment variable that names the directory of the data.
const Variable = "WARPTIME_DATA"

// A Set is the files of one dataset.
type Set struct {
	Name  string // as the program scripts/data calls it
	About string // whose it is, and what it holds
	Files []File
}

// A File is one that a dataset is read from, byte for byte as its authors made it.
type File struct {
	Name    string   // below the directory of the data, with slashes
	Bytes   int64    // its size
	SHA256  string   // of its bytes, in hexadecimal
	Mirrors []string // addresses to download it from, in this order; none if it cannot be downloaded
}

// Directories lists where files are looked for, the first one first: where WARPTIME_DATA says, if it is set, and
// warptime/data in the user's cache directory, if the system knows one. It is an error that there is neither.
func Directories() ([]string, error) {
	var dirs []string
	if dir := os.Getenv(Variable); dir != "" {
		dirs = append(dirs, dir)
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		dirs = append(dirs, filepath.Join(cache, "warptime", "data"))
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no data directory: %w; set %s to name one", err, Variable)
	}
	return dirs, nil
}

// In returns the file's path below a directory of data.
func (f File) In(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// FindIn returns the path of the first file with this name in the directories, such as those of [Directories]. It does
// not check the content. If there is none, the error wraps fs.ErrNotExist.
func (f File) FindIn(dirs []string) (string, error) {
	for _, dir := range dirs {
		path := f.In(dir)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
	}
	return "", missing(dirs, f.Name)
}

// Check returns nil if the file at the path is this one, else one line with its size and checksum.
func (f File) Check(path string) error {
	_, err := f.read(path)
	return err
}

// read returns what a file holds, which is as its authors made it.
func (f File) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // it might never end
		return nil, fmt.Errorf("%s is not a regular file, want %s", path, f.Name)
	}
	if err == nil && info.Size() != int64(f.Bytes) { // it might not fit into memory
		return nil, fmt.Errorf("%s is not %s: it has %d bytes, want %d", path, f.Name, info.Size(), f.Bytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != f.SHA256 {
		return nil, fmt.Errorf("%s is not %s: it has SHA-256 %s, want %s", path, f.Name, sum, f.SHA256)
	}
	return data, nil
}

// readAll reads and checks all of the files. If some are missing, the error names each of them.
func readAll(files []File) ([][]byte, error) {
	dirs, err := Directories()
	if err != nil {
		return nil, err
	}
	var all [][]byte
	var lacking []string
	for _, f := range files {
		path, err := f.FindIn(dirs)
		if errors.Is(err, fs.ErrNotExist) {
			lacking = append(lacking, f.Name)
			continue
		}
		var data []byte
		if err == nil {
			data, err = f.read(path)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	if lacking != nil {
		return nil, missing(dirs, lacking...)
	}
	return all, nil
}

// missing is the error that files are in none of the directories, and how to get them. It is fs.ErrNotExist.
func missing(dirs []string, names ...string) error {
	return fmt.Errorf("%w in %s: %s; put them there by these names, or let "+
		"`go run github.com/warptime/warptime/scripts/data %s` download them", fs.ErrNotExist,
		strings.Join(dirs, " or "), strings.Join(names, ", "), path.Dir(names[0]))
}

// The splits of a text or of a set of images, by name.
const (
	Train      = "train"
	Validation = "valid"
	Test       = "test"
)

// choose returns the split of that name.
func choose[T any](split string, train, validation, test []T) ([]T, error) {
	switch split {
	case Train:
		return train, nil
	case Validation:
		return validation, nil
	case Test:
		return test, nil
	}
	return nil, fmt.Errorf("unknown split %q, want %q, %q or %q", split, Train, Validation, Test)
}

// thousands writes a number as 1,234,567.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
