package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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

// bits returns the constant w: one word with AVX-512, else as many as a vector has lanes.
func bits(w uint32) constant {
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

// f32 returns a constant in memory with x in every lane.
func f32(x float64) constant { return bits(math.Float32bits(float32(x))) }

func load(m Op) Register {
	v := newVec()
	do(movups, m, v)
	return v
}

// The operations return new registers. y may be a constant; x must not.

func binary(i instruction) func(x Register, y Op) Register {
	return func(x Register, y Op) Register {
		v := newVec()
		do(i, y, x, v)
		return v
	}
}

var (
	add = binary(addps)
	sub = binary(subps)
	mul = binary(mulps)
	div = binary(divps)
	and = binary(andps)
	or  = binary(orps)
	xor = binary(xorps)

	// least and greatest return y if an operand is NaN.
	least    = binary(minps)
	greatest = binary(maxps)
)

func sqrt(x Register) Register {
	v := newVec()
	do(sqrtps, x, v)
	return v
}

// fma returns a·b + c.
func fma(a Register, b, c Op) Register {
	v := load(c)
	do(fmadd231ps, b, a, v)
	return v
}

// horner returns the polynomial of x with the given coefficients, the constant one first.
func horner(x Register, coefficients ...float64) Register {
	last := len(coefficients) - 1
	v := load(f32(coefficients[last]))
	for i := last - 1; i >= 0; i-- {
		do(fmadd213ps, f32(coefficients[i]), x, v)
	}
	return v
}

const (
	signBit = 1 << 31
	absMask = signBit - 1

	// Predicates of comparison instructions.
	eqOQ, ltOQ, leOQ, unordQ, ordQ, neqUQ, eqUQ, ngeUQ = 0x00, 0x11, 0x12, 0x03, 0x07, 0x04, 0x08, 0x19
)

// compare returns a mask, for blend, of the lanes where "x predicate y" holds.
func compare(predicate uint64, x Register, y Op) Register {
	mask := newMask()
	do(cmpps, Imm(predicate), y, x, mask)
	return mask
}

// blend returns y where the mask is set, else x.
func blend(mask, x Register, y Op) Register {
	v := newVec()
	if set.masks() {
		do(blendmps, y, x, mask, v)
	} else {
		do(blendvps, mask, y, x, v)
	}
	return v
}

// greater and lesser return what Go's max and min do.

func greater(x Register, y Op) Register { return extreme(x, y, 5, maxps, andps) }

func lesser(x Register, y Op) Register { return extreme(x, y, 4, minps, orps) }

// extreme computes max or min. AVX-512 has an instruction that orders zeros by sign. AVX2's instruction returns the
// second operand of equal ones: applied both ways round, the results differ for zeros of unequal sign only, and the
// logical operation joins them. NaN comes from x + y on both.
func extreme(x Register, y Op, rangeImm uint64, either, join instruction) Register {
	unordered := compare(unordQ, x, y)
	v := newVec()
	if set.masks() {
		do(rangeps, Imm(rangeImm), y, x, v)
		do(addps, y, x, unordered, v)
		return v
	}
	w := newVec()
	do(either, y, x, v)
	do(either, x, y, w)
	do(join, v, w, v)
	return blend(unordered, v, add(x, y))
}

// copySign returns x with the sign of s; it overwrites x.
func copySign(x, s Register) Register {
	if set.masks() {
		do(pternlogd, Imm(0xd8), bits(signBit), s, x) // s where the constant is set, else x
		return x
	}
	return or(and(x, bits(absMask)), and(s, bits(signBit)))
}
