package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The polynomials are minimax with coefficients that are float32 numbers (found with Sollya's fpminimax).

// expQ is q in eʳ = 1 + r + r²·q(r) for |r| ≤ ln(2)/2; the relative error is 2⁻²⁶·⁵ in eʳ and 2⁻²⁵·² in eʳ − 1.
var expQ = []float64{0.5, 0.1666657626628875732421875, 4.16664667427539825439453125e-2,
	8.36325623095035552978515625e-3, 1.39349722303450107574462890625e-3}

// logQ is q in ln(1 + f) = f + f²·(−1/2 + f·q(f)) for −1/4 ≤ f ≤ 1/2; the relative error is 2⁻²⁷·¹.
var logQ = []float64{0.333333313465118408203125, -0.2500005066394805908203125, 0.2000042498111724853515625,
	-0.16661651432514190673828125, 0.14259462058544158935546875, -0.1260866820812225341796875,
	0.117389298975467681884765625, -9.8751462996006011962890625e-2, 4.58654947578907012939453125e-2}

// erfP is p in erf x = x + x·p(x²) for |x| ≤ erfNear; the relative error is 2⁻²⁶·⁵. From there on, erf x = 1 − eˣᵠ,
// where q is the polynomial erfQ of x; its error is 2⁻²⁶·⁶ in erf x. (These two were found by least squares, with
// weights that make the errors equal, one coefficient rounded after the other.)
var (
	erfP = []float64{0x1.06eba8p-3, -0x1.812742p-2, 0x1.ce2df4p-4, -0x1.b80cb4p-6, 0x1.54b5e4p-8, -0x1.a99ef6p-11,
		0x1.5ac332p-14}
	erfQ = []float64{-1.1285085678100586, -0.6357378363609314, -0.10523631423711777, 0.022873688489198685,
		-0.0032099056988954544, 0.00021337503858376294}
)

const (
	erfNear = 0.9375
	erfFar  = 4 // where it is 1 in float32
)

// ln 2 in two parts. For logarithms the first has 16 bits, so that its product with an exponent is exact, and the
// second is positive, so that an infinite exponent gives an infinite logarithm and not NaN.
const (
	ln2Hi    = 0x1.62e43p-1
	ln2Lo    = math.Ln2 - ln2Hi
	ln2Short = 0x1.62e4p-1
	ln2Extra = math.Ln2 - ln2Short
)

// magic added to |x| < 2²² rounds x to an integer, which then stands in the sum's lowest bits.
const magic = 0x1.8p23

// reduce returns n = x·log₂e rounded (as a number and, plus magic's bits, as an integer) and r = x − n·ln 2.
func reduce(x Register) (n, integer, r Register) {
	integer = fma(x, f32(math.Log2E), f32(magic))
	n = newVec()
	do(subps, f32(magic), integer, n)
	r = x
	do(fnmadd231ps, f32(ln2Hi), n, r)
	do(fnmadd231ps, f32(ln2Lo), n, r)
	return n, integer, r
}

// expClamped returns eˣ for −104 ≤ x ≤ 89, beyond which it is 0 and +Inf; it overwrites x.
func expClamped(x Register) Register {
	n, integer, r := reduce(x)
	p := horner(r, append([]float64{1, 1}, expQ...)...)
	if set.masks() {
		do(scalefps, n, p, p)
		return p
	}
	// 2ⁿ in two factors, for it may be subnormal or infinite.
	half, rest := newVec(), newVec()
	do(psubd, f32(magic), integer, integer)
	do(psrad, Imm(1), integer, half)
	do(psubd, half, integer, rest)
	for _, v := range []Register{half, rest} {
		do(pslld, Imm(23), v, v)
		do(paddd, f32(1), v, v)
		do(mulps, v, p, p)
	}
	return p
}

// exp clamps so that NaN stays NaN: least and greatest return their second operand then.
func exp(x Register) Register {
	return expClamped(greatest(load(f32(-104)), least(load(f32(89)), x)))
}

// expm1 computes 2ⁿ·(eʳ − 1) + (2ⁿ − 1), halved before the end because 2ⁿ may overflow where the result does not.
func expm1(x Register) Register {
	clamped := greatest(load(f32(-30)), least(load(f32(89)), x))
	_, integer, r := reduce(clamped)
	q := horner(r, expQ...)
	do(mulps, r, q, q)
	do(fmadd213ps, r, r, q) // eʳ − 1
	halfPower := newVec()
	do(pslld, Imm(23), integer, halfPower)
	do(paddd, f32(0.5), halfPower, halfPower) // 2ⁿ⁻¹
	y := newVec()
	do(subps, f32(0.5), halfPower, y)
	do(fmadd231ps, q, halfPower, y)
	do(addps, y, y, y)
	// Below, x is the result, and halving it could lose a subnormal's last bit.
	tiny := compare(ltOQ, and(x, bits(absMask)), f32(0x1p-30))
	return blend(tiny, y, x)
}

// tanh computes −E/(2 + E) where E = e⁻²ᶻ − 1 and z = |x|; it is 1 in float32 from z = 9.02 on. All is in terms of half
// of E and of the reduced argument, which saves two operations.
func tanh(x Register) Register {
	z := least(load(f32(10)), and(x, bits(absMask)))
	integer := fma(z, f32(-2*math.Log2E), f32(magic))
	n := newVec()
	do(subps, f32(magic), integer, n)
	r := z // half of r: −z − n·(ln 2)/2. |n| is too small for a second part of ln 2.
	do(fnmsub231ps, f32(math.Ln2/2), n, r)
	doubled := make([]float64, len(expQ))
	for i, c := range expQ {
		doubled[i] = 2 * math.Ldexp(c, i)
	}
	p := horner(r, doubled...)
	do(mulps, r, p, p)
	do(fmadd213ps, r, r, p) // half of eʳ − 1
	power := newVec()
	do(pslld, Imm(23), integer, power)
	do(paddd, f32(1), power, power) // 2ⁿ
	e := fma(power, f32(0.5), f32(-0.5))
	do(fmadd231ps, p, power, e)
	return copySign(div(e, add(e, f32(1))), x)
}

// logistic computes e⁻ᶻ/(1 + e⁻ᶻ) for x < 0 and 1/(1 + e⁻ᶻ) else, where z = |x|: no power overflows, and small results
// keep all their bits.
func logistic(x Register) Register {
	e := expClamped(greatest(load(f32(-104)), or(x, bits(signBit))))
	one := load(f32(1))
	var numerator Register
	if set.masks() {
		negative := Register(K())
		do(pmovd2m, x, negative)
		numerator = blend(negative, one, e)
	} else {
		numerator = blend(x, one, e) // blends on the sign bit
	}
	return div(numerator, add(e, one))
}

// erf chooses between a polynomial and 1 less a power.
func erf(x Register) Register {
	z := least(load(f32(erfFar)), and(x, bits(absMask)))
	y := horner(mul(z, z), erfP...)
	do(fmadd213ps, x, x, y)
	far := sub(load(f32(1)), expClamped(mul(horner(z, erfQ...), z)))
	return blend(compare(ltOQ, z, f32(erfNear)), copySign(far, x), y)
}

// split returns f and e such that x = (1 + f)·2ᵉ and 3/4 ≤ 1 + f < 3/2, for x > 0. With AVX-512, f = 0 and e = ±Inf for
// x = 0 and +Inf, and f is NaN for x < 0; with AVX2 these, and subnormal x, are left to others.
func split(x Register) (f, e Register) {
	m, e := newVec(), newVec()
	if set.masks() {
		do(getmantps, Imm(0xf), x, m)
		exponent := newVec()
		do(getexpps, x, e)
		do(getexpps, m, exponent)
		do(subps, exponent, e, e)
	} else {
		do(psubd, f32(0.75), x, e)
		do(psrad, Imm(23), e, e)
		do(pslld, Imm(23), e, m)
		do(psubd, m, x, m)
		do(cvtdq2ps, e, e)
	}
	do(subps, f32(1), m, m)
	return m, e
}

// logSplit returns ln((1 + f)·2ᵉ).
func logSplit(f, e Register) Register {
	q := horner(f, append([]float64{-0.5}, logQ...)...)
	y := mul(f, f)
	do(mulps, q, y, y)
	do(fmadd231ps, f32(ln2Extra), e, y)
	do(addps, f, y, y)
	do(fmadd231ps, f32(ln2Short), e, y)
	return y
}

// logSpecial is for AVX2: the logarithms y of x, where x is 0, +Inf, negative or NaN too.
func logSpecial(y, x Register) Register {
	inf := load(f32(math.Inf(1)))
	y = blend(compare(eqOQ, x, inf), y, inf)
	y = blend(compare(eqOQ, x, f32(0)), y, f32(math.Inf(-1)))
	return or(y, compare(ngeUQ, x, f32(0)))
}

func log(x Register) Register {
	if set.masks() {
		return logSplit(split(x))
	}
	subnormal := compare(ltOQ, x, f32(0x1p-126))
	f, e := split(blend(subnormal, x, mul(x, f32(0x1p23))))
	shift := and(subnormal, f32(23))
	return logSpecial(logSplit(f, sub(e, shift)), x)
}

// log1p computes ln(u + c), where u is 1 + x rounded and c what rounding lost.
func log1p(x Register) Register {
	one := load(f32(1))
	u := add(x, one)
	rounded := sub(u, one)                               // the part of x that is in u
	c := add(sub(one, sub(u, rounded)), sub(x, rounded)) // both parts, exactly, even if |x| > 1
	f, e := split(u)
	if set.masks() {
		do(scalefps, sub(load(f32(0)), e), c, c)
		do(addps, c, f, compare(ordQ, c, c), f) // c is NaN where u is 0 or Inf
		return negativeZero(logSplit(f, e), x)
	}
	integer := newVec()
	do(cvtps2dq, least(e, f32(126)), integer) // c counts for nothing long before e = 126
	do(pslld, Imm(23), integer, integer)
	one = load(f32(1))
	do(psubd, integer, one, one) // 2⁻ᵉ
	do(fmadd231ps, one, c, f)
	return negativeZero(logSpecial(logSplit(f, e), u), x)
}

// negativeZero makes the result −0 for x = −0; every other sign is right already.
func negativeZero(y, x Register) Register { return or(y, and(x, bits(signBit))) }
