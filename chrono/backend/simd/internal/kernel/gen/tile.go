package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.blockArgs.
const (
	offA, offB, offC, offD, offCopy = 0, 24, 48, 72, 96
	offARow, offACol, offASkip      = 120, 128, 136
	offBRow, offBPanel              = 144, 152
	offCRow, offDRow                = 160, 168
	offHeight, offTaller, offStrips = 176, 184, 192
	offCols, offK                   = 200, 208
	offAhead, offAheadStep          = 216, 240

	panelColumns = 32
	panelBytes   = 4 * panelColumns
)

// progress is where the product is, in memory: registers are needed for other things.
type progress struct {
	left                   Mem // columns from this panel on
	panelB, panelC, panelD Mem
	a, b, c, d, bRow       Mem // of this strip
	height, taller, strips Mem
	ahead                  Mem // from a row of this panel to that of the next, to be prefetched; or 0
	copy                   Mem // where this strip copies the panel to; or 0
	part, parts            Mem // where the list has what this strip fetches of other memory, and where it ends
	partStep               Mem // in bytes for each row of B; 0 behind the list's end
	halfB, halfC, halfD    Mem // with AVX2: of this half of a panel
	halfCopy, halfLeft     Mem
}

// tile generates the product of a block of A, strip by strip, and a block of B, panel by panel: a strip's sums are held
// in registers while k runs. There is a loop for every number of rows, so that no row is computed in vain. Where B's
// rows are far apart in memory, a panel's first strip copies it for the others.
func tile() {
	text("multiply", "func(t *byte)", fmt.Sprintf(
		"computes the block of C that the blockArgs at t describe; height is at most %d.", set.tileRows))
	control := flushSubnormals()
	var at progress
	for _, m := range []*Mem{&at.left, &at.panelB, &at.panelC, &at.panelD, &at.a, &at.b, &at.c, &at.d, &at.bRow,
		&at.height, &at.taller, &at.strips, &at.ahead, &at.copy, &at.part, &at.parts, &at.partStep, &at.halfB,
		&at.halfC, &at.halfD, &at.halfCopy, &at.halfLeft} {
		*m = AllocLocal(8)
	}
	aRows := newRowsOf(field(offARow), set.tileRows)
	move(field(offB), at.panelB)
	move(field(offC), at.panelC)
	move(field(offD), at.panelD)
	move(field(offCols), at.left)
	move(field(offAheadStep), at.partStep)
	part, parts := field(offAhead), field(offAhead+8)
	LEAQ(Mem{Base: part, Index: parts, Scale: 8}, parts)
	MOVQ(part, at.part)
	MOVQ(parts, at.parts)

	Label("panel")
	move(field(offA), at.a)
	move(at.panelB, at.b)
	move(at.panelC, at.c)
	move(at.panelD, at.d)
	move(field(offBRow), at.bRow)
	move(field(offHeight), at.height)
	move(field(offTaller), at.taller)
	move(field(offStrips), at.strips)
	ahead, copyTo, zero := field(offBPanel), field(offCopy), GP64()
	XORQ(zero, zero)
	CMPQ(at.left, Imm(panelColumns))
	CMOVQLE(zero, ahead)
	CMOVQLT(zero, copyTo)
	MOVQ(ahead, at.ahead)
	MOVQ(copyTo, at.copy)
	if set.masks() {
		masks(at)
	}

	Label("strip")
	if set.masks() {
		stripMasked(at, aRows)
	} else {
		stripHalves(at, aRows)
	}

	Label("next")
	ADDQ(Imm(8), at.part)
	height, step := GP64(), GP64()
	MOVQ(at.height, height)
	for _, m := range []struct {
		stride int
		at     Mem
	}{{offARow, at.a}, {offCRow, at.c}, {offDRow, at.d}} {
		MOVQ(field(m.stride), step)
		IMULQ(height, step)
		ADDQ(step, m.at)
	}
	ADDQ(field(offASkip), at.a)
	MOVQ(at.copy, step)
	TESTQ(step, step)
	JZ(LabelRef("uncopied"))
	MOVQ(step, at.b)
	MOVQ(U32(panelBytes), at.bRow)
	MOVQ(U32(0), at.copy)
	Label("uncopied")
	MOVQ(U32(0), at.ahead)
	DECQ(at.taller)
	JNZ(LabelRef("same"))
	DECQ(at.height)
	Label("same")
	DECQ(at.strips)
	JNZ(LabelRef("strip"))
	ADDQ(field(offBPanel), at.panelB)
	ADDQ(Imm(panelBytes), at.panelC)
	CMPQ(at.panelD, Imm(0))
	JEQ(LabelRef("unadded"))
	ADDQ(Imm(panelBytes), at.panelD)
	Label("unadded")
	SUBQ(Imm(panelColumns), at.left)
	JG(LabelRef("panel"))
	LDMXCSR(control)
	VZEROUPPER()
	RET()
}

