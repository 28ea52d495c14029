//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, `live: want the settings, such as {"task": "warp", "steps": 60, "longest": 10}`)
		os.Exit(2)
	}
	if err := train([]byte(os.Args[1]), func(m []byte) { fmt.Println(string(m)) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
