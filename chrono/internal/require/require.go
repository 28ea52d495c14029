// Package require has the panics of graph-building functions.
package require

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// That panics, unless ok, with the error of that text and a stack trace, as GoMLX's graph-building functions do.
func That(ok bool, format string, args ...any) {
	if !ok {
		exceptions.Panicf(format, args...)
	}
}

// NoNil panics likewise if one of the nodes is nil; what says which nodes they are.
func NoNil(what string, nodes []*graph.Node) {
	i := slices.Index(nodes, nil)
	That(i < 0, "%s %d is nil, want a node", what, i)
}

// Errors, deferred, makes an error of what the user's part of that name has panicked with: after a panic with a string,
// GoMLX waits for ever.
func Errors(name any) {
	switch e := recover().(type) {
	case nil:
	case error:
		panic(e)
	default:
		panic(fmt.Errorf("%#v: it panicked with %v", name, e))
	}
}
