package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vec is a vector of the instruction set's width, in a register that avo chooses.
type vec = VecVirtual

func newVec() vec {
	if set.masks() {
		return ZMM()
	}
	return YMM()
}

var constants = map[uint32]Mem{}

// bits returns a constant in memory with w in every lane.
func bits(w uint32) Mem {
	m, ok := constants[w]
	if !ok {
		m = GLOBL(fmt.Sprintf("c%08x", w)+set.suffix, attr.RODATA|attr.NOPTR)
		for i := range set.lanes {
			DATA(4*i, U32(w))
		}
		constants[w] = m
	}
	return m
}

// f32 returns a constant in memory with x in every lane.
func f32(x float64) Mem { return bits(math.Float32bits(float32(x))) }

func load(m Op) vec {
	v := newVec()
	VMOVUPS(m, v)
	return v
}

// The operations return a new register. y may be a constant in memory; x must be a register.

func binary(instruction func(...Op)) func(x vec, y Op) vec {
	return func(x vec, y Op) vec {
		v := newVec()
		instruction(y, x, v)
		return v
	}
}

func with(imm uint64, instruction func(...Op)) func(...Op) {
	return func(ops ...Op) { instruction(append([]Op{Imm(imm)}, ops...)...) }
}

var (
	add = binary(VADDPS)
	sub = binary(VSUBPS)
	mul = binary(VMULPS)
	div = binary(VDIVPS)
	and = binary(VANDPS)
	or  = binary(VORPS)
	xor = binary(VXORPS)

	// least and greatest return y if an operand is NaN.
	least    = binary(VMINPS)
	greatest = binary(VMAXPS)
)

// fma returns a·b + c.
func fma(a vec, b, c Op) vec {
	v := load(c)
	VFMADD231PS(b, a, v)
	return v
}

