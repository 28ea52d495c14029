package simd

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// elementwiseArity lists the operations whose output element i depends on the elements i of their operands only. They
// are what fuse.go fuses. Operands have the dimensions of the output: build.go makes broadcasts explicit.
var elementwiseArity = map[compute.OpType]int{
	compute.OpTypeAbs: 1, compute.OpTypeBitCount: 1, compute.OpTypeBitwiseNot: 1, compute.OpTypeCeil: 1,
	compute.OpTypeClz: 1, compute.OpTypeConvertDType: 1, compute.OpTypeCos: 1, compute.OpTypeErf: 1,
	compute.OpTypeExp: 1, compute.OpTypeExpm1: 1, compute.OpTypeFloor: 1, compute.OpTypeIsFinite: 1,
	compute.OpTypeIsNaN: 1, compute.OpTypeLog: 1, compute.OpTypeLog1p: 1, compute.OpTypeLogicalNot: 1,
	compute.OpTypeLogistic: 1, compute.OpTypeNeg: 1, compute.OpTypeRound: 1, compute.OpTypeRsqrt: 1,
	compute.OpTypeSign: 1, compute.OpTypeSin: 1, compute.OpTypeSqrt: 1, compute.OpTypeTanh: 1,
	compute.OpTypeAdd: 2, compute.OpTypeAtan2: 2, compute.OpTypeBitwiseAnd: 2, compute.OpTypeBitwiseOr: 2,
	compute.OpTypeBitwiseXor: 2, compute.OpTypeDiv: 2, compute.OpTypeEqual: 2, compute.OpTypeNotEqual: 2,
	compute.OpTypeGreaterOrEqual: 2, compute.OpTypeGreaterThan: 2, compute.OpTypeLessOrEqual: 2,
	compute.OpTypeLessThan: 2, compute.OpTypeLogicalAnd: 2, compute.OpTypeLogicalOr: 2, compute.OpTypeLogicalXor: 2,
	compute.OpTypeMax: 2, compute.OpTypeMin: 2, compute.OpTypeMul: 2, compute.OpTypePow: 2, compute.OpTypeRem: 2,
	compute.OpTypeShiftLeft: 2, compute.OpTypeShiftRightArithmetic: 2, compute.OpTypeShiftRightLogical: 2,
	compute.OpTypeSub: 2, compute.OpTypeClamp: 3, compute.OpTypeWhere: 3,

	opTanhGrad: 2, opLogisticGrad: 2, opMulAdd: 3, opMulSub: 3, opSubMul: 3, opMulMulAdd: 4,
}

// operands are the addresses of the n-element tiles that a tile function reads. Unused ones are nil.
type operands [4]unsafe.Pointer

// tileFunc computes one operation on n elements. dst may be one of the sources.
type tileFunc func(dst unsafe.Pointer, src *operands, n int)

type (
	signedInt   interface{ int8 | int16 | int32 | int64 }
	unsignedInt interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signedInt | unsignedInt }
	float   interface{ float32 | float64 }
	number  interface{ integer | float }
)

func floats(p unsafe.Pointer, n int) []float32 { return unsafe.Slice((*float32)(p), n) }
func bools(p unsafe.Pointer, n int) []bool     { return unsafe.Slice((*bool)(p), n) }

// tileFunction returns the loop for an operation on operands of type in that yields type out, or nil if there is none.
func tileFunction(op compute.OpType, in, out dtypes.DType) tileFunc {
	if op == compute.OpTypeConvertDType {
		return convertFunction(in, out)
	}
	if op == compute.OpTypeWhere {
		return whereFunction(out)
	}
	switch in {
	case dtypes.Bool:
		return boolFunction(op)
	case dtypes.Float32:
		if f := float32Function(op); f != nil {
			return f
		}
		return floatFunction[float32](op)
	case dtypes.Float64:
		return floatFunction[float64](op)
	case dtypes.Int8:
		return integerFunction(op, true, func(a int8) uint8 { return uint8(a) }, func(a uint8) int8 { return int8(a) })
	case dtypes.Int16:
		return integerFunction(op, true, func(a int16) uint16 { return uint16(a) },
			func(a uint16) int16 { return int16(a) })
	case dtypes.Int32:
		return integerFunction(op, true, func(a int32) uint32 { return uint32(a) },
			func(a uint32) int32 { return int32(a) })
	case dtypes.Int64:
		return integerFunction(op, true, func(a int64) uint64 { return uint64(a) },
			func(a uint64) int64 { return int64(a) })
	case dtypes.Uint8:
		return integerFunction(op, false, same[uint8], same[uint8])
	case dtypes.Uint16:
		return integerFunction(op, false, same[uint16], same[uint16])
	case dtypes.Uint32:
		return integerFunction(op, false, same[uint32], same[uint32])
	case dtypes.Uint64:
		return integerFunction(op, false, same[uint64], same[uint64])
	}
	return nil
}

