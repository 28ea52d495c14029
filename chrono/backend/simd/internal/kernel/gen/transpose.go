package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose generates the transposition of blocks of 8×8 that stand side by side. AVX-512 uses it, too: with blocks of
// 16×16 no model of the benchmark is faster.
func transpose() {
	text("transpose", "func(dst, src *float32, dstRow, srcRow, blocks int)", "transposes 8 rows of 8·blocks columns "+
		"at src to 8·blocks rows of 8 columns at dst; strides are in elements.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	dstRow, srcRow := Load(Param("dstRow"), GP64()).(GPVirtual), Load(Param("srcRow"), GP64()).(GPVirtual)
	blocks := Load(Param("blocks"), GP64())
	SHLQ(Imm(2), dstRow)
	SHLQ(Imm(2), srcRow)
	from, to := newRowsOf(srcRow, 8), newRowsOf(dstRow, 8)
	Label("block")
	for half := range 2 {
		// Row i in the lower four lanes, row i+4 in the upper: four columns are transposed within the two groups of
		// lanes.
		var rows [4]VecVirtual
		for i := range rows {
			rows[i] = YMM()
			VMOVUPS(from.at(src, i).Offset(16*half), rows[i].AsX())
			VINSERTF128(Imm(1), from.at(src, i+4).Offset(16*half), rows[i], rows[i])
		}
		for pair, unpack := range []func(...Op){VUNPCKLPS, VUNPCKHPS} {
			low, high := YMM(), YMM()
			unpack(rows[1], rows[0], low)
			unpack(rows[3], rows[2], high)
			for i, lanes := range []uint64{0x44, 0xee} {
				column := YMM()
				VSHUFPS(Imm(lanes), high, low, column)
				VMOVUPS(column, to.at(dst, 4*half+2*pair+i))
			}
		}
	}
	ADDQ(Imm(32), src)
	LEAQ(Mem{Base: dst, Index: dstRow, Scale: 8}, dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
