// Package require has the panics of graph-building functions.
package require

import "github.com/gomlx/gomlx/support/exceptions"

// That panics, unless ok, with the error of that text and a stack trace, as GoMLX's graph-building functions do.
func That(ok bool, format string, args ...any) {
	if !ok {
		exceptions.Panicf(format, args...)
	}
}

// Valid panics likewise with the error of settings that are invalid.
func Valid(settings interface{ Validate() error }) {
	err := settings.Validate()
	That(err == nil, "%v", err)
}