func same[T any](a T) T { return a }

func map1[T, U any](f func(T) U) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) {
		d, a := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n)
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func map2[T, U any](f func(a, b T) U) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) {
		d, a, b := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n), unsafe.Slice((*T)(src[1]), n)
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

// kernel1 and the like adapt the vector functions of package kernel.
func kernel1(f func(dst, a []float32)) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) { f(floats(dst, n), floats(src[0], n)) }
}

func kernel2(f func(dst, a, b []float32)) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) {
		f(floats(dst, n), floats(src[0], n), floats(src[1], n))
	}
}

func kernel3(f func(dst, a, b, c []float32)) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) {
		f(floats(dst, n), floats(src[0], n), floats(src[1], n), floats(src[2], n))
	}
}

// withScalar returns the loop for an operation in float32 of which operand i is the constant s, or nil if there is
// none. It finds its other operand in src[0].
func withScalar(op compute.OpType, i int, s float32) tileFunc {
	right := func(f func(dst, a []float32, s float32), s float32) tileFunc {
		return func(dst unsafe.Pointer, src *operands, n int) { f(floats(dst, n), floats(src[0], n), s) }
	}
	left := func(f func(dst []float32, s float32, a []float32)) tileFunc {
		return func(dst unsafe.Pointer, src *operands, n int) { f(floats(dst, n), s, floats(src[0], n)) }
	}
	switch {
	case op == compute.OpTypeAdd:
		return right(kernel.AddScalar, s)
	case op == compute.OpTypeMul:
		return right(kernel.MulScalar, s)
	case op == compute.OpTypeMax:
		return right(kernel.MaxScalar, s)
	case op == compute.OpTypeMin:
		return right(kernel.MinScalar, s)
	case op == compute.OpTypeSub && i == 1:
		return right(kernel.AddScalar, -s)
	case op == compute.OpTypeSub:
		return left(kernel.ScalarSub)
	case op == compute.OpTypeDiv && i == 1:
		return right(kernel.DivScalar, s)
	case op == compute.OpTypeDiv:
		return left(kernel.ScalarDiv)
	}
	return nil
}

func kernelCompare(op kernel.Comparison) tileFunc {
	return func(dst unsafe.Pointer, src *operands, n int) {
		kernel.Compare(op, bools(dst, n), floats(src[0], n), floats(src[1], n))
	}
}

func float32Function(op compute.OpType) tileFunc {
	switch op {
	case compute.OpTypeNeg:
		return kernel1(kernel.Neg)
	case compute.OpTypeAbs:
		return kernel1(kernel.Abs)
	case compute.OpTypeSign:
		return kernel1(kernel.Sign)
	case compute.OpTypeFloor:
		return kernel1(kernel.Floor)
	case compute.OpTypeCeil:
		return kernel1(kernel.Ceil)
	case compute.OpTypeRound:
		return kernel1(kernel.Round)
	case compute.OpTypeSqrt:
		return kernel1(kernel.Sqrt)
	case compute.OpTypeRsqrt:
		return kernel1(kernel.Rsqrt)
	case compute.OpTypeExp:
		return kernel1(kernel.Exp)
	case compute.OpTypeExpm1:
		return kernel1(kernel.Expm1)
	case compute.OpTypeLog:
		return kernel1(kernel.Log)
	case compute.OpTypeLog1p:
		return kernel1(kernel.Log1p)
	case compute.OpTypeTanh:
		return kernel1(kernel.Tanh)
	case compute.OpTypeLogistic:
		return kernel1(kernel.Logistic)
	case compute.OpTypeAdd:
		return kernel2(kernel.Add)
	case compute.OpTypeSub:
		return kernel2(kernel.Sub)
	case compute.OpTypeMul:
		return kernel2(kernel.Mul)
	case compute.OpTypeDiv:
		return kernel2(kernel.Div)
	case compute.OpTypeMax:
		return kernel2(kernel.Max)
	case compute.OpTypeMin:
		return kernel2(kernel.Min)
	case opTanhGrad:
		return kernel2(kernel.TanhGrad)
	case opLogisticGrad:
		return kernel2(kernel.LogisticGrad)
	case opMulAdd:
		return kernel3(kernel.MulAdd)
	case opMulSub:
		return kernel3(kernel.MulSub)
	case opSubMul:
		return kernel3(kernel.SubMul)
	case opMulMulAdd:
		return func(dst unsafe.Pointer, src *operands, n int) {
			kernel.MulMulAdd(floats(dst, n), floats(src[0], n), floats(src[1], n), floats(src[2], n), floats(src[3], n))
		}
	case compute.OpTypeEqual:
		return kernelCompare(kernel.Equal)
	case compute.OpTypeNotEqual:
		return kernelCompare(kernel.NotEqual)
	case compute.OpTypeLessThan:
		return kernelCompare(kernel.Less)
	case compute.OpTypeLessOrEqual:
		return kernelCompare(kernel.LessEqual)
	case compute.OpTypeGreaterThan:
		return kernelCompare(kernel.Greater)
	case compute.OpTypeGreaterOrEqual:
		return kernelCompare(kernel.GreaterEqual)
	}
	return nil
}

