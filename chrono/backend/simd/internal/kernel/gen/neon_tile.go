package main

import "fmt"

const (
	neonTileRows = 6 // times 4 vectors: 24 sums, which leaves 4 registers for B and 4 for A
	neonTileB    = 24
	neonTileA    = 28
)

// General registers of the tile: the fields of the blockArgs, and what moves while it computes.
const (
	neonRows, neonCols, neonK             = "R1", "R2", "R3"
	neonARow, neonACol, neonBRow          = "R7", "R5", "R8"
	neonB, neonC, neonD, neonCRow, neonDR = "R9", "R10", "R11", "R12", "R13"

	neonTake   = "R14" // columns of this round
	neonLast   = "R15" // bytes from the first column to the last vector
	neonBAt    = "R16"
	neonBLast  = "R17"
	neonAAt    = "R19"
	neonKLeft  = "R20"
	neonAt     = "R21" // in C or D
	neonAtLast = "R22"
)

// neonARows are the pointers to the rows of A. The last takes the place of the blockArgs' address, when all are read.
var neonARows = [neonTileRows]string{"R4", "R23", "R24", "R25", "R26", "R0"}

// neonColumns describes a loop over k for one width of C. From 4 columns on, the last vector ends with the last column
// and may cover columns of the vector before it, which then get the same sums twice: NEON has no masks. For the same
// reason fewer columns are read and written in parts of a vector.
type neonColumns struct {
	least   int // columns from here up to the next width
	vectors int
	overlap bool
}

var neonWidths = []neonColumns{{16, 4, false}, {13, 4, true}, {9, 3, true}, {5, 2, true}, {4, 1, false}, {3, 1, false},
	{2, 1, false}, {1, 1, false}}

// tile generates the product's inner kernel; like AVX2's, it takes half a panel at a time.
func (f *neonFile) tile() {
	fn := f.function("tile", "t *byte", "",
		fmt.Sprintf("computes the strip of one panel that the blockArgs at t describe; height is at most %d.",
			neonTileRows), 8)
	for _, field := range []struct {
		offset   int
		register string
		stride   bool
	}{
		{offHeight, neonRows, false}, {offCols, neonCols, false}, {offK, neonK, false}, {offA, neonARows[0], false},
		{offARow, neonARow, true}, {offACol, neonACol, true}, {offB, neonB, false}, {offBRow, neonBRow, true},
		{offC, neonC, false}, {offCRow, neonCRow, true}, {offD, neonD, false}, {offDRow, neonDR, true},
	} {
		fn.line("MOVD %d(R0), %s", field.offset, field.register)
		if field.stride {
			fn.line("LSL $2, %s", field.register)
		}
	}
	for r := 1; r < neonTileRows; r++ {
		fn.line("ADD %s, %s, %s", neonARow, neonARows[r-1], neonARows[r])
	}

	// Of 17 to 19 columns the first round takes 12, so that the second has a whole vector too. Columns of different
	// rounds never overlap: where D is C, what a round has stored must not be added to again.
	fn.line("round:")
	fn.line("MOVD $16, %s", neonTake)
	fn.line("CMP $20, %s", neonCols)
	fn.line("BGE dispatch")
	fn.line("MOVD $12, %s", neonTake)
	fn.line("CMP $16, %s", neonCols)
	fn.line("BGT dispatch")
	fn.line("MOVD %s, %s", neonCols, neonTake)
	fn.line("dispatch:")
	fn.line("SUB $4, %s, %s", neonTake, neonLast)
	fn.line("LSL $2, %s", neonLast)
	fn.line("MOVD %s, %s", neonB, neonBAt)
	fn.line("ADD %s, %s, %s", neonLast, neonB, neonBLast)
	fn.line("MOVD $0, %s", neonAAt)
	fn.line("MOVD %s, %s", neonK, neonKLeft)
	for v := range neonTileB {
		fn.vector("movi", v)
	}
	for _, c := range neonWidths {
		fn.line("CMP $%d, %s", c.least, neonTake)
		fn.line("BGE columns%d", c.least)
	}
	for _, c := range neonWidths {
		fn.line("columns%d:", c.least)
		for rows := neonTileRows; rows > 1; rows-- {
			fn.line("CMP $%d, %s", rows, neonRows)
			fn.line("BEQ rows%dx%d", rows, c.least)
		}
		for rows := 1; rows <= neonTileRows; rows++ {
			c.loop(fn, rows)
		}
		c.finish(fn)
	}
	fn.line("next:")
	fn.line("SUBS %s, %s", neonTake, neonCols)
	fn.line("BLE done")
	fn.line("LSL $2, %s", neonTake)
	fn.line("ADD %s, %s", neonTake, neonB)
	fn.line("ADD %s, %s", neonTake, neonC)
	fn.line("CBZ %s, round", neonD)
	fn.line("ADD %s, %s", neonTake, neonD)
	fn.line("B round")
	fn.line("done:")
	fn.line("RET")
	fn.finish("MOVD t+0(FP), R0")
}

func (c neonColumns) sum(row, v int) int { return row*c.vectors + v }

