package cell

import "fmt"

// errorsOnly, deferred, makes an error of what a method of the cell has panicked with: after a panic with a string,
// GoMLX waits for ever.
func errorsOnly(cell Cell) {
	switch e := recover().(type) {
	case nil:
	case error:
		panic(e)
	default:
		panic(fmt.Errorf("%#v: it panicked with %v", cell, e))
	}
}
