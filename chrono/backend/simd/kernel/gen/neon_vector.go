package main

import "fmt"

// neonElementwise describes a kernel that computes dst element by element: 4·unroll elements at a time, then 4, then
// what is left. Kernels with []bool compute whole vectors only.
type neonElementwise struct {
	name, formula string
	in            []string // parameters of type []float32
	cond          bool     // a parameter []bool before them
	scalar        bool     // a parameter float32 after them
	boolean       bool     // dst is []bool
	unroll        int
	body          func(p *neonPiece, x []neonValue) neonValue // x: cond as a mask, in, scalar
}

const (
	neonDst   = "R0"
	neonCount = "R5"
	neonSpare = "R7"
)

func (e neonElementwise) generate(f *neonFile) {
	parameters := "dst []float32"
	if e.boolean {
		parameters = "dst []bool"
	}
	setup := []string{"MOVD dst_base+0(FP), " + neonDst, "MOVD dst_len+8(FP), " + neonCount}
	offset := 24
	pointers := []string{}
	slice := func(name, kind string) {
		parameters += fmt.Sprintf(", %s []%s", name, kind)
		register := fmt.Sprintf("R%d", len(pointers)+1)
		setup = append(setup, fmt.Sprintf("MOVD %s_base+%d(FP), %s", name, offset, register))
		pointers = append(pointers, register)
		offset += 24
	}
	if e.cond {
		slice("cond", "bool")
	}
	for _, name := range e.in {
		slice(name, "float32")
	}
	size := offset
	if e.scalar {
		parameters += ", s float32"
		size += 4
	}
	fn := f.function(e.name, parameters, "", "computes dst = "+e.formula+".", size)
	var scalar neonValue
	if e.scalar {
		scalar = fn.newValue()
		load := func(register int) string {
			return fmt.Sprintf("FMOVS s+%d(FP), F%d\n%s", offset, register, neonWord("dup", 0, register, register))
		}
		fn.hoist = append(fn.hoist, neonHoisted{value: scalar, load: load})
	}

	// whole is the code for one vector.
	whole := func() *neonPiece {
		p := fn.piece()
		var x []neonValue
		for i, pointer := range pointers {
			v := fn.newValue()
			if e.cond && i == 0 {
				p.raw("FMOVS.P 4("+pointer+"), F%d", v)
				v = p.do("neg", p.do("uxtl.4h", p.do("uxtl.8b", v)))
			} else {
				p.raw("FMOVQ.P 16("+pointer+"), F%d", v)
			}
			x = append(x, v)
		}
		if e.scalar {
			x = append(x, scalar)
		}
		y := e.body(p, x)
		if e.boolean {
			y = p.shift("ushr.8b", 7, p.do("xtn.8b", p.do("xtn.4h", y)))
			p.raw("FMOVS.P F%d, 4("+neonDst+")", y)
		} else {
			p.raw("FMOVQ.P F%d, 16("+neonDst+")", y)
		}
		return p
	}

	fn.line("SUBS $%d, %s", 4*e.unroll, neonCount)
	fn.line("BLT single")
	fn.line("block:")
	var pieces []*neonPiece
	for range e.unroll {
		pieces = append(pieces, whole())
	}
	fn.interleave(pieces)
	fn.line("SUBS $%d, %s", 4*e.unroll, neonCount)
	fn.line("BGE block")
	fn.line("single:")
	fn.line("ADDS $%d, %s", 4*e.unroll-4, neonCount)
	fn.line("BLT tail")
	fn.line("vector:")
	fn.straight(whole().ops)
	fn.line("SUBS $4, %s", neonCount)
	fn.line("BGE vector")
	fn.line("tail:")
	if !e.cond && !e.boolean {
		e.tail(fn, pointers, scalar)
	}
	fn.line("RET")
	fn.finish(setup...)
}

