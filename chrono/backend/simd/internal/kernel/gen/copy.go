package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// copyRows generates a copy of rows that are apart in memory, whose ends are cut off by masks.
func copyRows() {
	text("copyRows", "func(dst, src *float32, dstRow, srcRow, rows, n int)",
		"copies rows of n floats, whose distances are in bytes.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	dstRow, srcRow := Load(Param("dstRow"), GP64()), Load(Param("srcRow"), GP64())
	rows, n := Load(Param("rows"), GP64()), Load(Param("n"), GP64()).(GPVirtual)
	whole, left, i := GP64(), GP64(), GP64()
	MOVQ(n, whole)
	ANDQ(Imm(uint64(set.lanes-1)), n)
	SUBQ(n, whole)
	MOVQ(n, left)
	mask := tailMask(n)
	at := func(p Register) Mem { return Mem{Base: p, Index: i, Scale: 4} }
	Label("row")
	XORQ(i, i)
	CMPQ(i, whole)
	JE(LabelRef("tail"))
	Label("vector")
	storeFloats(loadFloats(at(src), nil, newVec()), at(dst), nil)
	ADDQ(Imm(uint64(set.lanes)), i)
	CMPQ(i, whole)
	JL(LabelRef("vector"))
	Label("tail")
	TESTQ(left, left)
	JZ(LabelRef("next"))
	storeFloats(loadFloats(at(src), mask, newVec()), at(dst), mask)
	Label("next")
	ADDQ(dstRow, dst)
	ADDQ(srcRow, src)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// accumulate generates the addition of floats to sums in float64. AVX-512 uses it, too.
func accumulate() {
	text("accumulate", "func(sums *float64, a *float32, blocks int)", "adds 8·blocks floats to as many sums.")
	sums, a, blocks := Load(Param("sums"), GP64()), Load(Param("a"), GP64()), Load(Param("blocks"), GP64())
	Label("block")
	for half := range 2 {
		v := YMM()
		VCVTPS2PD(Mem{Base: a, Disp: 16 * half}, v)
		VADDPD(Mem{Base: sums, Disp: 32 * half}, v, v)
		VMOVUPD(v, Mem{Base: sums, Disp: 32 * half})
	}
	ADDQ(Imm(64), sums)
	ADDQ(Imm(32), a)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
