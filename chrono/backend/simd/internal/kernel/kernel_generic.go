//go:build !amd64 && !arm64

package kernel

import "unsafe"

func detect() Level { return Portable }

func implementations(Level) implementation { return portable }

func tileRows() int { return portableRows }

func copies() bool { return false }

func compute(t *blockArgs) { computeTiles(t) }

func computeTile(t *blockArgs) { tileGo(t) }

func peak(int) int { return 0 }

func transposeRows(side int, dst []float32, dstRow int, src []float32, srcRow, blocks int) {
	transposeGo(dst, dstRow, src, srcRow, side, side*blocks)
}

func copyRows(dst, src unsafe.Pointer, dstRow, srcRow, rows, n int) {
	copyRowsGo(dst, src, dstRow, srcRow, rows, n)
}
