package kernel

import (
	"fmt"
	"unsafe"
)

const (
	// Panel is the number of columns in a panel of a packed matrix, at every level.
	Panel = 32

	// blockK is how many terms of the inner sum are added up in registers before they are added to C. Sums of more than
	// longK terms are cut in two.
	blockK = 256
	longK  = 16 * blockK

	// blockM is how many rows of A are multiplied by a panel of B in turn. With blockK columns they are more than the
	// second-level cache holds; but they are read one after the other, and a panel that is copied is copied once for
	// all.
	blockM = 1024

	// longN is how many columns of B are multiplied in turn where inner sums are cut in two, so that halves of few
	// columns of C have to be kept.
	longN = 512

	// large is how many elements make up about half of a small second-level cache. Where a block of A or B is spread
	// over more memory, because its rows or columns are far apart, it is copied before it is used, if it is used
	// fewTimes at least. gen's leastCopying follows from it: the first of the strips of fewTimes·tileRows rows or more
	// is no lower.
	large    = 1 << 17
	fewTimes = 4

	// Where rows of A are whole pages (in elements) apart, elements of one column compete for the few places that the
	// nearest cache has for an address within a page. So strips are no higher there, unless one copies a panel.
	page   = 1 << 10
	places = 8
)

// Matrix is a view of a matrix: element (i, j) is Data[i*Row + j*Col]. A row-major matrix with leading dimension ld is
// {Data: data, Row: ld, Col: 1}; its transpose is {Data: data, Row: 1, Col: ld}.
type Matrix struct {
	Data     []float32
	Row, Col int // strides in elements
	// The inner sum may be over two axes: after Every of its terms (columns of A, rows of B), if that is not 0, the
	// matrix goes on Far elements from where these begin.
	Every, Far int
}

// from returns the view of m from element (i, j) on, where one that is not 0 is not of the inner sum.
func (m Matrix) from(i, j int) Matrix {
	m.Data = m.Data[i*m.Row+j*m.Col:]
	return m
}

// Term returns where term p of the inner sum is; terms are stride elements apart.
func (m Matrix) Term(p, stride int) int {
	if m.Every == 0 {
		return p * stride
	}
	return p/m.Every*m.Far + p%m.Every*stride
}

// copyTerms copies k terms of the inner sum, which are stride apart, from the given one on. Each is n elements, step
// apart; in dst they follow one another, and those of the next term begin ld further on.
func (m Matrix) copyTerms(dst []float32, ld, from, k, stride, n, step int) {
	for done := 0; done < k; {
		at, together := m.Term(from+done, stride), k-done
		if m.Every > 0 {
			together = min(together, m.Every-(from+done)%m.Every)
		}
		if step == 1 {
			CopyRows(unsafe.Pointer(&dst[done*ld]), unsafe.Pointer(&m.Data[at]), 4*ld, 4*stride, together, n)
		} else {
			for i := range together * n {
				dst[(done+i/n)*ld+i%n] = m.Data[at+i/n*stride+i%n*step]
			}
		}
		done += together
	}
}

// check panics unless m holds rows×cols elements.
func (m Matrix) check(name string, rows, cols int) {
	m.holds(name, rows, cols, (rows-1)*m.Row+(cols-1)*m.Col)
}

func (m Matrix) checkA(rows, k int) { m.holds("A", rows, k, (rows-1)*m.Row+m.Term(k-1, m.Col)) }
func (m Matrix) checkB(k, cols int) { m.holds("B", k, cols, m.Term(k-1, m.Row)+(cols-1)*m.Col) }

// holds panics if the last of rows×cols elements is none of m.
func (m Matrix) holds(name string, rows, cols, last int) {
	if rows > 0 && cols > 0 && (min(m.Row, m.Col, m.Far) < 0 || last >= len(m.Data)) {
		panic(fmt.Sprintf("kernel: %s has %d elements, too few for %d×%d with strides %d, %d",
			name, len(m.Data), rows, cols, m.Row, m.Col))
	}
}

