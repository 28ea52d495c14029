package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// What bodies of kernels are written in. Operands are avo's, constants in memory, or, for NEON, neonValues.

// piece is, for NEON, the piece of code to which operations are added.
var piece *neonPiece

// constant is a number in memory, the same for all lanes.
type constant struct{ Mem }

// newVec returns a new vector register, which avo will choose.
func newVec() Register {
	if set.masks() {
		return ZMM()
	}
	return YMM()
}

// newMask returns a new register for what compare returns.
func newMask() Register {
	if set.masks() {
		return K()
	}
	return YMM()
}

// instruction is one of amd64 on vectors, and its form with one number from memory for all lanes, which AVX-512 has.
// That form keeps constants small: whole vectors of them would straddle cache lines, since Go aligns data to 32 bytes
// only, and halve the speed.
type instruction struct{ plain, broadcast func(...Op) }

var (
	fmadd213ps = instruction{VFMADD213PS, VFMADD213PS_BCST}
	movups     = instruction{VMOVUPS, func(ops ...Op) { VBROADCASTSS(ops[0], ops[1]) }}
)

// do emits an instruction; the last operand is its destination.
func do(i instruction, operands ...Op) {
	emit := i.plain
	for j, o := range operands {
		if c, ok := o.(constant); ok {
			operands[j] = c.Mem
			if set.masks() {
				emit = i.broadcast
			}
		}
	}
	emit(operands...)
}

var constants = map[uint32]constant{}

// bits returns the constant w, which must not be overwritten: with AVX-512 one word in memory, with AVX2 as many as a
// vector has lanes.
func bits(w uint32) Op {
	if piece != nil {
		return piece.fn.hoisted(w)
	}
	c, ok := constants[w]
	if !ok {
		c = constant{GLOBL(fmt.Sprintf("c%08x", w)+set.suffix, attr.RODATA|attr.NOPTR)}
		if set.masks() {
			DATA(0, U32(w))
		} else {
			for i := range set.lanes / 2 {
				DATA(8*i, U64(uint64(w)<<32|uint64(w)))
			}
		}
		constants[w] = c
	}
	return c
}

// f32 returns the number x in every lane, which must not be overwritten.
func f32(x float64) Op { return bits(math.Float32bits(float32(x))) }

// load returns a constant as an operand that can be the first, but not overwritten.
func load(c Op) Op {
	if piece != nil {
		return c
	}
	v := newVec()
	do(movups, c, v)
	return v
}

// fresh returns the number x in every lane of a vector of its own.
func fresh(x float64) Op {
	if piece != nil {
		return piece.fresh(x)
	}
	return load(f32(x))
}

// The operations return new vectors, unless they say otherwise. With amd64, y may be a constant; x must not.

// binary is an operation of one instruction, for NEON with another name.
func binary(i instruction, neon string) func(x, y Op) Op {
	return func(x, y Op) Op {
		if piece != nil {
			return piece.do(neon, x, y)
		}
		v := newVec()
		do(i, y, x, v)
		return v
	}
}

// unary is an operation for which NEON has an instruction.
func unary(amd64 func(x Op) Op, neon string) func(x Op) Op {
	return func(x Op) Op {
		if piece != nil {
			return piece.do(neon, x)
		}
		return amd64(x)
	}
}

// simple is unary where amd64 has an instruction, too.
func simple(i func(...Op), neon string) func(x Op) Op {
	return unary(func(x Op) Op {
		v := newVec()
		i(x, v)
		return v
	}, neon)
}

var (
	add = binary(instruction{VADDPS, VADDPS_BCST}, "fadd")
	sub = binary(instruction{VSUBPS, VSUBPS_BCST}, "fsub")
	mul = binary(instruction{VMULPS, VMULPS_BCST}, "fmul")
	div = binary(instruction{VDIVPS, VDIVPS_BCST}, "fdiv")
	and = binary(instruction{VANDPS, VANDPS_BCST}, "and")
	or  = binary(instruction{VORPS, VORPS_BCST}, "orr")
	xor = binary(instruction{VXORPS, VXORPS_BCST}, "")

	// least and greatest return y if an operand is NaN; for NEON, NaN.
	least    = binary(instruction{VMINPS, VMINPS_BCST}, "fmin")
	greatest = binary(instruction{VMAXPS, VMAXPS_BCST}, "fmax")

	sqrt = simple(VSQRTPS, "fsqrt")
	neg  = unary(func(x Op) Op { return xor(x, bits(signBit)) }, "fneg")
	abs  = unary(func(x Op) Op { return and(x, bits(absMask)) }, "fabs")

	// On integers, and between these and floats.
	addInt  = binary(instruction{VPADDD, VPADDD_BCST}, "add")
	subInt  = binary(instruction{VPSUBD, VPSUBD_BCST}, "sub")
	toFloat = simple(VCVTDQ2PS, "scvtf")
	toInt   = simple(VCVTPS2DQ, "fcvtns")
)

