package kernel

// A square is a kernel that transposes square blocks that stand side by side: side rows of side·blocks columns at src
// become side·blocks rows of side columns at dst.
type square struct {
	side      int
	transpose func(dst, src *float32, dstRow, srcRow, blocks int)
}

// Transpose stores the transpose of src, m×n and row-major with leading dimension lds, in dst, n×m with leading
// dimension ldd: dst[j*ldd+i] = src[i*lds+j]. dst and src must not overlap.
func Transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if m <= 0 || n <= 0 {
		return
	}
	Matrix{src, lds, 1}.check("the source", m, n)
	Matrix{dst, ldd, 1}.check("the transpose", n, m)
	transpose(impl.squares, dst, ldd, src, lds, m, n)
}

// transpose transposes blocks of the first square's side, and what is left in those of the others.
func transpose(squares []square, dst []float32, ldd int, src []float32, lds, m, n int) {
	if len(squares) == 0 {
		for j := range n {
			for i := range m {
				dst[j*ldd+i] = src[i*lds+j]
			}
		}
		return
	}
	side := squares[0].side
	rows, cols := m/side*side, n/side*side
	if cols > 0 {
		for i := 0; i < rows; i += side {
			squares[0].transpose(&dst[i], &src[i*lds], ldd, lds, cols/side)
		}
	}
	if rows > 0 && cols < n {
		transpose(squares[1:], dst[cols*ldd:], ldd, src[cols:], lds, rows, n-cols)
	}
	if rows < m {
		transpose(squares[1:], dst[rows:], ldd, src[rows*lds:], lds, m-rows, n)
	}
}
