package simd

import "unsafe"

func floatsPointer(b *buffer) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b.bytes)) }
