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

// computeTiles computes tiles one after the other; there is one at least.
func computeTiles(tiles []tileArgs) {
	first := (*byte)(unsafe.Pointer(&tiles[0]))
	switch current {
	case AVX512:
		tileAVX512(first, len(tiles))
	case AVX2:
		tileAVX2(first, len(tiles))
	default:
		for i := range tiles {
			tileGo(&tiles[i])
		}
	}
}

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

// transposeRows transposes 8 rows of 8·blocks columns as Transpose does.
func transposeRows(dst []float32, dstRow int, src []float32, srcRow, blocks int) {
	if current == Portable {
		transposeGo(dst, dstRow, src, srcRow, 8, 8*blocks)
		return
	}
	transposeAVX2(&dst[0], &src[0], dstRow, srcRow, blocks)
}
