package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
)

// Whatever a file holds, it is refused with one line, or it is a record: one that can be written and then reads the
// same, whole if it is finished. Each text is tried as it is and with the checksum that belongs to it, since else none
// that is finished would ever be accepted.
func FuzzRead(f *testing.F) {
	for _, lines := range []string{"", "PNG\n", "{}\n", string(written(f, nil)), string(written(f, divergedPoints))} {
		body, _, _ := strings.Cut(lines, sumKey)
		f.Add([]byte(lines))
		f.Add([]byte(body))
	}
	path := Path(f.TempDir(), testHeader())
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
			again, err := parse(rewritten(t, path, r))
			if err != nil || !Equal(again, r) || Compare(again, r) != nil {
				t.Errorf("written again it is %+v with error %v, not %+v", again, err, r)
			}
		}
	})
}

// written is testHeader's whole record, with these points or those of the other tests.
func written(t testing.TB, points []Point) []byte {
	r := &Record{Header: testHeader(), Points: points, End: &End{Updates: 35, Final: testFinal, Vectors: testVectors}}
	if points == nil {
		r.Points = testPoints
	} else {
		r.Diverged = []Diverged{{14, 1, Values{1, 2}}}
	}
	return rewritten(t, Path(t.TempDir(), r.Header), r)
}

// rewritten is what a Writer writes of a record, at a path that fits testHeader's.
func rewritten(t testing.TB, path string, r *Record) []byte {
	t.Helper()
	w, err := open(unsynced{}, path, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.header, w.points = r.Header, newPromise(r.Header)
	err = w.Start()
	diverged := r.Diverged
	for _, p := range r.Points {
		for err == nil && len(diverged) > 0 && diverged[0].Update <= p.Update {
			err = w.Diverged(diverged[0].Update, diverged[0].Trial, [2]float64(diverged[0].Norms))
			diverged = diverged[1:]
		}
		if err == nil {
			err = w.point(p)
		}
	}
	for _, d := range diverged { // of an unfinished record
		if err == nil {
			err = w.Diverged(d.Update, d.Trial, [2]float64(d.Norms))
		}
	}
	file := PartialPath(path)
	if r.End != nil && err == nil {
		file, err = path, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors)
	}
	data, readError := os.ReadFile(file)
	if err == nil {
		err = readError
	}
	if err != nil {
		t.Fatalf("%v; the lines are\n%s", err, bytes.TrimSpace(data))
	}
	os.Remove(path)
	return data
}