// Gemm computes C = A·B + D, where A is m×k, B is k×n, and C, D are m×n and row-major with leading dimensions ldc
// and ldd. D = nil stands for zero; D = C (the same slice and leading dimension) accumulates; ldd = 0 adds the row
// D[:n], a bias, to every row. C must not overlap A or B, nor D otherwise.
//
// scratch must have GemmScratch(m, n, k, a, b) elements at least; its content before and after does not matter.
//
// Element (i, j) has the same bits however a product is divided into calls for ranges of rows or of columns, and
// whether B is packed or not: how its terms are added depends on k only. They are added in blocks of blockK, and these
// one after the other up to longK; longer sums are cut in two as Half says.
//
// With AVX2 and AVX-512, subnormal operands and sums count as zero: there, a product with one takes two hundred times
// as long as any other, and gradients that vanish over a long sequence are subnormal before they are zero.
//
// ahead may be nil; no result depends on it. If there is nothing to fetch, and A is read only once, it is used for A.
func Gemm(m, n, k int, c []float32, ldc int, a, b Matrix, d []float32, ldd int, scratch []float32, ahead *Ahead) {
	b.checkB(k, n)
	lenA, lenB := scratchLens(m, n, k, a, b)
	multiply(m, n, k, c, ldc, a, b, d, ldd, scratch[:lenA], scratch[lenA:lenA+lenB], scratch[lenA+lenB:], ahead)
}

// GemmScratch returns how many elements of scratch Gemm needs for these sizes and strides: those of a block of A or B
// that is better copied than read where it is, and PackedScratch. It is no more for smaller sizes, and does not look at
// the data.
func GemmScratch(m, n, k int, a, b Matrix) int {
	lenA, lenB := scratchLens(m, n, k, a, b)
	return lenA + lenB + PackedScratch(m, n, k)
}

// PackedScratch returns how many elements of scratch GemmPacked needs: for each half of a long inner sum that waits for
// the other, those of a block of C.
func PackedScratch(m, n, k int) int { return Halves(k, longK) * min(m, blockM) * min(n, longN) }

func scratchLens(m, n, k int, a, b Matrix) (lenA, lenB int) {
	depth := min(k, blockK)
	if a.Every > 0 || a.Row == 1 && a.Col > 1 && a.Col*depth >= large && n >= fewTimes*Panel {
		rows := min(m, blockM)
		lenA = (rows + strips(rows, impl.tileRows)) * depth
	}
	if b.Every > 0 {
		lenB = depth * min(n, longN)
	} else if n > 1 && b.Col != 1 || b.Row*depth >= large && m >= fewTimes*impl.tileRows {
		lenB = depth * Panel
	}
	return lenA, lenB
}

// PackedLen returns how many elements a packed k×n matrix has.
func PackedLen(n, k int) int { return (n + Panel - 1) / Panel * Panel * k }

// PackB stores B, k×n, in packed[:PackedLen(n, k)], for use by GemmPacked, any number of times and at any level.
//
// A packed matrix is a row of panels of Panel columns (the last filled up with zeros), each k×Panel and row-major.
// Columns j0 to j1 alone, j0 being a multiple of Panel, are packed[j0*k:], with n = j1−j0; so workers can pack ranges
// of columns too, of a B that starts at column j0.
func PackB(packed []float32, n, k int, b Matrix) {
	b.checkB(k, n)
	packed = packed[:PackedLen(n, k)]
	if k <= 0 {
		return
	}
	for j := 0; j < n; j += Panel {
		packPanel(packed[j*k:(j+Panel)*k], min(Panel, n-j), k, b.from(0, j))
	}
}

// packPanel packs the first cols columns of B in one panel.
func packPanel(panel []float32, cols, k int, b Matrix) {
	if cols < Panel {
		clear(panel)
	}
	if b.Row == 1 && b.Col != 1 {
		Transpose(panel, Panel, b.Data, b.Col, cols, k)
	} else {
		b.copyTerms(panel, Panel, 0, k, b.Row, cols, b.Col)
	}
}

// GemmPacked computes C = A·B + D as Gemm does, with an A in one piece and B in the form that PackB gives. scratch must
// have PackedScratch(m, n, k) elements at least.
func GemmPacked(m, n, k int, c []float32, ldc int, a Matrix, packed []float32, d []float32, ldd int,
	scratch []float32, ahead *Ahead) {
	b := Matrix{Data: packed[:PackedLen(n, k)], Row: Panel, Col: k}
	multiply(m, n, k, c, ldc, a, b, d, ldd, nil, nil, scratch, ahead)
}

// Ahead is what a product fetches into the second-level cache while it computes, because it is needed next: pieces of
// memory of equal size, by their addresses. Only the assembly for amd64 fetches them.
type Ahead struct {
	Pieces []uintptr
	Bytes  int // of each piece
	parts  []uintptr
}

// divide divides the pieces among the strips of all panels, so that each fetches a part: step bytes for each of
// the k rows of B that it multiplies. The parts are none if there are fewer strips than pieces.
func (x *Ahead) divide(strips, k int) (parts []uintptr, step int) {
	x.parts = x.parts[:0]
	if x.Bytes == 0 || strips < len(x.Pieces) {
		return nil, 0
	}
	perPiece := strips / max(1, len(x.Pieces))
	step = (x.Bytes + perPiece*k - 1) / (perPiece * k)
	for _, p := range x.Pieces {
		for at := 0; at < x.Bytes; at += step * k {
			x.parts = append(x.parts, p+uintptr(at))
		}
	}
	return x.parts, step
}

