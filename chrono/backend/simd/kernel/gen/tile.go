package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.tileArgs.
const (
	offA, offB, offC, offD    = 0, 24, 48, 72
	offARow, offACol, offBRow = 96, 104, 112
	offCRow, offDRow          = 120, 128
	offRows, offCols, offK    = 136, 144, 152
	offNext, offNextRow       = 160, 184
	tileArgsSize              = 192
)

// tile generates the product's inner kernel: one block of C, at most tileRows × tileVectors vectors at a time, is held
// in registers while k runs. There is a loop for every number of rows, so that no row is computed in vain. Several
// blocks share the time that setting the control register takes.
func tile() {
	text("tile", "func(t *byte, n int)", fmt.Sprintf(
		"computes the n blocks of C that the tileArgs at t describe, at least one; rows is at most %d.", set.tileRows))
	control := flushSubnormals()
	t, left := GP64(), AllocLocal(8)
	Load(Param("t"), t)
	n := GP64()
	Load(Param("n"), n)
	MOVQ(n, left)
	Label("block")
	if set.masks() {
		tileMasked(t)
	} else {
		tileHalves(t)
	}
	Label("done")
	ADDQ(Imm(tileArgsSize), t)
	DECQ(left)
	JNZ(LabelRef("block"))
	LDMXCSR(control)
	VZEROUPPER()
	RET()
}

// flushSubnormals has subnormal operands and results be zero, and returns where the control register is kept that says
// otherwise.
func flushSubnormals() Mem {
	const masked, subnormalsAreZero, flushToZero = 0x1f80, 1 << 6, 1 << 15 // masked: no exception traps
	flushing := GLOBL("flushing"+set.suffix, attr.RODATA|attr.NOPTR)
	DATA(0, U32(masked|subnormalsAreZero|flushToZero))
	before := AllocLocal(8)
	STMXCSR(before)
	LDMXCSR(flushing)
	return before
}

// field loads a field of the tileArgs at t; strides become bytes.
func field(t Register, offset int) GPVirtual {
	r := GP64()
	MOVQ(Mem{Base: t, Disp: offset}, r)
	switch offset {
	case offARow, offACol, offBRow, offCRow, offDRow, offNextRow:
		SHLQ(Imm(2), r)
	}
	return r
}

// rowsOf addresses the rows of a matrix that are stride bytes apart: an odd multiple of the stride per register, which
// the address multiplies by 1, 2, 4 or 8.
type rowsOf struct {
	stride GPVirtual
	odd    map[int]GPVirtual
}

func newRowsOf(stride GPVirtual, rows int) rowsOf {
	r := rowsOf{stride, map[int]GPVirtual{1: stride}}
	for i := 3; i < rows; i += 2 {
		r.odd[i] = GP64()
		if i == 3 {
			LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.odd[i])
		} else {
			LEAQ(Mem{Base: r.odd[i-2], Index: stride, Scale: 2}, r.odd[i])
		}
	}
	return r
}

func (r rowsOf) at(base Register, row int) Mem {
	if row == 0 {
		return Mem{Base: base}
	}
	scale := 1
	for row%2 == 0 {
		row, scale = row/2, scale*2
	}
	return Mem{Base: base, Index: r.odd[row], Scale: uint8(scale)}
}

// tileMasked is tile with AVX-512: masks cut off the columns beyond the last.
func tileMasked(t Register) {
	rows := field(t, offRows)
	mask := GP64()
	MOVQ(Mem{Base: t, Disp: offCols}, RCX)
	MOVQ(U64(^uint64(0)), mask)
	SHLQ(CL, mask)
	NOTQ(mask)
	KMOVW(mask.As32(), K1)
	SHRQ(Imm(16), mask)
	KMOVW(mask.As32(), K2)
	a, b, aCol, bRow, k := field(t, offA), field(t, offB), field(t, offACol), field(t, offBRow), field(t, offK)
	aRows := newRowsOf(field(t, offARow), set.tileRows)
	for _, vectors := range []int{1, 2} {
		if vectors == 1 {
			CMPQ(RCX, Imm(16))
			JG(LabelRef("wide"))
		} else {
			Label("wide")
		}
		for n := set.tileRows; n > 1; n-- {
			CMPQ(rows, Imm(uint64(n)))
			JEQ(LabelRef(fmt.Sprintf("rows%dx%d", n, vectors)))
		}
		for n := 1; n <= set.tileRows; n++ {
			name := fmt.Sprintf("rows%dx%d", n, vectors)
			Label(name)
			sums := func(row, v int) VecPhysical { return vector(row*vectors + v) }
			inner(name, n, vectors, sums, true, t, k, a, b, aCol, bRow, aRows, func(v int, dst VecPhysical) {
				VMOVUPS_Z(Mem{Base: b, Disp: 64 * v}, []Register{K1, K2}[v], dst)
			})
			d := field(t, offD)
			TESTQ(d, d)
			JZ(LabelRef(name + "store"))
			dRow := field(t, offDRow)
			for r := range n {
				for v := range vectors {
					VADDPS(Mem{Base: d, Disp: 64 * v}, sums(r, v), []Register{K1, K2}[v], sums(r, v))
				}
				ADDQ(dRow, d)
			}
			Label(name + "store")
			c, cRow := field(t, offC), field(t, offCRow)
			for r := range n {
				for v := range vectors {
					VMOVUPS(sums(r, v), []Register{K1, K2}[v], Mem{Base: c, Disp: 64 * v})
				}
				ADDQ(cRow, c)
			}
			JMP(LabelRef("done"))
		}
	}
}

