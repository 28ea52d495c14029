// Package context declares the experiments of C, Wenke & Fleming, "Contextual Recurrent Neural Networks", 2019: a file
// for each figure, and beside it the claims that the paper makes about it, as in package warp. None is declared yet.
package context

import (
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// Paper is the first part of every identifier.
const Paper = "context"

// Figures are the figures that are trained, in the paper's order.
func Figures() []experiment.Figure { return nil }

// Claims are what the paper says of them, in the same order.
func Claims() []claim.Claim { return nil }
