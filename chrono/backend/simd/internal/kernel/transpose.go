package kernel

// Transpose stores the transpose of src, m×n and row-major with leading dimension lds, in dst, n×m with leading
// dimension ldd: dst[j*ldd+i] = src[i*lds+j]. dst and src must not overlap.
func Transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if m <= 0 || n <= 0 {
		return
	}
	Matrix{src, lds, 1}.check("the source", m, n)
	Matrix{dst, ldd, 1}.check("the transpose", n, m)
	side := 8
	if current == AVX512 {
		side = 16
	}
	transpose(side, dst, ldd, src, lds, m, n)
}

// transpose transposes square blocks of the given side, and what is left in smaller ones.
func transpose(side int, dst []float32, ldd int, src []float32, lds, m, n int) {
	if side < 8 {
		transposeGo(dst, ldd, src, lds, m, n)
		return
	}
	rows, cols := m/side*side, n/side*side
	if cols > 0 {
		for i := 0; i < rows; i += side {
			transposeRows(side, dst[i:], ldd, src[i*lds:], lds, cols/side)
		}
	}
	if rows > 0 && cols < n {
		transpose(side/2, dst[cols*ldd:], ldd, src[cols:], lds, rows, n-cols)
	}
	if rows < m {
		transpose(side/2, dst[rows:], ldd, src[rows*lds:], lds, m-rows, n)
	}
}

func transposeGo(dst []float32, ldd int, src []float32, lds, m, n int) {
	for j := range n {
		for i := range m {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}
