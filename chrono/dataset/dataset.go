// Package dataset reads the real data that the papers train on: MNIST, text8, and Mikolov's Penn Treebank. It finds
// their files, checks them by SHA-256, parses and splits them. It makes no batches, and downloads nothing:
// `go run github.com/warptime/warptime/scripts/data` does.
//
// A dataset is a plain value, such as MNIST{Validation: 5000}. Its Description states, for records and captions, which
// part of the data is used for what. Read and Symbols return all of that, or an error.
//
// Files are searched for in the directory named by WARPTIME_DATA, then in warptime/data in the user's cache directory,
// by the names that [Sets] lists, such as mnist/train-images-idx3-ubyte.gz, and by the other usual names (see
// [File.FindIn]). A file may be packed or not, whatever its name: only what it contains is compared. If one is missing,
// the error wraps fs.ErrNotExist and names the places where to put it. A file with another content is rejected, and no
// further place is searched.
package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// A File is one that a dataset is read from: what its authors' file contains when it is unpacked.
type File struct {
	Name    string   // below the directory of the data, with slashes; as it is downloaded
	Bytes   int64    // the size of the content
	SHA256  string   // of the content, in hexadecimal
	Mirrors []string // addresses to download it from, in this order; none if it cannot be downloaded
}

// Directories lists where files are looked for, the first one first: where WARPTIME_DATA says, if it is set, and
// warptime/data in the user's cache directory, if the system knows one. If there is neither, the error wraps
// fs.ErrNotExist.
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
		return nil, fmt.Errorf("no data directory: %w (%v); set %s to name one", fs.ErrNotExist, err, Variable)
	}
	return dirs, nil
}

// In returns the file's path below a directory of data.
func (f File) In(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// names are those that FindIn looks for.
func (f File) names() []string {
	names := []string{f.Name}
	plain := strings.TrimSuffix(strings.TrimSuffix(f.Name, ".gz"), ".zip")
	for _, name := range []string{plain, strings.Replace(plain, "-idx", ".idx", 1)} {
		names = append(names, name, name+".gz", name+".zip")
	}
	return names
}

// FindIn returns the path of the first file with this name in the directories, such as those of [Directories]; in each,
// a file of that very name comes first, then those with another packer's extension or none, and of MNIST's those with
// ".idx" for "-idx". It does not check the content. If there is none, the error wraps fs.ErrNotExist.
func (f File) FindIn(dirs []string) (string, error) {
	for _, dir := range dirs {
		for _, name := range f.names() {
			path := filepath.Join(dir, filepath.FromSlash(name))
			info, err := os.Stat(path)
			if err == nil && !info.IsDir() { // as which some archives unpack, with the file in it
				return path, nil
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				return "", err
			}
		}
	}
	return "", missing(dirs, f.Name)
}

// Check returns nil if the file at the path, unpacked, is this one, else what is wrong with it, on one line that does
// not name it.
func (f File) Check(path string) error {
	_, err := f.read(path)
	return err
}

// CheckData is Check of what a file holds.
func (f File) CheckData(packed []byte) error {
	_, err := f.content(packed)
	return err
}

// maxFile is the size of the largest file that is read. The right ones are smaller, however they are packed.
const maxFile = 1 << 28

// read returns the content of a file, which is the right one.
func (f File) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // it might never end
		return nil, errors.New("it is not a regular file")
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("it has %d bytes, want at most %d", info.Size(), maxFile)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return f.content(packed)
}

// content unpacks what a file holds, and returns the content, which is the right one.
func (f File) content(packed []byte) ([]byte, error) {
	content, err := f.unpack(packed)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(content, f.Bytes+1)) // all of it might not fit into memory
	if err != nil {
		return nil, err
	}
	switch sum := fmt.Sprintf("%x", sha256.Sum256(data)); {
	case sum == f.SHA256:
		return data, nil
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")):
		return nil, errors.New("it is a web page, such as a network sends that wants a login")
	case int64(len(data)) > f.Bytes:
		return nil, fmt.Errorf("it has more than %d bytes", f.Bytes)
	case int64(len(data)) < f.Bytes:
		return nil, fmt.Errorf("it has %d bytes, want %d", len(data), f.Bytes)
	default:
		return nil, fmt.Errorf("it has SHA-256 %s, want %s", sum, f.SHA256)
	}
}

// unpack returns what reads the content of a file, which its first bytes say how to unpack. Of an archive, that is the
// entry with the right size.
func (f File) unpack(packed []byte) (io.Reader, error) {
	file := bytes.NewReader(packed)
	switch {
	case bytes.HasPrefix(packed, []byte{0x1f, 0x8b}):
		return gzip.NewReader(file)
	case bytes.HasPrefix(packed, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(file, file.Size())
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(archive.File, func(e *zip.File) bool { return e.UncompressedSize64 == uint64(f.Bytes) })
		if i < 0 {
			return nil, fmt.Errorf("none of its %d files has %d bytes", len(archive.File), f.Bytes)
		}
		return archive.File[i].Open()
	}
	return file, nil
}

// find returns the paths of files. If some are missing, the error names each of them.
func find(files ...File) ([]string, error) {
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
		return nil, missing(dirs, lacking...)
	}
	return paths, nil
}

// readAll reads and checks all of the files.
func readAll(files []File) ([][]byte, error) {
	paths, err := find(files...)
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(files))
	for i, f := range files {
		if all[i], err = f.read(paths[i]); err != nil {
			return nil, fmt.Errorf("%q is not %s: %w", paths[i], f.Name, err)
		}
	}
	return all, nil
}

// checked are the files that ready has found to be right: to unpack MNIST takes most of a second, and many runs ask.
var checked sync.Map

// ready checks all of the files, each once as long as nobody writes to it.
func ready(files ...File) error {
	paths, err := find(files...)
	if err != nil {
		return err
	}
	for i, f := range files {
		info, err := os.Stat(paths[i])
		if err != nil {
			return err
		}
		key := fmt.Sprint(f.SHA256, paths[i], info.Size(), info.ModTime())
		if _, done := checked.Load(key); done {
			continue
		}
		if _, err := readAll(files[i : i+1]); err != nil {
			return err
		}
		checked.Store(key, true)
	}
	return nil
}

// missing is the error that files are in none of the directories, and how to get them. It is fs.ErrNotExist.
func missing(dirs []string, names ...string) error {
	return fmt.Errorf("%w in %q: %s; put them there by these names, or let "+
		"`go run github.com/warptime/warptime/scripts/data %s` download them", fs.ErrNotExist, dirs,
		strings.Join(names, ", "), path.Dir(names[0]))
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
