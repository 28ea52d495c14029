package kernel

import (
	"flag"
	"math"
	"testing"
)

// stride's default is a prime, so that all of an argument's bits vary.
var stride = flag.Uint64("stride", 4099, "test functions at every stride-th of the 2³² arguments; 1 takes half an hour")

// ulps returns the distance of got from want in units of the last place of want as a float32, subnormals included; 0 if
// both are NaN, or if want rounds to got.
func ulps(got float32, want float64) float64 {
	rounded := float32(want)
	switch {
	case math.IsNaN(want) && got != got, rounded == got && math.Signbit(want) == math.Signbit(float64(got)):
		return 0
	case math.IsNaN(want), got != got, math.IsInf(float64(rounded), 0), math.IsInf(float64(got), 0),
		math.Signbit(want) != math.Signbit(float64(got)):
		return math.Inf(1)
	}
	exponent := max(math.Ilogb(want), -126)
	return math.Abs(float64(got)-want) / math.Ldexp(1, exponent-23)
}

// mathFunctions are functions of one number, with the greatest error of kernels.
var mathFunctions = map[string]struct {
	want func(float64) float64
	ulps float64
}{
	"Exp": {math.Exp, 4}, "Expm1": {math.Expm1, 4}, "Log": {math.Log, 4}, "Log1p": {math.Log1p, 4},
	"Tanh": {math.Tanh, 4}, "Logistic": {func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 4},
	"Erf":   {math.Erf, 2},
	"Rsqrt": {func(x float64) float64 { return 1 / math.Sqrt(x) }, 2},
	"Sqrt":  {math.Sqrt, 0}, "Abs": {math.Abs, 0}, "Neg": {func(x float64) float64 { return -x }, 0},
	"Sign": {func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x // a zero has a sign, and NaN has none
	}, 0},
}

// TestMath compares with float64 at arguments over the whole range, and near every power of two.
func TestMath(t *testing.T) {
	const block = 1 << 12
	a, got := make([]float32, block), make([]float32, block)
	eachLevel(t, func(t *testing.T) {
		kernels := floatKernels(t)
		for name, function := range mathFunctions {
			f := func(dst, a []float32) { kernels[name](dst, inputs{a: a}) }
			t.Run(name, func(t *testing.T) {
				worst, at := 0.0, float32(0)
				check := func(a []float32) {
					f(got[:len(a)], a)
					for i, x := range a {
						// NaN is above every limit, hence the form of the comparison.
						if e := ulps(got[i], function.want(float64(x))); !(e <= worst) {
							worst, at = e, x
						}
					}
				}
				n := 0
				for bits := uint64(0); bits < 1<<32; bits += *stride {
					a[n] = math.Float32frombits(uint32(bits))
					if n++; n == block {
						check(a)
						n = 0
					}
				}
				check(a[:n])
				for exponent := uint32(0); exponent < 1<<9; exponent++ {
					for i := range a[:64] {
						a[i] = math.Float32frombits(exponent<<23 + uint32(i) - 32)
					}
					for from := range 4 { // loops in Go take four at once
						check(a[from:64])
					}
				}
				t.Logf("error ≤ %.3f ulp, at %g (%#08x)", worst, at, math.Float32bits(at))
				if worst > function.ulps {
					f(got[:1], []float32{at})
					t.Errorf("%s(%g) = %g, want %g: %g ulp", name, at, got[0], function.want(float64(at)), worst)
				}
			})
		}
	})
}

// same reports whether a and b are the same number, zeros of different sign being different, or both NaN.
func same(a, b float32) bool {
	return a != a && b != b || a == b && math.Signbit(float64(a)) == math.Signbit(float64(b))
}
