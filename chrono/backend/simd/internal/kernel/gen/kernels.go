package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// kernel describes a kernel that computes dst[i] from element i of each input. All that package kernel has of it
// follows from here: the exported function, plain Go's loop, the assembly, and the tables that choose between them.
type kernel struct {
	name    string // of the exported function
	in      string // the []float32 inputs, as parameters: "a, b"
	formula string // what dst is, for doc comments
	note    string // what else the exported function's doc comment says

	cond    bool // the first input is "cond []bool"
	scalar  bool // the last input is "s float32"
	boolean bool // dst is []bool
	long    bool // its body is: with AVX2 and AVX-512, it is there once

	// portable is a Go expression for dst[i]; if empty, the loop is written by hand: negGo for a kernel Neg.
	portable string

	// The bodies get the inputs in the order cond, in, s; cond is a mask. They may overwrite all but s. They return a
	// vector, or a mask if boolean. Without a body, an instruction set uses plain Go's loop.
	amd64 func(x []Register) Register
	neon  func(p *neonPiece, x []neonValue) neonValue
}

// names returns the names of the []float32 inputs.
func (k kernel) names() []string {
	return strings.FieldsFunc(k.in, func(r rune) bool { return r == ',' || r == ' ' })
}

// local returns the name of the kernel's version with the given suffix, which is not exported.
func local(name, suffix string) string { return strings.ToLower(name[:1]) + name[1:] + suffix }

// signature returns the parameters.
func (k kernel) signature() string {
	dst := "dst []float32"
	switch {
	case k.boolean:
		dst = "dst []bool"
	case k.in != "" && !k.cond:
		dst = "dst"
	}
	parameters := []string{dst}
	if k.cond {
		parameters = append(parameters, "cond []bool")
	}
	if k.in != "" {
		parameters = append(parameters, k.in+" []float32")
	}
	if k.scalar {
		parameters = append(parameters, "s float32")
	}
	return strings.Join(parameters, ", ")
}

// one and two make bodies of functions.

func one(f func(x Register) Register) func(x []Register) Register {
	return func(x []Register) Register { return f(x[0]) }
}

func two(f func(x Register, y Op) Register) func(x []Register) Register {
	return func(x []Register) Register { return f(x[0], x[1]) }
}

// fused makes a body of an instruction that multiplies two inputs and overwrites input c.
func fused(i instruction, c int) func(x []Register) Register {
	return func(x []Register) Register {
		a, b := x[(c+1)%3], x[(c+2)%3]
		do(i, b, a, x[c])
		return x[c]
	}
}

func neonOne(f func(p *neonPiece, x neonValue) neonValue) func(p *neonPiece, x []neonValue) neonValue {
	return func(p *neonPiece, x []neonValue) neonValue { return f(p, x[0]) }
}

// neonSimple makes a body of one instruction, neonSwapped one with its operands in reverse.

func neonSimple(name string) func(p *neonPiece, x []neonValue) neonValue {
	return func(p *neonPiece, x []neonValue) neonValue { return p.do(name, x...) }
}

func neonSwapped(name string) func(p *neonPiece, x []neonValue) neonValue {
	return func(p *neonPiece, x []neonValue) neonValue { return p.do(name, x[1], x[0]) }
}

