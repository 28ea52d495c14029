package kernel

import "unsafe"

// detect needs to ask nothing: Go's arm64 port itself needs NEON.
func detect() Level { return NEON }

func instructionSetOf(l Level) instructionSet {
	if l == NEON {
		return instructionSet{implementation: neon, tileRows: 6, copyRows: copyRowsGo,
			transpose: transposeNEON, sums: 4 * 4}
	}
	return plainGo
}

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