// in64 lifts a function of package math to T.
func in64[T float](f func(float64) float64) tileFunc {
	return map1(func(a T) T { return T(f(float64(a))) })
}

func in64x2[T float](f func(a, b float64) float64) tileFunc {
	return map2(func(a, b T) T { return T(f(float64(a), float64(b))) })
}

func floatFunction[T float](op compute.OpType) tileFunc {
	switch op {
	case compute.OpTypeNeg:
		return map1(func(a T) T { return -a })
	case compute.OpTypeAbs:
		return in64[T](math.Abs)
	case compute.OpTypeSign:
		return map1(func(a T) T {
			switch {
			case a > 0:
				return 1
			case a < 0:
				return -1
			}
			return a // ±0 and NaN
		})
	case compute.OpTypeFloor:
		return in64[T](math.Floor)
	case compute.OpTypeCeil:
		return in64[T](math.Ceil)
	case compute.OpTypeRound:
		return in64[T](math.RoundToEven)
	case compute.OpTypeSqrt:
		return in64[T](math.Sqrt)
	case compute.OpTypeRsqrt:
		return in64[T](func(a float64) float64 { return 1 / math.Sqrt(a) })
	case compute.OpTypeExp:
		return in64[T](math.Exp)
	case compute.OpTypeExpm1:
		return in64[T](math.Expm1)
	case compute.OpTypeLog:
		return in64[T](math.Log)
	case compute.OpTypeLog1p:
		return in64[T](math.Log1p)
	case compute.OpTypeTanh:
		return in64[T](math.Tanh)
	case compute.OpTypeLogistic:
		return in64[T](func(a float64) float64 { return 1 / (1 + math.Exp(-a)) })
	case compute.OpTypeSin:
		return in64[T](math.Sin)
	case compute.OpTypeCos:
		return in64[T](math.Cos)
	case compute.OpTypeErf:
		return in64[T](math.Erf)
	case compute.OpTypeIsNaN:
		return map1(func(a T) bool { return a != a })
	case compute.OpTypeIsFinite:
		return map1(func(a T) bool { return a-a == 0 })
	case compute.OpTypePow:
		return in64x2[T](math.Pow)
	case compute.OpTypeRem:
		return in64x2[T](math.Mod)
	case compute.OpTypeAtan2:
		return in64x2[T](math.Atan2)
	case compute.OpTypeDiv:
		return map2(func(a, b T) T { return a / b })
	}
	return numberFunction[T](op)
}

