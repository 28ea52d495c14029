package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// writtenBytes returns a whole record as it is on the disk.
func writtenBytes(t *testing.T) []byte {
	t.Helper()
	return rewritten(t, testRecord())
}

// Whatever is cut off, and whatever bit is another, the record is refused.
func TestEveryDamageIsRefused(t *testing.T) {
	whole := writtenBytes(t)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	refused := func(what string, data []byte) {
		t.Helper()
		if r, err := parse(data); err == nil && r.End != nil {
			t.Errorf("%s: taken for whole", what)
		}
	}
	for size := range whole {
		refused(fmt.Sprintf("cut to %d bytes", size), whole[:size])
	}
	for i := range whole {
		for bit := range 8 {
			damaged := slices.Clone(whole)
			damaged[i] ^= 1 << bit
			refused(fmt.Sprintf("bit %d of byte %d", bit, i), damaged)
		}
	}
	lines := bytes.SplitAfter(whole[:len(whole)-1], []byte("\n"))
	for i := range lines {
		without := bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)
		refused(fmt.Sprintf("without line %d", i+1), append(without, '\n'))
		refused(fmt.Sprintf("line %d twice", i+1), bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil))
	}
	// Read refuses what parse takes for unfinished.
	check.OK(t, os.WriteFile(path, bytes.Join(lines[:len(lines)-1], nil), 0o666))
	_, err := Read(path)
	wantError(t, err, path, "truncated")
	check.OK(t, os.WriteFile(path, whole, 0o666))
	_, err = Read(path)
	check.OK(t, err) // or else the test would be none
}

