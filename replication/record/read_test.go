package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// A folder with a record that belongs elsewhere is rejected, and so is one without records: an empty table of claims is
// not drawn from a wrong directory unnoticed. ReadAny takes one that is not there yet, or has no record.
func TestReadAllRejects(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data := testRecord().encode()
	roots := map[string]error{"none": fs.ErrNotExist, "empty": ErrNone, "unfinished": ErrNone, "file": syscall.ENOTDIR}
	for i, place := range []string{
		"warp/fig3/copy500.paper.jsonl", "warp/fig3/copy500.quick.jsonl/copy500.quick.jsonl", "copy500.quick.jsonl",
		"records/warp/fig3/copy500.quick.jsonl", "replication/records/warp/fig3/copy500.quick.jsonl",
	} {
		root := fmt.Sprint("misplaced ", i)
		roots[root] = nil
		check.OK(t, WriteFile(filepath.Join(at(root), filepath.FromSlash(place)), data))
	}
	w := begin(t, Path(at("unfinished"), testHeader()))
	check.OK(t, w.Save(0, text("")))
	check.OK(t, w.Close())
	check.Write(t, at("file"), nil)
	check.OK(t, os.Mkdir(at("empty"), 0o777))
	for root, is := range roots {
		_, err := ReadAll(at(root))
		check.Rejected(t, root, err, at(root))
		records, anyErr := ReadAny(at(root))
		if is == nil || is == syscall.ENOTDIR {
			check.Rejected(t, root, anyErr, at(root))
		} else if !errors.Is(err, is) || anyErr != nil || len(records) > 0 {
			t.Errorf("%v is not %v; any: %d records, %v", err, is, len(records), anyErr)
		}
	}
}

// Records are found through a link in place of any folder or of the record; links that dangle or go round are rejected.
func TestReadAllFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	check.Write(t, Path(whole, testHeader()), testRecord().encode())
	link := func(to, from string) {
		t.Helper()
		check.OK(t, os.MkdirAll(filepath.Dir(from), 0o777))
		if err := os.Symlink(to, from); err != nil {
			t.Skip("needs symbolic links: ", err)
		}
	}
	for _, part := range []string{"", "warp", "warp/fig3", "warp/fig3/copy500.quick.jsonl"} {
		root := filepath.Join(dir, fmt.Sprint("linked ", len(part)))
		link(filepath.Join(whole, part), filepath.Join(root, part))
		for _, read := range []func(string) ([]*Record, error){ReadAll, ReadAny, ReadUnder} {
			if records, err := read(root); err != nil || len(records) != 1 {
				t.Errorf("%q is a link: %d records, %v", part, len(records), err)
			}
		}
	}
	link("..", filepath.Join(whole, "warp", "loop"))
	_, err := ReadAll(whole)
	check.Rejected(t, "a loop", err, "loop")
	beside := filepath.Join(dir, "beside")
	check.Write(t, Path(beside, testHeader()), testRecord().encode())
	link(filepath.Join(dir, "none"), filepath.Join(beside, "warp", "fig4"))
	_, err = ReadAll(beside)
	check.Rejected(t, "a dangling link beside a record", err, beside+"…fig4")
}
