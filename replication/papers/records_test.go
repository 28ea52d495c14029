package papers_test

import (
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// committed is where the committed pictures are.
const committed = "../../figures"

// all are the committed records, read anew: tests change them.
func all() []*record.Record {
	records, err := record.ReadAll("../records")
	if err != nil {
		panic(err)
	}
	return records
}

// made are the committed records of a figure at one scale, or those of some of its panels.
func made(id string, scale record.Scale, panels ...string) []*record.Record {
	return slices.DeleteFunc(all(), func(r *record.Record) bool {
		return r.Paper+"/"+r.Figure != id || r.Scale != scale || len(panels) > 0 && !slices.Contains(panels, r.Panel)
	})
}
