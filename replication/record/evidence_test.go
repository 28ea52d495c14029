package record

import (
	"crypto/sha1"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// The folders of evidence: what figures are drawn from, and what once was.
var evidence = []string{"../records", "../superseded"}

// isEvidence tells whether claims may rest on a record at a path: its scale is not quick.
func isEvidence(path string) bool {
	return filepath.Ext(path) == ".jsonl" && (strings.Contains(path, ".reduced.") || strings.Contains(path, ".paper."))
}

// blob is what git calls a file with these bytes.
func blob(data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)))
}

// listed are the lines of testdata/evidence.txt: the blob and the path of each record of scale reduced or paper that
// was ever among the records.
func listed(t *testing.T) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	for line := range strings.Lines(string(check.Read(t, "testdata/evidence.txt"))) {
		lines[strings.TrimSpace(line)] = true
	}
	return lines
}

// Records are append-only. What is on the list stays, byte for byte, and what is new is put on the list. A record that
// another has replaced, or whose figure is gone, goes to superseded, where the same Path finds it.
func TestEvidenceIsAppendOnly(t *testing.T) {
	there := map[string]bool{}
	for _, dir := range evidence {
		for _, r := range check.Got(ReadAll(dir))(t) {
			path := check.Got(filepath.Rel(dir, r.Path))(t)
			if isEvidence(path) {
				there[blob(check.Read(t, r.Path))+" "+filepath.ToSlash(path)] = true
			}
		}
	}
	list := listed(t)
	for line := range list {
		check.That(t, there[line],
			"%s was removed or changed: restore it, in replication/superseded if another has its place", line)
	}
	for line := range there {
		check.That(t, list[line], "new evidence: add this line to testdata/evidence.txt\n%s", line)
	}
}

// The list has what the history has: nobody takes a line off it.
func TestEvidenceOfTheHistory(t *testing.T) {
	list := listed(t)
	lines := need.Git(t, "log", "--no-renames", "--diff-filter=AM", "--raw", "--no-abbrev", "--format=", "--",
		"../records/warp", "../records/context")
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line) // :mode mode blob blob A path
		_, path, ok := strings.Cut(fields[len(fields)-1], "replication/records/")
		if ok && isEvidence(path) && !list[fields[3]+" "+path] {
			t.Errorf("testdata/evidence.txt lacks %s %s", fields[3], path)
		}
	}
}

// A record's program was committed before the record was made, and so was each that resumed it: the commit is an
// ancestor of this one, and older than the record.
func TestRecordsAreYoungerThanTheirCommits(t *testing.T) {
	committed := map[string]time.Time{}
	for line := range strings.Lines(need.Git(t, "log", "--format=%H %cI")) {
		hash, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		committed[hash] = check.Got(time.Parse(time.RFC3339, at))(t)
	}
	for _, dir := range evidence {
		for _, r := range check.Got(ReadAll(dir))(t) {
			started := check.Got(time.Parse(time.RFC3339, r.Started))(t)
			if at, ok := committed[r.Commit]; !ok || at.After(started) {
				t.Errorf("%s was started at %v, by commit %s of %v", r.Path, started, r.Commit, at)
			}
			for _, resumed := range r.Resumed {
				if _, ok := committed[resumed.Commit]; !ok {
					t.Errorf("%s was resumed by commit %s, which is in no history of this one", r.Path, resumed.Commit)
				}
			}
		}
	}
}
