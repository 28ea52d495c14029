package simd

import "github.com/gomlx/compute"

// What GoMLX calls to record operations that are all alike. How they are computed stands in packages element and exec.

type value = compute.Value

func (f *function) Abs(x value) (value, error)        { return f.unary(compute.OpTypeAbs, x) }
func (f *function) BitCount(x value) (value, error)   { return f.unary(compute.OpTypeBitCount, x) }
func (f *function) BitwiseNot(x value) (value, error) { return f.unary(compute.OpTypeBitwiseNot, x) }
func (f *function) Ceil(x value) (value, error)       { return f.unary(compute.OpTypeCeil, x) }
func (f *function) Clz(x value) (value, error)        { return f.unary(compute.OpTypeClz, x) }
func (f *function) Cos(x value) (value, error)        { return f.unary(compute.OpTypeCos, x) }
func (f *function) Erf(x value) (value, error)        { return f.unary(compute.OpTypeErf, x) }
func (f *function) Exp(x value) (value, error)        { return f.unary(compute.OpTypeExp, x) }
func (f *function) Expm1(x value) (value, error)      { return f.unary(compute.OpTypeExpm1, x) }
func (f *function) Floor(x value) (value, error)      { return f.unary(compute.OpTypeFloor, x) }
func (f *function) Log(x value) (value, error)        { return f.unary(compute.OpTypeLog, x) }
func (f *function) Log1p(x value) (value, error)      { return f.unary(compute.OpTypeLog1p, x) }
func (f *function) LogicalNot(x value) (value, error) { return f.unary(compute.OpTypeLogicalNot, x) }
func (f *function) Logistic(x value) (value, error)   { return f.unary(compute.OpTypeLogistic, x) }
func (f *function) Neg(x value) (value, error)        { return f.unary(compute.OpTypeNeg, x) }
func (f *function) Round(x value) (value, error)      { return f.unary(compute.OpTypeRound, x) }
func (f *function) Rsqrt(x value) (value, error)      { return f.unary(compute.OpTypeRsqrt, x) }
func (f *function) Sign(x value) (value, error)       { return f.unary(compute.OpTypeSign, x) }
func (f *function) Sin(x value) (value, error)        { return f.unary(compute.OpTypeSin, x) }
func (f *function) Sqrt(x value) (value, error)       { return f.unary(compute.OpTypeSqrt, x) }
func (f *function) Tanh(x value) (value, error)       { return f.unary(compute.OpTypeTanh, x) }

func (f *function) IsFinite(x value) (value, error) { return f.predicate(compute.OpTypeIsFinite, x) }
func (f *function) IsNaN(x value) (value, error)    { return f.predicate(compute.OpTypeIsNaN, x) }

func (f *function) Add(l, r value) (value, error)   { return f.binary(compute.OpTypeAdd, l, r) }
func (f *function) Atan2(l, r value) (value, error) { return f.binary(compute.OpTypeAtan2, l, r) }
func (f *function) BitwiseAnd(l, r value) (value, error) {
	return f.binary(compute.OpTypeBitwiseAnd, l, r)
}
func (f *function) BitwiseOr(l, r value) (value, error) {
	return f.binary(compute.OpTypeBitwiseOr, l, r)
}
func (f *function) BitwiseXor(l, r value) (value, error) {
	return f.binary(compute.OpTypeBitwiseXor, l, r)
}
func (f *function) Div(l, r value) (value, error)            { return f.binary(compute.OpTypeDiv, l, r) }
func (f *function) Equal(l, r value) (value, error)          { return f.binary(compute.OpTypeEqual, l, r) }
func (f *function) GreaterOrEqual(l, r value) (value, error) { return f.LessOrEqual(r, l) }
func (f *function) GreaterThan(l, r value) (value, error)    { return f.LessThan(r, l) }
func (f *function) LessOrEqual(l, r value) (value, error) {
	return f.binary(compute.OpTypeLessOrEqual, l, r)
}
func (f *function) LessThan(l, r value) (value, error) { return f.binary(compute.OpTypeLessThan, l, r) }
func (f *function) LogicalAnd(l, r value) (value, error) {
	return f.binary(compute.OpTypeLogicalAnd, l, r)
}
func (f *function) LogicalOr(l, r value) (value, error) {
	return f.binary(compute.OpTypeLogicalOr, l, r)
}
func (f *function) LogicalXor(l, r value) (value, error) {
	return f.binary(compute.OpTypeLogicalXor, l, r)
}
func (f *function) Max(l, r value) (value, error)      { return f.binary(compute.OpTypeMax, l, r) }
func (f *function) Min(l, r value) (value, error)      { return f.binary(compute.OpTypeMin, l, r) }
func (f *function) Mul(l, r value) (value, error)      { return f.binary(compute.OpTypeMul, l, r) }
func (f *function) NotEqual(l, r value) (value, error) { return f.binary(compute.OpTypeNotEqual, l, r) }
func (f *function) Pow(l, r value) (value, error)      { return f.binary(compute.OpTypePow, l, r) }
func (f *function) Rem(l, r value) (value, error)      { return f.binary(compute.OpTypeRem, l, r) }
func (f *function) ShiftLeft(l, r value) (value, error) {
	return f.binary(compute.OpTypeShiftLeft, l, r)
}
func (f *function) ShiftRightArithmetic(l, r value) (value, error) {
	return f.binary(compute.OpTypeShiftRightArithmetic, l, r)
}
func (f *function) ShiftRightLogical(l, r value) (value, error) {
	return f.binary(compute.OpTypeShiftRightLogical, l, r)
}
func (f *function) Sub(l, r value) (value, error) { return f.binary(compute.OpTypeSub, l, r) }

func (f *function) ReduceBitwiseAnd(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseAnd, x, axes)
}
func (f *function) ReduceBitwiseOr(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseOr, x, axes)
}
func (f *function) ReduceBitwiseXor(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseXor, x, axes)
}
func (f *function) ReduceLogicalAnd(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceLogicalAnd, x, axes)
}
func (f *function) ReduceLogicalOr(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceLogicalOr, x, axes)
}
func (f *function) ReduceLogicalXor(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceLogicalXor, x, axes)
}
func (f *function) ReduceMax(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceMax, x, axes)
}
func (f *function) ReduceMin(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceMin, x, axes)
}
func (f *function) ReduceProduct(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceProduct, x, axes)
}
func (f *function) ReduceSum(x value, axes ...int) (value, error) {
	return f.reduce(compute.OpTypeReduceSum, x, axes)
}