// A record that was edited by somebody who also mended its checksum, or written by a faulty program, still has to make
// sense.
func TestReadRefuses(t *testing.T) {
	whole := string(writtenBytes(t))
	head, rest, _ := strings.Cut(whole, "\n")
	head += "\n"
	points := rest[:strings.LastIndex(rest, `{"kind":"end"`)]
	// sealed ends lines with the given end line and their right checksum.
	sealed := func(lines, end string) string {
		body := lines + `{"kind":"end",` + end
		sum := sha256.Sum256([]byte(body))
		return body + sumKey + hex.EncodeToString(sum[:]) + "\"}\n"
	}
	const end = `"updates":35,"seconds":1`
	resumed := func(update int, commit string) string {
		return string(mustLine("resumed", Resumed{update, Environment{Commit: commit}}))
	}
	p := strings.SplitAfter(points, "\n") // the points, one by one
	change := func(old, new string) string {
		if strings.Count(points, old) != 1 {
			t.Fatalf("%d times %s", strings.Count(points, old), old)
		}
		return head + strings.Replace(points, old, new, 1)
	}
	cases := []struct{ name, data, what string }{
		{"empty", "", "empty"},
		{"not JSON", "PNG\n", "line 1 is not a line of a record"},
		{"not a record", "{\"a\":1}\n", "one run line, its first"},
		{"half a line", whole[:len(whole)-20], "truncated"},
		{"no end line", head + points, "truncated"},
		{"edited", strings.Replace(whole, "1e-300", "2e-300", 1), "edited"},
		{"checksum gone", whole[:len(whole)-sumTail] + "}\n", "edited"},
		{"more after the end", whole + p[0], "follows the end line"},
		{"later format", strings.Replace(whole, `"format":2`, `"format":3`, 1), "unknown format 3"},
		{"earlier format", strings.Replace(whole, `"format":2`, `"format":1`, 1), "unknown format 1"},
		{"two run lines", sealed(head+head+points, end), "line 2 has the kind"},
		{"unknown kind", sealed(change(`"point","update":10`, `"note","update":10`), end),
			`line 2: unknown kind "note"`},
		{"unknown scale", sealed(strings.Replace(head, `"quick"`, `"huge"`, 1)+points, end), `scale "huge"`},
		{"null", sealed(change("[1e+300,-5]", "[1e+300,null]"), end), `line 5: "null" is no number`},
		{"word", sealed(change("[1e+300,-5]", `[1e+300,"big"]`), end), "line 5"},
		{"beyond float64", sealed(change("[1e+300,-5]", `[1e+309,-5]`), end), "line 5"},
		{"one value", sealed(change("[1e+300,-5]", "[1]"), end), "line 5: 1 values for 2 trials"},
		{"unknown series", sealed(change(`"valid"`, `"test"`), end), `line 4: point of "test"`},
		{"no first point", sealed(head+p[1]+p[2]+p[3]+p[4], end),
			`line 2: point of "train" at update 20, but the next is due at 10`},
		{"no last point", sealed(head+p[0]+p[1]+p[2]+p[3], end),
			`line 6: lacks the point of "train" at update 35`},
		{"no point of valid", sealed(head+p[0]+p[1]+p[3]+p[4], end), `lacks the point of "valid" at update 20`},
		{"between two", sealed(change(`"update":30`, `"update":29`), end), "due at 30"},
		{"twice", sealed(head+points+p[4], end), "after the last that is due"},
		{"backwards", sealed(change(`"update":20,"series":"valid"`, `"update":40,"series":"valid"`), end), "due at 20"},
		{"valid after 30", sealed(head+p[0]+p[1]+p[3]+p[2]+p[4], end), "at update 20 after one at update 30"},
		{"resumed before", sealed(head+p[0]+resumed(9, "abc"), end), "resumed at update 9 after"},
		{"resumed without a commit", sealed(head+p[0]+resumed(10, ""), end), "line 3: no commit"},
		{"no commit", sealed(strings.Replace(head, `"commit":"abc"`, `"commit":""`, 1)+points, end), "1: no commit"},
		{"NaN", sealed(change("[1e+300,-5]", `[1e+300,"NaN"]`), end), "loss NaN of trial 1 at update 30, but no"},
		{"infinite", sealed(change("[1e+300,-5]", `["-Inf",-5]`), end), "loss -Inf of trial 0 at update 30, but no"},
		{"key twice", sealed(change(`"update":30`, `"update":30,"update":30`), end), "line 5: has"},
		{"another twice", sealed(change(`"update":30`, `"update":9,"update":30`), end), "line 5: has …9,"},
		{"key in capitals", sealed(change(`"update":30`, `"Update":30`), end), `line 5: has "Update`},
		{"unknown key", sealed(change(`"update":30`, `"update":30,"note":1`), end), `line 5: has "note`},
		{"unknown key of the end", sealed(head+points, end+`,"note":1`), `line 7: has ",\"note`},
		{"end with a key twice", sealed(head+points, `"updates":35,"updates":35,"seconds":1`), "line 7: has"},
		{"unknown key, run", sealed(strings.Replace(head, `"format"`, `"a":1,"format"`, 1)+points, end), "1: has"},
		{"unknown key of a trial", sealed(strings.Replace(head, `"arm"`, `"a":1,"arm"`, 1)+points, end), "line 1: has"},
		{"space", sealed(change(`"update":30`, `"update": 30`), end), "line 5: has"},
		{"other digits", sealed(change("[1e+300,-5]", "[1e+300,-5.0]"), end), "line 5: has"},
		{"letter as a number", sealed(change(`"valid"`, `"v\u0061lid"`), end), "line 4: has"},
		{"CRLF", sealed(strings.ReplaceAll(head+points, "\n", "\r\n"), end), `line 1: has "\r"`},
		{"other end", sealed(head+points, `"updates":36,"seconds":1`), "36 updates in all, want 35"},
		{"negative time", sealed(head+points, `"updates":35,"seconds":-1`), "took -1 seconds"},
		{"final of 3", sealed(head+points, end+`,"final":{"loss":[1,2,3]}`), `final "loss" has 3 values for 2 trials`},
		{"final loss", sealed(head+points, end+`,"final":{"loss":[1,2]}`), `final "loss" is not the last point`},
		{"one vector", sealed(head+points, end+`,"vectors":{"b":[[1]]}`), `final "b" has 1 vectors for 2 trials`},
		{"ragged vectors", sealed(head+points, end+`,"vectors":{"b":[[1],[1,2]]}`),
			`final "b" has vectors of 1 and of 2 numbers`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			check.OK(t, os.WriteFile(path, []byte(c.data), 0o666))
			_, err := Read(path)
			wantError(t, err, path, c.what)
		})
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	check.OK(t, os.WriteFile(path, []byte(sealed(head+points, end)), 0o666))
	_, err := Read(path)
	check.OK(t, err) // sealing makes a sound record, so the cases are refused for what they say
	_, err = Read(filepath.Join(t.TempDir(), "none.jsonl"))
	wantError(t, err, "none.jsonl", "no such file")
}

