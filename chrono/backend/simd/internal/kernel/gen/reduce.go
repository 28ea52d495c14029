package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func (r reduction) generate() {
	text(local(r.name, ""), "func(a []float32) float32", "returns "+r.formula+".")
	n, i, a := GP64(), GP64(), GP64()
	Load(Param("a").Len(), n)
	Load(Param("a").Base(), a)
	XORQ(i, i)
	var acc []Op
	for range r.accumulators {
		acc = append(acc, load(f32(r.identity)))
	}
	fold := func(j int, tail Register) {
		var x Op = loadFloats(Mem{Base: a, Index: i, Scale: 4, Disp: 4 * set.lanes * j}, tail, newVec())
		if tail != nil && r.identity != 0 {
			x = blend(tail, load(f32(r.identity)), x)
		}
		VMOVUPS(r.join(acc[j], x), acc[j])
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
		VSHUFF32X4(Imm(0x4e), v, v, upper)
		v = r.join(v, upper)
		upper = newVec()
		VSHUFF32X4(Imm(0xb1), v, v, upper)
	} else {
		VPERM2F128(Imm(1), v, v, upper)
	}
	v = r.join(v, upper)
	for _, pairs := range []uint64{0x4e, 0xb1} {
		upper = newVec()
		VPERMILPS(Imm(pairs), v, upper)
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
