// Package element has the loops of elementwise operations: one call computes an operation on a tile of elements.
package element

import (
	"math"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"

	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
)

// Operands are the addresses of the n-element tiles that a tile function reads. Unused ones are nil.
type Operands [4]unsafe.Pointer

// TileFunc computes one operation on n elements. dst may be one of the sources.
type TileFunc func(dst unsafe.Pointer, src *Operands, n int)

type (
	signedInt   interface{ int8 | int16 | int32 | int64 }
	unsignedInt interface {
		uint8 | uint16 | uint32 | uint64
	}
	Integer interface{ signedInt | unsignedInt }
	float   interface{ float32 | float64 }
	Number  interface{ Integer | float }
)

// Floats are n elements from p on.
func Floats(p unsafe.Pointer, n int) []float32 { return unsafe.Slice((*float32)(p), n) }
func bools(p unsafe.Pointer, n int) []bool     { return unsafe.Slice((*bool)(p), n) }

// Costs of an element, in about a hundredth of a nanosecond: of what a processor has an instruction for, of a division,
// of a function that package kernel approximates, and of one of package math.
const (
	plain     = 10
	divided   = 20
	estimated = 60
	exact     = 1500
)

// The elementwise operations that GoMLX does not have, in float32.
const (
	OpTanhGrad     = compute.OpTypeLast + 101 + iota // (g, y): g·(1 − y²), the gradient through y = tanh x
	OpLogisticGrad                                   // (g, y): g·y·(1 − y), the gradient through y = logistic x
	OpMulAdd                                         // (a, b, c): a·b + c
	OpMulSub                                         // (a, b, c): a·b − c
	OpSubMul                                         // (c, a, b): c − a·b
	OpMulMulAdd                                      // (a, b, c, d): a·b + c·d
	End                                              // is behind the last
)

// An element is an elementwise operation: element i of the result depends on the elements i of the operands only, which
// have the dimensions of the result, since package simd makes broadcasts explicit.
type element struct {
	name  string                              // of those that GoMLX does not have
	cost  int                                 // of an element, in about a hundredth of a nanosecond
	tiles map[dtypes.DType]TileFunc           // by the type of the operands
	tile  func(in, out dtypes.DType) TileFunc // where the type of the result matters, too
}

// elements is the table of elementwise operations. One is a line below, or several if it is computed in its own way for
// some types; that GoMLX's functions record it is a line of simd's methods.go.
var elements = make(map[compute.OpType]*element)

func init() {
	define(compute.OpTypeConvertDType, plain).tile = convertFunction
	define(compute.OpTypeWhere, plain).tile = whereFunction
	integers[int8, uint8]()
	integers[int16, uint16]()
	integers[int32, uint32]()
	integers[int64, uint64]()
	integers[uint8, uint8]()
	integers[uint16, uint16]()
	integers[uint32, uint32]()
	integers[uint64, uint64]()
	floating[float64]()
	floating[float32]()
	booleans()
	kernels() // in place of those just defined for float32
}

// define notes an elementwise operation.
func define(op compute.OpType, cost int) *element {
	e := elements[op]
	if e == nil {
		e = &element{tiles: make(map[dtypes.DType]TileFunc)}
		elements[op] = e
	}
	e.cost = cost
	return e
}

// numbers defines what all types of number have.
func numbers[T Number](d dtypes.DType) {
	arithmetic[T](d)
	comparisons[T](d)
	conversions[T](d)
}

// TypeOf is GoMLX's type for T.
func TypeOf[T any]() dtypes.DType { return dtypes.FromGoType(reflect.TypeFor[T]()) }

// map1 defines an operation on operands of type T.
func map1[T, U any](op compute.OpType, cost int, f func(T) U) {
	define(op, cost).tiles[TypeOf[T]()] = tile1(f)
}

