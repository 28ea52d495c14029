package kernel

import (
	"fmt"
	"slices"
)

//go:generate go run -C gen .
//go:generate go run -C gen . -isa avx2 -pkg kernel -out ../avx2_amd64.s -stubs ../avx2_amd64.go
//go:generate go run -C gen . -isa avx512 -pkg kernel -out ../avx512_amd64.s -stubs ../avx512_amd64.go
//go:generate go run -C gen . -isa neon

// Level names an instruction set that the kernels are written for. Of one architecture, higher levels are faster.
type Level int

const (
	// Portable is plain Go: every architecture has it, and the other levels are tested against it.
	Portable Level = iota
	// AVX2 needs AVX2 and FMA: 8 floats per instruction, 16 registers.
	AVX2
	// AVX512 needs AVX-512 F, BW, DQ and VL, and BMI2: 16 floats per instruction, 32 registers, masks.
	AVX512
	// NEON is every 64-bit ARM processor's: 4 floats per instruction, 32 registers.
	NEON
)

var levelNames = [...]string{"portable", "avx2", "avx512", "neon"}

// String returns the level's name: "portable", "avx2", "avx512" or "neon".
func (l Level) String() string { return levelNames[l] }

// An instructionSet is what a level has.
type instructionSet struct {
	implementation
	tileRows int  // of C in a tile at most: as many as leave registers for A and B
	copies   bool // whether compute obeys blockArgs.copy
	copyRows func(dst, src *float32, dstRow, srcRow, rows, n int)
	// transpose makes of 8 rows of 8·blocks columns at src 8·blocks rows of 8 columns at dst. It may be nil.
	transpose func(dst, src *float32, dstRow, srcRow, blocks int)
	// accumulate adds 8·blocks floats to as many sums. It may be nil.
	accumulate func(sums *float64, a *float32, blocks int)
	sums       int // accumulators of Sum
}

var plainGo = instructionSet{implementation: portable, tileRows: 16, copyRows: copyRowsGo, sums: 8}

var (
	best    = detect()
	current Level
	impl    instructionSet
)

func init() { Use(best) }

// Current returns the level in use: the highest that this machine has, unless Use has chosen another.
func Current() Level { return current }

// has reports whether this machine has l: its best level, and the lower ones of the same architecture.
func has(l Level) bool { return l == Portable || l == best || l == AVX2 && best == AVX512 }

// Find returns the level of a name, and whether this machine has it.
func Find(name string) (Level, bool) {
	l := Level(slices.Index(levelNames[:], name))
	return max(Portable, l), l >= 0 && has(l)
}

// Use makes all kernels run at level l. It panics if the machine lacks l. It must not be called while kernels run in
// other goroutines.
func Use(l Level) {
	if !has(l) {
		panic(fmt.Sprintf("kernel.Use: this machine has no %s", l))
	}
	current, impl = l, instructionSetOf(l)
}