var kernels = []kernel{
	{name: "Neg", in: "a", formula: "−a", portable: "-a[i]",
		amd64: one(func(x Register) Register { return xor(x, bits(signBit)) }), neon: neonSimple("fneg")},
	{name: "Abs", in: "a", formula: "|a|",
		portable: "math.Float32frombits(math.Float32bits(a[i]) &^ (1 << 31))",
		amd64:    one(func(x Register) Register { return and(x, bits(absMask)) }), neon: neonSimple("fabs")},
	{name: "Sign", in: "a", formula: "−1, ±0 or 1, the sign of a", note: "; NaN for NaN",
		amd64: one(func(x Register) Register {
			one := or(and(x, bits(signBit)), f32(1))
			return blend(compare(eqUQ, x, f32(0)), one, x)
		}),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			nonzero := p.do("facgt", x[0], p.f32(0)) // not so for NaN
			one := p.fresh(1)
			p.change("bit", one, x[0], p.bits(signBit))
			p.change("bsl", nonzero, one, x[0])
			return nonzero
		}},
	{name: "Sqrt", in: "a", formula: "√a", note: ", correctly rounded; NaN for a < 0",
		portable: "float32(math.Sqrt(float64(a[i])))", amd64: one(sqrt), neon: neonSimple("fsqrt")},
	{name: "Rsqrt", in: "a", formula: "1/√a", note: " within 2 ulp",
		portable: "float32(1 / math.Sqrt(float64(a[i])))",
		amd64:    one(func(x Register) Register { return div(load(f32(1)), sqrt(x)) }),
		neon:     func(p *neonPiece, x []neonValue) neonValue { return p.do("fdiv", p.f32(1), p.do("fsqrt", x[0])) }},
	{name: "Exp", in: "a", long: true, formula: "eᵃ", note: " within 4 ulp",
		amd64: one(exp), neon: neonOne((*neonPiece).exp)},
	{name: "Expm1", in: "a", long: true, formula: "eᵃ − 1", note: " within 4 ulp",
		amd64: one(expm1), neon: neonOne((*neonPiece).expm1)},
	{name: "Log", in: "a", long: true, formula: "ln a", note: " within 4 ulp; −Inf for ±0, NaN for a < 0",
		portable: "float32(math.Log(float64(a[i])))", amd64: one(log),
		neon: neonOne((*neonPiece).log)},
	{name: "Log1p", in: "a", long: true, formula: "ln(1 + a)", note: " within 4 ulp; −Inf for −1, NaN for a < −1",
		portable: "float32(math.Log1p(float64(a[i])))", amd64: one(log1p),
		neon: neonOne((*neonPiece).log1p)},
	{name: "Tanh", in: "a", long: true, formula: "tanh a", note: " within 4 ulp",
		amd64: one(tanh), neon: neonOne((*neonPiece).tanh)},
	{name: "Logistic", in: "a", long: true, formula: "1 / (1 + e⁻ᵃ)", note: " within 4 ulp",
		amd64: one(logistic), neon: neonOne((*neonPiece).logistic)},
	{name: "Erf", in: "a", long: true, formula: "erf a", note: " within 2 ulp",
		portable: "float32(math.Erf(float64(a[i])))",
		amd64:    one(erf), neon: neonOne((*neonPiece).erf)},

	{name: "Add", in: "a, b", formula: "a + b", portable: "a[i] + b[i]", amd64: two(add), neon: neonSimple("fadd")},
	{name: "AddFour", in: "a, b, c, d", formula: "((a + b) + c) + d", portable: "a[i] + b[i] + c[i] + d[i]",
		amd64: func(x []Register) Register { return add(add(add(x[0], x[1]), x[2]), x[3]) },
		neon: func(p *neonPiece, x []neonValue) neonValue {
			return p.do("fadd", p.do("fadd", p.do("fadd", x[0], x[1]), x[2]), x[3])
		}},
	{name: "Sub", in: "a, b", formula: "a − b", portable: "a[i] - b[i]", amd64: two(sub), neon: neonSimple("fsub")},
	{name: "Mul", in: "a, b", formula: "a·b", portable: "a[i] * b[i]", amd64: two(mul), neon: neonSimple("fmul")},
	{name: "Div", in: "a, b", formula: "a/b", portable: "a[i] / b[i]", amd64: two(div), neon: neonSimple("fdiv")},
	{name: "Max", in: "a, b", formula: "the greater of a and b",
		note:     ", like Go's max: NaN if either is, and +0 > −0",
		portable: "max(a[i], b[i])", amd64: two(greater), neon: neonSimple("fmax")},
	{name: "Min", in: "a, b", formula: "the lesser of a and b",
		note:     ", like Go's min: NaN if either is, and −0 < +0",
		portable: "min(a[i], b[i])", amd64: two(lesser), neon: neonSimple("fmin")},

	// Kernels that multiply and add may use fused instructions, which round once for both operations.
	{name: "MulAdd", in: "a, b, c", formula: "a·b + c", portable: "a[i]*b[i] + c[i]",
		amd64: fused(fmadd231ps, 2),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			p.change("fmla", x[2], x[0], x[1])
			return x[2]
		}},
	{name: "MulSub", in: "a, b, c", formula: "a·b − c", portable: "a[i]*b[i] - c[i]",
		amd64: fused(fmsub231ps, 2),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			y := p.do("fneg", x[2])
			p.change("fmla", y, x[0], x[1])
			return y
		}},
	{name: "SubMul", in: "c, a, b", formula: "c − a·b", portable: "c[i] - a[i]*b[i]",
		amd64: fused(fnmadd231ps, 0),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			p.change("fmls", x[0], x[1], x[2])
			return x[0]
		}},
	{name: "MulMulAdd", in: "a, b, c, d", formula: "a·b + c·d",
		note:     ": an LSTM's new cell, or a leaky mean of two vectors",
		portable: "a[i]*b[i] + float32(c[i]*d[i])", // which product is fused must not be left to the compiler
		amd64: func(x []Register) Register {
			cd := mul(x[2], x[3])
			do(fmadd231ps, x[1], x[0], cd)
			return cd
		},
		neon: func(p *neonPiece, x []neonValue) neonValue {
			y := p.do("fmul", x[2], x[3])
			p.change("fmla", y, x[0], x[1])
			return y
		}},
	{name: "TanhGrad", in: "g, y", formula: "g·(1 − y²)",
		note:     ", the gradient at tanh's input, from the gradient g at its output y",
		portable: "g[i] * (1 - y[i]*y[i])",
		amd64: two(func(g Register, y Op) Register {
			slope := load(f32(1))
			do(fnmadd231ps, y, y, slope)
			return mul(slope, g)
		}),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			slope := p.fresh(1)
			p.change("fmls", slope, x[1], x[1])
			return p.do("fmul", slope, x[0])
		}},
	{name: "LogisticGrad", in: "g, y", formula: "g·y·(1 − y)",
		note:     ", the gradient at Logistic's input, from the gradient g at its output y",
		portable: "g[i] * (y[i] * (1 - y[i]))",
		amd64:    two(func(g Register, y Op) Register { return mul(mul(sub(load(f32(1)), y), y), g) }),
		neon: func(p *neonPiece, x []neonValue) neonValue {
			return p.do("fmul", p.do("fmul", p.do("fsub", p.f32(1), x[1]), x[1]), x[0])
		}},

	{name: "Fill", scalar: true, formula: "s", portable: "s",
		amd64: func(x []Register) Register { return x[0] },
		neon:  func(p *neonPiece, x []neonValue) neonValue { return x[0] }},
	{name: "Select", cond: true, in: "a, b", formula: "a where cond is true, else b",
		amd64: func(x []Register) Register { return blend(x[0], x[2], x[1]) },
		neon: func(p *neonPiece, x []neonValue) neonValue {
			p.change("bsl", x[0], x[1], x[2])
			return x[0]
		}},
	{name: "FromBool", cond: true, formula: "1 where cond is true, else 0", portable: "float32(bit(cond[i]))",
		amd64: func(x []Register) Register { return blend(x[0], load(f32(0)), load(f32(1))) },
		neon:  func(p *neonPiece, x []neonValue) neonValue { return p.do("and", x[0], p.f32(1)) }},

	{name: "Equal", in: "a, b", boolean: true, formula: "a = b", portable: "a[i] == b[i]",
		amd64: comparison(eqOQ), neon: neonSimple("fcmeq")},
	{name: "NotEqual", in: "a, b", boolean: true, formula: "a ≠ b", portable: "a[i] != b[i]",
		amd64: comparison(neqUQ),
		neon:  func(p *neonPiece, x []neonValue) neonValue { return p.do("mvn", p.do("fcmeq", x[0], x[1])) }},
	{name: "Less", in: "a, b", boolean: true, formula: "a < b", portable: "a[i] < b[i]",
		amd64: comparison(ltOQ), neon: neonSwapped("fcmgt")},
	{name: "LessEqual", in: "a, b", boolean: true, formula: "a ≤ b", portable: "a[i] <= b[i]",
		amd64: comparison(leOQ), neon: neonSwapped("fcmge")},
}

