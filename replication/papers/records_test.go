package papers_test

import (
	"maps"
	"slices"
	"sync"

	"github.com/warptime/warptime/replication/record"
)

// committed is where the committed pictures are.
const committed = "../../figures"

// all are the committed records, which tests only read.
var all = sync.OnceValue(func() []*record.Record {
	records, err := record.ReadAll("../records")
	if err != nil {
		panic(err)
	}
	return records
})

// copyOf is a record whose results and points can be changed.
func copyOf(r *record.Record) *record.Record {
	c, end := *r, *r.End
	end.Final, end.Vectors = maps.Clone(end.Final), maps.Clone(end.Vectors)
	c.Points, c.End = slices.Clone(c.Points), &end
	return &c
}

// made are copies of the committed records of a figure at one scale, or of those of some of its panels.
func made(id string, scale record.Scale, panels ...string) []*record.Record {
	var records []*record.Record
	for _, r := range all() {
		if r.Paper+"/"+r.Figure == id && r.Scale == scale && (len(panels) == 0 || slices.Contains(panels, r.Panel)) {
			records = append(records, copyOf(r))
		}
	}
	return records
}
