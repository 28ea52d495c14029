package main

import "syscall/js"

// main calls the page's function begin with a function that starts a stream. A stream is a function, too: of a number,
// which returns the forecast of the next.
func main() {
	trained, err := load()
	if err != nil {
		panic(err)
	}
	js.Global().Call("begin", js.FuncOf(func(js.Value, []js.Value) any {
		var states []any
		return js.FuncOf(func(_ js.Value, x []js.Value) any {
			forecast, after, err := next(trained, float32(x[0].Float()), states)
			if err != nil {
				panic(err)
			}
			states = after
			return forecast
		})
	}))
	select {}
}
