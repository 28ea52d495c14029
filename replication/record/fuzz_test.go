package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/warptime/warptime/internal/check"
)

// Whatever a file holds, it is refused with one line, or it is a record: one that can be written and then reads the
// same, whole if it is finished. Each text is tried as it is and with the checksum that belongs to it, since else none
// that is finished would ever be accepted.
func FuzzRead(f *testing.F) {
	for _, lines := range []string{"", "PNG\n", "{}\n", string(testRecord().encode()), string(odd().encode())} {
		body, _, _ := strings.Cut(lines, sumKey)
		f.Add([]byte(lines))
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sum := sha256.Sum256(text)
		for _, data := range [][]byte{text, slices.Concat(text, []byte(sumKey+hex.EncodeToString(sum[:])+"\"}\n"))} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := parse(data)
			if err == nil {
				err = r.check(r.Updates)
			}
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			check.That(t, used <= 1<<20+200*uint64(len(data)), "%d bytes of memory for a record of %d", used, len(data))
			if err != nil {
				oneLine(t, err)
				continue
			}
			again, err := parse(r.encode())
			check.That(t, err == nil && Compare(again, r) == nil,
				"written again it is %+v with error %v, not %+v", again, err, r)
		}
	})
}

// Whatever a checkpoint's file holds, or its lines with the checksum that belongs to them, it is rejected with one
// line, or read.
func FuzzCheckpoint(f *testing.F) {
	path := testPath(f)
	whole := savedAt20(f, path)
	f.Add(whole, 20)
	f.Add(testRecord().Until(20).encode(), 20)
	f.Fuzz(func(t *testing.T, data []byte, update int) {
		_, err := decodeCheckpoint(bytes.NewReader(data), true)
		oneLine(t, err)
		var b bytes.Buffer
		check.OK(t, gob.NewEncoder(&b).Encode(checkpoint{update, data}))
		_, err = decodeCheckpoint(&b, false)
		oneLine(t, err)
	})
}

// oneLine allows an error that is one line of printable characters, and none.
func oneLine(t *testing.T, err error) {
	if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
		t.Errorf("error %q, want one line", err)
	}
}
