// Package require has the panics of graph-building functions.
package require

import "github.com/gomlx/gomlx/support/exceptions"

// That panics, unless ok, with the error of that text and a stack trace, as GoMLX's graph-building functions do.
func That(ok bool, format string, args ...any) {
	if !ok {
		exceptions.Panicf(format, args...)
	}
}
