package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
)

const (
	neonDst   = "R0"
	neonCount = "R5"
	neonSpare = "R7"
)

// generateNEON writes the kernel: 8 elements at a time, then 4, then what is left. Kernels with []bool compute whole
// vectors only.
func (k kernel) generateNEON(f *neonFile) {
	setup := []string{"MOVD dst_base+0(FP), " + neonDst, "MOVD dst_len+8(FP), " + neonCount}
	offset := 24
	pointers := []string{}
	slice := func(name string) {
		register := fmt.Sprintf("R%d", len(pointers)+1)
		setup = append(setup, fmt.Sprintf("MOVD %s_base+%d(FP), %s", name, offset, register))
		pointers = append(pointers, register)
		offset += 24
	}
	if k.cond {
		slice("cond")
	}
	for _, name := range k.names() {
		slice(name)
	}
	size := offset
	if k.scalar {
		size += 4
	}
	fn := f.function(local(k.name, ""), k.signature(), "", "computes dst = "+k.formula+".", size)
	var scalar neonValue
	if k.scalar {
		scalar = fn.newValue()
		load := func(register int) string {
			return fmt.Sprintf("FMOVS s+%d(FP), F%d\n%s", offset, register, neonWord("dup", 0, register, register))
		}
		fn.hoist = append(fn.hoist, neonHoisted{value: scalar, load: load})
	}

	inputs := func() []neonValue {
		x := make([]neonValue, len(pointers))
		for i := range x {
			x[i] = fn.newValue()
		}
		return x
	}
	load := func(p *neonPiece, x []neonValue) {
		for i, pointer := range pointers {
			if k.cond && i == 0 {
				p.raw("FMOVS.P 4("+pointer+"), F%d", x[i])
				x[i] = p.do("neg", p.do("uxtl.4h", p.do("uxtl.8b", x[i]))).(neonValue)
			} else {
				p.raw("FMOVQ.P 16("+pointer+"), F%d", x[i])
			}
		}
	}
	compute := func(p *neonPiece, x []neonValue) neonValue {
		var operands []Op
		for _, v := range x {
			operands = append(operands, v)
		}
		if k.scalar {
			operands = append(operands, scalar)
		}
		piece = p
		return k.body(operands).(neonValue)
	}
	store := func(p *neonPiece, y neonValue) {
		if k.boolean {
			y = p.shift("ushr.8b", 7, p.do("xtn.8b", p.do("xtn.4h", y))).(neonValue)
			p.raw("FMOVS.P F%d, 4("+neonDst+")", y)
		} else {
			p.raw("FMOVQ.P F%d, 16("+neonDst+")", y)
		}
	}

	fn.line("SUBS $8, %s", neonCount)
	fn.line("BLT single")
	fn.line("block:")
	var pieces [2]*neonPiece
	var y [2]neonValue
	var x [2][]neonValue
	loads, stores := fn.piece(), fn.piece()
	for i := range pieces {
		pieces[i], x[i] = fn.piece(), inputs()
	}
	if k.cond {
		load(loads, x[0])
		load(loads, x[1])
	} else {
		for i, pointer := range pointers {
			loads.raw("FLDPQ.P 32("+pointer+"), (F%d, F%d)", x[0][i], x[1][i])
		}
	}
	for i, p := range pieces {
		y[i] = compute(p, x[i])
	}
	if k.boolean {
		store(stores, y[0])
		store(stores, y[1])
	} else {
		stores.raw("FSTPQ.P (F%d, F%d), 32("+neonDst+")", y[0], y[1])
	}
	fn.straight(slices.Concat(loads.ops, interleaved(pieces[0].ops, pieces[1].ops), stores.ops))
	fn.line("SUBS $8, %s", neonCount)
	fn.line("BGE block")
	fn.line("single:")
	fn.line("ADDS $4, %s", neonCount)
	fn.line("BGE vector")
	fn.line("tail:")
	whole := k.cond || k.boolean
	p, in := fn.piece(), inputs()
	if whole {
		p.raw("RET")
	} else {
		loadPart(p, pointers, in)
	}
	p.raw("vector:")
	load(p, in)
	p.raw("compute:")
	out := compute(p, in)
	if !whole {
		p.raw("TBNZ $63, " + neonCount + ", part")
	}
	store(p, out)
	p.raw("SUB $4, " + neonCount)
	p.raw("B tail")
	if !whole {
		storePart(p, out)
	}
	fn.straight(p.ops)
	fn.finish(setup...)
}

// loadPart loads what is left, one to three elements, for compute. Their number is neonCount modulo 4.
func loadPart(p *neonPiece, pointers []string, x []neonValue) {
	p.raw("CMN $4, " + neonCount)
	p.raw("BEQ done")
	if len(pointers) > 0 {
		p.raw("TBZ $1, " + neonCount + ", loadOne")
		for i, pointer := range pointers {
			p.raw("FMOVD ("+pointer+"), F%d", x[i])
		}
		p.raw("TBZ $0, " + neonCount + ", compute")
		for i, pointer := range pointers {
			p.raw("ADD $8, " + pointer + ", " + neonSpare)
			p.raw("VLD1 ("+neonSpare+"), V%d.S[2]", x[i])
		}
		p.raw("B compute")
		p.raw("loadOne:")
		for i, pointer := range pointers {
			p.raw("FMOVS ("+pointer+"), F%d", x[i])
		}
	}
	p.raw("B compute")
}

// storePart stores what loadPart loaded.
func storePart(p *neonPiece, y neonValue) {
	p.raw("part:")
	p.raw("TBZ $1, " + neonCount + ", storeOne")
	p.raw("FMOVD F%d, ("+neonDst+")", y)
	p.raw("TBZ $0, " + neonCount + ", done")
	p.raw("ADD $8, " + neonDst + ", " + neonSpare)
	p.raw("VST1 V%d.S[2], ("+neonSpare+")", y)
	p.raw("RET")
	p.raw("storeOne:")
	p.raw("FMOVS F%d, ("+neonDst+")", y)
	p.raw("done:")
	p.raw("RET")
}
