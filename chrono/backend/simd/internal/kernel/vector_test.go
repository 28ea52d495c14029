package kernel

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/internal/check"
)

// lengths of slices: none, parts of a vector, whole vectors, several and a part.
var lengths = []int{0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 257}

// awkward returns n numbers among which are NaN, infinities, both zeros, subnormals, and numbers that others repeat.
func awkward(rng *rand.Rand, n int) []float32 {
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0,
		float32(math.Copysign(0, -1)),
		0x1p-149, -0x1p-130, math.MaxFloat32, 1, -1, 0.5, 2.5}
	v := random(rng, n)
	for i := range v {
		if rng.IntN(2) == 0 {
			v[i] = special[rng.IntN(len(special))]
		}
	}
	return v
}

func bools(rng *rand.Rand, n int) []bool {
	v := make([]bool, n)
	for i := range v {
		v[i] = rng.IntN(2) == 0
	}
	return v
}

// inputs are the operands of every kernel under test.
type inputs struct {
	a, b, c, d []float32
	cond       []bool
	s          float32
}

// floatKernels are all kernels but reductions, by name, with 1 for true, as they are at the level in use.
func floatKernels(t *testing.T) map[string]func(dst []float32, x inputs) {
	kernels := map[string]func(dst []float32, x inputs){}
	table := reflect.ValueOf(impl.implementation)
	for i := range table.NumField() {
		name := table.Type().Field(i).Name
		check.Must(t, !table.Field(i).IsNil(), "%s has no kernel %s", current, name)
		switch f := table.Field(i).Interface().(type) {
		case func(dst, a []float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.a) }
		case func(dst, a, b []float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.a, x.b) }
		case func(dst, a, b, c []float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.a, x.b, x.c) }
		case func(dst, a, b, c, d []float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.a, x.b, x.c, x.d) }
		case func(dst []float32, s float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.s) }
		case func(dst []float32, cond []bool, a, b []float32):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.cond, x.a, x.b) }
		case func(dst []float32, cond []bool):
			kernels[name] = func(dst []float32, x inputs) { f(dst, x.cond) }
		case func(dst []bool, a, b []float32):
			kernels[name] = func(dst []float32, x inputs) {
				holds := make([]bool, len(dst)+1)
				holds[len(dst)] = true
				f(holds[:len(dst)], x.a, x.b)
				check.Must(t, holds[len(dst)], "%s, length %d: wrote beyond the end", name, len(dst))
				for i := range dst {
					dst[i] = float32(bit(holds[i]))
				}
			}
		case func(a []float32) float32: // TestReductions
		default:
			t.Fatalf("kernel %s is of type %T, which no test knows", name, f)
		}
	}
	return kernels
}

// rounding names the kernels that round less often with fused instructions than without.
var rounding = map[string]bool{"MulAdd": true, "MulSub": true, "SubMul": true, "MulMulAdd": true, "TanhGrad": true}

// near reports whether x and y differ by what rounding intermediate results of magnitude size can cause.
func near(x, y, size float32) bool {
	return same(x, y) || math.Abs(float64(x-y)) <= 0x1p-22*float64(size)
}

// from returns n elements of each input, from element i on.
func (x inputs) from(i, n int) inputs {
	return inputs{x.a[i:][:n], x.b[i:][:n], x.c[i:][:n], x.d[i:][:n], x.cond[i:][:n], x.s}
}

// TestElementwise compares every level with plain Go: the same bits, but for kernels that round differently and those
// of TestMath; and checks that dst may be an input and that nothing else is touched.
func TestElementwise(t *testing.T) {
	Use(Portable)
	plain := floatKernels(t)
	Use(best)
	eachLevel(t, func(t *testing.T) {
		for name, f := range floatKernels(t) {
			rng := rand.New(rand.NewPCG(5, 6))
			for _, n := range lengths {
				for round := range 8 {
					values := awkward
					if rounding[name] {
						values = random // infinite intermediate results may differ
					}
					x := inputs{
						values(rng, n), values(rng, n), values(rng, n), values(rng, n),
						bools(rng, n), values(rng, 1)[0],
					}
					want := make([]float32, n)
					plain[name](want, x)
					got := make([]float32, n+2)
					got[n], got[n+1] = 7, 7
					f(got[:n], x)
					check.Must(t, got[n] == 7 && got[n+1] == 7, "%s, length %d: wrote beyond the end", name, n)
					for i := range want {
						if mathFunctions[name].ulps > 0 {
							break
						}
						if rounding[name] {
							abs := func(v []float32) float32 { return float32(math.Abs(float64(v[i]))) }
							size := 2 + (abs(x.a)+1)*(abs(x.b)+2)*(abs(x.b)+2) + abs(x.c)*(abs(x.d)+1)
							if near(got[i], want[i], size) {
								continue
							}
						}
						check.Must(t, same(got[i], want[i]),
							"%s, length %d, element %d: %g, want %g (a=%g b=%g c=%g d=%g s=%g)", name, n, i, got[i],
							want[i], x.a[i], x.b[i], x.c[i], x.d[i], x.s)
					}
					in := []*[]float32{&x.a, &x.b, &x.c, &x.d}[round%4]
					f(*in, x)
					check.Must(t, slices.EqualFunc(*in, got[:n], same),
						"%s, length %d: another result if dst is input %d", name, n, round%4)
				}
			}
		}
	})
}

