//go:build !js

package main

import (
	"fmt"
	"os"
)

const usage = `Usage: go run ./book/live -recorded

Writes book/live/recorded.js, the trainings that the page shows before its
reader trains, and the README's moving pictures of the first one.
`

func main() {
	if len(os.Args) != 2 || os.Args[1] != "-recorded" {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err := writeRecorded(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
