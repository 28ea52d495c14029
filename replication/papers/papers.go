// Package papers lists the papers that are replicated. Programs, notebooks and tests read this list.
package papers

import (
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/warp"
)

// Committed is where this repository's own records are, seen from its root.
const Committed = "replication/records"

// All are the papers, in their order.
var All = figures.Papers{warp.Paper, contextual.Paper}