func map2[T, U any](op compute.OpType, cost int, f func(a, b T) U) {
	define(op, cost).tiles[TypeOf[T]()] = func(dst unsafe.Pointer, src *Operands, n int) {
		d, a, b := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n), unsafe.Slice((*T)(src[1]), n)
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

// Is reports whether an operation is elementwise.
func Is(op compute.OpType) bool { return elements[op] != nil }

// Name of an elementwise operation, if GoMLX does not have it.
func Name(op compute.OpType) string {
	if e := elements[op]; e != nil {
		return e.name
	}
	return ""
}

// Cost of an elementwise operation on one element, to decide what runs in parallel.
func Cost(op compute.OpType) int { return elements[op].cost }

// TileFunction returns the loop for an operation on operands of type in that yields type out, or nil if there is none.
func TileFunction(op compute.OpType, in, out dtypes.DType) TileFunc {
	e := elements[op]
	if e.tile != nil {
		return e.tile(in, out)
	}
	return e.tiles[in]
}

// Compute computes an operation on one element of each operand, which are of type in, and returns one of type out; or
// nil if there is no loop for these types.
func Compute(op compute.OpType, in, out dtypes.DType, operands ...[]byte) []byte {
	f := TileFunction(op, in, out)
	if f == nil {
		return nil
	}
	var src Operands
	var tiles [len(src) + 1][8]byte
	for i, v := range operands {
		copy(tiles[i][:], v)
		src[i] = unsafe.Pointer(&tiles[i])
	}
	result := &tiles[len(src)]
	f(unsafe.Pointer(result), &src, 1)
	return slices.Clone(result[:out.Size()])
}

func tile1[T, U any](f func(T) U) TileFunc {
	return func(dst unsafe.Pointer, src *Operands, n int) {
		d, a := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n)
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

// kernelLoop makes a loop of a kernel. It must not be inlined: in closures of a function as long as kernels the
// compiler inlines no call, and Floats is called three or four times a tile.
//
//go:noinline
func kernelLoop(kernel any) TileFunc {
	switch f := kernel.(type) {
	case func(dst, a []float32):
		return func(dst unsafe.Pointer, src *Operands, n int) { f(Floats(dst, n), Floats(src[0], n)) }
	case func(dst, a, b []float32):
		return operands2(f)
	case func(dst []bool, a, b []float32):
		return operands2(f)
	case func(dst, a, b, c []float32):
		return func(dst unsafe.Pointer, src *Operands, n int) {
			f(Floats(dst, n), Floats(src[0], n), Floats(src[1], n), Floats(src[2], n))
		}
	}
	f := kernel.(func(dst, a, b, c, d []float32))
	return func(dst unsafe.Pointer, src *Operands, n int) {
		f(Floats(dst, n), Floats(src[0], n), Floats(src[1], n), Floats(src[2], n), Floats(src[3], n))
	}
}

// AddFour returns the loop that adds four operands of a type, one after the other, or nil if there is none.
func AddFour(d dtypes.DType) TileFunc {
	if d != dtypes.Float32 {
		return nil
	}
	return kernelLoop(kernel.AddFour)
}

// kernels defines the operations in float32 that package kernel has.
func kernels() {
	loop := func(op compute.OpType, cost int, kernel any) *element {
		e := define(op, cost)
		e.tiles[dtypes.Float32] = kernelLoop(kernel)
		return e
	}
	loop(compute.OpTypeNeg, plain, kernel.Neg)
	loop(compute.OpTypeAbs, plain, kernel.Abs)
	loop(compute.OpTypeSign, plain, kernel.Sign)
	loop(compute.OpTypeSqrt, divided, kernel.Sqrt)
	loop(compute.OpTypeRsqrt, divided, kernel.Rsqrt)
	loop(compute.OpTypeExp, estimated, kernel.Exp)
	loop(compute.OpTypeExpm1, estimated, kernel.Expm1)
	loop(compute.OpTypeLog, estimated, kernel.Log)
	loop(compute.OpTypeLog1p, estimated, kernel.Log1p)
	loop(compute.OpTypeTanh, estimated, kernel.Tanh)
	loop(compute.OpTypeErf, estimated, kernel.Erf)
	loop(compute.OpTypeLogistic, estimated, kernel.Logistic)
	loop(compute.OpTypeAdd, plain, kernel.Add)
	loop(compute.OpTypeSub, plain, kernel.Sub)
	loop(compute.OpTypeMul, plain, kernel.Mul)
	loop(compute.OpTypeDiv, divided, kernel.Div)
	loop(compute.OpTypeMax, plain, kernel.Max)
	loop(compute.OpTypeMin, plain, kernel.Min)
	loop(OpTanhGrad, plain, kernel.TanhGrad).name = "TanhGrad"
	loop(OpLogisticGrad, plain, kernel.LogisticGrad).name = "LogisticGrad"
	loop(OpMulAdd, plain, kernel.MulAdd).name = "MulAdd"
	loop(OpMulSub, plain, kernel.MulSub).name = "MulSub"
	loop(OpSubMul, plain, kernel.SubMul).name = "SubMul"
	loop(OpMulMulAdd, plain, kernel.MulMulAdd).name = "MulMulAdd"
	loop(compute.OpTypeEqual, plain, kernel.Equal)
	loop(compute.OpTypeNotEqual, plain, kernel.NotEqual)
	loop(compute.OpTypeLessThan, plain, kernel.Less)
	loop(compute.OpTypeLessOrEqual, plain, kernel.LessEqual)
}

// floating defines the operations of a type of floating point, for the most part by functions of package math.
func floating[T float]() {
	numbers[T](TypeOf[T]())
	one := func(op compute.OpType, f func(float64) float64) {
		map1(op, exact, func(a T) T { return T(f(float64(a))) })
	}
	two := func(op compute.OpType, f func(a, b float64) float64) {
		map2(op, exact, func(a, b T) T { return T(f(float64(a), float64(b))) })
	}
	one(compute.OpTypeAbs, math.Abs)
	one(compute.OpTypeFloor, math.Floor)
	one(compute.OpTypeCeil, math.Ceil)
	one(compute.OpTypeRound, math.RoundToEven)
	one(compute.OpTypeSqrt, math.Sqrt)
	one(compute.OpTypeRsqrt, func(a float64) float64 { return 1 / math.Sqrt(a) })
	one(compute.OpTypeExp, math.Exp)
	one(compute.OpTypeExpm1, math.Expm1)
	one(compute.OpTypeLog, math.Log)
	one(compute.OpTypeLog1p, math.Log1p)
	one(compute.OpTypeTanh, math.Tanh)
	one(compute.OpTypeLogistic, func(a float64) float64 { return 1 / (1 + math.Exp(-a)) })
	one(compute.OpTypeSin, math.Sin)
	one(compute.OpTypeCos, math.Cos)
	one(compute.OpTypeErf, math.Erf)
	two(compute.OpTypePow, math.Pow)
	two(compute.OpTypeRem, math.Mod)
	two(compute.OpTypeAtan2, math.Atan2)
	map1(compute.OpTypeNeg, plain, func(a T) T { return -a })
	map1(compute.OpTypeSign, plain, func(a T) T {
		switch {
		case a > 0:
			return 1
		case a < 0:
			return -1
		}
		return a // ±0 and NaN
	})
	map1(compute.OpTypeIsNaN, plain, func(a T) bool { return a != a })
	map1(compute.OpTypeIsFinite, plain, func(a T) bool { return a-a == 0 })
	map2(compute.OpTypeDiv, divided, func(a, b T) T { return a / b })
}

// operands2 makes a loop of one on slices. Those below stand in full, not as calls of map2, because compilers turn only
// such loops into good code, and indices and masks of training go through them.
func operands2[T, U any](f func(d []U, a, b []T)) TileFunc {
	return func(dst unsafe.Pointer, src *Operands, n int) {
		f(unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n), unsafe.Slice((*T)(src[1]), n))
	}
}

// arithmetic is what floats and integers have in common.
func arithmetic[T Number](d dtypes.DType) {
	loop := func(op compute.OpType, f func(d, a, b []T)) { define(op, plain).tiles[d] = operands2(f) }
	loop(compute.OpTypeAdd, func(d, a, b []T) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	})
	loop(compute.OpTypeSub, func(d, a, b []T) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	})
	loop(compute.OpTypeMul, func(d, a, b []T) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	})
	loop(compute.OpTypeMax, func(d, a, b []T) {
		for i := range d {
			d[i] = max(a[i], b[i])
		}
	})
	loop(compute.OpTypeMin, func(d, a, b []T) {
		for i := range d {
			d[i] = min(a[i], b[i])
		}
	})
}

