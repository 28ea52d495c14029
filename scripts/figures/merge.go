package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// readAll reads the records in directories: those of several machines, say. A run may be in more than one of them if
// all its numbers are the same.
func readAll(dirs []string) ([]*record.Record, error) {
	var all []*record.Record
	known := map[string]*record.Record{}
	for _, dir := range dirs {
		records, err := record.ReadAll(dir)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			other := known[r.Name()]
			if other == nil {
				known[r.Name()] = r
				all = append(all, r)
			} else if differ := record.Compare(other, r); differ != nil {
				return nil, fmt.Errorf("%s and %s are of one run and differ: %s; keep one of them",
					other.Path, r.Path, strings.Join(differ, "; "))
			}
		}
	}
	slices.SortFunc(all, func(a, b *record.Record) int {
		return strings.Compare(record.Path("", a.Header), record.Path("", b.Header))
	})
	return all, nil
}