// blockArgs is the product of a block of A and a block of B: c = a·b + d. Its rows are divided into strips, nearly
// equal, because a last strip of few rows would waste most of the registers. The assembly knows the fields by their
// offsets.
type blockArgs struct {
	a, b, c, d []float32 // d is nil for zero
	copy       []float32 // if not nil, where a panel of b is copied to by the first of its strips
	aRow, aCol int       // strides in elements
	aSkip      int       // from the end of a strip's first column to the next strip, if a is a copy; else 0
	bRow       int
	bPanel     int // from a panel to the next
	cRow, dRow int

	height, taller, strips int // height of the first taller strips; the others are one row lower
	cols, k                int // at least 1

	ahead     []uintptr // what the first strips fetch, each a part
	aheadStep int       // in bytes
}

// panels returns into how many panels the columns are divided.
func (t *blockArgs) panels() int { return (t.cols + Panel - 1) / Panel }

// multiply is Gemm for a B of which only columns that are multiples of Panel are found by b.Col; the next Panel−1
// columns follow each. If copyA or copyB is not empty, blocks of A or B are copied there before they are used. spare
// has PackedScratch(m, n, k) elements.
func multiply(m, n, k int, c []float32, ldc int, a, b Matrix, d []float32, ldd int, copyA, copyB, spare []float32,
	ahead *Ahead) {
	if m <= 0 || n <= 0 {
		return
	}
	a.checkA(m, k)
	Matrix{Data: c, Row: ldc, Col: 1}.check("C", m, n)
	if d != nil {
		Matrix{Data: d, Row: ldd, Col: 1}.check("D", m, n)
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
	own := ahead != nil && ahead.Bytes == 0 && a.Col == 1 && a.Every == 0 && a.Row < 2*k &&
		(n <= Panel && k <= blockK || k <= 4*blockK && m*a.Row >= large)
	height := impl.tileRows
	if a.Row > 0 && a.Row%page == 0 && len(copyB) == 0 {
		height = min(height, places)
	}
	columns := n
	if k > longK || b.Every > 0 {
		columns = longN
	}
	for i := 0; i < m; i += blockM {
		rows := min(blockM, m-i)
		count := strips(rows, height)
		t := blockArgs{aRow: a.Row, aCol: a.Col, bRow: b.Row, bPanel: Panel * b.Col, cRow: ldc,
			height: rows / count, taller: rows % count, strips: count}
		if t.taller > 0 {
			t.height++
		} else {
			t.taller = count
		}
		for j := 0; j < n; j += columns {
			t.cols, t.c, t.d, t.dRow = min(columns, n-j), c[i*ldc+j:], nil, ldd
			if d != nil {
				t.d = d[i*ldd+j:]
			}
			if own {
				next := uintptr(unsafe.Pointer(&a.Data[i*a.Row])) + uintptr(4*t.height*a.Row)
				ahead.Pieces, ahead.Bytes = append(ahead.Pieces[:0], next), 4*rows*a.Row
				t.ahead, t.aheadStep = ahead.divide(count, min(k, blockK))
			} else if ahead != nil {
				blocks := (k + blockK - 1) / blockK
				t.ahead, t.aheadStep = ahead.divide(count*t.panels()*blocks, min(k, blockK))
				ahead = nil
			}
			multiplyBlock(&t, rows, 0, k, a.from(i, 0), b.from(0, j), copyA, copyB, spare)
		}
	}
}

// multiplyBlock is multiply for the block of C that t describes, and terms from to end of the inner sum. It changes t's
// A, B and D.
func multiplyBlock(t *blockArgs, rows, from, end int, a, b Matrix, copyA, copyB, spare []float32) {
	if k := end - from; k > longK {
		h := from + Half(k)
		multiplyBlock(t, rows, from, h, a, b, copyA, copyB, spare)
		other := *t
		other.c, other.cRow, other.d = spare, t.cols, nil
		multiplyBlock(&other, rows, h, end, a, b, copyA, copyB, spare[rows*t.cols:])
		for i := range rows {
			row := t.c[i*t.cRow:][:t.cols]
			Add(row, row, spare[i*t.cols:])
		}
		return
	}
	if t.d == nil {
		t.dRow = 0 // the next strip's D is nil, too
	}
	for p := from; p < end; p += blockK {
		t.k = min(blockK, end-p)
		t.a, t.aCol, t.aSkip = a.Data[a.Term(p, a.Col):], a.Col, 0
		if len(copyA) > 0 {
			copyStrips(copyA, p, a, t)
		}
		if p > from {
			t.d, t.dRow = t.c, t.cRow
		}
		t.b = b.Data[b.Term(p, b.Row):]
		switch {
		case len(copyB) == 0:
			compute(t)
		case b.Every > 0:
			t.b, t.bRow, t.bPanel = copyB, t.cols, Panel
			b.copyTerms(copyB, t.cols, p, t.k, b.Row, t.cols, b.Col)
			compute(t)
		case b.Col == 1 && impl.copies:
			if rows >= fewTimes*impl.tileRows {
				t.copy = copyB
			}
			compute(t)
		default:
			panels := *t
			panels.ahead = nil
			for j := 0; j < t.cols; j += Panel {
				panels.cols = min(Panel, t.cols-j)
				packPanel(copyB[:t.k*Panel], panels.cols, t.k, b.from(p, j))
				panels.b, panels.bRow = copyB, Panel
				panels.c = t.c[j:]
				if t.d != nil {
					panels.d = t.d[j:]
				}
				compute(&panels)
			}
		}
		t.ahead = t.ahead[min(len(t.ahead), t.strips*t.panels()):]
	}
}

// strips returns into how many strips of at most the given height rows of C are divided.
func strips(rows, height int) int { return (rows + height - 1) / height }

// copyStrips copies a block of A from a column on, and has t describe the copy. A strip of it is row-major and
// k×height; if lower, it ends with its last row's last element, and the next begins there.
func copyStrips(dst []float32, from int, a Matrix, t *blockArgs) {
	t.a, t.aRow, t.aCol, t.aSkip = dst, 1, t.height, (t.k-1)*t.height
	first, at := 0, 0
	for s := range t.strips {
		height := t.height
		if s >= t.taller {
			height--
		}
		a.from(first, 0).copyTerms(dst[at:], t.height, from, t.k, a.Col, height, a.Row)
		first, at = first+height, at+t.aSkip+height
	}
}

// computeTiles computes a block strip by strip and panel by panel, with plain Go's or NEON's kernel.
func computeTiles(t *blockArgs) {
	tile := *t
	for j := 0; j < t.cols; j += Panel {
		tile.cols = min(Panel, t.cols-j)
		tile.b = t.b[j/Panel*t.bPanel:]
		tile.height = t.height
		first, a := 0, 0
		for s := range t.strips {
			if s == t.taller {
				tile.height--
			}
			tile.a, tile.c = t.a[a:], t.c[first*t.cRow+j:]
			if t.d != nil {
				tile.d = t.d[first*t.dRow+j:]
			}
			computeTile(&tile)
			first += tile.height
			a += t.aSkip + tile.height*t.aRow
		}
	}
}

// tileGo computes a tile in plain Go, two rows at a time. Sums of an odd last row, which is computed twice, and of rows
// that are no multiple of four columns are not added up in C: their blocks overlap.
func tileGo(t *blockArgs) {
	var sums [2][Panel]float32
	for i := 0; i < t.height; i += 2 {
		rows, aRow := min(2, t.height-i), 4*t.aRow
		if rows == 1 {
			aRow = 0
		}
		a := unsafe.Pointer(&t.a[i*t.aRow])
		c, d := t.c[i*t.cRow:], t.d
		if d != nil {
			d = d[i*t.dRow:]
		}
		switch {
		case rows == 2 && t.cols%4 == 0:
			multiplyRows(unsafe.Pointer(&c[0]), 4*t.cRow, unsafe.Pointer(unsafe.SliceData(d)), 4*t.dRow,
				a, aRow, 4*t.aCol, unsafe.Pointer(&t.b[0]), 4*t.bRow, t.k, t.cols)
			continue
		case t.cols >= 4:
			multiplyRows(unsafe.Pointer(&sums), 4*Panel, nil, 0, a, aRow, 4*t.aCol, unsafe.Pointer(&t.b[0]), 4*t.bRow,
				t.k, t.cols)
		default:
			clear(sums[:])
			for p := range t.k {
				for r := range rows {
					for j, y := range t.b[p*t.bRow:][:t.cols] {
						sums[r][j] += t.a[(i+r)*t.aRow+p*t.aCol] * y
					}
				}
			}
		}
		for r := range rows {
			row := c[r*t.cRow:][:t.cols]
			if d == nil {
				copy(row, sums[r][:])
				continue
			}
			for j, y := range d[r*t.dRow:][:t.cols] {
				row[j] = sums[r][j] + y
			}
		}
	}
}