// comparisons are defined for type d, which is stored as T: booleans are bytes.
func comparisons[T Number](d dtypes.DType) {
	loop := func(op compute.OpType, f func(d []bool, a, b []T)) { define(op, plain).tiles[d] = operands2(f) }
	loop(compute.OpTypeEqual, func(d []bool, a, b []T) {
		for i := range d {
			d[i] = a[i] == b[i]
		}
	})
	loop(compute.OpTypeNotEqual, func(d []bool, a, b []T) {
		for i := range d {
			d[i] = a[i] != b[i]
		}
	})
	loop(compute.OpTypeLessThan, func(d []bool, a, b []T) {
		for i := range d {
			d[i] = a[i] < b[i]
		}
	})
	loop(compute.OpTypeLessOrEqual, func(d []bool, a, b []T) {
		for i := range d {
			d[i] = a[i] <= b[i]
		}
	})
}

// integers defines the operations of an integer type. U is the unsigned type of T's size. Division by zero, which is
// undefined, yields −1 (all bits set) and a remainder of the dividend, as XLA has it; it must not panic because
// package simplify may compute what a loop would not have.
func integers[T Integer, U unsignedInt]() {
	numbers[T](TypeOf[T]())
	size := int(unsafe.Sizeof(T(0))) * 8
	signed := ^T(0) < 0
	map1(compute.OpTypeNeg, plain, func(a T) T { return -a })
	map1(compute.OpTypeAbs, plain, func(a T) T { return max(a, -a*T(Bit(signed))) })
	map1(compute.OpTypeSign, plain, func(a T) T {
		if a < 0 {
			return ^T(0)
		}
		return min(a, 1)
	})
	map1(compute.OpTypeBitwiseNot, plain, func(a T) T { return ^a })
	map1(compute.OpTypeBitCount, plain, func(a T) T { return T(bits.OnesCount64(uint64(U(a)))) })
	map1(compute.OpTypeClz, plain, func(a T) T { return T(bits.LeadingZeros64(uint64(U(a))) - 64 + size) })
	map2(compute.OpTypeDiv, divided, func(a, b T) T {
		if b == 0 {
			return ^T(0)
		}
		return a / b
	})
	map2(compute.OpTypeRem, divided, func(a, b T) T {
		if b == 0 {
			return a
		}
		return a % b
	})
	map2(compute.OpTypePow, exact, integerPower[T])
	map2(compute.OpTypeBitwiseAnd, plain, func(a, b T) T { return a & b })
	map2(compute.OpTypeBitwiseOr, plain, func(a, b T) T { return a | b })
	map2(compute.OpTypeBitwiseXor, plain, func(a, b T) T { return a ^ b })
	map2(compute.OpTypeShiftLeft, plain, func(a, b T) T { return a << shiftBy(b, size) })
	map2(compute.OpTypeShiftRightLogical, plain, func(a, b T) T { return T(U(a) >> shiftBy(b, size)) })
	map2(compute.OpTypeShiftRightArithmetic, plain, func(a, b T) T {
		// The sign bit of an unsigned number is its highest.
		shifted := int64(uint64(a)<<(64-size)) >> shiftBy(b, size)
		return T(uint64(shifted) >> (64 - size))
	})
}

