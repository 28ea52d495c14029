package kernel

import (
	"cmp"
	"math/bits"
)

// Each accumulator of Sum adds chain numbers, one after the other; blocks such sums, over all accumulators, are added
// one after the other, too. Both are powers of two, and so small that the sum of equal numbers is off by less than a
// millionth: chains of 32 are off by 5e-7 at most, chains of 8 by 1.5e-7, and what is above them is a tree.
const (
	chain  = 32
	blocks = 8
)

// Half returns where a sum of n terms is cut in two: after the greatest power of two that is less than n. If this is
// repeated until few terms are left, rounding errors grow with log n only, and sums of as many equal numbers meet in
// pairs, where they are exact.
func Half(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }

// Halves returns how many first halves wait for the second at a time, if sums of more than leaf terms are cut in two.
func Halves(n, leaf int) (halves int) {
	for ; n > leaf; n = Half(n) {
		halves++
	}
	return halves
}

// Sum returns the sum of a; 0 if a is empty. The order of the additions depends on the level and on len(a) only.
func Sum(a []float32) float32 {
	if block := chain * impl.sums; len(a) > block {
		return sum(a, block, impl.Sum)
	}
	return impl.Sum(a)
}

// Accumulate adds a to sums, which are as many.
func Accumulate(sums []float64, a []float32) {
	sums = sums[:len(a)]
	const block = 8
	done := 0
	if blocks := len(a) / block; impl.accumulate != nil && blocks > 0 {
		impl.accumulate(&sums[0], &a[0], blocks)
		done = blocks * block
	}
	for i, v := range a[done:] {
		sums[done+i] += float64(v)
	}
}

// SumOf is Sum for numbers of any type, at level Portable.
func SumOf[T cmp.Ordered](a []T) T { return sum(a, chain*plainGo.sums, sumInEight) }

// sum adds blocks of a given length.
func sum[T cmp.Ordered](a []T, block int, of func(a []T) T) (total T) {
	if len(a) > blocks*block {
		h := Half(len(a))
		return sum(a[:h], block, of) + sum(a[h:], block, of)
	}
	for ; len(a) > block; a = a[block:] {
		total += of(a[:block])
	}
	return total + of(a)
}
