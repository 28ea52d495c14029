// Package dataset reads the real data that the papers train on: MNIST, text8, and Mikolov's Penn Treebank. It finds
// their files, checks them by SHA-256, parses and splits them. It makes no batches, and downloads nothing:
// `go run github.com/warptime/warptime/scripts/data` does.
//
// A dataset is a plain value, such as MNIST{Validation: 5000}, that says in a Description what of it is used, for
// records and captions to quote; Read reads it whole or not at all.
//
// Files are looked for below the directory that WARPTIME_DATA names, then below warptime/data in the user's cache
// directory, by the names that [Sets] lists, such as mnist/train-images-idx3-ubyte.gz. Where one is missing, the error
// is fs.ErrNotExist and says where to put it. One that is there but is not the file that it should be, by size or
// checksum, is refused: no other is looked for.
package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	Mirrors []string // addresses that it can be had from, the first one first; none if it cannot be downloaded
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
		return nil, fmt.Errorf("there is no directory of data: %w; %s may name one", err, Variable)
	}
	return dirs, nil
}

// In returns the file's path below a directory of data.
func (f File) In(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// FindIn returns the path of the first file with that name below the directories, such as those of [Directories],
// unchecked, or an error that is fs.ErrNotExist.
func (f File) FindIn(dirs []string) (string, error) {
	for _, dir := range dirs {
		path := f.In(dir)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
	}
	return "", missing{[]string{f.Name}, " and ", dirs}
}

// Check returns nil if the file at the path is this one, else one line with its size and checksum, and which other file
// of the [Sets] it is, if any.
func (f File) Check(path string) error {
	_, err := f.read(path, false)
	return err
}

// read checks a file and returns what was checked, if it is to be kept.
func (f File) read(path string, keep bool) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file, want %s", path, f.Name)
	}
	var data bytes.Buffer
	hash := sha256.New()
	to := io.Writer(hash)
	if keep && info.Size() == f.Bytes { // a file of another size is not worth the memory
		data.Grow(int(f.Bytes) + bytes.MinRead)
		to = io.MultiWriter(hash, &data)
	}
	size, err := io.Copy(to, file)
	if err != nil {
		return nil, err
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	if size == f.Bytes && sum == f.SHA256 {
		return data.Bytes(), nil
	}
	err = fmt.Errorf("%s is not %s: it has %s bytes with SHA-256 %s, want %s bytes with %s", path, f.Name,
		thousands(size), sum, thousands(f.Bytes), f.SHA256)
	for _, set := range Sets() {
		for _, other := range set.Files {
			if other.SHA256 == sum {
				err = fmt.Errorf("%w; it is %s", err, other.Name)
			}
		}
	}
	return nil, err
}

// readAll reads and checks all of the files. If some are missing, the error names each of them.
func readAll(files []File) ([][]byte, error) {
	dirs, err := Directories()
	if err != nil {
		return nil, err
	}
	var paths, lacking []string
	for _, f := range files {
		path, err := f.FindIn(dirs)
		if errors.Is(err, fs.ErrNotExist) {
			lacking = append(lacking, f.Name)
		} else if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	if lacking != nil {
		return nil, missing{lacking, " and ", dirs}
	}
	all := make([][]byte, len(files))
	for i, f := range files {
		if all[i], err = f.read(paths[i], true); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// missing says which files are not there, and how to come by them. It is fs.ErrNotExist.
type missing struct {
	names []string
	link  string // " and " if all are wanted, " or " if one is
	dirs  []string
}

func (m missing) Error() string {
	verb, it := "is", "it"
	if len(m.names) > 1 && m.link == " and " {
		verb, it = "are", "them"
	}
	return fmt.Sprintf("%s %s not in %s: put %s there by that name, or let "+
		"`go run github.com/warptime/warptime/scripts/data %s` download %s",
		strings.Join(m.names, m.link), verb, strings.Join(m.dirs, " or "), it, path.Dir(m.names[0]), it)
}

func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// thousands writes a number as 1,234,567.
func thousands[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
