package dataset

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+100*uint64(len(data)) {
			t.Errorf("%d bytes of memory for %d bytes of data", used, len(data))
		}
		if err != nil {
			check.Rejected(t, data, err, "")
		} else if string(got) != string(content) {
			t.Errorf("%q is read", got)
		}
	})
}
