package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestReadAllRefusesAMisplacedRecord(t *testing.T) {
	data := testRecord().encode()
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
