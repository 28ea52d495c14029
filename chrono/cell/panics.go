package cell

import "fmt"

// errorsOnly, deferred, makes an error of what a method of a cell, or of an initialization, has panicked with: after a
// panic with a string, GoMLX waits for ever.
func errorsOnly(of any) {
	switch e := recover().(type) {
	case nil:
	case error:
		panic(e)
	default:
		panic(fmt.Errorf("%#v: it panicked with %v", of, e))
	}
}
