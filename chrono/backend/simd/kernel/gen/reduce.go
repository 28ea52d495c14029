package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// reduction describes a kernel that folds slices into one number, in accumulators that are joined pairwise at the end.
type reduction struct {
	name, formula string
	in            []string
	accumulators  int
	identity      float64

	// step returns accumulator acc with the elements x folded in, join two vectors joined.
	step func(acc Register, x []Register) Register
	join func(x Register, y Op) Register
}

func (r reduction) generate() {
	signature := "func(a []float32) float32"
	if len(r.in) == 2 {
		signature = "func(a, b []float32) float32"
	}
	text(r.name, signature, "returns "+r.formula+".")
	n, i := GP64(), GP64()
	Load(Param("a").Len(), n)
	var in []GPVirtual
	for _, name := range r.in {
		p := GP64()
		Load(Param(name).Base(), p)
		in = append(in, p)
	}
	XORQ(i, i)
	var acc []Register
	for range r.accumulators {
		acc = append(acc, load(f32(r.identity)))
	}
	fold := func(j int, tail Register) {
		var x []Register
		for _, p := range in {
			v := loadFloats(Mem{Base: p, Index: i, Scale: 4, Disp: 4 * set.lanes * j}, tail)
			if tail != nil && r.identity != 0 {
				v = blend(tail, load(f32(r.identity)), v)
			}
			x = append(x, v)
		}
		do(movups, r.step(acc[j], x), acc[j])
	}
	block := uint64(r.accumulators * set.lanes)
	SUBQ(Imm(block), n)
	JL(LabelRef("singles"))
	Label("blocks")
	for j := range acc {
		fold(j, nil)
	}
	ADDQ(Imm(block), i)
	SUBQ(Imm(block), n)
	JGE(LabelRef("blocks"))
	Label("singles")
	ADDQ(Imm(block-uint64(set.lanes)), n)
	JL(LabelRef("tail"))
	Label("single")
	fold(0, nil)
	ADDQ(Imm(uint64(set.lanes)), i)
	SUBQ(Imm(uint64(set.lanes)), n)
	JGE(LabelRef("single"))
	Label("tail")
	ADDQ(Imm(uint64(set.lanes)), n)
	JZ(LabelRef("join"))
	fold(0, tailMask(n))
	Label("join")
	for len(acc) > 1 {
		h := len(acc) / 2
		for j := range h {
			acc[j] = r.join(acc[j], acc[j+h])
		}
		acc = acc[:h]
	}
	v := acc[0]
	// Halve by moving the upper half down: the lanes above it take part in the joins, but not in the result.
	upper := newVec()
	if set.masks() {
		do(shuff32x4, Imm(0x4e), v, v, upper)
		v = r.join(v, upper)
		upper = newVec()
		do(shuff32x4, Imm(0xb1), v, v, upper)
	} else {
		do(perm2f128, Imm(1), v, v, upper)
	}
	v = r.join(v, upper)
	for _, pairs := range []uint64{0x4e, 0xb1} {
		upper = newVec()
		do(permilps, Imm(pairs), v, upper)
		v = r.join(v, upper)
	}
	result, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(v.(VecVirtual).AsX(), result.Addr)
	VZEROUPPER()
	RET()
}

func reductions() {
	reduction{name: "sum", formula: "the sum of a", in: []string{"a"}, accumulators: 4,
		step: func(acc Register, x []Register) Register { return add(acc, x[0]) }, join: add}.generate()
	reduction{name: "dot", formula: "the sum of a·b", in: []string{"a", "b"}, accumulators: 4,
		step: func(acc Register, x []Register) Register { return fma(x[0], x[1], acc) }, join: add}.generate()
	reduction{name: "reduceMax", formula: "the greatest element of a", in: []string{"a"}, accumulators: 2,
		identity: math.Inf(-1), step: func(acc Register, x []Register) Register { return greater(acc, x[0]) }, join: greater}.generate()
	reduction{name: "reduceMin", formula: "the least element of a", in: []string{"a"}, accumulators: 2,
		identity: math.Inf(1), step: func(acc Register, x []Register) Register { return lesser(acc, x[0]) }, join: lesser}.generate()
}
