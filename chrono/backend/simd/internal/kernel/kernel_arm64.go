package kernel

import "unsafe"

// detect needs to ask nothing: Go's arm64 port itself needs NEON.
func detect() Level { return NEON }

func implementations(l Level) implementation {
	if l == NEON {
		return neon
	}
	return portable
}

// tileRows returns how many rows of C a tile has at most: as many as leave registers for A and B.
func tileRows() int {
	if current == NEON {
		return 6
	}
	return portableRows
}

func copies() bool { return false }

// compute computes a block.
func compute(t *blockArgs) { computeTiles(t) }

// computeTile computes a block of one strip and one panel.
func computeTile(t *blockArgs) {
	if current == NEON {
		tileNEON((*byte)(unsafe.Pointer(t)))
	} else {
		tileGo(t)
	}
}

// peak executes n rounds of the peak loop and returns the number of fused multiply-adds of floats.
func peak(n int) int {
	const chains = 24
	if current != NEON {
		return 0
	}
	peakNEON(n)
	return n * chains * 4
}

// transposeRows transposes side rows of side·blocks columns as Transpose does.
func transposeRows(side int, dst []float32, dstRow int, src []float32, srcRow, blocks int) {
	if current != NEON {
		transposeGo(dst, dstRow, src, srcRow, side, side*blocks)
		return
	}
	transposeNEON(&dst[0], &src[0], dstRow, srcRow, blocks)
}

func copyRows(dst, src unsafe.Pointer, dstRow, srcRow, rows, n int) {
	copyRowsGo(dst, src, dstRow, srcRow, rows, n)
}