// numberFunction has what floats and integers have in common. The loops stand here in full, not as calls of map2,
// because compilers turn only such loops into good code, and indices and masks of training go through them.
func numberFunction[T number](op compute.OpType) tileFunc {
	type loop = func(d, a, b []T)
	arithmetic := func(f loop) tileFunc {
		return func(dst unsafe.Pointer, src *operands, n int) {
			f(unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(src[0]), n), unsafe.Slice((*T)(src[1]), n))
		}
	}
	switch op {
	case compute.OpTypeAdd:
		return arithmetic(func(d, a, b []T) {
			for i := range d {
				d[i] = a[i] + b[i]
			}
		})
	case compute.OpTypeSub:
		return arithmetic(func(d, a, b []T) {
			for i := range d {
				d[i] = a[i] - b[i]
			}
		})
	case compute.OpTypeMul:
		return arithmetic(func(d, a, b []T) {
			for i := range d {
				d[i] = a[i] * b[i]
			}
		})
	case compute.OpTypeMax:
		return arithmetic(func(d, a, b []T) {
			for i := range d {
				d[i] = max(a[i], b[i])
			}
		})
	case compute.OpTypeMin:
		return arithmetic(func(d, a, b []T) {
			for i := range d {
				d[i] = min(a[i], b[i])
			}
		})
	case compute.OpTypeEqual:
		return map2(func(a, b T) bool { return a == b })
	case compute.OpTypeNotEqual:
		return map2(func(a, b T) bool { return a != b })
	case compute.OpTypeLessThan:
		return map2(func(a, b T) bool { return a < b })
	case compute.OpTypeLessOrEqual:
		return map2(func(a, b T) bool { return a <= b })
	case compute.OpTypeGreaterThan:
		return map2(func(a, b T) bool { return a > b })
	case compute.OpTypeGreaterOrEqual:
		return map2(func(a, b T) bool { return a >= b })
	}
	return nil
}

// integerFunction has the integer operations. U is the unsigned type of T's size. Division by zero, which is undefined,
// yields −1 (all bits set) and a remainder of the dividend, as XLA has it; it must not panic because simplify.go may
// compute what a loop would not have.
func integerFunction[T integer, U unsignedInt](op compute.OpType, signed bool, toU func(T) U, toT func(U) T) tileFunc {
	size := int(unsafe.Sizeof(T(0))) * 8
	switch op {
	case compute.OpTypeNeg:
		return map1(func(a T) T { return -a })
	case compute.OpTypeAbs:
		return map1(func(a T) T { return max(a, -a*T(b2i(signed))) })
	case compute.OpTypeSign:
		return map1(func(a T) T {
			if a < 0 {
				return ^T(0)
			}
			return min(a, 1)
		})
	case compute.OpTypeBitwiseNot:
		return map1(func(a T) T { return ^a })
	case compute.OpTypeBitCount:
		return map1(func(a T) T { return T(bits.OnesCount64(uint64(toU(a)))) })
	case compute.OpTypeClz:
		return map1(func(a T) T { return T(bits.LeadingZeros64(uint64(toU(a))) - 64 + size) })
	case compute.OpTypeDiv:
		return map2(func(a, b T) T {
			if b == 0 {
				return ^T(0)
			}
			return a / b
		})
	case compute.OpTypeRem:
		return map2(func(a, b T) T {
			if b == 0 {
				return a
			}
			return a % b
		})
	case compute.OpTypePow:
		return map2(integerPower[T])
	case compute.OpTypeBitwiseAnd:
		return map2(func(a, b T) T { return a & b })
	case compute.OpTypeBitwiseOr:
		return map2(func(a, b T) T { return a | b })
	case compute.OpTypeBitwiseXor:
		return map2(func(a, b T) T { return a ^ b })
	case compute.OpTypeShiftLeft:
		return map2(func(a, b T) T { return a << shiftBy(b, size) })
	case compute.OpTypeShiftRightArithmetic:
		if signed {
			return map2(func(a, b T) T { return a >> shiftBy(b, size) })
		}
		// The sign bit of an unsigned number is its highest.
		return map2(func(a, b T) T {
			shifted := int64(uint64(toU(a))<<(64-size)) >> shiftBy(b, size)
			return toT(U(uint64(shifted) >> (64 - size)))
		})
	case compute.OpTypeShiftRightLogical:
		return map2(func(a, b T) T { return toT(toU(a) >> shiftBy(b, size)) })
	}
	return numberFunction[T](op)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shiftBy limits a shift to the size of the type; negative shifts count as larger than that.
func shiftBy[T integer](b T, size int) uint { return uint(min(uint64(b), uint64(size))) }

func integerPower[T integer](a, b T) T {
	if b < 0 {
		switch a {
		case 1:
			return 1
		case ^T(0):
			return 1 - 2*(b&1)
		}
		return 0
	}
	r := T(1)
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			r *= a
		}
		a *= a
	}
	return r
}

