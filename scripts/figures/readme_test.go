package main

import (
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// The committed pages are what the committed records say, and their prose has the numbers of the claims that it names.
func TestCommittedPages(t *testing.T) {
	records, err := record.ReadAll("../../replication/records")
	check.OK(t, err)
	judgements, err := papers.Judge("../../replication/records", records)
	check.OK(t, err)
	documents, err := documentsOf("../..", judgements)
	check.OK(t, err)
	for path, want := range documents {
		text := read(t, path)
		if text != string(want) {
			t.Errorf("%s is not what the records say: run go run ./scripts/figures -pages .", path)
		}
		if filepath.Ext(path) == ".md" {
			for _, wrong := range claim.CheckProse(text, judgements) {
				t.Errorf("%s: %s", path, wrong)
			}
		}
	}
	const most = 45_000
	if n := len(documents[filepath.Join("..", "..", "CLAIMS.md")]); n > most {
		t.Errorf("CLAIMS.md has %d bytes, want at most %d", n, most)
	}
}
