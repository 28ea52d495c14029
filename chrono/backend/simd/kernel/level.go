package kernel

import "fmt"

// Level names an instruction set that the kernels are written for. Higher levels are faster.
type Level int

const (
	// Portable is plain Go: every architecture has it, and the other levels are tested against it.
	Portable Level = iota
	// AVX2 needs AVX2 and FMA: 8 floats per instruction, 16 registers.
	AVX2
	// AVX512 needs AVX-512 F, BW, DQ and VL: 16 floats per instruction, 32 registers, masks.
	AVX512
)

// String returns the level's name: "portable", "avx2" or "avx512".
func (l Level) String() string {
	switch l {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

var (
	best    = detect()
	current Level
	impl    implementation
)

func init() { Use(best) }

// Best returns the highest level that this machine has. It is in use when the program starts.
func Best() Level { return best }

// Current returns the level in use.
func Current() Level { return current }

// Use makes all kernels run at level l and returns the level used before. It panics if the machine lacks l.
// It is meant for tests and benchmarks, and must not be called while kernels run in other goroutines.
func Use(l Level) (previous Level) {
	if l < Portable || l > best {
		panic(fmt.Sprintf("kernel.Use: this machine has no %s", l))
	}
	previous = current
	current, impl = l, implementations(l)
	return previous
}
