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

func implementations(l Level) implementation {
	return [...]implementation{Portable: portable, AVX2: avx2, AVX512: avx512}[l]
}

// tileRows returns how many rows of C a tile has at most: as many as leave registers for A and B.
func tileRows() int {
	switch current {
	case AVX512:
		return 14
	case AVX2:
		return 6
	}
	return portableRows
}

// copies reports whether compute obeys blockArgs.copy.
func copies() bool { return current != Portable }

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

// peak executes n rounds of the peak loop and returns the number of fused multiply-adds of floats.
func peak(n int) int {
	const chains = 12
	switch current {
	case AVX512:
		peakAVX512(n)
		return n * chains * 16
	case AVX2:
		peakAVX2(n)
		return n * chains * 8
	}
	return 0
}

// transposeRows transposes side rows of side·blocks columns as Transpose does.
func transposeRows(side int, dst []float32, dstRow int, src []float32, srcRow, blocks int) {
	switch {
	case current == Portable:
		transposeGo(dst, dstRow, src, srcRow, side, side*blocks)
	case side == 16:
		transposeAVX512(&dst[0], &src[0], dstRow, srcRow, blocks)
	default:
		transposeAVX2(&dst[0], &src[0], dstRow, srcRow, blocks)
	}
}

func copyRows(dst, src unsafe.Pointer, dstRow, srcRow, rows, n int) {
	switch current {
	case AVX512:
		copyRowsAVX512((*float32)(dst), (*float32)(src), dstRow, srcRow, rows, n)
	case AVX2:
		copyRowsAVX2((*float32)(dst), (*float32)(src), dstRow, srcRow, rows, n)
	default:
		copyRowsGo(dst, src, dstRow, srcRow, rows, n)
	}
}
