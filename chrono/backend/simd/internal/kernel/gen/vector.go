package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// generate writes the kernel. With AVX2, which cannot load or store some of 8 bytes, a kernel with []bool leaves the
// last len(dst) mod 8 elements alone.
func (k kernel) generate() {
	text(local(k.name, ""), "func("+k.signature()+")", "computes dst = "+k.formula+".")
	dst, n := GP64(), GP64()
	Load(Param("dst").Base(), dst)
	Load(Param("dst").Len(), n)
	var cond GPVirtual
	if k.cond {
		cond = GP64()
		Load(Param("cond").Base(), cond)
	}
	var in []GPVirtual
	for _, name := range k.names() {
		p := GP64()
		Load(Param(name).Base(), p)
		in = append(in, p)
	}
	var s Register
	if k.scalar {
		m, err := Param("s").Resolve()
		if err != nil {
			panic(err)
		}
		s = newVec()
		VBROADCASTSS(m.Addr, s)
	}
	var ones Register
	if k.boolean {
		ones = XMM()
		VPBROADCASTD(bits(0x01010101).(constant).Mem, ones)
	}
	i := GP64() // index of the current element
	XORQ(i, i)
	floats := func(p GPVirtual) Mem { return Mem{Base: p, Index: i, Scale: 4} }
	bools := func(p GPVirtual) Mem { return Mem{Base: p, Index: i, Scale: 1} }
	var x []Register
	if k.cond {
		x = append(x, newMask())
	}
	for range in {
		x = append(x, newVec())
	}
	load := func(tail Register) {
		if k.cond {
			loadBools(bools(cond), tail, x[0])
		}
		for j, p := range in {
			loadFloats(floats(p), tail, x[len(x)-len(in)+j])
		}
	}
	store := func(y Op, tail Register) {
		if k.boolean {
			storeBools(y, ones, bools(dst), tail)
		} else {
			storeFloats(y, floats(dst), tail)
		}
	}
	lanes := Imm(uint64(set.lanes))
	SUBQ(lanes, n)
	JL(LabelRef("tail"))
	Label("loop")
	load(nil)
	if k.long {
		Label("compute")
	}
	var operands []Op
	for _, v := range x {
		operands = append(operands, v)
	}
	if k.scalar {
		operands = append(operands, s)
	}
	y := k.body(operands)
	if k.long {
		TESTQ(n, n)
		JS(LabelRef("part"))
	}
	store(y, nil)
	ADDQ(lanes, i)
	SUBQ(lanes, n)
	JGE(LabelRef("loop"))
	Label("tail")
	if set.masks() || !k.cond && !k.boolean {
		ADDQ(lanes, n)
		JZ(LabelRef("done"))
		mask := tailMask(n)
		load(mask)
		if k.long {
			MOVQ(I32(-1), n)
			JMP(LabelRef("compute"))
			Label("part")
		} else {
			y = k.body(operands)
		}
		store(y, mask)
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

func loadFloats(m Mem, tail, v Register) Register {
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

func storeFloats(v Op, m Mem, tail Register) {
	switch {
	case tail == nil:
		VMOVUPS(v, m)
	case set.masks():
		VMOVUPS(v, tail, m)
	default:
		VMASKMOVPS(v, tail, m)
	}
}

// loadBools loads a mask for blend.
func loadBools(m Mem, tail, mask Register) {
	if !set.masks() {
		VPMOVZXBD(m, mask)
		VPSLLD(Imm(31), mask, mask)
		return
	}
	x := XMM()
	if tail == nil {
		VMOVDQU8(m, x)
	} else {
		VMOVDQU8_Z(m, tail, x)
	}
	VPTESTMB(x, x, mask)
}

// storeBools stores bytes 0 and 1 for a mask that compare returned.
func storeBools(mask Op, ones Register, m Mem, tail Register) {
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
