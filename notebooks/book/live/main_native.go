//go:build !js

package main

import (
	"fmt"
	"os"
	"strings"
)

const usage = `Usage: go run ./book/live '{"task": "warp", "steps": 60, "longest": 10, "updates": 600, "seed": 1}'
       go run ./book/live -recorded > book/live/recorded.js
       go run ./book/live -svg > ../figures/live.svg

Trains what the book's page trains, and prints the messages that the page gets.
With -recorded it prints the trainings that the page shows before its reader
trains, with -svg it draws the README's moving picture. Settings: task (warp, pad, adding, copy),
steps (of a sequence, or T), longest (of warp and pad), tmax (of adding and
copy), updates, seed.
`

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "-svg":
		settings := Settings{Task: "warp", Steps: 60, Longest: 12, Updates: 1500, Seed: 1}
		var messages []Message
		if err := Train(settings, func(m Message) { messages = append(messages, m) }); err != nil {
			fail(err)
		}
		fmt.Print(picture(messages))
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
