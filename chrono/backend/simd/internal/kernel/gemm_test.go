package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// eachLevel runs f as a subtest at every level that this machine has.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	defer Use(Current())
	for l := Portable; l <= best; l++ {
		if !has(l) {
			continue
		}
		Use(l)
		t.Run(l.String(), f)
	}
}

// random returns n normally distributed numbers.
func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// operand returns a random rows×cols matrix with a few unused elements after each row (or column, if transposed).
func operand(rng *rand.Rand, rows, cols int, transposed bool) Matrix {
	if transposed {
		return operand(rng, cols, rows, false).transposed()
	}
	return Matrix{Data: random(rng, rows*(cols+3)), Row: cols + 3, Col: 1}
}

// inPieces replaces m, with n rows or columns other apart, and k terms of the inner sum stride apart, by a random
// matrix whose terms are in pieces.
func (m *Matrix) inPieces(rng *rand.Rand, n, k int, other, stride *int) {
	m.Every = 1 + rng.IntN(12)
	m.Far = m.Every**stride + rng.IntN(9)
	if *stride < *other {
		*other = (k/m.Every + 1) * m.Far
	}
	m.Data = random(rng, n**other+(k/m.Every+1)*m.Far)
}

func (m Matrix) transposed() Matrix { return Matrix{Data: m.Data, Row: m.Col, Col: m.Row} }

func (m Matrix) at(i, j int) float64 { return float64(m.Data[i*m.Row+j*m.Col]) }

// fma returns x·y + z, rounded once.
func fma(x, y, z float32) float32 {
	p, z64 := float64(x)*float64(y), float64(z) // the product is exact
	sum := p + z64
	part := sum - p
	lost := p - (sum - part) + (z64 - part)
	if bits := math.Float64bits(sum); lost != 0 && bits&1 == 0 {
		// An odd last bit keeps the second rounding from taking a rounded sum for a tie.
		if lost > 0 == (sum > 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}

// TestGemm compares products of random sizes with their definition, bit for bit: an element is one chain of
// multiplications and additions in the order of k, fused if the level has such instructions, for each block of k, and
// the blocks of a long sum are added up in halves.
func TestGemm(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		multiplyAdd := fma
		if current == Portable {
			multiplyAdd = func(x, y, z float32) float32 { return x*y + z } // which some compilers fuse
		}
		rng := rand.New(rand.NewPCG(17, 18))
		for round := range 100 {
			m, n, k := 1+rng.IntN(70), 1+rng.IntN(80), 1+rng.IntN(40)
			switch rng.IntN(20) {
			case 0:
				k += blockK * (1 + rng.IntN(2))
			case 1:
				m, n, k = 1+m/20, 1+n/20, k+longK*(1+rng.IntN(4))
			case 2:
				k = 0
			}
			switch round {
			case 1:
				m, n, k = 3, longN+40, longK+1
			case 2: // in pieces
				m, n, k = 15, 40, longK+blockK+5
			}
			a, b := operand(rng, m, k, rng.IntN(2) == 0), operand(rng, k, n, rng.IntN(2) == 0)
			if round == 0 { // both are copied
				m, n, k = blockM+70, 4*Panel+2, blockK+3
				a = Matrix{Data: random(rng, k*2*blockM), Row: 1, Col: 2 * blockM}
				b = Matrix{Data: random(rng, k*large/blockK), Row: large / blockK, Col: 1}
			}
			if round == 2 || round > 2 && rng.IntN(3) == 0 {
				a.inPieces(rng, m, k, &a.Row, &a.Col)
				b.inPieces(rng, n, k, &b.Col, &b.Row)
			}
			d, ldd, ldc := []float32(nil), 0, n+rng.IntN(3)
			c := random(rng, m*ldc)
			switch rng.IntN(4) {
			case 0:
				d = random(rng, n)
			case 1:
				d, ldd = c, ldc
			case 2:
				d, ldd = random(rng, m*n), n
			}
			want := slices.Clone(c) // beyond a row, C stays
			for i := range m {
				for j := range n {
					var product func(from, to int, total float32) float32
					product = func(from, to int, total float32) float32 {
						if k := to - from; k > longK {
							h := from + Half(k)
							return product(from, h, total) + product(h, to, 0)
						}
						for p := from; p < to; p += blockK {
							sum := float32(0)
							for q := p; q < min(to, p+blockK); q++ {
								x, y := a.Data[i*a.Row+a.Term(q, a.Col)], b.Data[b.Term(q, b.Row)+j*b.Col]
								sum = multiplyAdd(x, y, sum)
							}
							total += sum
						}
						return total
					}
					total := float32(0)
					if d != nil {
						total = d[i*ldd+j]
					}
					want[i*ldc+j] = product(0, k, total)
				}
			}
			packed, fromPacked := make([]float32, PackedLen(n, k)), slices.Clone(c)
			PackB(packed, n, k, b)
			dPacked := d
			if d != nil && &d[0] == &c[0] {
				dPacked = fromPacked
			}
			ahead := &Ahead{Pieces: []uintptr{1 << 20, 2 << 20, 3 << 20}[:rng.IntN(4)], Bytes: rng.IntN(5000)}
			scratch := make([]float32, PackedScratch(m, n, k))
			if a.Every > 0 {
				fromPacked = want
			} else {
				GemmPacked(m, n, k, fromPacked, ldc, a, packed, dPacked, ldd, scratch, ahead)
			}
			Gemm(m, n, k, c, ldc, a, b, d, ldd, make([]float32, GemmScratch(m, n, k, a, b)), ahead)
			for x := range want {
				check.Must(t, c[x] == want[x] && fromPacked[x] == want[x],
					"m=%d n=%d k=%d: element %d is %g, or %g of a packed B, want %g", m, n, k, x, c[x],
					fromPacked[x], want[x])
			}
		}
	})
}

