package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose generates the transposition of square blocks, as wide as a vector, that stand side by side.
func transpose() {
	side := set.lanes
	text("transpose", "func(dst, src *float32, dstRow, srcRow, blocks int)", fmt.Sprintf("transposes %d rows of "+
		"%[1]d·blocks columns at src to %[1]d·blocks rows of %[1]d columns at dst; strides are in elements.", side))
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	dstRow, srcRow := Load(Param("dstRow"), GP64()).(GPVirtual), Load(Param("srcRow"), GP64()).(GPVirtual)
	blocks := Load(Param("blocks"), GP64())
	SHLQ(Imm(2), dstRow)
	SHLQ(Imm(2), srcRow)
	from := newRowsOf(srcRow, side)
	var to rowsOf
	if !set.masks() {
		to = newRowsOf(dstRow, side)
	}
	Label("block")
	for half := range 2 {
		if !set.masks() {
			// Row i in the lower four lanes, row i+4 in the upper: four columns are transposed within the two groups
			// of lanes.
			var rows [4]VecVirtual
			for i := range rows {
				rows[i] = YMM()
				VMOVUPS(from.at(src, i).Offset(16*half), rows[i].AsX())
				VINSERTF128(Imm(1), from.at(src, i+4).Offset(16*half), rows[i], rows[i])
			}
			transposeFours(rows, func(c int, column Register) { VMOVUPS(column, to.at(dst, 4*half+c)) })
			continue
		}
		// Four rows are transposed within groups of four lanes: columns c and c+4 of rows 0 to 3, then of rows 4 to 7;
		// and so rows 8 to 15.
		var columns [2][4]Register
		for eight := range columns {
			var rows [4]VecVirtual
			for i := range rows {
				rows[i] = ZMM()
				VMOVUPS(from.at(src, 8*eight+i).Offset(32*half), rows[i].AsY())
				VINSERTF64X4(Imm(1), from.at(src, 8*eight+i+4).Offset(32*half), rows[i], rows[i])
			}
			transposeFours(rows, func(c int, column Register) { columns[eight][c] = column })
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
	ADDQ(Imm(uint64(4*side)), src)
	if !set.masks() {
		LEAQ(Mem{Base: dst, Index: dstRow, Scale: 8}, dst)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// transposeFours transposes four rows within groups of four lanes, and has use take the columns.
func transposeFours(rows [4]VecVirtual, use func(c int, column Register)) {
	for pair, unpack := range []func(...Op){VUNPCKLPS, VUNPCKHPS} {
		low, high := newVec(), newVec()
		unpack(rows[1], rows[0], low)
		unpack(rows[3], rows[2], high)
		for i, lanes := range []uint64{0x44, 0xee} {
			column := newVec()
			VSHUFPS(Imm(lanes), high, low, column)
			use(2*pair+i, column)
		}
	}
}
