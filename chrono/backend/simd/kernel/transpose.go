package kernel

// Transpose stores the transpose of src, m×n and row-major with leading dimension lds, in dst, n×m with leading
// dimension ldd: dst[j*ldd+i] = src[i*lds+j]. dst and src must not overlap.
func Transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if m <= 0 || n <= 0 {
		return
	}
	Matrix{src, lds, 1}.check("the source", m, n)
	Matrix{dst, ldd, 1}.check("the transpose", n, m)
	rows, cols := m&^7, n&^7
	if cols > 0 {
		for i := 0; i < rows; i += 8 {
			transposeRows(dst[i:], ldd, src[i*lds:], lds, cols/8)
		}
	}
	if cols < n {
		transposeGo(dst[cols*ldd:], ldd, src[cols:], lds, rows, n-cols)
	}
	if rows < m {
		transposeGo(dst[rows:], ldd, src[rows*lds:], lds, m-rows, n)
	}
}

func transposeGo(dst []float32, ldd int, src []float32, lds, m, n int) {
	for j := range n {
		for i := range m {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}
