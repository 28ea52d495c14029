package kernel

import "unsafe"

// CopyRows copies rows of n floats, or of other values of four bytes, from src to dst: at least one row, and one value.
// The distances between rows are in bytes. No row of dst may overlap one of src, nor another one of dst.
func CopyRows(dst, src unsafe.Pointer, dstRow, srcRow, rows, n int) {
	impl.copyRows((*float32)(dst), (*float32)(src), dstRow, srcRow, rows, n)
}

func copyRowsGo(dst, src *float32, dstRow, srcRow, rows, n int) {
	for i := range rows {
		copy(unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(dst), i*dstRow)), n),
			unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(src), i*srcRow)), n))
	}
}
