package main

import (
	"encoding/json"
	"syscall/js"
)

// main trains what the worker's variable settings holds, and posts the messages to the page. The page ends a training
// by ending its worker.
func main() {
	post := func(text string) { js.Global().Call("postMessage", text) }
	if err := train([]byte(js.Global().Get("settings").String()), func(m []byte) { post(string(m)) }); err != nil {
		text, _ := json.Marshal(map[string]string{"error": err.Error()})
		post(string(text))
	}
	select {} // wasm_exec.js complains of callbacks after the end
}
