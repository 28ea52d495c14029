package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// where looks for a file in the directories that there are.
func where(f File) (string, error) {
	dirs, err := Directories()
	if err != nil {
		return "", err
	}
	return f.FindIn(dirs)
}

// The directory that is named comes before the cache, and a file in either is found.
func TestFind(t *testing.T) {
	named, cache := noData(t)
	content := []byte("content")
	f := put(t, cache, "set/file", content)
	if got, err := where(f); err != nil || got != filepath.Join(cache, "set", "file") {
		t.Errorf("%q, %v; want the cache's", got, err)
	}
	put(t, named, f.Name, content)
	if got, err := where(f); err != nil || got != filepath.Join(named, "set", "file") {
		t.Errorf("%q, %v; want the named directory's", got, err)
	}
	t.Setenv(Variable, "")
	if got, err := where(f); err != nil || got != filepath.Join(cache, "set", "file") {
		t.Errorf("%q, %v; want the cache's, since no directory is named", got, err)
	}
	t.Setenv(Variable, put(t, named, "a file", nil).In(named)) // where a directory should be
	if got, err := where(f); err != nil || got != filepath.Join(cache, "set", "file") {
		t.Errorf("%q, %v; want the cache's, since the named directory is a file", got, err)
	}
}

func TestMissing(t *testing.T) {
	named, cache := noData(t)
	for _, c := range []struct {
		read  func() error
		names string
	}{
		{func() error { _, err := MNIST{Validation: 1}.Read(); return err },
			"mnist/train-images-idx3-ubyte.gz, mnist/train-labels-idx1-ubyte.gz, " +
				"mnist/t10k-images-idx3-ubyte.gz, mnist/t10k-labels-idx1-ubyte.gz"},
		{func() error { _, err := Text8{}.Symbols(Train); return err }, "text8/text8.zip"},
		{func() error { _, err := Text8{Prefix: 1000}.Symbols(Train); return err }, "text8/text8.zip"},
		{func() error { _, err := PTB{}.Read(); return err },
			"ptb/ptb.train.txt, ptb/ptb.valid.txt, ptb/ptb.test.txt"},
		{func() error { _, err := where(ptbFiles[0]); return err }, "ptb/ptb.train.txt"},
	} {
		err := c.read()
		wantError(t, err, fmt.Sprintf("file does not exist in [%q %q]: %s; put them there", named, cache, c.names),
			"`go run github.com/warptime/warptime/scripts/data "+strings.SplitN(c.names, "/", 2)[0]+"`")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	}
	for _, variable := range []string{Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, "")
	}
	_, err := MNIST{Validation: 1}.Read()
	wantError(t, err, "no data directory", "set "+Variable+" to name one")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	t.Setenv(Variable, named+"\r") // as a file of Windows would set it
	_, err = where(ptbFiles[0])
	wantError(t, err, named+`\r"`)
}

