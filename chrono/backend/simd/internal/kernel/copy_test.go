package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// Rows are copied bit for bit, whatever the bits mean, and nothing is written between them.
func TestCopyRows(t *testing.T) {
	const rows, gap = 5, 3
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for _, n := range lengths[1:] {
			src, dst := make([]uint32, rows*(n+gap)), make([]uint32, rows*(n+2*gap))
			for i := range src {
				src[i] = rng.Uint32() | math.Float32bits(float32(math.Inf(1))) // NaN of every kind
			}
			want := slices.Clone(dst)
			for r := range rows {
				copy(want[r*(n+2*gap):][:n], src[r*(n+gap):])
			}
			CopyRows(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), 4*(n+2*gap), 4*(n+gap), rows, n)
			if !slices.Equal(dst, want) {
				t.Errorf("%d rows of %d are\n%x, want\n%x", rows, n, dst, want)
			}
		}
	})
}
