package task

import "math/rand/v2"

// UniformWarp is the [Warp] of texts that are each played at one speed: all characters of a sequence last for the same
// number of steps, uniform in Min … Max and drawn for each sequence. It is how the caption of W Figure 5 can be read,
// "uniform warps between 1 and 50"; within a sequence it is the uniform warping of W Section 3.
type UniformWarp struct {
	Length   int // steps, 1 or more; 500 in the paper
	Min, Max int // the least and most steps for which a character lasts, 1 ≤ Min ≤ Max
}

func (w UniformWarp) Steps() int    { return w.Length }
func (w UniformWarp) Alphabet() int { return warpAlphabet }
func (w UniformWarp) Classes() int  { return warpAlphabet }

// Memoryless returns the loss of the best model that sees only the current symbol: that of [Warp], for the first
// character lasts as long on average.
func (w UniformWarp) Memoryless() float64 { return Warp(w).Memoryless() }

func (w UniformWarp) Validate() error { return checkSpan("uniform warp", w.Length, w.Min, w.Max, 1) }

func (w UniformWarp) Sample(rng *rand.Rand, in, out []int32) {
	steps := uniform(rng, w.Min, w.Max)
	Warp{w.Length, steps, steps}.Sample(rng, in, out)
}
