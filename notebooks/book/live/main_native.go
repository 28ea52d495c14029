//go:build !js

package main

import (
	"fmt"
	"os"
	"strings"
)

const usage = `Usage: go run ./book/live '{"task": "adding", "steps": 60, "tmax": 60, "updates": 600, "seed": 1}'
       go run ./book/live -recorded

Trains what the book's page trains, and prints the messages that the page gets.
With -recorded it writes book/live/recorded.js, the trainings that the page shows
before its reader trains, and the README's moving pictures of the first one.
Settings: task (warp, pad, adding, copy), networks, shortest and longest (of warp
and pad), tmax (of adding and copy), steps (of a sequence, or T), updates, seed.
`

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "-recorded":
		err = writeRecorded()
	case len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "{"):
		err = train([]byte(os.Args[1]), func(m []byte) { fmt.Println(string(m)) })
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
