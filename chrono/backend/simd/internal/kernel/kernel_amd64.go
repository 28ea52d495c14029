package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func detect() Level {
	switch x := cpu.X86; {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX2 && x.HasFMA && x.HasBMI2:
		return AVX512
	case x.HasAVX2 && x.HasFMA:
		return AVX2
	}
	return Portable
}

func instructionSetOf(l Level) instructionSet {
	switch l {
	case AVX512:
		return instructionSet{implementation: avx512, tileRows: 14, copies: true, copyRows: copyRowsAVX512,
			transpose: transposeAVX2, accumulate: accumulateAVX2, sums: 4 * 16}
	case AVX2:
		return instructionSet{implementation: avx2, tileRows: 6, copies: true, copyRows: copyRowsAVX2,
			transpose: transposeAVX2, accumulate: accumulateAVX2, sums: 4 * 8}
	}
	return plainGo
}

// compute computes a block.
func compute(t *blockArgs) {
	switch current {
	case AVX512:
		multiplyAVX512((*byte)(unsafe.Pointer(t)))
	case AVX2:
		multiplyAVX2((*byte)(unsafe.Pointer(t)))
	default:
		computeTiles(t)
	}
}

// computeTile computes a block of one strip and one panel in plain Go.
func computeTile(t *blockArgs) { tileGo(t) }