// inner generates the loop over k: sums += a·b for rows rows and the given number of vectors of columns; meanwhile it
// prefetches a cache line of each row of a later block of B, if there are registers left for that.
func inner(name string, rows, vectors int, sums func(row, v int) VecPhysical, prefetch bool,
	t Register, k, a, b, aCol, bRow GPVirtual, aRows rowsOf, loadB func(v int, dst VecPhysical)) {
	var next, nextRow GPVirtual
	for r := range rows {
		for v := range vectors {
			zero(sums(r, v))
		}
	}
	if prefetch {
		next, nextRow = field(t, offNext), field(t, offNextRow)
	}
	Label(name + "loop")
	if prefetch {
		PREFETCHT1(Mem{Base: next})
		ADDQ(nextRow, next)
	}
	top := set.registers - 1
	for v := range vectors {
		loadB(v, vector(top-v))
	}
	for r := range rows {
		x := vector(top - vectors - r%2)
		VBROADCASTSS(aRows.at(a, r), x)
		for v := range vectors {
			VFMADD231PS(vector(top-v), x, sums(r, v))
		}
	}
	ADDQ(aCol, a)
	ADDQ(bRow, b)
	DECQ(k)
	JNZ(LabelRef(name + "loop"))
}

// tileHalves is tile with AVX2: half a panel at a time, columns beyond the last cut off by loads and stores with masks.
func tileHalves(t Register) {
	cols := field(t, offCols)
	b0, c0, d0 := field(t, offB), field(t, offC), field(t, offD)
	Label("half")
	a, b, k := field(t, offA), GP64(), field(t, offK)
	MOVQ(b0, b)
	aCol, bRow := field(t, offACol), field(t, offBRow)
	aRows := newRowsOf(field(t, offARow), set.tileRows)
	CMPQ(cols, Imm(16))
	JL(LabelRef("masked"))
	for _, masked := range []bool{false, true} {
		prefix := "full"
		if masked {
			prefix = "masked"
			Label(prefix)
		}
		for n := set.tileRows; n > 1; n-- {
			CMPQ(Mem{Base: t, Disp: offRows}, Imm(uint64(n)))
			JEQ(LabelRef(fmt.Sprintf("%s%d", prefix, n)))
		}
		for n := 1; n <= set.tileRows; n++ {
			name := fmt.Sprintf("%s%d", prefix, n)
			Label(name)
			halfRows(name, n, masked, t, cols, b0, c0, d0, a, b, k, aCol, bRow, aRows)
		}
	}
	Label("next")
	SUBQ(Imm(16), cols)
	JLE(LabelRef("done"))
	ADDQ(Imm(64), b0)
	ADDQ(Imm(64), c0)
	TESTQ(d0, d0)
	JZ(LabelRef("half"))
	ADDQ(Imm(64), d0)
	JMP(LabelRef("half"))
}

func halfRows(name string, n int, masked bool, t Register, cols, b0, c0, d0, a, b, k, aCol, bRow GPVirtual,
	aRows rowsOf) {
	const vectors = 2
	sums := func(row, v int) VecPhysical { return vector(row*vectors + v) }
	var masks []Mem
	if masked {
		masks = halfMasks(cols)
	}
	inner(name, n, vectors, sums, !masked, t, k, a, b, aCol, bRow, aRows, func(v int, dst VecPhysical) {
		if masked {
			VMOVUPS(masks[v], dst)
			VMASKMOVPS(Mem{Base: b, Disp: 32 * v}, dst, dst)
		} else {
			VMOVUPS(Mem{Base: b, Disp: 32 * v}, dst)
		}
	})
	if masked {
		VMOVUPS(masks[0], Y15)
		VMOVUPS(masks[1], Y14)
	}
	mask := []Register{Y15, Y14}
	TESTQ(d0, d0)
	JZ(LabelRef(name + "store"))
	d, dRow := GP64(), field(t, offDRow)
	MOVQ(d0, d)
	for r := range n {
		for v := range vectors {
			m := Mem{Base: d, Disp: 32 * v}
			if masked {
				VMASKMOVPS(m, mask[v], Y13)
				VADDPS(Y13, sums(r, v), sums(r, v))
			} else {
				VADDPS(m, sums(r, v), sums(r, v))
			}
		}
		ADDQ(dRow, d)
	}
	Label(name + "store")
	c, cRow := GP64(), field(t, offCRow)
	MOVQ(c0, c)
	for r := range n {
		for v := range vectors {
			m := Mem{Base: c, Disp: 32 * v}
			if masked {
				VMASKMOVPS(sums(r, v), mask[v], m)
			} else {
				VMOVUPS(sums(r, v), m)
			}
		}
		ADDQ(cRow, c)
	}
	JMP(LabelRef("next"))
}

// halfMasks returns the masks of two vectors that have cols < 16 columns together.
func halfMasks(cols GPVirtual) []Mem {
	table, p := slidingMask(), GP64()
	LEAQ(table.Offset(64), p)
	offset := GP64()
	MOVQ(cols, offset)
	SHLQ(Imm(2), offset)
	SUBQ(offset, p)
	return []Mem{{Base: p}, {Base: p, Disp: 32}}
}

// peak generates a loop that does nothing but multiply and add in registers.
func peak() {
	text("peak", "func(n int)", fmt.Sprintf("executes %d·n fused multiply-adds of %d floats.", peakChains, set.lanes))
	n := GP64()
	Load(Param("n"), n)
	for i := range peakChains {
		zero(vector(i))
	}
	Label("loop")
	for i := range peakChains {
		VFMADD231PS(vector(set.registers-1), vector(set.registers-2), vector(i))
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

const peakChains = 12 // more than latency times ports
