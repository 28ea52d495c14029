package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa describes the instruction set that code is generated for.
type isa struct {
	suffix       string // of the functions' names
	lanes        int    // floats in a vector
	registers    int    // vector registers
	tileRows     int    // rows of the matrix product's highest strip
	leastCopying int    // least height of the first of several nearly equal strips that copies a panel for the others
}

var set isa

func (s isa) masks() bool { return s.lanes == 16 }

// text begins function name with the instruction set's suffix.
func text(name, signature, doc string) {
	name += set.suffix
	TEXT(name, attr.NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

// vector returns physical vector register i.
func vector(i int) VecPhysical {
	if set.masks() {
		return Vector.Lookup(Index(i), S512).(VecPhysical)
	}
	return Vector.Lookup(Index(i), S256).(VecPhysical)
}

func zero(v Register) { VXORPS(v, v, v) }

var slidingMaskData *Mem

// slidingMask returns 16 words of ones followed by 16 of zeros: what begins n words before the middle is a mask of the
// first n elements.
func slidingMask() Mem {
	if slidingMaskData == nil {
		m := GLOBL("slidingMask"+set.suffix, attr.RODATA|attr.NOPTR)
		for i := range 8 {
			DATA(8*i, U64(^uint64(0)))
		}
		DATA(120, U64(0))
		slidingMaskData = &m
	}
	return *slidingMaskData
}
