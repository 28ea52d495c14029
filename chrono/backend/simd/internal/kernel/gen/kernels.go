package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
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

	// body gets the inputs in the order cond, in, s; cond is a mask. It may overwrite all but s. It returns a vector,
	// or a mask if boolean.
	body func(x []Op) Op
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

func one(f func(x Op) Op) func(x []Op) Op { return func(x []Op) Op { return f(x[0]) } }

func two(f func(x, y Op) Op) func(x []Op) Op { return func(x []Op) Op { return f(x[0], x[1]) } }

var kernels = []kernel{
	{name: "Neg", in: "a", formula: "−a", portable: "-a[i]", body: one(neg)},
	{name: "Abs", in: "a", formula: "|a|",
		portable: "math.Float32frombits(math.Float32bits(a[i]) &^ (1 << 31))", body: one(abs)},
	{name: "Sign", in: "a", formula: "−1, ±0 or 1, the sign of a", note: "; NaN for NaN",
		body: one(func(x Op) Op {
			one := or(and(x, bits(signBit)), f32(1))
			return blend(compare(nonzero, x, f32(0)), x, one)
		})},
	{name: "Sqrt", in: "a", formula: "√a", note: ", correctly rounded; NaN for a < 0",
		portable: "float32(math.Sqrt(float64(a[i])))", body: one(sqrt)},
	{name: "Rsqrt", in: "a", formula: "1/√a", note: " within 2 ulp",
		portable: "float32(1 / math.Sqrt(float64(a[i])))",
		body:     one(func(x Op) Op { return div(load(f32(1)), sqrt(x)) })},
	{name: "Exp", in: "a", long: true, formula: "eᵃ", note: " within 4 ulp", body: one(exp)},
	{name: "Expm1", in: "a", long: true, formula: "eᵃ − 1", note: " within 4 ulp", body: one(expm1)},
	{name: "Log", in: "a", long: true, formula: "ln a", note: " within 4 ulp; −Inf for ±0, NaN for a < 0",
		portable: "float32(math.Log(float64(a[i])))", body: one(log)},
	{name: "Log1p", in: "a", long: true, formula: "ln(1 + a)", note: " within 4 ulp; −Inf for −1, NaN for a < −1",
		portable: "float32(math.Log1p(float64(a[i])))", body: one(log1p)},
	{name: "Tanh", in: "a", long: true, formula: "tanh a", note: " within 4 ulp", body: one(tanh)},
	{name: "Logistic", in: "a", long: true, formula: "1 / (1 + e⁻ᵃ)", note: " within 4 ulp", body: one(logistic)},
	{name: "Erf", in: "a", long: true, formula: "erf a", note: " within 2 ulp",
		portable: "float32(math.Erf(float64(a[i])))", body: one(erf)},

	{name: "Add", in: "a, b", formula: "a + b", portable: "a[i] + b[i]", body: two(add)},
	{name: "AddFour", in: "a, b, c, d", formula: "((a + b) + c) + d", portable: "a[i] + b[i] + c[i] + d[i]",
		body: func(x []Op) Op { return add(add(add(x[0], x[1]), x[2]), x[3]) }},
	{name: "Sub", in: "a, b", formula: "a − b", portable: "a[i] - b[i]", body: two(sub)},
	{name: "Mul", in: "a, b", formula: "a·b", portable: "a[i] * b[i]", body: two(mul)},
	{name: "Div", in: "a, b", formula: "a/b", portable: "a[i] / b[i]", body: two(div)},
	{name: "Max", in: "a, b", formula: "the greater of a and b",
		note:     ", like Go's max: NaN if either is, and +0 > −0",
		portable: "max(a[i], b[i])", body: two(greater)},
	{name: "Min", in: "a, b", formula: "the lesser of a and b",
		note:     ", like Go's min: NaN if either is, and −0 < +0",
		portable: "min(a[i], b[i])", body: two(lesser)},

	// Kernels that multiply and add may use fused instructions, which round once for both operations.
	{name: "MulAdd", in: "a, b, c", formula: "a·b + c", portable: "a[i]*b[i] + c[i]",
		body: func(x []Op) Op { return addProduct(x[2], x[0], x[1]) }},
	{name: "MulSub", in: "a, b, c", formula: "a·b − c", portable: "a[i]*b[i] - c[i]",
		body: func(x []Op) Op {
			if piece != nil {
				return addProduct(neg(x[2]), x[0], x[1])
			}
			VFMSUB231PS(x[1], x[0], x[2])
			return x[2]
		}},
	{name: "SubMul", in: "c, a, b", formula: "c − a·b", portable: "c[i] - a[i]*b[i]",
		body: func(x []Op) Op { return subProduct(x[0], x[1], x[2]) }},
	{name: "MulMulAdd", in: "a, b, c, d", formula: "a·b + c·d",
		note:     ": an LSTM's new cell, or a leaky mean of two vectors",
		portable: "a[i]*b[i] + float32(c[i]*d[i])", // which product is fused must not be left to the compiler
		body:     func(x []Op) Op { return addProduct(mul(x[2], x[3]), x[0], x[1]) }},
	{name: "TanhGrad", in: "g, y", formula: "g·(1 − y²)",
		note:     ", the gradient at tanh's input, from the gradient g at its output y",
		portable: "g[i] * (1 - y[i]*y[i])",
		body:     two(func(g, y Op) Op { return mul(subProduct(fresh(1), y, y), g) })},
	{name: "LogisticGrad", in: "g, y", formula: "g·y·(1 − y)",
		note:     ", the gradient at Logistic's input, from the gradient g at its output y",
		portable: "g[i] * (y[i] * (1 - y[i]))",
		body:     two(func(g, y Op) Op { return mul(mul(sub(load(f32(1)), y), y), g) })},

	{name: "Fill", scalar: true, formula: "s", portable: "s", body: func(x []Op) Op { return x[0] }},
	{name: "Select", cond: true, in: "a, b", formula: "a where cond is true, else b",
		body: func(x []Op) Op { return blend(x[0], x[2], x[1]) }},
	{name: "FromBool", cond: true, formula: "1 where cond is true, else 0", portable: "float32(bit(cond[i]))",
		body: one(func(mask Op) Op { return blend(mask, load(f32(0)), load(f32(1))) })},

	{name: "Equal", in: "a, b", boolean: true, formula: "a = b", portable: "a[i] == b[i]", body: comparison(equal)},
	{name: "NotEqual", in: "a, b", boolean: true, formula: "a ≠ b", portable: "a[i] != b[i]",
		body: comparison(notEqual)},
	{name: "Less", in: "a, b", boolean: true, formula: "a < b", portable: "a[i] < b[i]", body: comparison(less)},
	{name: "LessEqual", in: "a, b", boolean: true, formula: "a ≤ b", portable: "a[i] <= b[i]",
		body: comparison(lessEqual)},
}

func comparison(p predicate) func(x []Op) Op {
	return two(func(x, y Op) Op { return compare(p, x, y) })
}

// reduction describes a kernel that folds a slice into one number, in several accumulators that are joined pairwise at
// the end. Plain Go's loop is written by hand.
type reduction struct {
	name, formula, note string // without a note, the exported function is written by hand
	identity            float64

	accumulators int // with AVX2 and AVX-512; NEON has 4
	join         func(x, y Op) Op

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
