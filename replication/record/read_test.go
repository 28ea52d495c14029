package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
		check.Rejected(t, place, err, filepath.Dir(path))
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

	for dir, is := range map[string]error{
		filepath.Join(dir, "none"): fs.ErrNotExist, empty: ErrNone, unfinished: ErrNone, file: syscall.ENOTDIR,
	} {
		_, err := ReadAll(dir)
		check.Rejected(t, dir, err, dir)
		records, anyErr := ReadAny(dir)
		if is == syscall.ENOTDIR {
			check.Rejected(t, dir, anyErr, dir)
		} else if !errors.Is(err, is) || anyErr != nil || len(records) > 0 {
			t.Errorf("%v is not %v; any: %d records, %v", err, is, len(records), anyErr)
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
	check.Rejected(t, "a loop", err, "loop")
	_, err = ReadAll(link(filepath.Join(dir, "none"), "dangling"))
	check.Rejected(t, "a dangling link", err, "dangling")
}

func TestReadBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	check.OK(t, os.WriteFile(path, nil, 0o666))
	check.OK(t, os.Truncate(path, maxBytes+1)) // takes no space
	_, err := Read(path)
	check.Rejected(t, "a large file", err, path+"…67108865…67108864")
}
