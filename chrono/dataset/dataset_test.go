package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// The directory that is named comes before the cache, and a file in either is found.
func TestFind(t *testing.T) {
	named, cache := noData(t)
	content := []byte("content")
	f := put(t, cache, "set/file", content)
	isIn := func(dir, why string) {
		t.Helper()
		dirs := check.Got(Directories())(t)
		got := check.Got(f.FindIn(dirs))(t)
		check.Equal(t, got, filepath.Join(dir, "set", "file"), "%s", why)
	}
	isIn(cache, "it is there alone")
	put(t, named, f.Name, content)
	isIn(named, "it is in both")
	t.Setenv(Variable, "")
	isIn(cache, "no directory is named")
	t.Setenv(Variable, put(t, named, "a file", nil).In(named))
	isIn(cache, "what is named is a file")
}

// read reads the training set of texts or images.
func read(data any) error {
	if text, ok := data.(interface {
		Symbols(split string) ([]int32, error)
	}); ok {
		_, err := text.Symbols(Train)
		return err
	}
	_, err := data.(ImageSet).Read()
	return err
}

// Data whose files are missing are not ready and cannot be read. The error names the files, where they belong, and the
// command that fetches them. Mirrors have files of the same names.
func TestMissing(t *testing.T) {
	named, cache := noData(t)
	for _, set := range Sets() {
		var names []string
		for _, f := range set.Files {
			if f.Name != text8Start.Name {
				names = append(names, f.Name)
			}
			for _, mirror := range f.Mirrors {
				check.That(t, strings.HasSuffix(mirror, f.Name[len(set.Name):]), "%s is to come from %s", f.Name,
					mirror)
			}
		}
		data := map[string][]interface{ Ready() error }{
			"mnist": {MNIST{Validation: 1}}, "text8": {Text8{}, Text8{Prefix: 1000}}, "ptb": {PTB{}},
		}[set.Name]
		for _, d := range data {
			for _, err := range []error{d.Ready(), read(d)} {
				check.Rejected(t, d, err, fmt.Sprintf("[%q %q]: %s;…scripts/data %s`", named, cache,
					strings.Join(names, ", "), set.Name))
				check.That(t, errors.Is(err, fs.ErrNotExist), "%v is not fs.ErrNotExist", err)
			}
		}
		check.That(t, data != nil, "no data of set %s", set.Name)
	}
	t.Setenv(Variable, named+"\r") // as a file of Windows would set it
	check.Rejected(t, "a directory with a line's end", read(PTB{}), named+`\r"`)
	for _, variable := range []string{Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, "")
	}
	err := read(MNIST{Validation: 1})
	check.Rejected(t, "no directory", err, "no data directory…set "+Variable)
	check.That(t, errors.Is(err, fs.ErrNotExist), "%v is not fs.ErrNotExist", err)
}

// Impossible sizes are rejected before a file is looked for; of others, the numbers that are said are those that are
// read, as TestReal… test.
func TestDeclarations(t *testing.T) {
	noData(t)
	type declaration interface {
		Validate() error
		Description() string
	}
	for _, c := range []struct {
		data  declaration
		wants string
	}{
		{MNIST{-1}, "-1…1 to 59999"}, {MNIST{0}, "0…1 to 59999"}, {MNIST{60_000}, "60000…1 to 59999"},
		{Text8{-1}, "-1…20 to 99999999"}, {Text8{1}, "1…20 to 99999999"}, {Text8{19}, "19…20 to 99999999"},
		{Text8{100_000_000}, "100000000…20 to 99999999"}, {PTB{-1}, "-1…1 to 10000"}, {PTB{10_001}, "10001…1 to 10000"},
		{Shrunk{MNIST{Validation: 10}, 3}, "28×28…3×3"}, {Shrunk{MNIST{Validation: 10}, 0}, "0×0"},
		{Shrunk{nil, 2}, "no images"}, {Shrunk{MNIST{}, 2}, "validation set of 0"},
	} {
		check.Rejected(t, c.data, c.data.Validate(), c.wants)
		check.Rejected(t, c.data, read(c.data), c.wants)
	}
	for data, numbers := range map[declaration][]string{
		MNIST{1}: {"59,999", "10,000"}, MNIST{59_999}: {"1 ", "59,999"}, MNIST{5000}: {"55,000", "5,000", "10,000"},
		Text8{}: {"90,000,000", "5,000,000"}, Text8{7_475_756}: {"7,475,756", "6,728,182", "373,787"},
		PTB{}: {"10,000", "929,589", "73,760", "82,430"}, PTB{2000}: {"2,000"},
		Shrunk{MNIST{10_000}, 2}: {MNIST{10_000}.Description(), "2×2"},
	} {
		check.OK(t, data.Validate())
		check.Contains(t, data.Description(), numbers...)
	}
	rows, columns := MNIST{10_000}.Size()
	train, validation, test := MNIST{10_000}.Counts()
	check.Equal(t, []int{rows, columns, train, validation, test}, []int{28, 28, 50_000, 10_000, 10_000}, "sizes")
}

