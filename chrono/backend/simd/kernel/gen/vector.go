package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// elementwise describes a kernel that computes dst[i] from element i of each input.
type elementwise struct {
	name, formula string
	cond          bool     // whether the first input is "cond []bool"
	in            []string // names of []float32
	scalar        bool     // whether the last input is "s float32"
	boolean       bool     // whether dst is []bool

	// body gets the inputs in the order cond, in, s; cond is a mask. It may overwrite all but s. It returns a vector,
	// or a mask if boolean.
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
	if e.scalar {
		params = append(params, "s float32")
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
	var s Register
	if e.scalar {
		m, err := Param("s").Resolve()
		if err != nil {
			panic(err)
		}
		s = newVec()
		VBROADCASTSS(m.Addr, s)
	}
	var ones Register
	if e.boolean {
		ones = XMM()
		VPBROADCASTD(bits(0x01010101).Mem, ones)
	}
	i := GP64() // index of the current element
	XORQ(i, i)
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
		if e.scalar {
			x = append(x, s)
		}
		y := e.body(x)
		if e.boolean {
			storeBools(y, ones, bools(dst), tail)
		} else {
			storeFloats(y, floats(dst), tail)
		}
	}
	SUBQ(Imm(uint64(set.lanes)), n)
	JL(LabelRef("tail"))
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

func loadFloats(m Mem, tail Register) Register {
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
		low := mask.(VecVirtual).AsX()
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
	unary := func(name, formula string, f func(x Register) Register) {
		elementwise{name: name, formula: formula, in: []string{"a"},
			body: func(x []Register) Register { return f(x[0]) }}.generate()
	}
	unary("neg", "−a", func(x Register) Register { return xor(x, bits(signBit)) })
	unary("abs", "|a|", func(x Register) Register { return and(x, bits(absMask)) })
	unary("sign", "the sign of a", func(x Register) Register {
		one := or(and(x, bits(signBit)), f32(1))
		return blend(compare(eqUQ, x, f32(0)), one, x)
	})
	unary("floor", "⌊a⌋", round(1))
	unary("ceil", "⌈a⌉", round(2))
	unary("round", "the integer nearest to a", round(0))
	unary("sqrt", "√a", sqrt)
	unary("rsqrt", "1/√a", func(x Register) Register { return div(load(f32(1)), sqrt(x)) })
	unary("exp", "eᵃ", exp)
	unary("expm1", "eᵃ − 1", expm1)
	unary("log", "ln a", log)
	unary("log1p", "ln(1 + a)", log1p)
	unary("tanh", "tanh a", tanh)
	unary("logistic", "1/(1 + e⁻ᵃ)", logistic)

	pair := func(name, formula, second string, f func(x Register, y Op) Register) {
		elementwise{name: name, formula: formula, in: []string{"a", second},
			body: func(x []Register) Register { return f(x[0], x[1]) }}.generate()
	}
	pair("add", "a + b", "b", add)
	pair("sub", "a − b", "b", sub)
	pair("mul", "a·b", "b", mul)
	pair("div", "a/b", "b", div)
	pair("max", "the greater of a and b", "b", greater)
	pair("min", "the lesser of a and b", "b", lesser)
	pair("tanhGrad", "a·(1 − y²)", "y", func(a Register, y Op) Register {
		one := load(f32(1))
		do(fnmadd231ps, y, y, one)
		return mul(one, a)
	})
	pair("logisticGrad", "a·y·(1 − y)", "y", func(a Register, y Op) Register {
		return mul(mul(sub(load(f32(1)), y), y), a)
	})

	scalar := func(name, formula string, f func(x Register, s Op) Register) {
		elementwise{name: name, formula: formula, in: []string{"a"}, scalar: true,
			body: func(x []Register) Register { return f(x[0], x[1]) }}.generate()
	}
	scalar("addScalar", "a + s", add)
	scalar("scalarSub", "s − a", func(a Register, s Op) Register { return sub(s.(Register), a) })
	scalar("mulScalar", "a·s", mul)
	scalar("divScalar", "a/s", div)
	scalar("scalarDiv", "s/a", func(a Register, s Op) Register { return div(s.(Register), a) })
	scalar("maxScalar", "the greater of a and s", greater)
	scalar("minScalar", "the lesser of a and s", lesser)

	fused := func(name, formula string, in []string, f func(x []Register) Register) {
		elementwise{name: name, formula: formula, in: in, body: f}.generate()
	}
	abc := []string{"a", "b", "c"}
	fused("mulAdd", "a·b + c", abc, func(x []Register) Register {
		do(fmadd231ps, x[1], x[0], x[2])
		return x[2]
	})
	fused("mulSub", "a·b − c", abc, func(x []Register) Register {
		do(fmsub231ps, x[1], x[0], x[2])
		return x[2]
	})
	fused("subMul", "c − a·b", abc, func(x []Register) Register {
		do(fnmadd231ps, x[1], x[0], x[2])
		return x[2]
	})
	fused("mulMulAdd", "a·b + c·d", []string{"a", "b", "c", "d"}, func(x []Register) Register {
		cd := mul(x[2], x[3])
		do(fmadd231ps, x[1], x[0], cd)
		return cd
	})

	elementwise{name: "fill", formula: "s", scalar: true,
		body: func(x []Register) Register { return x[0] }}.generate()
	elementwise{name: "selectVec", formula: "cond ? a : b", cond: true, in: []string{"a", "b"},
		body: func(x []Register) Register { return blend(x[0], x[2], x[1]) }}.generate()
	elementwise{name: "fromBool", formula: "cond ? 1 : 0", cond: true,
		body: func(x []Register) Register { return blend(x[0], load(f32(0)), load(f32(1))) }}.generate()

	comparison := func(name, formula string, predicate uint64) {
		elementwise{name: name, formula: formula, in: []string{"a", "b"}, boolean: true,
			body: func(x []Register) Register { return compare(predicate, x[0], x[1]) }}.generate()
	}
	comparison("equal", "a = b", eqOQ)
	comparison("notEqual", "a ≠ b", neqUQ)
	comparison("less", "a < b", ltOQ)
	comparison("lessEqual", "a ≤ b", leOQ)
}
