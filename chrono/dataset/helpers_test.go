package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
