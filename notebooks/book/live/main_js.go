package main

import (
	"encoding/json"
	"syscall/js"
)

// main trains what the worker's variable settings holds, and posts the messages to the page, all in JSON. The page ends
// a training by ending its worker.
func main() {
	post := func(message any) {
		text, err := json.Marshal(message)
		if err != nil {
			panic(err) // numbers and strings only
		}
		js.Global().Call("postMessage", string(text))
	}
	var s Settings
	err := json.Unmarshal([]byte(js.Global().Get("settings").String()), &s)
	if err == nil {
		err = Train(s, func(m Message) { post(m) })
	}
	if err != nil {
		post(map[string]string{"error": err.Error()})
	}
	select {} // wasm_exec.js complains of callbacks after the end
}
