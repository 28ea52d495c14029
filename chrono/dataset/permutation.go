package dataset

import (
	"fmt"
	"math/rand/v2"
)

// Permutation returns a uniformly random order of 0 … n−1, chosen by the seed: element t is the pixel that step t
// reads. Every pixel is read once, as in W's permuted MNIST. (The permutation that Cooijmans et al. published is drawn
// with replacement, and never reads 37 % of the pixels.)
//
// The same seed gives the same order on every machine. The random stream is not one of chrono.RNG, whose streams belong
// to trials. It must not change, because the records of permuted images depend on it. Permutation panics if n is
// negative.
func Permutation(seed uint64, n int) []int {
	if n < 0 {
		panic(fmt.Errorf("dataset: a permutation of %d pixels, want 0 or more", n))
	}
	const stream = 0x7065726d757465 // "permute"
	return rand.New(rand.NewPCG(seed, stream)).Perm(n)
}