// TestPosition checks that an element's result depends neither on its position nor on the length: tiles may be cut
// anywhere.
func TestPosition(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		const n = 100
		x := inputs{random(rng, n), random(rng, n), random(rng, n), random(rng, n), bools(rng, n), 0.7}
		for name, f := range floatKernels(t) {
			want, got := make([]float32, n), make([]float32, 1)
			f(want, x)
			for i := range n {
				f(got, x.from(i, 1))
				check.That(t, same(got[0], want[i]), "%s: %g alone, %g at %d of %d", name, got[0], want[i], i, n)
			}
		}
	})
}

func TestReductions(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, n := range append(lengths, 1000) {
			a := random(rng, n)
			sum, size := 0.0, 0.0
			for _, x := range a {
				sum += float64(x)
				size += math.Abs(float64(x))
			}
			// Some 20 roundings in a chain, each 2⁻²⁴ of a partial sum.
			got := float64(Sum(a))
			check.That(t, math.Abs(got-sum) <= 20*0x1p-24*size, "Sum of %d: %g, want %g", n, got, sum)
			checkExtremes := func(v []float32) {
				greatest, least := float32(math.Inf(-1)), float32(math.Inf(1))
				for _, x := range v {
					greatest, least = max(greatest, x), min(least, x)
				}
				high, low := ReduceMax(v), ReduceMin(v)
				check.That(t, same(high, greatest), "ReduceMax of %d: %g, want %g", n, high, greatest)
				check.That(t, same(low, least), "ReduceMin of %d: %g, want %g", n, low, least)
			}
			checkExtremes(a)
			for i := range a { // a NaN, an infinity or a zero at each position
				for _, special := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)} {
					v := slices.Clone(a)
					v[i] = float32(special)
					checkExtremes(v)
				}
				if n > 300 {
					break
				}
			}
		}
	})
}

func TestShortInputPanics(t *testing.T) {
	long, short := make([]float32, 9), make([]float32, 8)
	a, b := Matrix{Data: long, Row: 3, Col: 1}, Matrix{Data: short, Row: 3, Col: 1}
	for name, f := range map[string]func(){
		"Tanh":      func() { Tanh(long, short) },
		"Add":       func() { Add(long, long, short) },
		"MulMulAdd": func() { MulMulAdd(long, long, long, long, short) },
		"Gemm":      func() { Gemm(3, 3, 3, long, 3, a, b, nil, 0, nil, nil) },
		"Gemm's C":  func() { Gemm(3, 3, 3, short, 3, a, a, nil, 0, nil, nil) },
	} {
		check.That(t, exceptions.Try(f) != nil, "%s does not panic", name)
	}
}

// Rows are copied bit for bit, whatever the bits mean, and nothing is written between them.
func TestCopyRows(t *testing.T) {
	const rows, gap = 5, 3
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for _, n := range lengths[1:] {
			src, dst := make([]uint32, rows*(n+gap)), make([]uint32, rows*(n+2*gap))
			for i := range src {
				src[i] = rng.Uint32() | math.Float32bits(float32(math.Inf(1))) // NaN of every kind
			}
			want := slices.Clone(dst)
			for r := range rows {
				copy(want[r*(n+2*gap):][:n], src[r*(n+gap):])
			}
			CopyRows(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), 4*(n+2*gap), 4*(n+gap), rows, n)
			check.That(t, slices.Equal(dst, want), "%d rows of %d are\n%x, want\n%x", rows, n, dst, want)
		}
	})
}

func TestAccumulate(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for _, n := range lengths {
			a, sums := random(rng, n), make([]float64, n+1)
			want := make([]float64, n+1)
			for i := range sums {
				sums[i] = rng.NormFloat64()
				want[i] = sums[i]
			}
			for i, v := range a {
				want[i] += float64(v)
			}
			Accumulate(sums, a)
			check.Equal(t, sums, want, "%d sums", n)
		}
	})
}