// tail computes the last one to three elements in one vector.
func (e neonElementwise) tail(fn *neonFunc, pointers []string, scalar neonValue) {
	fn.line("ADDS $4, %s", neonCount)
	fn.line("BEQ done")
	p := fn.piece()
	var x []neonValue
	for range pointers {
		x = append(x, fn.newValue())
	}
	if len(pointers) > 0 {
		p.raw("TBZ $1, " + neonCount + ", loadOne")
		for i, pointer := range pointers {
			p.raw("FMOVD ("+pointer+"), F%d", x[i])
		}
		p.raw("TBZ $0, " + neonCount + ", compute")
		for i, pointer := range pointers {
			p.raw("ADD $8, " + pointer + ", " + neonSpare)
			p.raw("VLD1 ("+neonSpare+"), V%d.S[2]", x[i])
		}
		p.raw("B compute")
		p.raw("loadOne:")
		for i, pointer := range pointers {
			p.raw("FMOVS ("+pointer+"), F%d", x[i])
		}
		p.raw("compute:")
	}
	if e.scalar {
		x = append(x, scalar)
	}
	y := e.body(p, x)
	p.raw("TBZ $1, " + neonCount + ", storeOne")
	p.raw("FMOVD F%d, ("+neonDst+")", y)
	p.raw("TBZ $0, " + neonCount + ", done")
	p.raw("ADD $8, " + neonDst + ", " + neonSpare)
	p.raw("VST1 V%d.S[2], ("+neonSpare+")", y)
	p.raw("RET")
	p.raw("storeOne:")
	p.raw("FMOVS F%d, ("+neonDst+")", y)
	fn.straight(p.ops)
	fn.line("done:")
}

// neonSimple makes a body of one instruction.
func neonSimple(name string) func(p *neonPiece, x []neonValue) neonValue {
	return func(p *neonPiece, x []neonValue) neonValue { return p.do(name, x...) }
}

