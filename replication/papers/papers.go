// Package papers lists the papers that are replicated. Programs, notebooks and tests read this list.
package papers

import (
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/warp"
)

// All are the papers, in their order.
var All = figures.Papers{warp.Paper, contextual.Paper}