func TestReadAllRefusesAMisplacedRecord(t *testing.T) {
	data := writtenBytes(t)
	for _, place := range []string{
		"warp/fig3/copy500.paper.jsonl", "warp/fig3/copy500.quick.jsonl/copy500.quick.jsonl", "copy500.quick.jsonl",
		"records/warp/fig3/copy500.quick.jsonl", "replication/records/warp/fig3/copy500.quick.jsonl",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(place))
		check.OK(t, WriteFile(path, data))
		_, err := ReadAll(dir)
		if strings.Contains(place, "jsonl/") {
			wantError(t, err, filepath.Dir(path), "not a regular file")
		} else {
			wantError(t, err, path, "it belongs at "+filepath.Join(dir, "warp", "fig3", "copy500.quick.jsonl"))
		}
	}
}

// An empty table of claims is not drawn from a wrong directory unnoticed.
func TestReadAllWithoutRecords(t *testing.T) {
	dir := t.TempDir()
	unfinished := filepath.Join(dir, "unfinished")
	w, err := Open(Path(unfinished, testHeader()), testHeader())
	check.OK(t, err)
	check.OK(t, w.Save(0, nil))
	check.OK(t, w.Close())
	file := filepath.Join(dir, "file")
	check.OK(t, os.WriteFile(file, nil, 0o666))
	empty := filepath.Join(dir, "empty")
	check.OK(t, os.Mkdir(empty, 0o777))

	for _, c := range []struct {
		dir, what string
		is        error
		any       bool // an error for ReadAny too
	}{
		{filepath.Join(dir, "none"), "no such file", fs.ErrNotExist, false},
		{empty, "no complete record", ErrNone, false},
		{unfinished, "no complete record", ErrNone, false},
		{file, "not a directory", nil, true},
	} {
		_, err := ReadAll(c.dir)
		wantError(t, err, c.dir, c.what)
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v is not %v", err, c.is)
		}
		records, err := ReadAny(c.dir)
		if c.any {
			wantError(t, err, c.dir, c.what)
		} else if err != nil || len(records) > 0 {
			t.Errorf("ReadAny of %s: %d records, %v", c.dir, len(records), err)
		}
	}
}

func TestReadAllFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	write(t, Path(whole, testHeader()))
	link := func(to string, path ...string) string {
		t.Helper()
		from := filepath.Join(append([]string{dir}, path...)...)
		check.OK(t, os.MkdirAll(filepath.Dir(from), 0o777))
		if err := os.Symlink(to, from); err != nil {
			t.Skip("needs symbolic links: ", err)
		}
		return from
	}
	link(filepath.Join(whole, "warp"), "paper", "warp")
	link(filepath.Join(whole, "warp", "fig3"), "figure", "warp", "fig3")
	link(Path(whole, testHeader()), "file", "warp", "fig3", "copy500.quick.jsonl")
	for _, root := range []string{
		link(whole, "root"), filepath.Join(dir, "paper"), filepath.Join(dir, "figure"), filepath.Join(dir, "file"),
	} {
		for _, read := range []func(string) ([]*Record, error){ReadAll, ReadAny} {
			if records, err := read(root); err != nil || len(records) != 1 {
				t.Errorf("%s: %d records, %v", root, len(records), err)
			}
		}
	}
	link("..", "whole", "warp", "loop")
	_, err := ReadAll(whole)
	wantError(t, err, "loop", "it belongs at")
	_, err = ReadAll(link(filepath.Join(dir, "none"), "dangling"))
	wantError(t, err, "dangling", "no such file")
}

func TestReadBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	check.OK(t, os.WriteFile(path, nil, 0o666))
	check.OK(t, os.Truncate(path, maxBytes+1)) // takes no space
	_, err := Read(path)
	wantError(t, err, path, "67108865 bytes long, want at most 67108864")
}