// TestAhead checks that the strips of a product fetch all of all pieces, each strip one part at most.
func TestAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 1000 {
		x := Ahead{Pieces: []uintptr{1 << 20, 3 << 20, 2 << 20}[:rng.IntN(4)], Bytes: 1 + rng.IntN(10000)}
		strips, k := 3+rng.IntN(100), 1+rng.IntN(300)
		parts, step := x.divide(strips, k)
		check.Must(t, len(parts) <= strips, "%d parts for %d strips", len(parts), strips)
		for _, p := range x.Pieces {
			end := p + uintptr(x.Bytes)
			for p < end && len(parts) > 0 && parts[0] == p {
				p, parts = p+uintptr(step*k), parts[1:]
			}
			check.Must(t, p >= end, "%d strips, k=%d: %d of %d bytes are left", strips, k, end-p, x.Bytes)
		}
	}
	x := Ahead{Pieces: make([]uintptr, 5), Bytes: 100}
	parts, _ := x.divide(4, 10)
	check.Equal(t, len(parts), 0, "parts of 5 pieces for 4 strips")
}

// TestGemmSubnormal checks what becomes of numbers below 2⁻¹²⁶ in products, and that they stay what they are elsewhere.
func TestGemmSubnormal(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const m, n, k, subnormal = 40, 70, 30, 0x1p-130
		zero := current == AVX2 || current == AVX512
		all := func(what string, c []float32, want float32) {
			t.Helper()
			if zero {
				want = 0
			}
			for i, got := range c {
				check.Must(t, got == want, "%s: element %d is %g, want %g", what, i, got, want)
			}
		}
		filled := func(n int, x float32) []float32 { return slices.Repeat([]float32{x}, n) }
		product := func(x, y float32, d []float32) []float32 {
			c, a := make([]float32, m*n), Matrix{Data: filled(m*k, x), Row: k, Col: 1}
			b := Matrix{Data: filled(k*n, y), Row: n, Col: 1}
			Gemm(m, n, k, c, n, a, b, d, 0, make([]float32, GemmScratch(m, n, k, a, b)), nil)
			return c
		}
		all("subnormal A", product(subnormal, 0x1p10, nil), k*0x1p-120)
		all("subnormal B", product(0x1p10, subnormal, nil), k*0x1p-120)
		all("subnormal D", product(1, 0, filled(n, subnormal)), subnormal)
		all("subnormal C", product(0x1p-100, 0x1p-40, nil), k*0x1p-140)
		zero = false
		all("other numbers", product(0x1p-60, 0x1p-60, nil), k*0x1p-120)
		half := make([]float32, n)
		Mul(half, filled(n, subnormal), filled(n, 0.5))
		all("Mul after a product", half, subnormal/2)
	})
}

func TestTranspose(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, rows := range lengths {
			for _, cols := range lengths {
				src := Matrix{Data: random(rng, rows*(cols+2)), Row: cols + 2, Col: 1}
				dst := make([]float32, cols*(rows+1))
				Transpose(dst, rows+1, src.Data, cols+2, rows, cols)
				for i := range rows {
					for j := range cols {
						if got := dst[j*(rows+1)+i]; float64(got) != src.at(i, j) {
							t.Fatalf("%d×%d: element %d, %d is %g, want %g", rows, cols, i, j, got, src.at(i, j))
						}
					}
				}
				for j := range cols {
					check.Must(t, dst[j*(rows+1)+rows] == 0, "%d×%d: wrote beyond row %d", rows, cols, j)
				}
			}
		}
	})
}