// What lies in a file's place and does not contain it is refused, although the right one lies in the next directory:
// whoever put it there means it.
func TestWrongFileIsRefused(t *testing.T) {
	content := []byte("the content of a file")
	altered := []byte("the Content of a file")
	for what, c := range map[string]struct {
		content []byte
		says    []string
	}{
		"truncated": {content[:20], []string{"it has 20 bytes, want 21"}},
		"empty":     {nil, []string{"it has 0 bytes, want 21"}},
		"longer":    {append(content[:21:21], 0), []string{"it has more than 21 bytes"}},
		"altered": {altered, []string{"it has SHA-256 " + fileOf("", altered).SHA256,
			"want " + fileOf("", content).SHA256}},
		"a web page":       {[]byte(" <HTML>Please log in"), []string{"it is a web page"}},
		"packed, altered":  {gzipped(t, altered), []string{"it has SHA-256"}},
		"packed, large":    {gzipped(t, make([]byte, 10_000_000)), []string{"it has more than 21 bytes"}},
		"packed, cut off":  {gzipped(t, content)[:30], []string{"unexpected EOF"}},
		"archive, large":   {zipped(t, make([]byte, 10_000_000), "a"), []string{"none of its 1 files has 21 bytes"}},
		"archive, altered": {zipped(t, altered, "a"), []string{"it has SHA-256"}},
	} {
		named, cache := noData(t)
		f := put(t, cache, "set/file", content)
		check.Write(t, f.In(named), c.content)
		data, err := readAll([]File{f})
		wantError(t, err, append(c.says, fmt.Sprintf("%q is not set/file: ", f.In(named)))...)
		if data != nil {
			t.Errorf("%s: something was read", what)
		}
		wantError(t, ready(f), c.says...)
		wantError(t, f.Check(f.In(named)), c.says...)
	}
	named, _ := noData(t)
	sparse := put(t, named, "sparse.zip", []byte("PK\x03\x04"))
	check.OK(t, os.Truncate(sparse.In(named), 200<<30)) // which takes no space
	wantError(t, sparse.Check(sparse.In(named)), "it is an archive of 214748364800 bytes, want at most 268435456")
	check.OK(t, os.MkdirAll(named+"/folder", 0o777))
	wantError(t, mnistFiles[0].Check(named+"/folder"), "it is not a regular file")
}

// A file is known by what it contains, however it is packed, and by each of its usual names.
func TestRightFileIsRead(t *testing.T) {
	content := idx([]int{10_000}, make([]byte, 10_000))
	packed := gzipped(t, content)
	forms := map[string][]byte{
		"as it is":     content,
		"packed":       packed,
		"in two parts": append(gzipped(t, content[:5000]), gzipped(t, content[5000:])...),
		"in a zip":     zipped(t, content, "another name"),
	}
	names := []string{"a-idx1-ubyte.gz", "a-idx1-ubyte", "a.idx1-ubyte", "a.idx1-ubyte.gz", "a-idx1-ubyte.zip"}
	for _, name := range names {
		for form, bytes := range forms {
			dir, _ := noData(t)
			f := fileOf("set/a-idx1-ubyte.gz", content)
			check.Write(t, filepath.Join(dir, "set", name), bytes)
			check.OK(t, ready(f))
			data, err := readAll([]File{f, f})
			check.OK(t, err)
			if !slices.Equal(data[0], content) || !slices.Equal(data[1], content) {
				t.Errorf("%s, %s: another content was read", name, form)
			}
			if err := os.WriteFile(filepath.Join(dir, "set", name), packed[:20], 0o666); err != nil || ready(f) == nil {
				t.Errorf("%s, %s: it is still ready when it has changed, %v", name, form, err)
			}
		}
	}
	whole := fileOf("text8/text8.zip", content)
	dir, _ := noData(t)
	check.Write(t, dir+"/text8/text8", content)
	check.OK(t, ready(whole))
}

// The table of files is complete, and every file is of one set.
func TestSets(t *testing.T) {
	seen := map[string]bool{}
	for _, set := range Sets() {
		for _, f := range set.Files {
			if seen[f.Name] || seen[f.SHA256] {
				t.Errorf("%s is listed twice", f.Name)
			}
			seen[f.Name], seen[f.SHA256] = true, true
			if !strings.HasPrefix(f.Name, set.Name+"/") || len(f.SHA256) != 64 || f.Bytes < 1 || set.About == "" {
				t.Errorf("%+v of set %q", f, set.Name)
			}
			if len(f.Mirrors) < 2 && f.Name != text8Start.Name {
				t.Errorf("%s has %d mirrors", f.Name, len(f.Mirrors))
			}
			for _, mirror := range f.Mirrors {
				if !strings.HasSuffix(mirror, f.Name[len(set.Name):]) {
					t.Errorf("%s is to come from %s", f.Name, mirror)
				}
			}
		}
	}
	if want := 2 * (4 + 2 + 3); len(seen) != want { // name and sum of MNIST's, text8's and the Penn Treebank's
		t.Errorf("%d names and sums, want %d", len(seen), want)
	}
}