// vectors generates all elementwise kernels.
func (f *neonFile) vectors() {
	kernel := func(name, formula string, in []string, body func(p *neonPiece, x []neonValue) neonValue) {
		neonElementwise{name: name, formula: formula, in: in, unroll: 4, body: body}.generate(f)
	}
	a := []string{"a"}
	kernel("neg", "−a", a, neonSimple("fneg"))
	kernel("abs", "|a|", a, neonSimple("fabs"))
	kernel("sign", "the sign of a", a, func(p *neonPiece, x []neonValue) neonValue {
		nonzero := p.do("facgt", x[0], p.f32(0)) // not so for NaN
		one := p.fresh(1)
		p.change("bit", one, x[0], p.bits(signBit))
		p.change("bsl", nonzero, one, x[0])
		return nonzero
	})
	kernel("floor", "⌊a⌋", a, neonSimple("frintm"))
	kernel("ceil", "⌈a⌉", a, neonSimple("frintp"))
	kernel("round", "the integer nearest to a", a, neonSimple("frintn"))
	kernel("sqrt", "√a", a, neonSimple("fsqrt"))
	kernel("rsqrt", "1/√a", a, func(p *neonPiece, x []neonValue) neonValue {
		return p.do("fdiv", p.f32(1), p.do("fsqrt", x[0]))
	})

	function := func(name, formula string, body func(p *neonPiece, x neonValue) neonValue) {
		neonElementwise{name: name, formula: formula, in: a, unroll: 2,
			body: func(p *neonPiece, x []neonValue) neonValue { return body(p, x[0]) }}.generate(f)
	}
	function("exp", "eᵃ", (*neonPiece).exp)
	function("expm1", "eᵃ − 1", (*neonPiece).expm1)
	function("log", "ln a", (*neonPiece).log)
	function("log1p", "ln(1 + a)", (*neonPiece).log1p)
	function("tanh", "tanh a", (*neonPiece).tanh)
	function("logistic", "1/(1 + e⁻ᵃ)", (*neonPiece).logistic)

	ab, ay := []string{"a", "b"}, []string{"a", "y"}
	kernel("add", "a + b", ab, neonSimple("fadd"))
	kernel("sub", "a − b", ab, neonSimple("fsub"))
	kernel("mul", "a·b", ab, neonSimple("fmul"))
	kernel("div", "a/b", ab, neonSimple("fdiv"))
	kernel("max", "the greater of a and b", ab, neonSimple("fmax"))
	kernel("min", "the lesser of a and b", ab, neonSimple("fmin"))
	kernel("tanhGrad", "a·(1 − y²)", ay, func(p *neonPiece, x []neonValue) neonValue {
		slope := p.fresh(1)
		p.change("fmls", slope, x[1], x[1])
		return p.do("fmul", slope, x[0])
	})
	kernel("logisticGrad", "a·y·(1 − y)", ay, func(p *neonPiece, x []neonValue) neonValue {
		return p.do("fmul", p.do("fmul", p.do("fsub", p.f32(1), x[1]), x[1]), x[0])
	})

	scalar := func(name, formula string, body func(p *neonPiece, x []neonValue) neonValue) {
		neonElementwise{name: name, formula: formula, in: a, scalar: true, unroll: 4, body: body}.generate(f)
	}
	swapped := func(name string) func(p *neonPiece, x []neonValue) neonValue {
		return func(p *neonPiece, x []neonValue) neonValue { return p.do(name, x[1], x[0]) }
	}
	scalar("addScalar", "a + s", neonSimple("fadd"))
	scalar("scalarSub", "s − a", swapped("fsub"))
	scalar("mulScalar", "a·s", neonSimple("fmul"))
	scalar("divScalar", "a/s", neonSimple("fdiv"))
	scalar("scalarDiv", "s/a", swapped("fdiv"))
	scalar("maxScalar", "the greater of a and s", neonSimple("fmax"))
	scalar("minScalar", "the lesser of a and s", neonSimple("fmin"))

	abc := []string{"a", "b", "c"}
	kernel("mulAdd", "a·b + c", abc, func(p *neonPiece, x []neonValue) neonValue {
		p.change("fmla", x[2], x[0], x[1])
		return x[2]
	})
	kernel("mulSub", "a·b − c", abc, func(p *neonPiece, x []neonValue) neonValue {
		y := p.do("fneg", x[2])
		p.change("fmla", y, x[0], x[1])
		return y
	})
	kernel("subMul", "c − a·b", abc, func(p *neonPiece, x []neonValue) neonValue {
		p.change("fmls", x[2], x[0], x[1])
		return x[2]
	})
	kernel("mulMulAdd", "a·b + c·d", []string{"a", "b", "c", "d"}, func(p *neonPiece, x []neonValue) neonValue {
		y := p.do("fmul", x[2], x[3])
		p.change("fmla", y, x[0], x[1])
		return y
	})

	neonElementwise{name: "fill", formula: "s", scalar: true, unroll: 4,
		body: func(p *neonPiece, x []neonValue) neonValue { return x[0] }}.generate(f)
	neonElementwise{name: "selectVec", formula: "cond ? a : b", cond: true, in: ab, unroll: 4,
		body: func(p *neonPiece, x []neonValue) neonValue {
			p.change("bsl", x[0], x[1], x[2])
			return x[0]
		}}.generate(f)
	neonElementwise{name: "fromBool", formula: "cond ? 1 : 0", cond: true, unroll: 4,
		body: func(p *neonPiece, x []neonValue) neonValue { return p.do("and", x[0], p.f32(1)) }}.generate(f)

	comparison := func(name, formula string, body func(p *neonPiece, x []neonValue) neonValue) {
		neonElementwise{name: name, formula: formula, in: ab, boolean: true, unroll: 4, body: body}.generate(f)
	}
	comparison("equal", "a = b", neonSimple("fcmeq"))
	comparison("notEqual", "a ≠ b", func(p *neonPiece, x []neonValue) neonValue {
		return p.do("mvn", p.do("fcmeq", x[0], x[1]))
	})
	comparison("less", "a < b", swapped("fcmgt"))
	comparison("lessEqual", "a ≤ b", swapped("fcmge"))
}
