package kernel

import "fmt"

const (
	// Panel is the number of columns in a panel of a packed matrix, at every level.
	Panel = 32

	// blockK is how many terms of the inner sum are added up in registers before they are added to C.
	blockK = 512

	// portableRows is tileRows at level Portable.
	portableRows = 16
)

// Matrix is a view of a matrix: element (i, j) is Data[i*Row + j*Col]. A row-major matrix with leading dimension ld is
// {data, ld, 1}; its transpose is {data, 1, ld}.
type Matrix struct {
	Data     []float32
	Row, Col int // strides in elements
}

// T returns the transposed view of m.
func (m Matrix) T() Matrix { return Matrix{m.Data, m.Col, m.Row} }

// check panics unless m holds rows×cols elements.
func (m Matrix) check(name string, rows, cols int) {
	if rows > 0 && cols > 0 && (m.Row < 0 || m.Col < 0 || (rows-1)*m.Row+(cols-1)*m.Col >= len(m.Data)) {
		panic(fmt.Sprintf("kernel: %s has %d elements, too few for %d×%d with strides %d, %d",
			name, len(m.Data), rows, cols, m.Row, m.Col))
	}
}

// Gemm computes C = A·B + D, where A is m×k, B is k×n, and C, D are m×n and row-major with leading dimensions ldc and
// ldd. D = nil stands for zero; D = C (the same slice and leading dimension) accumulates; ldd = 0 adds the row D[:n],
// a bias, to every row. C must not overlap A or B, nor D otherwise.
//
// scratch must have GemmScratch(m, n, k, a, b) elements at least; its content before and after does not matter.
//
// Element (i, j) has the same bits however a product is divided into calls for ranges of rows or of columns, and
// whether B is packed or not: its terms are added in the order of k, in blocks of a fixed length.
func Gemm(m, n, k int, c []float32, ldc int, a, b Matrix, d []float32, ldd int, scratch []float32) {
	if b.Col == 1 {
		b.check("B", k, n)
		multiply(m, n, k, c, ldc, a, b.Data, b.Row, 1, d, ldd)
		return
	}
	packed := scratch[:PackedLen(n, k)]
	PackB(packed, n, k, b)
	GemmPacked(m, n, k, c, ldc, a, packed, d, ldd)
}

// GemmScratch returns how many elements of scratch Gemm needs for these sizes and strides.
func GemmScratch(m, n, k int, a, b Matrix) int {
	if b.Col == 1 {
		return 0
	}
	return PackedLen(n, k)
}

// PackedLen returns how many elements a packed k×n matrix has.
func PackedLen(n, k int) int { return (n + Panel - 1) / Panel * Panel * k }

// PackB stores B, k×n, in packed[:PackedLen(n, k)], for use by GemmPacked, any number of times and at any level.
//
// A packed matrix is a row of panels of Panel columns (the last filled up with zeros), each k×Panel and row-major.
// Columns j0 to j1 alone, j0 being a multiple of Panel, are packed[j0*k:], with n = j1−j0; so workers can pack ranges
// of columns too, from Matrix{b.Data[j0*b.Col:], b.Row, b.Col}.
func PackB(packed []float32, n, k int, b Matrix) {
	b.check("B", k, n)
	packed = packed[:PackedLen(n, k)]
	for j0 := 0; j0 < n; j0 += Panel {
		cols := min(Panel, n-j0)
		panel := packed[j0*k : (j0+Panel)*k]
		if cols < Panel {
			clear(panel)
		}
		if b.Col == 1 {
			for p := range k {
				copy(panel[p*Panel:(p+1)*Panel], b.Data[p*b.Row+j0:p*b.Row+j0+cols])
			}
			continue
		}
		if b.Row == 1 {
			Transpose(panel, Panel, b.Data[j0*b.Col:], b.Col, cols, k)
			continue
		}
		for p := range k {
			row := panel[p*Panel : p*Panel+cols]
			for j := range row {
				row[j] = b.Data[p*b.Row+(j0+j)*b.Col]
			}
		}
	}
}

