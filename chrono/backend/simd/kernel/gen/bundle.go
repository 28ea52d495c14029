package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// bundle is one value in each of several vectors, or masks, that are computed side by side: their instructions alternate,
// so that a processor whose scheduler is full of instructions that wait for results finds others that need not.
type bundle []Register

// abreast is how many vectors new bundles have.
var abreast = 1

// source is what instructions read: a bundle, or something that is the same for all vectors.
type source interface{ of(vector int) Op }

func (b bundle) of(vector int) Op { return b[vector] }

// constant is a number in memory, the same for all lanes.
type constant struct{ Mem }

func (c constant) of(int) Op { return c.Mem }

type imm uint64

func (i imm) of(int) Op { return Imm(uint64(i)) }

func newBundle[R Register](register func() R) bundle {
	b := make(bundle, abreast)
	for j := range b {
		b[j] = register()
	}
	return b
}

func newVec() bundle {
	if set.masks() {
		return newBundle(ZMM)
	}
	return newBundle(YMM)
}

// do emits an instruction for each vector; the last operand is its destination.
func do(i instruction, operands ...source) {
	emit := i.plain
	for _, o := range operands {
		if _, ok := o.(constant); ok && set.masks() {
			emit = i.broadcast
		}
	}
	for j := range operands[len(operands)-1].(bundle) {
		ops := make([]Op, len(operands))
		for i, o := range operands {
			ops[i] = o.of(j)
		}
		emit(ops...)
	}
}

var constants = map[uint32]constant{}

// bits returns the constant w: one word with AVX-512, else as many as a vector has lanes.
func bits(w uint32) constant {
	c, ok := constants[w]
	if !ok {
		c = constant{GLOBL(fmt.Sprintf("c%08x", w)+set.suffix, attr.RODATA|attr.NOPTR)}
		for i := range set.lanes {
			DATA(4*i, U32(w))
			if set.masks() {
				break
			}
		}
		constants[w] = c
	}
	return c
}

// f32 returns a constant in memory with x in every lane.
func f32(x float64) constant { return bits(math.Float32bits(float32(x))) }

func load(m source) bundle {
	v := newVec()
	do(movups, m, v)
	return v
}

// The operations return new registers. y may be a constant; x must not.

func binary(i instruction) func(x bundle, y source) bundle {
	return func(x bundle, y source) bundle {
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

func sqrt(x bundle) bundle {
	v := newVec()
	do(sqrtps, x, v)
	return v
}

// fma returns a·b + c.
func fma(a bundle, b, c source) bundle {
	v := load(c)
	do(fmadd231ps, b, a, v)
	return v
}

// horner returns the polynomial of x with the given coefficients, the constant one first.
func horner(x bundle, coefficients ...float64) bundle {
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
	eqOQ, ltOQ, leOQ, unordQ, ordQ, neqUQ, eqUQ, ngeUQ, geOQ, gtOQ = 0x00, 0x11, 0x12, 0x03, 0x07, 0x04, 0x08, 0x19, 0x1d, 0x1e
)

// compare returns a mask, for blend, of the lanes where "x predicate y" holds.
func compare(predicate uint64, x bundle, y source) bundle {
	mask := newVec
	if set.masks() {
		mask = func() bundle { return newBundle(K) }
	}
	m := mask()
	do(cmpps, imm(predicate), y, x, m)
	return m
}

// blend returns y where the mask is set, else x.
func blend(mask, x bundle, y source) bundle {
	v := newVec()
	if set.masks() {
		do(blendmps, y, x, mask, v)
	} else {
		do(blendvps, mask, y, x, v)
	}
	return v
}

// greater and lesser return what Go's max and min do.

func greater(x bundle, y source) bundle { return extreme(x, y, 5, maxps, andps) }

func lesser(x bundle, y source) bundle { return extreme(x, y, 4, minps, orps) }

// extreme computes max or min. AVX-512 has an instruction that orders zeros by sign. AVX2's instruction returns the
// second operand of equal ones: applied both ways round, the results differ for zeros of unequal sign only, and the
// logical operation joins them. NaN comes from x + y on both.
func extreme(x bundle, y source, rangeImm uint64, either, join instruction) bundle {
	unordered := compare(unordQ, x, y)
	v := newVec()
	if set.masks() {
		do(rangeps, imm(rangeImm), y, x, v)
		do(addps, y, x, unordered, v)
		return v
	}
	w := newVec()
	do(either, y, x, v)
	do(either, x, y, w)
	do(join, v, w, v)
	return blend(unordered, v, add(x, y))
}

// round rounds to integers: 0 to nearest even, 1 down, 2 up.
func round(mode uint64) func(x bundle) bundle {
	return func(x bundle) bundle {
		v := newVec()
		if set.masks() {
			do(rndscaleps, imm(mode), x, v)
		} else {
			do(roundps, imm(mode), x, v)
		}
		return v
	}
}

// copySign returns x with the sign of s; it overwrites x.
func copySign(x, s bundle) bundle {
	if set.masks() {
		do(pternlogd, imm(0xd8), bits(signBit), s, x) // s where the constant is set, else x
		return x
	}
	return or(and(x, bits(absMask)), and(s, bits(signBit)))
}
