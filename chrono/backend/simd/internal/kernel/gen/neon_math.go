package main

import "math"

// The functions are those of math.go, with the same polynomials, in the form that suits NEON: its maximum and minimum
// keep NaN, and it multiplies and adds onto the addend's register.

// horner returns the polynomial of x with the given coefficients, the constant one first.
func (p *neonPiece) horner(x neonValue, coefficients ...float64) neonValue {
	last := len(coefficients) - 1
	v := p.f32(coefficients[last])
	for i := last - 1; i >= 0; i-- {
		v = p.fma(v, x, coefficients[i])
	}
	return v
}

// fma returns a·b + c.
func (p *neonPiece) fma(a, b neonValue, c float64) neonValue {
	v := p.fresh(c)
	p.change("fmla", v, a, b)
	return v
}

// choose returns y where the mask is set, else x; it overwrites the mask.
func (p *neonPiece) choose(mask, x, y neonValue) neonValue {
	p.change("bsl", mask, y, x)
	return mask
}

// reduce returns n = x·log₂e rounded (as an integer below magic's bits) and r = x − n·ln 2; it overwrites x.
func (p *neonPiece) reduce(x neonValue) (integer, r neonValue) {
	integer = p.fma(x, p.f32(math.Log2E), magic)
	n := p.do("fsub", integer, p.f32(magic))
	p.change("fmls", x, n, p.f32(ln2Hi))
	p.change("fmls", x, n, p.f32(ln2Lo))
	return integer, x
}

// clamp returns x between low and high.
func (p *neonPiece) clamp(x neonValue, low, high float64) neonValue {
	return p.do("fmax", p.do("fmin", x, p.f32(high)), p.f32(low))
}

// powerBits returns 2ⁿ·x for an integer n, x being a power of two.
func (p *neonPiece) powerBits(n neonValue, x float64) neonValue {
	return p.do("add", p.shift("shl", 23, n), p.f32(x))
}

// expClamped returns eˣ for −104 ≤ x ≤ 89, beyond which it is 0 and +Inf; it overwrites x.
func (p *neonPiece) expClamped(x neonValue) neonValue {
	integer, r := p.reduce(x)
	y := p.horner(r, append([]float64{1, 1}, expQ...)...)
	// 2ⁿ in two factors, for it may be subnormal or infinite.
	n := p.do("sub", integer, p.f32(magic))
	half := p.shift("sshr", 1, n)
	rest := p.do("sub", n, half)
	return p.do("fmul", p.do("fmul", y, p.powerBits(half, 1)), p.powerBits(rest, 1))
}

func (p *neonPiece) exp(x neonValue) neonValue { return p.expClamped(p.clamp(x, -104, 89)) }

// expm1 computes 2ⁿ·(eʳ − 1) + (2ⁿ − 1), halved before the end because 2ⁿ may overflow where the result does not.
func (p *neonPiece) expm1(x neonValue) neonValue {
	integer, r := p.reduce(p.clamp(x, -30, 89))
	q := p.do("fmul", p.horner(r, expQ...), r)
	p.change("fmla", r, q, r) // eʳ − 1
	halfPower := p.powerBits(integer, 0.5)
	y := p.do("fsub", halfPower, p.f32(0.5))
	p.change("fmla", y, r, halfPower)
	y = p.do("fadd", y, y)
	// Near 0, x is the result, and halving it could lose a subnormal's last bit. Not so for NaN, which y is too.
	return p.choose(p.do("facgt", p.f32(0x1p-30), x), y, x)
}

// tanh computes −E/(2 + E) where E = e⁻²ᶻ − 1 and z = |x|; it is 1 in float32 from z = 9.02 on. All is in terms of half
// of E and of the reduced argument, which saves two operations.
func (p *neonPiece) tanh(x neonValue) neonValue {
	z := p.do("fmin", p.do("fabs", x), p.f32(10))
	integer := p.fma(z, p.f32(-2*math.Log2E), magic)
	n := p.do("fsub", integer, p.f32(magic))
	r := p.do("fneg", z) // half of r: −z − n·(ln 2)/2. |n| is too small for a second part of ln 2.
	p.change("fmls", r, n, p.f32(math.Ln2/2))
	doubled := make([]float64, len(expQ))
	for i, c := range expQ {
		doubled[i] = 2 * math.Ldexp(c, i)
	}
	q := p.do("fmul", p.horner(r, doubled...), r)
	p.change("fmla", r, q, r) // half of eʳ − 1
	power := p.powerBits(integer, 1)
	e := p.fma(power, p.f32(0.5), -0.5)
	p.change("fmla", e, r, power)
	y := p.do("fdiv", e, p.do("fadd", e, p.f32(1)))
	p.change("bit", y, x, p.bits(signBit))
	return y
}