// boolFunction has the operations on booleans, which are bytes 0 and 1.
func boolFunction(op compute.OpType) tileFunc {
	switch op {
	case compute.OpTypeLogicalNot:
		return map1(func(a bool) bool { return !a })
	case compute.OpTypeLogicalAnd, compute.OpTypeBitwiseAnd, compute.OpTypeMin, compute.OpTypeMul:
		return map2(func(a, b bool) bool { return a && b })
	case compute.OpTypeLogicalOr, compute.OpTypeBitwiseOr, compute.OpTypeMax, compute.OpTypeAdd:
		return map2(func(a, b bool) bool { return a || b })
	case compute.OpTypeLogicalXor, compute.OpTypeBitwiseXor:
		return map2(func(a, b bool) bool { return a != b })
	}
	if elementwiseArity[op] == 2 {
		return numberFunction[uint8](op) // comparisons
	}
	return nil
}

func whereLoop[T any](dst unsafe.Pointer, src *operands, n int) {
	d, c := unsafe.Slice((*T)(dst), n), bools(src[0], n)
	a, b := unsafe.Slice((*T)(src[1]), n), unsafe.Slice((*T)(src[2]), n)
	for i := range d {
		v := b[i]
		if c[i] {
			v = a[i]
		}
		d[i] = v
	}
}

func whereFunction(d dtypes.DType) tileFunc {
	if d == dtypes.Float32 {
		return func(dst unsafe.Pointer, src *operands, n int) {
			kernel.Select(floats(dst, n), bools(src[0], n), floats(src[1], n), floats(src[2], n))
		}
	}
	switch d.Size() {
	case 1:
		return whereLoop[uint8]
	case 2:
		return whereLoop[uint16]
	case 4:
		return whereLoop[uint32]
	default:
		return whereLoop[uint64]
	}
}

func convertLoop[T, U number](dst unsafe.Pointer, src *operands, n int) {
	d, a := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n)
	for i := range d {
		d[i] = U(a[i])
	}
}

func convertFrom[T number](to dtypes.DType) tileFunc {
	switch to {
	case dtypes.Bool:
		return map1(func(a T) bool { return a != 0 })
	case dtypes.Int8:
		return convertLoop[T, int8]
	case dtypes.Int16:
		return convertLoop[T, int16]
	case dtypes.Int32:
		return convertLoop[T, int32]
	case dtypes.Int64:
		return convertLoop[T, int64]
	case dtypes.Uint8:
		return convertLoop[T, uint8]
	case dtypes.Uint16:
		return convertLoop[T, uint16]
	case dtypes.Uint32:
		return convertLoop[T, uint32]
	case dtypes.Uint64:
		return convertLoop[T, uint64]
	case dtypes.Float32:
		return convertLoop[T, float32]
	case dtypes.Float64:
		return convertLoop[T, float64]
	}
	return nil
}

// convertFunction converts between types; build.go takes 16-bit floats through float32.
func convertFunction(from, to dtypes.DType) tileFunc {
	switch {
	case from == dtypes.Bool && to == dtypes.Float32:
		return func(dst unsafe.Pointer, src *operands, n int) { kernel.FromBool(floats(dst, n), bools(src[0], n)) }
	case from == dtypes.Float16:
		return map1(func(a float16.Float16) float32 { return a.Float32() })
	case from == dtypes.BFloat16:
		return map1(func(a bfloat16.BFloat16) float32 { return a.Float32() })
	case to == dtypes.Float16:
		return map1(float16.FromFloat32)
	case to == dtypes.BFloat16:
		return map1(bfloat16.FromFloat32)
	}
	switch from {
	case dtypes.Bool, dtypes.Uint8:
		return convertFrom[uint8](to)
	case dtypes.Int8:
		return convertFrom[int8](to)
	case dtypes.Int16:
		return convertFrom[int16](to)
	case dtypes.Int32:
		return convertFrom[int32](to)
	case dtypes.Int64:
		return convertFrom[int64](to)
	case dtypes.Uint16:
		return convertFrom[uint16](to)
	case dtypes.Uint32:
		return convertFrom[uint32](to)
	case dtypes.Uint64:
		return convertFrom[uint64](to)
	case dtypes.Float32:
		return convertFrom[float32](to)
	case dtypes.Float64:
		return convertFrom[float64](to)
	}
	return nil
}
