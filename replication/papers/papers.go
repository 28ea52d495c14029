// Package papers lists the papers that are replicated. Programs, notebooks and tests read this list.
package papers

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// All are the papers, in their order.
var All = figures.Papers{warp.Paper, contextual.Paper}

// Judge judges all claims by the records of a directory and, if it has a neighbour superseded, by the records there,
// whose places others have taken: they count where a condition asks for them.
func Judge(dir string, records []*record.Record) ([]claim.Judgement, error) {
	beside := filepath.Join(filepath.Dir(filepath.Clean(dir)), "superseded")
	if _, err := os.Stat(beside); err == nil {
		superseded, err := record.ReadAny(beside)
		if err != nil {
			return nil, err
		}
		records = slices.Concat(records, superseded)
	}
	return claim.Judge(All.Sets(), records), nil
}