// logistic computes e⁻ᶻ/(1 + e⁻ᶻ) for x < 0 and 1/(1 + e⁻ᶻ) else, where z = |x|: no power overflows, and small results
// keep all their bits.
func (p *neonPiece) logistic(x neonValue) neonValue {
	e := p.expClamped(p.do("fmax", p.do("orr", x, p.bits(signBit)), p.f32(-104)))
	numerator := p.choose(p.do("fcmlt", x), p.f32(1), e)
	return p.do("fdiv", numerator, p.do("fadd", e, p.f32(1)))
}

// erf chooses between a polynomial and 1 less a power.
func (p *neonPiece) erf(x neonValue) neonValue {
	z := p.do("fmin", p.do("fabs", x), p.f32(erfFar))
	y := p.do("fadd", p.do("fmul", p.horner(p.do("fmul", z, z), erfP...), x), x)
	far := p.do("fsub", p.f32(1), p.expClamped(p.do("fmul", p.horner(z, erfQ...), z)))
	p.change("bit", far, x, p.bits(signBit))
	return p.choose(p.do("fcmgt", p.f32(erfNear), z), far, y)
}

// split returns f and e such that x = (1 + f)·2ᵉ and 3/4 ≤ 1 + f < 3/2, for normal x > 0.
func (p *neonPiece) split(x neonValue) (f, e neonValue) {
	integer := p.shift("sshr", 23, p.do("sub", x, p.f32(0.75)))
	m := p.do("sub", x, p.shift("shl", 23, integer))
	return p.do("fsub", m, p.f32(1)), p.do("scvtf", integer)
}

// logSplit returns ln((1 + f)·2ᵉ).
func (p *neonPiece) logSplit(f, e neonValue) neonValue {
	q := p.horner(f, append([]float64{-0.5}, logQ...)...)
	y := p.do("fmul", p.do("fmul", f, f), q)
	p.change("fmla", y, e, p.f32(ln2Extra))
	y = p.do("fadd", y, f)
	p.change("fmla", y, e, p.f32(ln2Short))
	return y
}

// logSpecial returns the logarithms y of x, where x may be 0, +Inf, negative or NaN too.
func (p *neonPiece) logSpecial(y, x neonValue) neonValue {
	p.change("bit", y, p.f32(math.Inf(1)), p.do("fcmeq", x, p.f32(math.Inf(1))))
	p.change("bit", y, p.f32(math.Inf(-1)), p.do("fcmeq", x, p.f32(0)))
	return p.do("orr", y, p.do("mvn", p.do("fcmge", x, p.f32(0))))
}

func (p *neonPiece) log(x neonValue) neonValue {
	subnormal := p.do("fcmgt", p.f32(0x1p-126), x)
	shift := p.do("and", subnormal, p.f32(23))
	f, e := p.split(p.choose(subnormal, x, p.do("fmul", x, p.f32(0x1p23))))
	return p.logSpecial(p.logSplit(f, p.do("fsub", e, shift)), x)
}

// log1p computes ln(u + c), where u is 1 + x rounded and c what rounding lost.
func (p *neonPiece) log1p(x neonValue) neonValue {
	one := p.f32(1)
	u := p.do("fadd", x, one)
	rounded := p.do("fsub", u, one) // the part of x that is in u
	// Both parts, exactly, even if |x| > 1.
	c := p.do("fadd", p.do("fsub", one, p.do("fsub", u, rounded)), p.do("fsub", x, rounded))
	f, e := p.split(u)
	integer := p.do("fcvtns", p.do("fmin", e, p.f32(126))) // c counts for nothing long before e = 126
	p.change("fmla", f, c, p.do("sub", one, p.shift("shl", 23, integer)))
	y := p.logSpecial(p.logSplit(f, e), u)
	return p.do("orr", y, p.do("and", x, p.bits(signBit))) // the result for −0 is −0; other signs are right already
}
