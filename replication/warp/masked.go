package warp

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// Masked is streams with the masks of variational dropout (Gal & Ghahramani 2016) as four additional
// float32 inputs: for symbols [T, R, B], and for inputs, states and outputs of a network, [R, B, Units] each. Each
// element of a mask is 0 with the given probability, and else scaled so that its mean is 1. A sequence of a batch has
// the same mask at all steps; the mask of symbols is the same wherever a symbol occurs in the sequence.
//
// One random stream draws all masks of a sequence, those of symbols first. The stream depends only on the trial's seed,
// the split, and the numbers of the batch and of the sequence in it. So masks are the same when training is resumed, on
// every engine, and for two models with the same seed, Units and streams. But the masks of inputs, states and outputs
// also depend on how many different symbols the sequence has, and so on Steps; the last two also depend on Units.
type Masked struct {
	Of    trial.Streams
	Units int

	// Shares that are dropped, 0 or more and below 1: in Zilly et al. 2017 on the Penn Treebank 0.25, 0.75, 0.25 and
	// 0.75.
	Symbols, Inputs, States, Outputs float64
}

func (d Masked) Shape() (batch, steps int, err error) {
	if d.Units < 1 {
		err = fmt.Errorf("masks for %d units: want 1 or more", d.Units)
	}
	for _, share := range []float64{d.Symbols, d.Inputs, d.States, d.Outputs} {
		if !(share >= 0 && share < 1) {
			err = fmt.Errorf("a share of %g is masked: want 0 or more, and below 1", share)
		}
	}
	if err != nil {
		return 0, 0, err
	}
	return d.Of.Shape()
}

func (d Masked) Open(seeds []uint64) (trial.Batches, error) {
	batch, steps, err := d.Shape()
	if err != nil {
		return nil, err
	}
	batches, err := d.Of.Open(seeds)
	return experiment.Map(batches, func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		return append(inputs, d.masks(seeds, n, batch, steps, inputs)...), labels
	}), err
}

// masks are those of the symbols [T, R, B] of batch n, its first input, and of inputs, states and outputs.
func (d Masked) masks(seeds []uint64, n, batch, steps int, inputs []*tensors.Tensor) []*tensors.Tensor {
	x := tensors.MustCopyFlatData[int32](inputs[0])
	rows := len(seeds) * batch
	symbols, masks := make([]float32, len(x)), [3][]float32{}
	for i := range masks {
		masks[i] = make([]float32, rows*d.Units)
	}
	for r, seed := range seeds {
		for b := range batch {
			row := r*batch + b
			rng := chrono.RNG(seed, "dropout", d.Of.Split, n, b)
			drawn := map[int32]float32{} // of the symbols of this sequence
			for t := range steps {
				symbol := x[t*rows+row]
				if _, ok := drawn[symbol]; !ok {
					drawn[symbol] = keep(d.Symbols, rng)
				}
				symbols[t*rows+row] = drawn[symbol]
			}
			for i, share := range []float64{d.Inputs, d.States, d.Outputs} {
				for u := range d.Units {
					masks[i][row*d.Units+u] = keep(share, rng)
				}
			}
		}
	}
	all := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(symbols, steps, len(seeds), batch)}
	for _, mask := range masks {
		all = append(all, tensors.FromFlatDataAndDimensions(mask, len(seeds), batch, d.Units))
	}
	return all
}

// keep draws one number of a mask of which that share is 0.
func keep(share float64, rng *rand.Rand) float32 {
	if rng.Float64() < share {
		return 0
	}
	return float32(1 / (1 - share))
}
