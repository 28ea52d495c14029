package trial

import (
	"cmp"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/internal/given"
)

// A Text is symbols to be predicted from those before them: dataset.Text8 and dataset.PTB are texts.
type Text interface {
	// Alphabet is how many different symbols there are; a symbol is 0 … Alphabet−1.
	Alphabet() int

	// Symbols returns the split of that name: "train", "valid" or "test". It is not for the caller to change. The
	// error is one line.
	Symbols(split string) ([]int32, error)
}

// checkText returns an error unless there are a text, the name of a split and a batch.
func checkText(data string, of Text, split string, batch int) error {
	return cmp.Or(
		given.Check(of != nil && split != "", "trial: %s without a text, or without the name of a split", data),
		checkAtLeast(data, "Batch", batch, 1))
}

// readText returns the split of a text that data are cut from, for trials with these seeds, or an error if one of its
// symbols is not in the alphabet: as a label it would have a loss of 0.
func readText(name string, data Data, of Text, split string, seeds []uint64) ([]int32, error) {
	batch, steps, err := data.Shape()
	if err = cmp.Or(err, checkBatch(name, seeds, steps, batch)); err != nil {
		return nil, err
	}
	symbols, err := of.Symbols(split)
	if err != nil {
		return nil, err
	}
	alphabet := of.Alphabet()
	for i, symbol := range symbols {
		if symbol < 0 || int(symbol) >= alphabet {
			return nil, fmt.Errorf("trial: %s: symbol %d at position %d, want 0 to %d", name, symbol, i, alphabet-1)
		}
	}
	return symbols, nil
}

// excerpts makes a batch in which the sequence of trial r at place b is the text from at(r, b) on: x [T, R, B] int32,
// and the symbols that follow, y [T, R, B] int32.
func excerpts(symbols []int32, steps, trials, batch int, at func(r, b int) int) (inputs, labels []*tensors.Tensor) {
	x, y := make([]int32, steps*trials*batch), make([]int32, steps*trials*batch)
	for r := range trials {
		for b := range batch {
			begin := at(r, b)
			timeMajor(x, symbols[begin:begin+steps], r*batch+b, 1, trials*batch)
			timeMajor(y, symbols[begin+1:begin+1+steps], r*batch+b, 1, trials*batch)
		}
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, steps, trials, batch)},
		[]*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, steps, trials, batch)}
}
