package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
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

// integerOf returns x·c rounded: as a number, and below magic's bits as an integer.
func integerOf(x Op, c float64) (n, integer Op) {
	integer = addProduct(fresh(magic), x, f32(c))
	return sub(integer, f32(magic)), integer
}

// reduce returns n = x·log₂e rounded, as integerOf does, and r = x − n·ln 2; it overwrites x.
func reduce(x Op) (n, integer, r Op) {
	n, integer = integerOf(x, math.Log2E)
	return n, integer, subProduct(subProduct(x, n, f32(ln2Hi)), n, f32(ln2Lo))
}

// power returns 2ⁿ·c for an integer n, c being a power of two.
func power(n Op, c float64) Op { return addInt(shiftLeft(23, n), f32(c)) }

// expClamped returns eˣ for −104 ≤ x ≤ 89, beyond which it is 0 and +Inf; it overwrites x.
func expClamped(x Op) Op {
	n, integer, r := reduce(x)
	p := horner(r, append([]float64{1, 1}, expQ...)...)
	if set.masks() {
		VSCALEFPS(n, p, p)
		return p
	}
	// 2ⁿ in two factors, for it may be subnormal or infinite.
	n = subInt(integer, f32(magic))
	half := shiftRight(1, n)
	rest := subInt(n, half)
	return mul(mul(p, power(half, 1)), power(rest, 1))
}

// clamp keeps NaN: least and greatest return their second operand then.
func clamp(low, high float64, x Op) Op {
	return greatest(load(f32(low)), least(load(f32(high)), x))
}

func exp(x Op) Op { return expClamped(clamp(-104, 89, x)) }

// expm1 computes 2ⁿ·(eʳ − 1) + (2ⁿ − 1), halved before the end because 2ⁿ may overflow where the result does not.
func expm1(x Op) Op {
	_, integer, r := reduce(clamp(-30, 89, x))
	r = addProduct(r, mul(horner(r, expQ...), r), r) // eʳ − 1
	halfPower := power(integer, 0.5)                 // 2ⁿ⁻¹
	y := addProduct(sub(halfPower, f32(0.5)), r, halfPower)
	// Near 0, x is the result, and halving it could lose a subnormal's last bit.
	return blend(below(x, f32(0x1p-30)), add(y, y), x)
}

// tanh computes −E/(2 + E) where E = e⁻²ᶻ − 1 and z = |x|; it is 1 in float32 from z = 9.02 on. All is in terms of half
// of E and of the reduced argument, which saves two operations.
func tanh(x Op) Op {
	r := greatest(load(f32(-10)), or(x, bits(signBit))) // −z
	n, integer := integerOf(r, 2*math.Log2E)
	r = subProduct(r, n, f32(math.Ln2/2)) // half of it; |n| is too small for a second part of ln 2
	doubled := make([]float64, len(expQ))
	for i, c := range expQ {
		doubled[i] = 2 * math.Ldexp(c, i)
	}
	r = addProduct(r, mul(horner(r, doubled...), r), r) // half of eʳ − 1
	two := power(integer, 1)                            // 2ⁿ
	e := addProduct(fresh(-0.5), two, f32(0.5))
	e = addProduct(e, r, two)
	return copySign(div(e, add(e, f32(1))), x)
}

// logistic computes e⁻ᶻ/(1 + e⁻ᶻ) for x < 0 and 1/(1 + e⁻ᶻ) else, where z = |x|: no power overflows, and small results
// keep all their bits.
func logistic(x Op) Op {
	e := expClamped(greatest(load(f32(-104)), or(x, bits(signBit))))
	one := load(f32(1))
	negative := x // AVX2 blends on the sign bit
	switch {
	case piece != nil:
		negative = piece.do("fcmlt", x)
	case set.masks():
		negative = newMask()
		VPMOVD2M(x, negative)
	}
	return div(blend(negative, one, e), add(e, one))
}

// erf chooses between a polynomial and 1 less a power.
func erf(x Op) Op {
	z := least(load(f32(erfFar)), abs(x))
	y := horner(mul(z, z), erfP...)
	if piece != nil { // whose instruction would overwrite x
		y = add(mul(y, x), x)
	} else {
		do(fmadd213ps, x, x, y)
	}
	far := sub(load(f32(1)), expClamped(mul(horner(z, erfQ...), z)))
	return blend(compare(less, z, f32(erfNear)), copySign(far, x), y)
}

// split returns f and e such that x = (1 + f)·2ᵉ and 3/4 ≤ 1 + f < 3/2, for x > 0. With AVX-512, f = 0 and e = ±Inf for
// x = 0 and +Inf, and f is NaN for x < 0; with the others these, and subnormal x, are left to logSpecial and log.
func split(x Op) (f, e Op) {
	if set.masks() {
		m, exponent := newVec(), newVec()
		e := newVec()
		VGETMANTPS(Imm(0xf), x, m)
		VGETEXPPS(x, e)
		VGETEXPPS(m, exponent)
		return sub(m, f32(1)), sub(e, exponent)
	}
	integer := shiftRight(23, subInt(x, f32(0.75)))
	return sub(subInt(x, shiftLeft(23, integer)), f32(1)), toFloat(integer)
}

// logSplit returns ln((1 + f)·2ᵉ).
func logSplit(f, e Op) Op {
	y := mul(mul(f, f), horner(f, append([]float64{-0.5}, logQ...)...))
	y = add(addProduct(y, e, f32(ln2Extra)), f)
	return addProduct(y, e, f32(ln2Short))
}

// logSpecial is for all but AVX-512: the logarithms y of x, where x is 0, +Inf, negative or NaN too.
func logSpecial(y, x Op) Op {
	inf := load(f32(math.Inf(1)))
	y = blend(compare(equal, x, inf), y, inf)
	y = blend(compare(equal, x, f32(0)), y, f32(math.Inf(-1)))
	return or(y, compare(notAtLeast, x, f32(0)))
}

func log(x Op) Op {
	if set.masks() {
		return logSplit(split(x))
	}
	subnormal := compare(less, x, f32(0x1p-126))
	shift := and(subnormal, f32(23))
	f, e := split(blend(subnormal, x, mul(x, f32(0x1p23))))
	return logSpecial(logSplit(f, sub(e, shift)), x)
}

// log1p computes ln(u + c), where u is 1 + x rounded and c what rounding lost.
func log1p(x Op) Op {
	one := load(f32(1))
	u := add(x, one)
	rounded := sub(u, one)                               // the part of x that is in u
	c := add(sub(one, sub(u, rounded)), sub(x, rounded)) // both parts, exactly, even if |x| > 1
	f, e := split(u)
	if set.masks() {
		VSCALEFPS(sub(load(f32(0)), e), c, c)
		VADDPS(c, f, compare(ordered, c, c), f) // c is NaN where u is 0 or Inf
		return negativeZero(logSplit(f, e), x)
	}
	integer := toInt(least(e, f32(126)))                               // c counts for nothing long before e = 126
	f = addProduct(f, c, subInt(load(f32(1)), shiftLeft(23, integer))) // 2⁻ᵉ
	return negativeZero(logSpecial(logSplit(f, e), u), x)
}

// negativeZero makes the result −0 for x = −0; every other sign is right already.
func negativeZero(y, x Op) Op { return or(y, and(x, bits(signBit))) }
