package simd

// HandOver makes threads share all work, however little it is.
func HandOver() { parallelWork = 0 }