// shift shifts integers by n bits.
func shift(i func(...Op), neon string, n int, x Op) Op {
	if piece != nil {
		return piece.shift(neon, n, x)
	}
	v := newVec()
	i(Imm(uint64(n)), x, v)
	return v
}

func shiftLeft(n int, x Op) Op  { return shift(VPSLLD, "shl", n, x) }
func shiftRight(n int, x Op) Op { return shift(VPSRAD, "sshr", n, x) }

// addProduct returns v + a·b; it overwrites v.
func addProduct(v, a, b Op) Op {
	return product(instruction{VFMADD231PS, VFMADD231PS_BCST}, "fmla", v, a, b)
}

// subProduct returns v − a·b; it overwrites v.
func subProduct(v, a, b Op) Op {
	return product(instruction{VFNMADD231PS, VFNMADD231PS_BCST}, "fmls", v, a, b)
}

func product(i instruction, neon string, v, a, b Op) Op {
	if piece != nil {
		piece.change(neon, v, a, b)
	} else {
		do(i, b, a, v)
	}
	return v
}

// horner returns the polynomial of x with the given coefficients, the constant one first.
func horner(x Op, coefficients ...float64) Op {
	last := len(coefficients) - 1
	v := load(f32(coefficients[last]))
	for i := last - 1; i >= 0; i-- {
		if c := coefficients[i]; piece != nil {
			v = addProduct(fresh(c), v, x)
		} else {
			do(fmadd213ps, f32(c), x, v)
		}
	}
	return v
}

const (
	signBit = 1 << 31
	absMask = signBit - 1
)

// A predicate compares: the code that amd64's instruction has for it, and NEON's instruction, perhaps with operands
// swapped or its mask negated.
type predicate struct {
	code             uint64
	neon             string
	swapped, negated bool
}

var (
	equal      = predicate{code: 0x00, neon: "fcmeq"}
	notEqual   = predicate{code: 0x04, neon: "fcmeq", negated: true} // so is NaN
	less       = predicate{code: 0x11, neon: "fcmgt", swapped: true}
	lessEqual  = predicate{code: 0x12, neon: "fcmge", swapped: true}
	notAtLeast = predicate{code: 0x19, neon: "fcmge", negated: true} // so is NaN
	nonzero    = predicate{code: 0x0c, neon: "facgt"}                // beside 0; not so NaN
	unordered  = predicate{code: 0x03}
	ordered    = predicate{code: 0x07}
)

// compare returns a mask, for blend, of the lanes where "x p y" holds.
func compare(p predicate, x, y Op) Op {
	if piece == nil {
		mask := newMask()
		do(instruction{VCMPPS, VCMPPS_BCST}, Imm(p.code), y, x, mask)
		return mask
	}
	if p.swapped {
		x, y = y, x
	}
	mask := piece.do(p.neon, x, y)
	if p.negated {
		mask = piece.do("mvn", mask)
	}
	return mask
}

// below returns a mask of the lanes where |x| < y.
func below(x, y Op) Op {
	if piece != nil {
		return piece.do("facgt", y, x)
	}
	return compare(less, abs(x), y)
}

// blend returns y where the mask is set, else x. For NEON, it overwrites the mask.
func blend(mask, x, y Op) Op {
	if piece != nil {
		piece.change("bsl", mask, y, x)
		return mask
	}
	v := newVec()
	if set.masks() {
		do(instruction{VBLENDMPS, VBLENDMPS_BCST}, y, x, mask, v)
	} else {
		do(instruction{plain: func(ops ...Op) { VBLENDVPS(ops[0], ops[1], ops[2], ops[3]) }}, mask, y, x, v)
	}
	return v
}

// greater and lesser return what Go's max and min do.

func greater(x, y Op) Op { return extreme(x, y, 5, greatest, and) }

func lesser(x, y Op) Op { return extreme(x, y, 4, least, or) }

// extreme computes max or min. AVX-512 has an instruction that orders zeros by sign. AVX2's instruction returns the
// second operand of equal ones: applied both ways round, the results differ for zeros of unequal sign only, and the
// logical operation joins them. NaN comes from x + y on both. NEON's instruction is Go's.
func extreme(x, y Op, rangeImm uint64, either, join func(x, y Op) Op) Op {
	if piece != nil {
		return either(x, y)
	}
	isNaN := compare(unordered, x, y)
	if set.masks() {
		v := newVec()
		VRANGEPS(Imm(rangeImm), y, x, v)
		VADDPS(y, x, isNaN, v)
		return v
	}
	return blend(isNaN, join(either(y, x), either(x, y)), add(x, y))
}

// copySign returns x with the sign of s; it overwrites x.
func copySign(x, s Op) Op {
	switch {
	case piece != nil:
		piece.change("bit", x, s, bits(signBit))
	case set.masks():
		VPTERNLOGD_BCST(Imm(0xd8), bits(signBit).(constant).Mem, s, x) // s where the constant is set, else x
	default:
		return or(and(x, bits(absMask)), and(s, bits(signBit)))
	}
	return x
}
