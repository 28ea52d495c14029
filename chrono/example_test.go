package chrono_test

import (
	"fmt"

	"github.com/warptime/warptime/chrono"
)

// The biases of an LSTM layer of five units for dependencies of up to 750 steps, and for how long each unit remembers.
func ExampleChrono() {
	biases := chrono.Chrono{Tmax: 750}.Draw(chrono.RNG(1, "lstm"), 5)
	for u := range 5 {
		forget := biases.Forget[u]
		fmt.Printf("forget %5.2f   input %5.2f   %3.0f steps\n", forget, biases.Input[u], chrono.TimeScale(forget))
	}
	// Output:
	// forget  5.17   input -5.17   178 steps
	// forget  4.64   input -4.64   105 steps
	// forget  6.14   input -6.14   467 steps
	// forget  6.60   input -6.60   733 steps
	// forget  4.35   input -4.35    79 steps
}

// The usual forget biases, as memories.
func ExampleTimeScale() {
	for _, forget := range []float64{0, 1, 2} {
		fmt.Printf("forget bias %g: %.1f steps\n", forget, chrono.TimeScale(forget))
	}
	// Output:
	// forget bias 0: 2.0 steps
	// forget bias 1: 3.7 steps
	// forget bias 2: 8.4 steps
}

// The forget bias that remembers for 784 steps, the pixels of an MNIST image.
func ExampleBias() {
	fmt.Printf("%.2f\n", chrono.Bias(784))
	// Output:
	// 6.66
}

// Every purpose has its own stream, and each stream is the same whoever else draws. Records name seeds: what a seed
// means never changes.
func ExampleRNG() {
	const seed = 1
	weights, data, again := chrono.RNG(seed, "weights"), chrono.RNG(seed, "data", 7), chrono.RNG(seed, "weights")
	fmt.Println(weights.IntN(1000), data.IntN(1000), again.IntN(1000))
	// Output:
	// 590 182 590
}

// Time scales for unknown data: most are short, a few are beyond any sequence.
func ExampleUnknownScale() {
	biases := chrono.UnknownScale{}.Draw(chrono.RNG(1, "gates"), 1000)
	for _, bound := range []float64{2, 10, 1000, 1e6} {
		longer := 0
		for _, b := range biases.Forget {
			if chrono.TimeScale(b) > bound {
				longer++
			}
		}
		fmt.Printf("over %7.0f steps: %d of 1000 units\n", bound, longer)
	}
	// Output:
	// over       2 steps: 407 of 1000 units
	// over      10 steps: 142 of 1000 units
	// over    1000 steps: 44 of 1000 units
	// over 1000000 steps: 23 of 1000 units
}

// For a cell with one gate g in place of two: biases for dependencies of 5 to 50 steps, so that 1/g is between them.
func ExampleRange() {
	biases := chrono.Range{Min: 5, Max: 50}.Draw(chrono.RNG(1, "gated"), 4)
	for _, b := range biases.Input {
		fmt.Printf("bias %5.2f   1/σ(bias) = %2.0f steps\n", b, chrono.TimeScale(-b))
	}
	// Output:
	// bias -2.52   1/σ(bias) = 13 steps
	// bias -3.34   1/σ(bias) = 29 steps
	// bias -1.55   1/σ(bias) =  6 steps
	// bias -3.12   1/σ(bias) = 24 steps
}

// All units alike, as most libraries have it.
func ExampleStandard() {
	biases := chrono.Standard{Forget: 1}.Draw(chrono.RNG(1, "lstm"), 3)
	fmt.Println(biases.Forget, biases.Input)
	// Output:
	// [1 1 1] [0 0 0]
}
