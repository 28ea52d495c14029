// Command live trains the networks of the book's page. In a browser it runs in a Web Worker, compiled to WebAssembly:
//
//	GOOS=js GOARCH=wasm go build -ldflags='-s -w' -o live.wasm ./book/live
//
// Elsewhere it takes the same settings as an argument, and prints the same messages, one a line:
//
//	go run ./book/live '{"task": "adding", "steps": 60, "tmax": 60, "updates": 600, "seed": 1}'
package main

import (
	"encoding/json"
	"fmt"
)

// train trains what the settings ask for, in JSON, and hands every message to emit, in JSON too.
func train(settings []byte, emit func(message []byte)) error {
	var s Settings
	if err := json.Unmarshal(settings, &s); err != nil {
		return fmt.Errorf("live: settings: %w", err)
	}
	return Train(s, func(m Message) {
		text, err := json.Marshal(m)
		if err != nil {
			panic(err) // numbers and strings only
		}
		emit(text)
	})
}
