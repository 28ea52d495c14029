package task_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// parity is your own task: read random bits, and output at every step whether the number of ones so far is odd.
type parity struct{ Length int }

func (p parity) Steps() int    { return p.Length }
func (p parity) Alphabet() int { return 2 }
func (p parity) Classes() int  { return 2 }

func (p parity) Validate() error {
	if p.Length < 1 {
		return errors.New("parity: no steps")
	}
	return nil
}

// Memoryless is the loss without a memory, in nats: at the first step the answer is known, and later anybody's guess.
func (p parity) Memoryless() float64 { return math.Ln2 * float64(p.Length-1) / float64(p.Length) }

func (p parity) Sample(rng *rand.Rand, in, out []int32) {
	odd := int32(0)
	for t := range in {
		in[t] = rng.Int32N(2)
		odd ^= in[t]
		out[t] = odd
	}
}

// With these methods it is a task like those of the package, and trial.Sampled[task.Symbols] makes batches of it.
func Example_ownTask() {
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{parity{Length: 12}}, Split: "train", Batch: 1}
	batches, err := data.Open([]uint64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y, _ := batches.Batch(0)
	in, out := x[0].Value().([][][]int32), y[0].Value().([][][]int32) // [T, R, B]
	for t := range in {
		fmt.Print(in[t][0][0], out[t][0][0], "  ")
	}
	// Output: 1 1  0 1  1 0  0 0  0 0  0 0  1 1  0 1  1 0  0 0  1 1  1 0
}
