package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose generates the transposition of 8×8 blocks that stand side by side.
func transpose() {
	text("transpose", "func(dst, src *float32, dstRow, srcRow, blocks int)",
		"transposes 8 rows of 8·blocks columns at src to 8·blocks rows of 8 columns at dst; strides are in elements.")
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

// transposeWide generates the transposition of 16×16 blocks that stand side by side, with AVX-512.
func transposeWide() {
	text("transpose", "func(dst, src *float32, dstRow, srcRow, blocks int)",
		"transposes 16 rows of 16·blocks columns at src to 16·blocks rows of 16 columns; strides are in elements.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	dstRow, srcRow := Load(Param("dstRow"), GP64()).(GPVirtual), Load(Param("srcRow"), GP64()).(GPVirtual)
	blocks := Load(Param("blocks"), GP64())
	SHLQ(Imm(2), dstRow)
	SHLQ(Imm(2), srcRow)
	from := newRowsOf(srcRow, 16)
	Label("block")
	for half := range 2 {
		// Four rows are transposed within groups of four lanes: columns c and c+4 of rows 0 to 3, then of rows 4 to 7;
		// and so rows 8 to 15.
		var columns [2][4]VecVirtual
		for eight := range 2 {
			var rows [4]VecVirtual
			for i := range rows {
				rows[i] = ZMM()
				VMOVUPS(from.at(src, 8*eight+i).Offset(32*half), rows[i].AsY())
				VINSERTF64X4(Imm(1), from.at(src, 8*eight+i+4).Offset(32*half), rows[i], rows[i])
			}
			for pair, unpack := range []func(...Op){VUNPCKLPS, VUNPCKHPS} {
				low, high := ZMM(), ZMM()
				unpack(rows[1], rows[0], low)
				unpack(rows[3], rows[2], high)
				for i, lanes := range []uint64{0x44, 0xee} {
					columns[eight][2*pair+i] = ZMM()
					VSHUFPS(Imm(lanes), high, low, columns[eight][2*pair+i])
				}
			}
		}
		for _, lanes := range []uint64{0x88, 0xdd} {
			for c := range 4 {
				column := ZMM()
				VSHUFF32X4(Imm(lanes), columns[1][c], columns[0][c], column)
				VMOVUPS(column, Mem{Base: dst})
				ADDQ(dstRow, dst)
			}
		}
	}
	ADDQ(Imm(64), src)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
