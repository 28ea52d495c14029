package main

import "math"

// generateNEON writes the kernel; it folds the slice in four vectors.
func (r reduction) generateNEON(f *neonFile) {
	const accumulators, loaded = 4, 4 // V0 to V3; what is folded into them follows
	fn := f.function(local(r.name, ""), "a []float32", "float32", "returns "+r.formula+".", 28)
	for i := range accumulators {
		fn.line("FMOVQ %s, F%d", f.constant(math.Float32bits(float32(r.identity))), i)
	}
	fn.line("SUBS $%d, %s", 4*accumulators, neonCount)
	fn.line("BLT single")
	fn.line("block:")
	fn.line("FLDPQ (R1), (F%d, F%d)", loaded, loaded+1)
	fn.line("FLDPQ 32(R1), (F%d, F%d)", loaded+2, loaded+3)
	fn.line("ADD $64, R1")
	for i := range accumulators {
		fn.vector(r.neonJoin, i, i, loaded+i)
	}
	fn.line("SUBS $%d, %s", 4*accumulators, neonCount)
	fn.line("BGE block")
	fn.line("single:")
	fn.line("ADDS $%d, %s", 4*accumulators-4, neonCount)
	fn.line("BLT tail")
	fn.line("vector:")
	fn.line("FMOVQ.P 16(R1), F%d", loaded)
	fn.vector(r.neonJoin, 0, 0, loaded)
	fn.line("SUBS $4, %s", neonCount)
	fn.line("BGE vector")
	fn.line("tail:")
	fn.line("ADDS $4, %s", neonCount)
	fn.line("BEQ join")
	fn.line("FMOVQ %s, F%d", f.constant(math.Float32bits(float32(r.identity))), loaded)
	fn.line("element:")
	fn.line("VLD1.P 4(R1), V%d.S[0]", loaded)
	fn.vector(r.neonJoin, 1, 1, loaded)
	fn.line("SUBS $1, %s", neonCount)
	fn.line("BNE element")
	fn.line("join:")
	fn.vector(r.neonJoin, 0, 0, 2)
	fn.vector(r.neonJoin, 1, 1, 3)
	fn.vector(r.neonJoin, 0, 0, 1)
	r.neonLast(fn)
	fn.line("FMOVS F0, ret+24(FP)")
	fn.line("RET")
	fn.finish("MOVD a_base+0(FP), R1", "MOVD a_len+8(FP), "+neonCount)
}
