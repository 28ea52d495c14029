package kernel

// Transpose stores the transpose of src, m×n and row-major with leading dimension lds, in dst, n×m with leading
// dimension ldd: dst[j*ldd+i] = src[i*lds+j]. dst and src must not overlap.
func Transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if m <= 0 || n <= 0 {
		return
	}
	Matrix{Data: src, Row: lds, Col: 1}.check("the source", m, n)
	Matrix{Data: dst, Row: ldd, Col: 1}.check("the transpose", n, m)
	const side = 8
	rows, columns := m/side*side, n/side*side
	if impl.transpose == nil || columns == 0 {
		rows = 0
	}
	for i := 0; i < rows; i += side {
		impl.transpose(&dst[i], &src[i*lds], ldd, lds, columns/side)
	}
	for i := range m {
		j := 0
		if i < rows {
			j = columns
		}
		for ; j < n; j++ {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}
