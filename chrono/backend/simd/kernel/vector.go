package kernel

import "math"

// The functions of this file work element by element on n = len(dst) elements. They panic if another slice has a
// capacity of less than n; elements beyond n are neither read nor written. dst may be the same slice as an
// input, but must not overlap one otherwise. NaN, infinities, signed zeros and subnormals follow IEEE 754, and an
// element's result does not depend on its position or on n.

// Neg computes dst = −a.
func Neg(dst, a []float32) { impl.neg(dst, a[:len(dst)]) }

// Abs computes dst = |a|.
func Abs(dst, a []float32) { impl.abs(dst, a[:len(dst)]) }

// Sign computes dst = −1, ±0 or 1, the sign of a; NaN for NaN.
func Sign(dst, a []float32) { impl.sign(dst, a[:len(dst)]) }

// Floor computes dst = ⌊a⌋.
func Floor(dst, a []float32) { impl.floor(dst, a[:len(dst)]) }

// Ceil computes dst = ⌈a⌉.
func Ceil(dst, a []float32) { impl.ceil(dst, a[:len(dst)]) }

// Round computes dst = the integer nearest to a, the even one of two.
func Round(dst, a []float32) { impl.round(dst, a[:len(dst)]) }

// Sqrt computes dst = √a, correctly rounded; NaN for a < 0.
func Sqrt(dst, a []float32) { impl.sqrt(dst, a[:len(dst)]) }

// Rsqrt computes dst = 1/√a within 2 ulp.
func Rsqrt(dst, a []float32) { impl.rsqrt(dst, a[:len(dst)]) }

// Exp computes dst = eᵃ within 4 ulp.
func Exp(dst, a []float32) { impl.exp(dst, a[:len(dst)]) }

// Expm1 computes dst = eᵃ − 1 within 4 ulp.
func Expm1(dst, a []float32) { impl.expm1(dst, a[:len(dst)]) }

// Log computes dst = ln a within 4 ulp; −Inf for ±0, NaN for a < 0.
func Log(dst, a []float32) { impl.log(dst, a[:len(dst)]) }

// Log1p computes dst = ln(1 + a) within 4 ulp; −Inf for −1, NaN for a < −1.
func Log1p(dst, a []float32) { impl.log1p(dst, a[:len(dst)]) }

// Tanh computes dst = tanh a within 4 ulp.
func Tanh(dst, a []float32) { impl.tanh(dst, a[:len(dst)]) }

// Logistic computes dst = 1 / (1 + e⁻ᵃ) within 4 ulp.
func Logistic(dst, a []float32) { impl.logistic(dst, a[:len(dst)]) }

// Add computes dst = a + b.
func Add(dst, a, b []float32) { n := len(dst); impl.add(dst, a[:n], b[:n]) }

// Sub computes dst = a − b.
func Sub(dst, a, b []float32) { n := len(dst); impl.sub(dst, a[:n], b[:n]) }

// Mul computes dst = a·b.
func Mul(dst, a, b []float32) { n := len(dst); impl.mul(dst, a[:n], b[:n]) }

// Div computes dst = a/b.
func Div(dst, a, b []float32) { n := len(dst); impl.div(dst, a[:n], b[:n]) }

// Max computes dst = the greater of a and b, like Go's max: NaN if either is, and +0 > −0.
func Max(dst, a, b []float32) { n := len(dst); impl.max(dst, a[:n], b[:n]) }

// Min computes dst = the lesser of a and b, like Go's min: NaN if either is, and −0 < +0.
func Min(dst, a, b []float32) { n := len(dst); impl.min(dst, a[:n], b[:n]) }

// AddScalar computes dst = a + s.
func AddScalar(dst, a []float32, s float32) { impl.addScalar(dst, a[:len(dst)], s) }

// ScalarSub computes dst = s − a. (a − s is AddScalar with −s.)
func ScalarSub(dst []float32, s float32, a []float32) { impl.scalarSub(dst, a[:len(dst)], s) }