// move copies a number to memory.
func move(from Op, to Mem) {
	r := GP64()
	MOVQ(from, r)
	MOVQ(r, to)
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

// field loads a field of the blockArgs; strides become bytes.
func field(offset int) GPVirtual {
	r := GP64()
	Load(Param("t"), r)
	MOVQ(Mem{Base: r, Disp: offset}, r)
	switch offset {
	case offARow, offACol, offASkip, offBRow, offBPanel, offCRow, offDRow:
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

// masks sets K1 and K2 to the columns of this panel.
func masks(at progress) {
	mask := GP64()
	MOVQ(at.left, RCX)
	MOVQ(U32(panelColumns), mask)
	CMPQ(RCX, mask)
	CMOVQGT(mask, RCX)
	MOVQ(U64(^uint64(0)), mask)
	SHLQ(CL, mask)
	NOTQ(mask)
	KMOVW(mask.As32(), K1)
	SHRQ(Imm(16), mask)
	KMOVW(mask.As32(), K2)
}

// stripMasked computes a strip with AVX-512: masks cut off the columns beyond the last.
func stripMasked(at progress, aRows rowsOf) {
	begin(at, at.c)
	CMPQ(at.left, Imm(16))
	JLE(LabelRef("narrow"))
	CMPQ(at.copy, Imm(0))
	JEQ(LabelRef("wide"))
	JMP(LabelRef("copying"))
	b := GP64()
	loadB := func(i int, dst VecPhysical) {
		VMOVUPS_Z(Mem{Base: b, Disp: 64 * i}, []Register{K1, K2}[i], dst)
	}
	for _, v := range []variant{{name: "narrow", vectors: 1, least: 1, last: true},
		{name: "wide", vectors: 2, least: 1},
		{name: "copying", vectors: 2, least: set.leastCopying, copies: true}} {
		v.rows(at, at.b, b, at.copy, aRows, loadB, "sums")
	}
	finish("sums", at, at.d, at.c, "next", func(i int, sum VecPhysical, d Mem) {
		VADDPS(d, sum, []Register{K1, K2}[i], sum)
	}, func(i int, sum VecPhysical, c Mem) {
		VMOVUPS(sum, []Register{K1, K2}[i], c)
	})
}

// sum is the register that holds vector i of a row's sums.
func sum(row, i int) VecPhysical { return vector(2*row + i) }

// begin sets the sums to zero. It has the rows of C arrive while k runs, where that is long enough to be worth it: the
// rows of a large C are neither in a cache nor in one page.
func begin(at progress, atC Mem) {
	for row := range set.tileRows {
		zero(sum(row, 0))
		zero(sum(row, 1))
	}
	CMPQ(field(offK), U32(256))
	JL(LabelRef("near"))
	c, cRow, rows := GP64(), field(offCRow), GP64()
	MOVQ(atC, c)
	MOVQ(at.height, rows)
	Label("far")
	for i := 0; i < 2*4*set.lanes; i += 64 {
		PREFETCHT0(Mem{Base: c, Disp: i})
	}
	ADDQ(cRow, c)
	DECQ(rows)
	JNZ(LabelRef("far"))
	Label("near")
}

// variant is a kind of loop over k, of which there is one for each number of rows from least on.
type variant struct {
	name    string
	vectors int // in a row
	least   int
	copies  bool // the rows of B
	last    bool // only in the last panel
}

// rows generates the loop over k for each number of rows, and what chooses between them: sums += a·b. In a panel's
// first strip, it prefetches the row of the next panel meanwhile; in others that would only be in the way. It also
// fetches this strip's part of other memory, if it has one; else, where A begins, again and again.
func (v variant) rows(at progress, atB Mem, b GPVirtual, copyTo Mem, aRows rowsOf,
	loadB func(i int, dst VecPhysical), sums string) {
	Label(v.name)
	a, bRow, ahead, to := GP64(), GP64(), GP64(), GP64()
	aCol, k := field(offACol), field(offK)
	MOVQ(atB, b)
	MOVQ(at.a, a)
	MOVQ(at.bRow, bRow)
	if v.copies {
		MOVQ(copyTo, to)
	}
	if !v.last {
		MOVQ(at.ahead, ahead)
	}
	fetch := GP64()
	MOVQ(at.part, fetch)
	CMPQ(fetch, at.parts)
	JGE(LabelRef(v.name + "alone"))
	MOVQ(Mem{Base: fetch}, fetch)
	JMP(LabelRef(v.name + "dispatch"))
	Label(v.name + "alone")
	MOVQ(a, fetch)
	MOVQ(U32(0), at.partStep)
	Label(v.name + "dispatch")
	name := func(n int) string { return fmt.Sprintf("%s%d", v.name, n) }
	for n := set.tileRows; n > v.least; n-- {
		CMPQ(at.height, Imm(uint64(n)))
		JEQ(LabelRef(name(n)))
	}
	loop := func(label string, n int, prefetches bool) {
		Label(label)
		bytes := 4 * set.lanes
		for line := 0; prefetches && line < v.vectors*bytes; line += 64 {
			PREFETCHT1(Mem{Base: b, Index: ahead, Scale: 1, Disp: line})
		}
		top := set.registers - 1
		for i := range v.vectors {
			loadB(i, vector(top-i))
			if v.copies {
				VMOVUPS(vector(top-i), Mem{Base: to, Disp: bytes * i})
			}
		}
		for r := range n {
			x := vector(top - v.vectors - r%2)
			VBROADCASTSS(aRows.at(a, r), x)
			for i := range v.vectors {
				VFMADD231PS(vector(top-i), x, sum(r, i))
			}
		}
		PREFETCHT1(Mem{Base: fetch})
		ADDQ(at.partStep, fetch)
		ADDQ(aCol, a)
		ADDQ(bRow, b)
		if v.copies {
			SUBQ(I8(-panelBytes), to)
		}
		DECQ(k)
		JNZ(LabelRef(label))
		JMP(LabelRef(sums))
	}
	for n := v.least; n <= set.tileRows; n++ {
		if v.last || v.copies {
			loop(name(n), n, v.copies)
			continue
		}
		Label(name(n))
		TESTQ(ahead, ahead)
		JZ(LabelRef(name(n) + "loop"))
		loop(name(n)+"first", n, true)
		loop(name(n)+"loop", n, false)
	}
}

// finish adds the rows of D, if there is one, to the sums, and stores these in C.
func finish(name string, at progress, atD, atC Mem, next string,
	add, store func(i int, sum VecPhysical, m Mem)) {
	each := func(m, stride GPVirtual, f func(i int, sum VecPhysical, m Mem), end string) {
		rows := GP64()
		MOVQ(at.height, rows)
		for r := range set.tileRows {
			for i := range 2 {
				f(i, sum(r, i), Mem{Base: m, Disp: 4 * set.lanes * i})
			}
			ADDQ(stride, m)
			DECQ(rows)
			JZ(LabelRef(end))
		}
	}
	Label(name)
	d := GP64()
	MOVQ(atD, d)
	TESTQ(d, d)
	JZ(LabelRef(name + "store"))
	each(d, field(offDRow), add, name+"store")
	Label(name + "store")
	c := GP64()
	MOVQ(atC, c)
	each(c, field(offCRow), store, next)
}

// stripHalves computes a strip with AVX2: half a panel at a time, columns beyond the last cut off by loads and stores
// with masks.
func stripHalves(at progress, aRows rowsOf) {
	move(at.b, at.halfB)
	move(at.c, at.halfC)
	move(at.d, at.halfD)
	move(at.copy, at.halfCopy)
	left, most := GP64(), GP64()
	MOVQ(at.left, left)
	MOVQ(U32(panelColumns), most)
	CMPQ(left, most)
	CMOVQGT(most, left)
	MOVQ(left, at.halfLeft)
	Label("half")
	begin(at, at.halfC)
	CMPQ(at.halfLeft, Imm(16))
	JLT(LabelRef("masks"))
	CMPQ(at.copy, Imm(0))
	JNE(LabelRef("copying"))
	b := GP64()
	whole := func(i int, dst VecPhysical) { VMOVUPS(Mem{Base: b, Disp: 32 * i}, dst) }
	for _, v := range []variant{{name: "full", vectors: 2, least: 1},
		{name: "copying", vectors: 2, least: set.leastCopying, copies: true}} {
		v.rows(at, at.halfB, b, at.halfCopy, aRows, whole, "sums")
	}
	finish("sums", at, at.halfD, at.halfC, "nextHalf", func(i int, sum VecPhysical, d Mem) {
		VADDPS(d, sum, sum)
	}, func(i int, sum VecPhysical, c Mem) {
		VMOVUPS(sum, c)
	})
	Label("masks")
	masks := halfMasks(at)
	variant{name: "masked", vectors: 2, least: 1, last: true}.rows(at, at.halfB, b, at.halfCopy, aRows,
		func(i int, dst VecPhysical) {
			VMOVUPS(masks[i], dst)
			VMASKMOVPS(Mem{Base: b, Disp: 32 * i}, dst, dst)
		}, "maskedSums")
	finish("maskedSums", at, at.halfD, at.halfC, "nextHalf", func(i int, sum VecPhysical, d Mem) {
		VMOVUPS(masks[i], Y15)
		VMASKMOVPS(d, Y15, Y13)
		VADDPS(Y13, sum, sum)
	}, func(i int, sum VecPhysical, c Mem) {
		VMOVUPS(masks[i], Y15)
		VMASKMOVPS(sum, Y15, c)
	})
	Label("nextHalf")
	SUBQ(Imm(16), at.halfLeft)
	JLE(LabelRef("next"))
	for _, m := range []Mem{at.halfB, at.halfC, at.halfCopy} {
		ADDQ(Imm(64), m)
	}
	CMPQ(at.halfD, Imm(0))
	JEQ(LabelRef("half"))
	ADDQ(Imm(64), at.halfD)
	JMP(LabelRef("half"))
}

// halfMasks returns the masks of two vectors that have the last columns together, fewer than 16.
func halfMasks(at progress) []Mem {
	table, p := slidingMask(), GP64()
	LEAQ(table.Offset(64), p)
	offset := GP64()
	MOVQ(at.halfLeft, offset)
	SHLQ(Imm(2), offset)
	SUBQ(offset, p)
	return []Mem{{Base: p}, {Base: p, Disp: 32}}
}
