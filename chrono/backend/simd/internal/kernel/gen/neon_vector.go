package main

import "fmt"

const (
	neonDst   = "R0"
	neonCount = "R5"
	neonSpare = "R7"
)

// generateNEON writes the kernel: 4·unroll elements at a time, then 4, then what is left. Kernels with []bool compute
// whole vectors only.
func (k kernel) generateNEON(f *neonFile) {
	unroll := k.unroll
	if unroll == 0 {
		unroll = 4
	}
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

	// whole is the code for one vector.
	whole := func() *neonPiece {
		p := fn.piece()
		var x []neonValue
		for i, pointer := range pointers {
			v := fn.newValue()
			if k.cond && i == 0 {
				p.raw("FMOVS.P 4("+pointer+"), F%d", v)
				v = p.do("neg", p.do("uxtl.4h", p.do("uxtl.8b", v)))
			} else {
				p.raw("FMOVQ.P 16("+pointer+"), F%d", v)
			}
			x = append(x, v)
		}
		if k.scalar {
			x = append(x, scalar)
		}
		y := k.neon(p, x)
		if k.boolean {
			y = p.shift("ushr.8b", 7, p.do("xtn.8b", p.do("xtn.4h", y)))
			p.raw("FMOVS.P F%d, 4("+neonDst+")", y)
		} else {
			p.raw("FMOVQ.P F%d, 16("+neonDst+")", y)
		}
		return p
	}

	fn.line("SUBS $%d, %s", 4*unroll, neonCount)
	fn.line("BLT single")
	fn.line("block:")
	var pieces []*neonPiece
	for range unroll {
		pieces = append(pieces, whole())
	}
	fn.interleave(pieces)
	fn.line("SUBS $%d, %s", 4*unroll, neonCount)
	fn.line("BGE block")
	fn.line("single:")
	fn.line("ADDS $%d, %s", 4*unroll-4, neonCount)
	fn.line("BLT tail")
	fn.line("vector:")
	fn.straight(whole().ops)
	fn.line("SUBS $4, %s", neonCount)
	fn.line("BGE vector")
	fn.line("tail:")
	if !k.cond && !k.boolean {
		k.neonTail(fn, pointers, scalar)
	}
	fn.line("RET")
	fn.finish(setup...)
}

// tail computes the last one to three elements in one vector.
func (k kernel) neonTail(fn *neonFunc, pointers []string, scalar neonValue) {
	fn.line("ADDS $4, %s", neonCount)
	fn.line("BEQ done")
	p := fn.piece()
	var x []neonValue
	for range pointers {
		x = append(x, fn.newValue())
	}
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
		p.raw("compute:")
	}
	if k.scalar {
		x = append(x, scalar)
	}
	y := k.neon(p, x)
	p.raw("TBZ $1, " + neonCount + ", storeOne")
	p.raw("FMOVD F%d, ("+neonDst+")", y)
	p.raw("TBZ $0, " + neonCount + ", done")
	p.raw("ADD $8, " + neonDst + ", " + neonSpare)
	p.raw("VST1 V%d.S[2], ("+neonSpare+")", y)
	p.raw("RET")
	p.raw("storeOne:")
	p.raw("FMOVS F%d, ("+neonDst+")", y)
	fn.straight(p.ops)
	fn.line("done:")
}