// MulScalar computes dst = a·s.
func MulScalar(dst, a []float32, s float32) { impl.mulScalar(dst, a[:len(dst)], s) }

// DivScalar computes dst = a/s.
func DivScalar(dst, a []float32, s float32) { impl.divScalar(dst, a[:len(dst)], s) }

// ScalarDiv computes dst = s/a.
func ScalarDiv(dst []float32, s float32, a []float32) { impl.scalarDiv(dst, a[:len(dst)], s) }

// MaxScalar computes dst = the greater of a and s, as Max does.
func MaxScalar(dst, a []float32, s float32) { impl.maxScalar(dst, a[:len(dst)], s) }

// MinScalar computes dst = the lesser of a and s, as Min does.
func MinScalar(dst, a []float32, s float32) { impl.minScalar(dst, a[:len(dst)], s) }

// The functions that multiply and add may use fused instructions, which round once for both operations.

// MulAdd computes dst = a·b + c.
func MulAdd(dst, a, b, c []float32) { n := len(dst); impl.mulAdd(dst, a[:n], b[:n], c[:n]) }

// MulSub computes dst = a·b − c.
func MulSub(dst, a, b, c []float32) { n := len(dst); impl.mulSub(dst, a[:n], b[:n], c[:n]) }

// SubMul computes dst = c − a·b.
func SubMul(dst, c, a, b []float32) { n := len(dst); impl.subMul(dst, a[:n], b[:n], c[:n]) }

// MulMulAdd computes dst = a·b + c·d: an LSTM's new cell, or a leaky mean of two vectors.
func MulMulAdd(dst, a, b, c, d []float32) {
	n := len(dst)
	impl.mulMulAdd(dst, a[:n], b[:n], c[:n], d[:n])
}

// TanhGrad computes dst = g·(1 − y²), the gradient at tanh's input, from the gradient g at its output y.
func TanhGrad(dst, g, y []float32) { n := len(dst); impl.tanhGrad(dst, g[:n], y[:n]) }

// LogisticGrad computes dst = g·y·(1 − y), the gradient at Logistic's input, from the gradient g at its output y.
func LogisticGrad(dst, g, y []float32) { n := len(dst); impl.logisticGrad(dst, g[:n], y[:n]) }

// Fill sets every element of dst to s.
func Fill(dst []float32, s float32) { impl.fill(dst, s) }

// Select computes dst = a where cond is true, else b.
func Select(dst []float32, cond []bool, a, b []float32) {
	n := len(dst)
	impl.selectVec(dst, cond[:n], a[:n], b[:n])
}

// FromBool computes dst = 1 where cond is true, else 0.
func FromBool(dst []float32, cond []bool) { impl.fromBool(dst, cond[:len(dst)]) }

// Comparison says how Compare compares.
type Comparison int

// The comparisons. With a NaN on either side all are false but NotEqual.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Compare computes dst = a op b.
func Compare(op Comparison, dst []bool, a, b []float32) {
	n := len(dst)
	a, b = a[:n], b[:n]
	switch op {
	case Greater:
		op, a, b = Less, b, a
	case GreaterEqual:
		op, a, b = LessEqual, b, a
	}
	impl.compare[op](dst, a, b)
}

// The reductions add in an order that depends on the level and on len(a) only.

// Sum returns the sum of a; 0 if a is empty.
func Sum(a []float32) float32 { return impl.sum(a) }

// ReduceMax returns the greatest element of a, as Max does; −Inf if a is empty.
func ReduceMax(a []float32) float32 {
	if len(a) == 0 {
		return float32(math.Inf(-1))
	}
	return impl.reduceMax(a)
}

// ReduceMin returns the least element of a, as Min does; +Inf if a is empty.
func ReduceMin(a []float32) float32 {
	if len(a) == 0 {
		return float32(math.Inf(1))
	}
	return impl.reduceMin(a)
}
