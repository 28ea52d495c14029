package simd

import "unsafe"

// alignment of all memory in bytes: one cache line, and one AVX-512 register.
const alignment = 64

// alignedBytes returns n zeroed bytes that start on a cache line.
func alignedBytes(n int) []byte {
	raw := make([]byte, n+alignment)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (alignment - 1))
	return raw[skip : skip+n : skip+n]
}
