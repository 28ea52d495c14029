// Package task generates the synthetic data that the papers train on. Every sequence is drawn anew from a seeded
// stream, so that nothing is stored and everything is reproducible.
//
// A task is a plain value, such as Copy{T: 500}, that defines one sequence and the losses to compare with. Package
// chrono/trial makes batches of them. The comments give the definitions of Tallec & Ollivier
// 2018 (W) and of Wenke & Fleming 2019 (C), and what we chose where they leave a choice.
package task

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Task is what all tasks have in common. Each is a [Symbols], a [Classification], a [Regression] or a [Series] as well.
//
// Losses are those of its kind: for Symbols and Classification the mean cross entropy of the answers, in nats; for
// Regression and Series the mean squared error. In all tasks of this package, the best model there can be has a loss
// of 0.
type Task interface {
	// Steps is the length in time steps of every sequence.
	Steps() int

	// Memoryless is the loss of the best model without a memory. Each task defines what such a model still knows.
	Memoryless() float64

	// Validate returns a one-line error if a field is not in the range that its comment gives, or above [MaxSteps]. The
	// other methods may be called only where it returns nil.
	Validate() error
}

// Symbols is a task of predicting one symbol at every step from the symbols up to and including that step.
type Symbols interface {
	Task

	// Alphabet is the number of input symbols: inputs are 0 … Alphabet()−1.
	Alphabet() int

	// Classes is the number of output symbols: targets are 0 … Classes()−1.
	Classes() int

	// Sample draws one sequence from rng: in[t] is the input of step t, out[t] its target. Both must have length
	// Steps().
	Sample(rng *rand.Rand, in, out []int32)
}

// Classification is a task of predicting one symbol, at the end, from a sequence of symbols.
type Classification interface {
	Task

	// Alphabet is the number of input symbols: inputs are 0 … Alphabet()−1.
	Alphabet() int

	// Classes is the number of answers: 0 … Classes()−1.
	Classes() int

	// Sample draws one sequence from rng, and returns the answer: in[t] is the input of step t. It must have length
	// Steps().
	Sample(rng *rand.Rand, in []int32) (answer int32)
}

// Regression is a task of predicting one number, at the end, from a sequence of vectors.
type Regression interface {
	Task

	// Features is the number of inputs at each step.
	Features() int

	// Sample draws one sequence from rng: feature f of step t is in[t·Features()+f], and target[0] the number to
	// predict. in must have length Steps()·Features().
	Sample(rng *rand.Rand, in, target []float32)
}

// Series is a task of predicting at every step by how much a number will change until the next step. The context is
// what a model may know of a series beforehand.
type Series interface {
	Task

	// Context is the number of values in the context.
	Context() int

	// Sample draws series number k of a set from rng; its kind may depend on k. x[t] is the number at step t, and
	// change[t] the change to predict there. Both must have length Steps(), and context length Context().
	Sample(rng *rand.Rand, k int, x, context, change []float32)
}

// MaxSteps bounds every size of a task, so that a slip of the keyboard is an error and does not fill the memory.
const MaxSteps = 1 << 20

// checkSize returns an error unless low ≤ value ≤ high.
func checkSize(task, name string, value, low, high int) error {
	return given.Check(value >= low && value <= high, "task %s: %s is %d, want %d to %d", task, name, value, low, high)
}