// GemmPacked computes C = A·B + D as Gemm does, with B in the form that PackB gives.
func GemmPacked(m, n, k int, c []float32, ldc int, a Matrix, packed []float32, d []float32, ldd int) {
	multiply(m, n, k, c, ldc, a, packed[:PackedLen(n, k)], Panel, k, d, ldd)
}

// tileArgs is one call of a register-blocked kernel: c = a·b + d for rows×cols elements of C, rows being at most the
// level's tileRows, cols at most Panel, and k at least 1. The assembly knows the fields by their offsets.
type tileArgs struct {
	a, b, c, d       []float32 // d is nil for zero
	aRow, aCol, bRow int       // strides in elements
	cRow, dRow       int
	rows, cols, k    int
}

// multiply is Gemm for a B whose element (p, j) is b[p*bRow + j*bPanel] where j is a multiple of Panel, followed by the
// elements of the next Panel−1 columns.
func multiply(m, n, k int, c []float32, ldc int, a Matrix, b []float32, bRow, bPanel int, d []float32, ldd int) {
	if m <= 0 || n <= 0 {
		return
	}
	a.check("A", m, k)
	Matrix{c, ldc, 1}.check("C", m, n)
	if d != nil {
		Matrix{d, ldd, 1}.check("D", m, n)
	}
	if k <= 0 {
		for i := range m {
			row := c[i*ldc:][:n]
			if d == nil {
				clear(row)
			} else {
				copy(row, d[i*ldd:][:n])
			}
		}
		return
	}
	strips := (m + tileRows() - 1) / tileRows()
	t := tileArgs{c: c, d: d, aRow: a.Row, aCol: a.Col, bRow: bRow, cRow: ldc, dRow: ldd}
	for p := 0; p < k; p += blockK {
		t.k = min(blockK, k-p)
		for j := 0; j < n; j += Panel {
			t.cols = min(Panel, n-j)
			t.b = b[p*bRow+j*bPanel:]
			for s := range strips {
				// Strips of nearly equal height: a last one of few rows would waste most of the registers.
				i := s * m / strips
				t.rows = (s+1)*m/strips - i
				t.a = a.Data[i*a.Row+p*a.Col:]
				t.c = c[i*ldc+j:]
				if d != nil {
					t.d = d[i*ldd+j:]
				}
				tile(&t)
			}
		}
		d, ldd = c, ldc
		t.dRow = ldc
	}
}

// tileGo is tile in plain Go. It holds a block of 2×4 sums in registers.
func tileGo(t *tileArgs) {
	for i := 0; i < t.rows; i += 2 {
		a0 := t.a[i*t.aRow:]
		a1 := t.a[min(i+1, t.rows-1)*t.aRow:] // an odd last row is computed twice
		for j := 0; j < t.cols; j += 4 {
			cols := min(4, t.cols-j)
			sums := [2][4]float32{}
			if cols == 4 {
				sums[0], sums[1] = block(a0, a1, t.aCol, t.b[j:], t.bRow, t.k)
			} else {
				for p := range t.k {
					for jj, y := range t.b[p*t.bRow+j:][:cols] {
						sums[0][jj] += a0[p*t.aCol] * y
						sums[1][jj] += a1[p*t.aCol] * y
					}
				}
			}
			for ii := range min(2, t.rows-i) {
				if t.d != nil {
					for jj, y := range t.d[(i+ii)*t.dRow+j:][:cols] {
						sums[ii][jj] += y
					}
				}
				copy(t.c[(i+ii)*t.cRow+j:][:cols], sums[ii][:])
			}
		}
	}
}

// block returns 2×4 sums over p of a[p*aCol]·b[p*bRow+j].
func block(a0, a1 []float32, aCol int, b []float32, bRow, k int) (row0, row1 [4]float32) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float32
	for p := range k {
		x0, x1 := a0[p*aCol], a1[p*aCol]
		y := (*[4]float32)(b[p*bRow:])
		s00 += x0 * y[0]
		s01 += x0 * y[1]
		s02 += x0 * y[2]
		s03 += x0 * y[3]
		s10 += x1 * y[0]
		s11 += x1 * y[1]
		s12 += x1 * y[2]
		s13 += x1 * y[3]
	}
	return [4]float32{s00, s01, s02, s03}, [4]float32{s10, s11, s12, s13}
}
