package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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
	return Matrix{random(rng, rows*(cols+3)), cols + 3, 1}
}

func (m Matrix) transposed() Matrix { return Matrix{m.Data, m.Col, m.Row} }

func (m Matrix) at(i, j int) float64 { return float64(m.Data[i*m.Row+j*m.Col]) }

func TestGemm(t *testing.T) {
	sizes := [][3]int{ // m, n, k
		{1, 1, 1}, {1, 33, 7}, {2, 15, 3}, {3, 16, 64}, {13, 31, 20}, {14, 32, 0}, {14, 32, 33}, {15, 17, 5},
		{28, 64, 100}, {29, 47, blockK}, {7, 40, blockK + 1}, {33, 100, 2*blockK + 17}, {128, 129, 65},
		{3, longN + 40, longK + 1}, {40, 7, 2*longK + 1},
	}
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, size := range sizes {
			for variant := range 16 {
				m, n, k := size[0], size[1], size[2]
				a, b := operand(rng, m, k, variant&1 != 0), operand(rng, k, n, variant&2 != 0)
				ldc := n + 2
				c := random(rng, m*ldc)
				before := append([]float32(nil), c...)
				var d []float32
				ldd := 0
				switch variant >> 2 {
				case 1:
					d = random(rng, n)
				case 2:
					d, ldd = c, ldc
				case 3:
					d, ldd = random(rng, m*n), n
				}
				added := append([]float32(nil), d...)
				scratch := make([]float32, GemmScratch(m, n, k, a, b))
				Gemm(m, n, k, c, ldc, a, b, d, ldd, scratch)
				name := fmt.Sprintf("m=%d n=%d k=%d variant %d", m, n, k, variant)
				for i := range m {
					for j := range n {
						want, size := 0.0, 0.0
						if d != nil {
							want = float64(added[i*ldd+j])
							size = math.Abs(want)
						}
						for p := range k {
							want += a.at(i, p) * b.at(p, j)
							size += math.Abs(a.at(i, p) * b.at(p, j))
						}
						// 2⁻²⁴ per rounding; roundings of k terms, of random sign, add up to about √k.
						tolerance := 4 * 0x1p-24 * size * math.Sqrt(float64(k)+1)
						if got := float64(c[i*ldc+j]); !(math.Abs(got-want) <= tolerance) {
							t.Fatalf("%s: C[%d,%d] = %g, want %g ± %g", name, i, j, got, want, tolerance)
						}
					}
					for j := n; j < ldc; j++ {
						if c[i*ldc+j] != before[i*ldc+j] {
							t.Fatalf("%s: wrote beyond row %d", name, i)
						}
					}
				}
			}
		}
	})
}

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

// TestGemmBits compares products of random sizes with their definition, bit for bit: an element is one chain of
// multiplications and additions in the order of k, fused if the level has such instructions, for each block of k, and
// the blocks of a long sum are added up in halves.
func TestGemmBits(t *testing.T) {
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
			}
			a, b := operand(rng, m, k, rng.IntN(2) == 0), operand(rng, k, n, rng.IntN(2) == 0)
			if round == 0 { // both are copied
				m, n, k = 4*impl.tileRows+3, 4*Panel+2, blockK+3
				a = Matrix{random(rng, k*large/blockK), 1, large / blockK}
				b = Matrix{random(rng, k*large/blockK), large / blockK, 1}
			}
			d, ldd := []float32(nil), 0
			c := random(rng, m*n)
			switch rng.IntN(3) {
			case 0:
				d = random(rng, n)
			case 1:
				d, ldd = c, n
			}
			want := make([]float32, m*n)
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
								sum = multiplyAdd(a.Data[i*a.Row+q*a.Col], b.Data[q*b.Row+j*b.Col], sum)
							}
							total += sum
						}
						return total
					}
					total := float32(0)
					if d != nil {
						total = d[i*ldd+j]
					}
					want[i*n+j] = product(0, k, total)
				}
			}
			packed, fromPacked := make([]float32, PackedLen(n, k)), slices.Clone(c)
			PackB(packed, n, k, b)
			dPacked := d
			if ldd > 0 {
				dPacked = fromPacked
			}
			GemmPacked(m, n, k, fromPacked, n, a, packed, dPacked, ldd, make([]float32, PackedScratch(m, n, k)))
			Gemm(m, n, k, c, n, a, b, d, ldd, make([]float32, GemmScratch(m, n, k, a, b)))
			for x := range want {
				if c[x] != want[x] || fromPacked[x] != want[x] {
					t.Fatalf("m=%d n=%d k=%d: element %d is %g, or %g of a packed B, want %g",
						m, n, k, x, c[x], fromPacked[x], want[x])
				}
			}
		}
	})
}