// Bit is 1 or 0.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shiftBy limits a shift to the size of the type; negative shifts count as larger than that.
func shiftBy[T Integer](b T, size int) uint { return uint(min(uint64(b), uint64(size))) }

func integerPower[T Integer](a, b T) T {
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

// booleans defines the operations on booleans, which are bytes 0 and 1.
func booleans() {
	comparisons[uint8](dtypes.Bool)
	conversions[uint8](dtypes.Bool)
	map1(compute.OpTypeLogicalNot, plain, func(a bool) bool { return !a })
	for _, op := range []compute.OpType{compute.OpTypeLogicalAnd, compute.OpTypeMin, compute.OpTypeMul} {
		map2(op, plain, func(a, b bool) bool { return a && b })
	}
	for _, op := range []compute.OpType{compute.OpTypeLogicalOr, compute.OpTypeMax, compute.OpTypeAdd} {
		map2(op, plain, func(a, b bool) bool { return a || b })
	}
	map2(compute.OpTypeLogicalXor, plain, func(a, b bool) bool { return a != b })
}

func whereLoop[T any](dst unsafe.Pointer, src *Operands, n int) {
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

func whereFunction(_, d dtypes.DType) TileFunc {
	if d == dtypes.Float32 {
		return func(dst unsafe.Pointer, src *Operands, n int) {
			kernel.Select(Floats(dst, n), bools(src[0], n), Floats(src[1], n), Floats(src[2], n))
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

// converters are the loops that convert between types, by what they convert from and to. Floats of 16 bits are
// converted from and to float32 only: package simd sees to that.
var converters = make(map[[2]dtypes.DType]TileFunc)

func convertFunction(from, to dtypes.DType) TileFunc { return converters[[2]dtypes.DType{from, to}] }

// conversions defines those of type d, which is stored as T.
func conversions[T Number](d dtypes.DType) {
	convert := func(to dtypes.DType, f TileFunc) { converters[[2]dtypes.DType{d, to}] = f }
	convert(dtypes.Bool, tile1(func(a T) bool { return a != 0 }))
	convert(dtypes.Int8, integerLoop[T, int8](d))
	convert(dtypes.Int16, integerLoop[T, int16](d))
	convert(dtypes.Int32, integerLoop[T, int32](d))
	convert(dtypes.Int64, integerLoop[T, int64](d))
	convert(dtypes.Uint8, integerLoop[T, uint8](d))
	convert(dtypes.Uint16, integerLoop[T, uint16](d))
	convert(dtypes.Uint32, integerLoop[T, uint32](d))
	convert(dtypes.Uint64, integerLoop[T, uint64](d))
	convert(dtypes.Float32, convertLoop[T, float32])
	convert(dtypes.Float64, convertLoop[T, float64])
	switch d {
	case dtypes.Bool:
		convert(dtypes.Float32, func(dst unsafe.Pointer, src *Operands, n int) {
			kernel.FromBool(Floats(dst, n), bools(src[0], n))
		})
	case dtypes.Float32:
		convert(dtypes.Float16, tile1(toFloat16))
		convert(dtypes.BFloat16, tile1(toBFloat16))
		d = dtypes.Float16
		convert(dtypes.Float32, tile1(func(a float16.Float16) float32 { return a.Float32() }))
		d = dtypes.BFloat16
		convert(dtypes.Float32, tile1(func(a bfloat16.BFloat16) float32 { return a.Float32() }))
	}
}

// toFloat16 rounds to the nearest number, like GoMLX's function, which makes zero of all below the least normal one.
func toFloat16(x float32) float16.Float16 {
	const leastNormal, unit = 0x1p-14, 0x1p-24
	if size := math.Abs(float64(x)); size < leastNormal {
		return float16.FromBits(uint16(math.Float32bits(x)>>16)&0x8000 | uint16(math.RoundToEven(size/unit)))
	}
	return float16.FromFloat32(x)
}

// toBFloat16 is GoMLX's function, which would make an infinity of NaN with low bits only.
func toBFloat16(x float32) bfloat16.BFloat16 {
	if x != x {
		x = math.Float32frombits(math.Float32bits(x) | 1<<22)
	}
	return bfloat16.FromFloat32(x)
}

// integerLoop is the loop that converts type d, which is stored as T, to integers.
func integerLoop[T Number, U Integer](d dtypes.DType) TileFunc {
	if d.IsFloat() {
		return truncateLoop[T, U]
	}
	return convertLoop[T, U]
}

// truncateLoop converts floats to integers, towards zero, and as XLA does where that is not possible: those out of
// range to the nearest integer in range, and NaN to 0.
func truncateLoop[T Number, U Integer](dst unsafe.Pointer, src *Operands, n int) {
	least, most := limits[U]()
	low, high := T(least), T(most)
	d, a := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n)
	for i, x := range a {
		switch {
		case x != x:
			d[i] = 0
		case x <= low:
			d[i] = least
		case x >= high:
			d[i] = most
		default:
			d[i] = U(x)
		}
	}
}

// limits are the least and the greatest value of a type of integers.
func limits[U Integer]() (least, most U) {
	least = 1 << (8*unsafe.Sizeof(least) - 1)
	if most = ^least; least > 0 { // it has no sign
		least, most = 0, ^U(0)
	}
	return least, most
}

func convertLoop[T, U Number](dst unsafe.Pointer, src *Operands, n int) {
	d, a := unsafe.Slice((*U)(dst), n), unsafe.Slice((*T)(src[0]), n)
	for i := range d {
		d[i] = U(a[i])
	}
}