// loop generates the loop over k for a number of rows.
func (c neonColumns) loop(fn *neonFunc, rows int) {
	name := fmt.Sprintf("rows%dx%d", rows, c.least)
	fn.line("%s:", name)
	c.move(fn, "load", neonBAt, neonBLast, func(v int) int { return neonTileB + v })
	fn.line("ADD %s, %s", neonBRow, neonBAt)
	if c.overlap {
		fn.line("ADD %s, %s", neonBRow, neonBLast)
	}
	for r := range rows {
		x := neonTileA + r%4
		fn.line("FMOVS (%s)(%s), F%d", neonARows[r], neonAAt, x)
		for v := range c.vectors {
			fn.vector("fmla.lane", c.sum(r, v), neonTileB+v, x)
		}
	}
	fn.line("ADD %s, %s", neonACol, neonAAt)
	fn.line("SUBS $1, %s", neonKLeft)
	fn.line("BNE %s", name)
	fn.line("B sums%d", c.least)
}

// finish adds the rows of D, if there is one, to the sums, and stores these in C.
func (c neonColumns) finish(fn *neonFunc) {
	store := fmt.Sprintf("store%d", c.least)
	fn.line("sums%d:", c.least)
	fn.line("CBZ %s, %s", neonD, store)
	fn.line("MOVD %s, %s", neonD, neonAt)
	c.each(fn, neonDR, store, func(r int) {
		c.move(fn, "load", neonAt, neonAtLast, func(v int) int { return neonTileB + v })
		for v := range c.vectors {
			fn.vector("fadd", c.sum(r, v), c.sum(r, v), neonTileB+v)
		}
	})
	fn.line("%s:", store)
	fn.line("MOVD %s, %s", neonC, neonAt)
	c.each(fn, neonCRow, "next", func(r int) {
		c.move(fn, "store", neonAt, neonAtLast, func(v int) int { return c.sum(r, v) })
	})
}

// each generates code for each row at neonAt, and goes on at the label end.
func (c neonColumns) each(fn *neonFunc, stride, end string, row func(r int)) {
	fn.line("MOVD %s, %s", neonRows, neonKLeft)
	for r := range neonTileRows {
		if c.overlap {
			fn.line("ADD %s, %s, %s", neonLast, neonAt, neonAtLast)
		}
		row(r)
		if r+1 < neonTileRows {
			fn.line("ADD %s, %s", stride, neonAt)
			fn.line("SUBS $1, %s", neonKLeft)
			fn.line("BEQ %s", end)
		}
	}
	fn.line("B %s", end)
}

// move loads or stores the vectors of a row that begins at the address in at.
func (c neonColumns) move(fn *neonFunc, direction, at, last string, vector func(v int) int) {
	instruction := func(name, register, address string) {
		if direction == "load" {
			fn.line("%s %s, %s", name, address, register)
		} else {
			fn.line("%s %s, %s", name, register, address)
		}
	}
	if c.least < 4 {
		name := "FMOVD"
		if c.least == 1 {
			name = "FMOVS"
		}
		instruction(name, fmt.Sprintf("F%d", vector(0)), "("+at+")")
		if c.least == 3 {
			fn.line("ADD $8, %s, %s", at, neonAtLast)
			instruction("V"+map[string]string{"load": "LD", "store": "ST"}[direction]+"1",
				fmt.Sprintf("V%d.S[2]", vector(0)), "("+neonAtLast+")")
		}
		return
	}
	for v := 0; v < c.vectors; v++ {
		address := fmt.Sprintf("%d(%s)", 16*v, at)
		switch {
		case c.overlap && v == c.vectors-1:
			instruction("FMOVQ", fmt.Sprintf("F%d", vector(v)), "("+last+")")
		case v+1 < c.vectors && !(c.overlap && v+1 == c.vectors-1):
			pair := map[string]string{"load": "FLDPQ", "store": "FSTPQ"}[direction]
			instruction(pair, fmt.Sprintf("(F%d, F%d)", vector(v), vector(v+1)), address)
			v++
		default:
			instruction("FMOVQ", fmt.Sprintf("F%d", vector(v)), address)
		}
	}
}

// transpose generates the transposition of 8×8 blocks that stand side by side.
func (f *neonFile) transpose() {
	fn := f.function("transpose", "dst *float32, src *float32, dstRow int, srcRow int, blocks int", "", "transposes 8 "+
		"rows of 8·blocks columns at src to 8·blocks rows of 8 columns at dst; strides are in elements.", 40)
	const rows, pairs, columns = 0, 8, 16 // the registers of what is read, half done, and written
	from := [8]string{"R1", "R8", "R9", "R10", "R11", "R12", "R13", "R14"}
	for i := 1; i < len(from); i++ {
		fn.line("ADD R3, %s, %s", from[i-1], from[i])
	}
	fn.line("block:")
	for range 2 { // of the columns
		for i, row := range from {
			fn.line("FMOVQ.P 16(%s), F%d", row, rows+i)
		}
		for half := range 2 { // of the rows
			for i, name := range []string{"trn1", "trn2"} {
				fn.vector(name, pairs+i, rows+4*half, rows+4*half+1)
				fn.vector(name, pairs+2+i, rows+4*half+2, rows+4*half+3)
			}
			for i := range 4 {
				name := []string{"trn1.2d", "trn2.2d"}[i/2]
				fn.vector(name, columns+2*i+half, pairs+i%2, pairs+2+i%2)
			}
		}
		for i := range 4 {
			fn.line("FSTPQ (F%d, F%d), (R0)", columns+2*i, columns+2*i+1)
			fn.line("ADD R2, R0")
		}
	}
	fn.line("SUBS $1, R4")
	fn.line("BNE block")
	fn.line("RET")
	fn.finish("MOVD dst+0(FP), R0", "MOVD src+8(FP), R1", "MOVD dstRow+16(FP), R2", "MOVD srcRow+24(FP), R3",
		"MOVD blocks+32(FP), R4", "LSL $2, R2", "LSL $2, R3")
}