func comparison(predicate uint64) func(x []Register) Register {
	return two(func(x Register, y Op) Register { return compare(predicate, x, y) })
}

// reduction describes a kernel that folds a slice into one number, in several accumulators that are joined pairwise at
// the end. Plain Go's loop is written by hand.
type reduction struct {
	name, formula, note string // without a note, the exported function is written by hand
	identity            float64

	accumulators int // with AVX2 and AVX-512; NEON has 4
	join         func(x Register, y Op) Register

	neonJoin string
	neonLast func(fn *neonFunc) // folds V0 into F0
}

var reductions = []reduction{
	{name: "Sum", formula: "the sum of a", identity: 0, accumulators: 4, join: add,
		neonJoin: "fadd", neonLast: func(fn *neonFunc) {
			fn.vector("faddp", 0, 0, 0)
			fn.vector("faddp.2s", 0, 0)
		}},
	{name: "ReduceMax", formula: "the greatest element of a", note: ", as Max does; −Inf if a is empty",
		identity: math.Inf(-1), accumulators: 2, join: greater, neonJoin: "fmax",
		neonLast: func(fn *neonFunc) { fn.vector("fmaxv", 0, 0) }},
	{name: "ReduceMin", formula: "the least element of a", note: ", as Min does; +Inf if a is empty",
		identity: math.Inf(1), accumulators: 2, join: lesser, neonJoin: "fmin",
		neonLast: func(fn *neonFunc) { fn.vector("fminv", 0, 0) }},
}
