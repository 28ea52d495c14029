package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Whatever a file holds, it is refused with one line, or it is a record: one that can be written and then reads the
// same, whole if it is finished. Each text is tried as it is and with the checksum that belongs to it, since else none
// that is finished would ever be accepted.
func FuzzRead(f *testing.F) {
	diverged := testRecord()
	diverged.Points, diverged.Diverged = divergedPoints, []Diverged{{14, 1, Values{1, 2}}}
	diverged.End.Final = nil
	for _, lines := range []string{"", "PNG\n", "{}\n", string(rewritten(f, testRecord())),
		string(rewritten(f, diverged))} {
		body, _, _ := strings.Cut(lines, sumKey)
		f.Add([]byte(lines))
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sum := sha256.Sum256(text)
		for _, data := range [][]byte{text, slices.Concat(text, []byte(sumKey+hex.EncodeToString(sum[:])+"\"}\n"))} {
			r, err := parse(data)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line", err)
				}
				continue
			}
			again, err := parse(rewritten(t, r))
			if err != nil || !Equal(again, r) || Compare(again, r) != nil {
				t.Errorf("written again it is %+v with error %v, not %+v", again, err, r)
			}
		}
	})
}

// Whatever a checkpoint's file holds, with the checksum that belongs to it, it is rejected with one line, or read.
func FuzzCheckpoint(f *testing.F) {
	path := testPath(f)
	whole := savedAt20(f, path)
	f.Add(whole[:len(whole)-sha256.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		c, err := decodeCheckpoint(slices.Concat(body, sum[:]))
		if err == nil {
			_, _, err = c.parse()
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line", err)
		}
	})
}

// rewritten is what a Writer writes of a record.
func rewritten(t testing.TB, r *Record) []byte {
	t.Helper()
	w := &Writer{}
	w.start(r.Header)
	diverged, resumed := r.Diverged, r.Resumed
	before := func(update int) { // what comes before a point of that update, or at the end
		for {
			switch {
			case len(resumed) > 0 && resumed[0].Update < update &&
				(len(diverged) == 0 || resumed[0].Update < diverged[0].Update):
				w.resume(resumed[0])
				resumed = resumed[1:]
			case len(diverged) > 0 && diverged[0].Update <= update:
				check.OK(t, w.Diverged(diverged[0].Update, diverged[0].Trial, [2]float64(diverged[0].Norms)))
				diverged = diverged[1:]
			default:
				return
			}
		}
	}
	for _, p := range r.Points {
		before(p.Update)
		check.OK(t, w.point(p))
	}
	before(1 << 62)
	if r.End == nil {
		return w.lines
	}
	w.record.End = r.End
	data, err := w.sealed()
	if err != nil {
		t.Fatalf("%v; the lines are\n%s", err, bytes.TrimSpace(w.lines))
	}
	return data
}

// What a Writer writes is byte for byte what it wrote when the committed records were made.
func TestCommittedRecordsAreWrittenAlike(t *testing.T) {
	records, err := ReadAll("../records")
	check.OK(t, err)
	for _, r := range records {
		data := check.Read(t, r.Path)
		if !bytes.Equal(rewritten(t, r), data) {
			t.Errorf("%s is written otherwise now", r.Path)
		}
	}
}
