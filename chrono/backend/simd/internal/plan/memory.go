package plan

import "unsafe"

// Alignment of all memory in bytes: one cache line, and one AVX-512 register.
const Alignment = 64

// AlignedBytes returns n zeroed bytes that start on a cache line.
func AlignedBytes(n int) []byte {
	raw := make([]byte, n+Alignment)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (Alignment - 1))
	return raw[skip : skip+n : skip+n]
}