// TestGemmCopies checks that the copies which Gemm makes of operands with long strides change nothing.
func TestGemmCopies(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		const m, n, k = blockM + 70, 4*Panel + 2, 16
		widen := func(x Matrix, rows, cols int) Matrix {
			wide := Matrix{make([]float32, rows*large/k), large / k, 1}
			for i := range rows {
				copy(wide.Data[i*wide.Row:][:cols], x.Data[i*x.Row:][:cols])
			}
			return wide
		}
		a, b := operand(rng, k, m, false), operand(rng, k, n, false)
		want, got := make([]float32, m*n), make([]float32, m*n)
		if scratch := GemmScratch(m, n, k, a.transposed(), b); scratch != 0 {
			t.Errorf("%d elements of scratch for short strides, want 0", scratch)
		}
		Gemm(m, n, k, want, n, a.transposed(), b, nil, 0, nil)
		a, b = widen(a, k, m), widen(b, k, n)
		scratch := make([]float32, GemmScratch(m, n, k, a.transposed(), b))
		if want := (blockM + strips(blockM) + Panel) * k; len(scratch) != want {
			t.Errorf("%d elements of scratch, want those of both copies, %d", len(scratch), want)
		}
		Gemm(m, n, k, got, n, a.transposed(), b, nil, 0, scratch)
		for x := range got {
			if got[x] != want[x] {
				t.Fatalf("element %d is %g, want %g", x, got[x], want[x])
			}
		}
	})
}

// TestGemmSubnormal checks what becomes of numbers below 2⁻¹²⁶ in products, and that they stay what they are elsewhere.
func TestGemmSubnormal(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const m, n, k, subnormal = 40, 70, 30, 0x1p-130
		zero := current == AVX2 || current == AVX512
		check := func(what string, c []float32, want float32) {
			t.Helper()
			if zero {
				want = 0
			}
			for i, got := range c {
				if got != want {
					t.Fatalf("%s: element %d is %g, want %g", what, i, got, want)
				}
			}
		}
		filled := func(n int, x float32) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = x
			}
			return v
		}
		product := func(x, y float32, d []float32) []float32 {
			c, a, b := make([]float32, m*n), Matrix{filled(m*k, x), k, 1}, Matrix{filled(k*n, y), n, 1}
			Gemm(m, n, k, c, n, a, b, d, 0, make([]float32, GemmScratch(m, n, k, a, b)))
			return c
		}
		check("subnormal A", product(subnormal, 0x1p10, nil), k*0x1p-120)
		check("subnormal B", product(0x1p10, subnormal, nil), k*0x1p-120)
		check("subnormal D", product(1, 0, filled(n, subnormal)), subnormal)
		check("subnormal C", product(0x1p-100, 0x1p-40, nil), k*0x1p-140)
		zero = false
		check("other numbers", product(0x1p-60, 0x1p-60, nil), k*0x1p-120)
		half := make([]float32, n)
		Mul(half, filled(n, subnormal), filled(n, 0.5))
		check("Mul after a product", half, subnormal/2)
	})
}

func TestTranspose(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, rows := range lengths {
			for _, cols := range lengths {
				src, dst := Matrix{random(rng, rows*(cols+2)), cols + 2, 1}, make([]float32, cols*(rows+1))
				Transpose(dst, rows+1, src.Data, cols+2, rows, cols)
				for i := range rows {
					for j := range cols {
						if got := dst[j*(rows+1)+i]; float64(got) != src.at(i, j) {
							t.Fatalf("%d×%d: element %d, %d is %g, want %g", rows, cols, i, j, got, src.at(i, j))
						}
					}
				}
				for j := range cols {
					if dst[j*(rows+1)+rows] != 0 {
						t.Fatalf("%d×%d: wrote beyond row %d", rows, cols, j)
					}
				}
			}
		}
	})
}
