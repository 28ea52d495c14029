package dataset

import (
	"fmt"
	"math/rand/v2"
)

// Permutation returns one of the n! orders of 0 … n−1, each as likely, chosen by the seed: element t is which pixel is
// read at step t. Every pixel is read once, as in W's permuted MNIST; the permutation that Cooijmans et al. published
// is drawn with replacement, and never reads 37 % of the pixels.
//
// The same seed gives the same order on every machine. The stream is not one of chrono.RNG's, which belong to trials,
// and must stay as it is: the records of permuted images depend on it. It panics if n is negative.
func Permutation(seed uint64, n int) []int {
	if n < 0 {
		panic(fmt.Sprintf("dataset: a permutation of %d pixels, want 0 or more", n))
	}
	const stream = 0x7065726d757465 // "permute"
	return rand.New(rand.NewPCG(seed, stream)).Perm(n)
}
