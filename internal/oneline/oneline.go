// Package oneline prints errors of other libraries.
package oneline

import "strings"

// Of returns an error's message without the stack that the errors of GoMLX and go-xla bring along.
func Of(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
