package papers_test

import (
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

// made are the committed records of a figure at one scale, or those of some of its panels, read anew: a test may change
// them.
func made(id string, scale record.Scale, panels ...string) []*record.Record {
	var records []*record.Record
	for _, r := range all() {
		if r.Paper+"/"+r.Figure == id && r.Scale == scale && (len(panels) == 0 || slices.Contains(panels, r.Panel)) {
			anew, err := record.Read(r.Path)
			if err != nil {
				panic(err)
			}
			records = append(records, anew)
		}
	}
	return records
}
