package chrono

import (
	"math/rand/v2"
	"testing"

	wants "github.com/warptime/warptime/internal/check"
)

func first(rng *rand.Rand) [2]uint64 { return [2]uint64{rng.Uint64(), rng.Uint64()} }

func TestRNGDistinguishesLabels(t *testing.T) {
	seen := map[[2]uint64][]any{}
	for _, labels := range [][]any{
		{}, {""}, {"", ""}, {"a"}, {"b"}, {"ab"}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"b", "a"}, {"s"}, {"n"},
		{0}, {1}, {-1}, {"1"}, {0, 1}, {1, 0}, {"a", 1}, {1, "a"},
		{"task", "train", 3}, {"task", "train", 4}, {"task", "test", 3},
	} {
		for seed := range uint64(3) {
			numbers := first(RNG(seed, labels...))
			other, ok := seen[numbers]
			wants.That(t, !ok, "seed %d, labels %q: the same numbers as %q", seed, labels, other)
			seen[numbers] = append([]any{seed}, labels...)
			wants.Equal(t, first(RNG(seed, labels...)), numbers, "seed %d, labels %q, again", seed, labels)
		}
	}
	wants.Equal(t, first(RNG(0, 7)), first(RNG(0, uint64(7))), "the streams of an int and of the same uint64")
}

// Records name seeds: what a seed means may never change. These numbers were printed by this code on amd64.
func TestRNGStaysTheSame(t *testing.T) {
	got := first(RNG(42, "task", "train", 1000))
	wants.Equal(t, got, [2]uint64{0x89d62b5e980434e5, 0xc536216e21be9f34}, "the first numbers")
}

// Streams whose labels are neighbours are as independent as numbers of one stream: the first of each make a uniform
// sample.
func TestRNGStreamsAreIndependent(t *testing.T) {
	const n = 20_000
	byNumber, bySeed, differences := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		byNumber[i] = RNG(1, "task", i).Float64()
		bySeed[i] = RNG(uint64(i), "task", 1).Float64()
		// Modulo 1, the difference of two independent uniform numbers is uniform.
		if differences[i] = RNG(1, "task", i+1).Float64() - byNumber[i]; differences[i] < 0 {
			differences[i]++
		}
	}
	for name, sample := range map[string][]float64{"numbers": byNumber, "seeds": bySeed, "differences": differences} {
		wants.That(t, !notUniform(sample, 0, 1), "%s are not uniform", name)
	}
}

func TestRNGRejectsOtherLabels(t *testing.T) {
	wants.Panics(t, "a label of another type", func() { RNG(1, 2.5) }, "float64")
}
