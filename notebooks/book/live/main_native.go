//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const usage = `Usage: go run ./book/live '{"task": "adding", "steps": 60, "tmax": 60, "updates": 600, "seed": 1}'
       go run ./book/live -recorded > book/live/recorded.js
       go run ./book/live -svg ../figures

Trains what the book's page trains, and prints the messages that the page gets.
With -recorded it prints the trainings that the page shows before its reader
trains, with -svg it draws the README's moving pictures into a folder. Settings:
task (warp, pad, adding, copy), networks, shortest and longest (of warp and pad),
tmax (of adding and copy), steps (of a sequence, or T), updates, seed.
`

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "-svg":
		run, err := record(shown)
		if err != nil {
			fail(err)
		}
		for name, a := range pictures {
			if err := os.WriteFile(filepath.Join(os.Args[2], name), []byte(a.picture(run)), 0o644); err != nil {
				fail(err)
			}
		}
	case len(os.Args) == 2 && os.Args[1] == "-recorded":
		if err := writeRecorded(os.Stdout); err != nil {
			fail(err)
		}
	case len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "{"):
		if err := train([]byte(os.Args[1]), func(m []byte) { fmt.Println(string(m)) }); err != nil {
			fail(err)
		}
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}