// horner returns the polynomial of x with the given coefficients, the constant one first.
func horner(x vec, coefficients ...float64) vec {
	last := len(coefficients) - 1
	v := load(f32(coefficients[last]))
	for i := last - 1; i >= 0; i-- {
		VFMADD213PS(f32(coefficients[i]), x, v)
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
func compare(predicate uint64, x vec, y Op) Register {
	if set.masks() {
		k := K()
		VCMPPS(Imm(predicate), y, x, k)
		return k
	}
	v := YMM()
	VCMPPS(Imm(predicate), y, x, v)
	return v
}

// blend returns y where the mask is set, else x.
func blend(mask Register, x vec, y Op) vec {
	v := newVec()
	if set.masks() {
		VBLENDMPS(y, x, mask, v)
	} else {
		VBLENDVPS(mask, y, x, v)
	}
	return v
}

// greater and lesser return what Go's max and min do.

func greater(x vec, y Op) vec { return extreme(x, y, 5, VMAXPS, VANDPS) }

func lesser(x vec, y Op) vec { return extreme(x, y, 4, VMINPS, VORPS) }

// extreme computes max or min. AVX-512 has an instruction that orders zeros by sign. AVX2's instruction returns the
// second operand of equal ones: applied both ways round, the results differ for zeros of unequal sign only, and the
// logical operation joins them. NaN comes from x + y on both.
func extreme(x vec, y Op, rangeImm uint64, instruction, join func(...Op)) vec {
	if set.masks() {
		v, k := newVec(), K()
		VRANGEPS(Imm(rangeImm), y, x, v)
		VCMPPS(Imm(unordQ), y, x, k)
		VADDPS(y, x, k, v)
		return v
	}
	if m, ok := y.(Mem); ok {
		y = load(m)
	}
	v, w := newVec(), newVec()
	instruction(y, x, v)
	instruction(x, y, w)
	join(v, w, v)
	return blend(compare(unordQ, x, y), v, add(x, y))
}

// round rounds to integers: 0 to nearest even, 1 down, 2 up.
func round(mode uint64) func(x vec) vec {
	return func(x vec) vec {
		v := newVec()
		if set.masks() {
			VRNDSCALEPS(Imm(mode), x, v)
		} else {
			VROUNDPS(Imm(mode), x, v)
		}
		return v
	}
}

// copySign returns x with the sign of s; it overwrites x.
func copySign(x, s vec) vec {
	if set.masks() {
		VPTERNLOGD(Imm(0xd8), bits(signBit), s, x) // s where the constant is set, else x
		return x
	}
	return or(and(x, bits(absMask)), and(s, bits(signBit)))
}

// elementwise describes a kernel that computes dst[i] from element i of each input.
type elementwise struct {
	name, formula string
	cond          bool     // whether the first input is "cond []bool"
	in            []string // names of []float32
	scalars       []string // names of float32
	boolean       bool     // whether dst is []bool

	// body gets the inputs in the order cond, in, scalars; cond is a mask. It returns a vector, or a mask if boolean.
	body func(x []Register) Register
}

func (e elementwise) signature() string {
	dst := "dst []float32"
	if e.boolean {
		dst = "dst []bool"
	}
	params := []string{dst}
	if e.cond {
		params = append(params, "cond []bool")
	}
	if len(e.in) > 0 {
		params = append(params, strings.Join(e.in, ", ")+" []float32")
	}
	if len(e.scalars) > 0 {
		params = append(params, strings.Join(e.scalars, ", ")+" float32")
	}
	return "func(" + strings.Join(params, ", ") + ")"
}

// generate writes the kernel. With AVX2, which cannot load or store some of 8 bytes, a kernel with []bool leaves the
// last len(dst) mod 8 elements alone.
func (e elementwise) generate() {
	text(e.name, e.signature(), "computes dst = "+e.formula+".")
	dst, n := GP64(), GP64()
	Load(Param("dst").Base(), dst)
	Load(Param("dst").Len(), n)
	var cond GPVirtual
	if e.cond {
		cond = GP64()
		Load(Param("cond").Base(), cond)
	}
	var in []GPVirtual
	for _, name := range e.in {
		p := GP64()
		Load(Param(name).Base(), p)
		in = append(in, p)
	}
	var scalars []Register
	for _, name := range e.scalars {
		m, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		v := newVec()
		VBROADCASTSS(m.Addr, v)
		scalars = append(scalars, v)
	}
	var ones Register
	if e.boolean {
		ones = XMM()
		if set.masks() {
			VMOVDQU32(bits(0x01010101), ones)
		} else {
			VMOVDQU(bits(0x01010101), ones)
		}
	}
	i := GP64() // index of the current element
	XORQ(i, i)
	SUBQ(Imm(uint64(set.lanes)), n)
	JL(LabelRef("tail"))
	step := func(tail Register) {
		floats := func(p GPVirtual) Mem { return Mem{Base: p, Index: i, Scale: 4} }
		bools := func(p GPVirtual) Mem { return Mem{Base: p, Index: i, Scale: 1} }
		var x []Register
		if e.cond {
			x = append(x, loadBools(bools(cond), tail))
		}
		for _, p := range in {
			x = append(x, loadFloats(floats(p), tail))
		}
		y := e.body(append(x, scalars...))
		if e.boolean {
			storeBools(y, ones, bools(dst), tail)
		} else {
			storeFloats(y, floats(dst), tail)
		}
	}
	Label("loop")
	step(nil)
	ADDQ(Imm(uint64(set.lanes)), i)
	SUBQ(Imm(uint64(set.lanes)), n)
	JGE(LabelRef("loop"))
	Label("tail")
	if set.masks() || !e.cond && !e.boolean {
		ADDQ(Imm(uint64(set.lanes)), n)
		JZ(LabelRef("done"))
		step(tailMask(n))
		Label("done")
	}
	VZEROUPPER()
	RET()
}

// tailMask returns the mask of the first n lanes, 0 < n < lanes. It changes n.
func tailMask(n GPVirtual) Register {
	if set.masks() {
		ones, k := GP32(), K()
		MOVL(U32(^uint32(0)), ones)
		SHLXL(n.As32(), ones, ones)
		NOTL(ones)
		KMOVW(ones, k)
		return k
	}
	p, mask := GP64(), YMM()
	LEAQ(slidingMask().Offset(64), p)
	SHLQ(Imm(2), n)
	SUBQ(n, p)
	VMOVUPS(Mem{Base: p}, mask)
	return mask
}

// A nil tail mask means all lanes.

func loadFloats(m Mem, tail Register) vec {
	v := newVec()
	switch {
	case tail == nil:
		VMOVUPS(m, v)
	case set.masks():
		VMOVUPS_Z(m, tail, v)
	default:
		VMASKMOVPS(m, tail, v)
	}
	return v
}

func storeFloats(v Register, m Mem, tail Register) {
	switch {
	case tail == nil:
		VMOVUPS(v, m)
	case set.masks():
		VMOVUPS(v, tail, m)
	default:
		VMASKMOVPS(v, tail, m)
	}
}

// loadBools returns a mask for blend.
func loadBools(m Mem, tail Register) Register {
	if !set.masks() {
		v := YMM()
		VPMOVZXBD(m, v)
		VPSLLD(Imm(31), v, v)
		return v
	}
	x, k := XMM(), K()
	if tail == nil {
		VMOVDQU8(m, x)
	} else {
		VMOVDQU8_Z(m, tail, x)
	}
	VPTESTMB(x, x, k)
	return k
}

// storeBools stores bytes 0 and 1 for a mask that compare returned.
func storeBools(mask, ones Register, m Mem, tail Register) {
	x := XMM()
	if !set.masks() {
		low := mask.(vec).AsX()
		VEXTRACTF128(Imm(1), mask, x)
		VPACKSSDW(x, low, x)
		VPACKSSWB(x, x, x)
		VPAND(ones, x, x)
		VMOVQ(x, m)
		return
	}
	VMOVDQU8_Z(ones, mask, x)
	if tail == nil {
		VMOVDQU8(x, m)
	} else {
		VMOVDQU8(x, tail, m)
	}
}

// vectors generates all elementwise kernels.
func vectors() {
	unary := func(name, formula string, f func(x vec) vec) {
		elementwise{name: name, formula: formula, in: []string{"a"},
			body: func(x []Register) Register { return f(x[0].(vec)) }}.generate()
	}
	unary("neg", "−a", func(x vec) vec { return xor(x, bits(signBit)) })
	unary("abs", "|a|", func(x vec) vec { return and(x, bits(absMask)) })
	unary("sign", "the sign of a", func(x vec) vec {
		one := or(and(x, bits(signBit)), f32(1))
		return blend(compare(eqUQ, x, f32(0)), one, x)
	})
	unary("floor", "⌊a⌋", round(1))
	unary("ceil", "⌈a⌉", round(2))
	unary("round", "the integer nearest to a", round(0))
	unary("sqrt", "√a", sqrt)
	unary("rsqrt", "1/√a", func(x vec) vec { return div(load(f32(1)), sqrt(x)) })
	unary("exp", "eᵃ", exp)
	unary("expm1", "eᵃ − 1", expm1)
	unary("log", "ln a", log)
	unary("log1p", "ln(1 + a)", log1p)
	unary("tanh", "tanh a", tanh)
	unary("logistic", "1/(1 + e⁻ᵃ)", logistic)

	pair := func(name, formula, second string, f func(x vec, y Op) vec) {
		elementwise{name: name, formula: formula, in: []string{"a", second},
			body: func(x []Register) Register { return f(x[0].(vec), x[1].(vec)) }}.generate()
	}
	pair("add", "a + b", "b", add)
	pair("sub", "a − b", "b", sub)
	pair("mul", "a·b", "b", mul)
	pair("div", "a/b", "b", div)
	pair("max", "the greater of a and b", "b", greater)
	pair("min", "the lesser of a and b", "b", lesser)
	pair("tanhGrad", "a·(1 − y²)", "y", func(a vec, y Op) vec {
		one := load(f32(1))
		VFNMADD231PS(y, y.(vec), one)
		return mul(one, a)
	})
	pair("logisticGrad", "a·y·(1 − y)", "y", func(a vec, y Op) vec {
		return mul(mul(sub(load(f32(1)), y), y), a)
	})

	scalar := func(name, formula string, f func(x vec, s Op) vec) {
		elementwise{name: name, formula: formula, in: []string{"a"}, scalars: []string{"s"},
			body: func(x []Register) Register { return f(x[0].(vec), x[1].(vec)) }}.generate()
	}
	scalar("addScalar", "a + s", add)
	scalar("scalarSub", "s − a", func(a vec, s Op) vec { return sub(s.(vec), a) })
	scalar("mulScalar", "a·s", mul)
	scalar("divScalar", "a/s", div)
	scalar("scalarDiv", "s/a", func(a vec, s Op) vec { return div(s.(vec), a) })
	scalar("maxScalar", "the greater of a and s", greater)
	scalar("minScalar", "the lesser of a and s", lesser)

	fused := func(name, formula string, in, scalars []string, f func(x []Register) Register) {
		elementwise{name: name, formula: formula, in: in, scalars: scalars, body: f}.generate()
	}
	abc := []string{"a", "b", "c"}
	fused("mulAdd", "a·b + c", abc, nil, func(x []Register) Register {
		VFMADD231PS(x[1], x[0], x[2])
		return x[2]
	})
	fused("mulSub", "a·b − c", abc, nil, func(x []Register) Register {
		VFMSUB231PS(x[1], x[0], x[2])
		return x[2]
	})
	fused("subMul", "c − a·b", abc, nil, func(x []Register) Register {
		VFNMADD231PS(x[1], x[0], x[2])
		return x[2]
	})
	fused("mulScalarAdd", "a·s + c", []string{"a", "c"}, []string{"s"}, func(x []Register) Register {
		VFMADD231PS(x[2], x[0], x[1])
		return x[1]
	})
	fused("affine", "a·s + t", []string{"a"}, []string{"s", "t"}, func(x []Register) Register {
		VFMADD213PS(x[2], x[1], x[0])
		return x[0]
	})
	fused("mulMulAdd", "a·b + c·d", []string{"a", "b", "c", "d"}, nil, func(x []Register) Register {
		cd := mul(x[2].(vec), x[3])
		VFMADD231PS(x[1], x[0], cd)
		return cd
	})

	fused("fill", "s", nil, []string{"s"}, func(x []Register) Register { return x[0] })
	elementwise{name: "selectVec", formula: "cond ? a : b", cond: true, in: []string{"a", "b"},
		body: func(x []Register) Register { return blend(x[0], x[2].(vec), x[1]) }}.generate()
	elementwise{name: "selectElse", formula: "cond ? a : s", cond: true, in: []string{"a"}, scalars: []string{"s"},
		body: func(x []Register) Register { return blend(x[0], x[2].(vec), x[1]) }}.generate()
	elementwise{name: "selectThen", formula: "cond ? s : b", cond: true, in: []string{"b"}, scalars: []string{"s"},
		body: func(x []Register) Register { return blend(x[0], x[1].(vec), x[2]) }}.generate()
	elementwise{name: "fromBool", formula: "cond ? 1 : 0", cond: true,
		body: func(x []Register) Register { return blend(x[0], load(f32(0)), load(f32(1))) }}.generate()

	for _, c := range []struct {
		name, formula string
		predicate     uint64
		scalarOnly    bool
	}{
		{"equal", "a = %s", eqOQ, false}, {"notEqual", "a ≠ %s", neqUQ, false}, {"less", "a < %s", ltOQ, false},
		{"lessEqual", "a ≤ %s", leOQ, false}, {"greater", "a > %s", gtOQ, true}, {"greaterEqual", "a ≥ %s", geOQ, true},
	} {
		body := func(x []Register) Register { return compare(c.predicate, x[0].(vec), x[1]) }
		if !c.scalarOnly {
			elementwise{name: c.name, formula: fmt.Sprintf(c.formula, "b"), in: []string{"a", "b"}, boolean: true, body: body}.generate()
		}
		elementwise{name: c.name + "Scalar", formula: fmt.Sprintf(c.formula, "s"), in: []string{"a"}, scalars: []string{"s"}, boolean: true, body: body}.generate()
	}
}

func sqrt(x vec) vec {
	v := newVec()
	VSQRTPS(x, v)
	return v
}