// What lies in a file's place and does not contain it is refused, although the right one lies in the next directory:
// whoever put it there means it.
func TestWrongFileIsRefused(t *testing.T) {
	content := []byte("the content of a file")
	altered := []byte("the Content of a file")
	for what, c := range map[string]struct {
		content []byte
		says    string
	}{
		"truncated":        {content[:20], "20 bytes, want 21"},
		"empty":            {nil, "0 bytes, want 21"},
		"longer":           {append(content[:21:21], 0), "more than 21 bytes"},
		"altered":          {altered, fileOf("", altered).SHA256 + ", want " + fileOf("", content).SHA256},
		"a web page":       {[]byte(" <HTML>Please log in"), "web page"},
		"packed, altered":  {gzipped(t, altered), "SHA-256"},
		"packed, large":    {gzipped(t, make([]byte, 10_000_000)), "more than 21 bytes"},
		"packed, cut off":  {gzipped(t, content)[:30], "EOF"},
		"archive, large":   {zipped(t, make([]byte, 10_000_000), "a"), "1 files has 21 bytes"},
		"archive, altered": {zipped(t, altered, "a"), "SHA-256"},
	} {
		named, cache := noData(t)
		f := put(t, cache, "set/file", content)
		check.Write(t, f.In(named), c.content)
		data, err := readAll([]File{f})
		check.Rejected(t, what, err, fmt.Sprintf("%q is not set/file: …%s", f.In(named), c.says))
		check.That(t, data == nil, "%s: something was read", what)
		check.Rejected(t, what, ready(f), c.says)
		check.Rejected(t, what, f.Check(f.In(named)), c.says)
	}
	named, _ := noData(t)
	sparse := put(t, named, "sparse.zip", []byte("PK\x03\x04"))
	check.OK(t, os.Truncate(sparse.In(named), 200<<30)) // which takes no space
	check.Rejected(t, "a large archive", sparse.Check(sparse.In(named)), "214748364800 bytes, want at most 268435456")
	check.OK(t, os.MkdirAll(named+"/folder", 0o777))
	check.Rejected(t, "a folder", mnistFiles[0].Check(named+"/folder"), "regular file")
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
			data := check.Got(readAll([]File{f, f}))(t)
			check.That(t, slices.Equal(data[0], content) && slices.Equal(data[1], content),
				"%s, %s: another content was read", name, form)
			check.Write(t, filepath.Join(dir, "set", name), packed[:20])
			check.That(t, ready(f) != nil, "%s, %s: it is still ready when it has changed", name, form)
		}
	}
	whole := fileOf("text8/text8.zip", content)
	dir, _ := noData(t)
	check.Write(t, dir+"/text8/text8", content)
	check.OK(t, ready(whole))
}

// Whatever lies in a file's place, it is rejected with one line or has the right content, and takes no more memory than
// that and its own size.
func FuzzFiles(f *testing.F) {
	content := []byte("the content of a file")
	for _, data := range [][]byte{content, gzipped(f, content), zipped(f, content, "a", "b"), nil, []byte("<html>")} {
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, data []byte) {
		check.OK(t, os.WriteFile(path, data, 0o666))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := fileOf("file", content).read(path)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		check.That(t, used <= 1<<20+100*uint64(len(data)), "%d bytes of memory for %d bytes of data", used, len(data))
		if err != nil {
			check.Rejected(t, data, err, "")
		} else {
			check.Equal(t, string(got), string(content), "what is read")
		}
	})
}

// noData makes two empty directories the only ones: what WARPTIME_DATA names, and warptime/data of the cache.
func noData(t *testing.T) (named, cache string) {
	t.Helper()
	named = t.TempDir()
	home := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // Linux, macOS, Windows
		t.Setenv(variable, home)
	}
	t.Setenv(Variable, named)
	dirs := check.Got(Directories())(t)
	return named, dirs[1]
}

// fileOf is the File of that content.
func fileOf(name string, data []byte) File {
	sum := sha256.Sum256(data)
	return File{Name: name, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

// put writes the content below the directory, or what contains it when it is packed, and returns its File.
func put(t *testing.T, dir, name string, content []byte, packed ...[]byte) File {
	t.Helper()
	f := fileOf(name, content)
	check.Write(t, filepath.Join(dir, filepath.FromSlash(name)), append(packed, content)[0])
	return f
}

// idx writes an IDX file of unsigned bytes, as LeCun's page of MNIST describes it.
func idx(shape []int, data []uint8) []byte {
	raw := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		raw = binary.BigEndian.AppendUint32(raw, uint32(n))
	}
	return append(raw, data...)
}

func gzipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	check.Got(z.Write(raw))(t)
	check.OK(t, z.Close())
	return b.Bytes()
}

func zipped(t testing.TB, text []byte, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		check.OK(t, err)
		_, err = w.Write(text)
		check.OK(t, err)
	}
	check.OK(t, z.Close())
	return b.Bytes()
}
