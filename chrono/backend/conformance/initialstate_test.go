package conformance

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// A beginning is an initial state with its context.
type beginning struct {
	initial  cell.InitialState
	features []int // of each context
	noisy    bool  // noise of the states' size is the last
}

var learned = beginning{initial: cell.Learned{}}

var (
	rectified = cell.Contextual{
		Hidden: []int{5}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{},
	}
	oneLayer = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Uniform{}}
)

// beginnings is every initial state of chrono/cell, for cells of two states.
var beginnings = []beginning{
	{cell.Zero{}, nil, false},
	{cell.Constant{Values: []float64{0.1, 0.2, 0.3}}, nil, false},
	learned,
	{cell.Learned{Noise: 0.5}, nil, true},
	{rectified, []int{2, 3}, false},
	{cell.Parts{Of: []cell.InitialState{oneLayer, cell.Zero{}}}, []int{2}, false},
	{cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true},
}

// context is that of one update for a batch of a cell and the trials with those seeds.
func (b beginning) context(update int, c cell.Cell, batch int, seeds []uint64) (out []any) {
	features := append([]int{}, b.features...)
	if b.noisy {
		features = append(features, cell.StateSize(c))
	}
	for i, n := range features {
		var flat []float32
		for _, seed := range seeds {
			rng := chrono.RNG(seed, "context", i, update)
			for range batch * n {
				flat = append(flat, float32(rng.NormFloat64()))
			}
		}
		out = append(out, tensors.FromFlatDataAndDimensions(flat, len(seeds), batch, n))
	}
	return out
}

// normal is the one that needs most of an engine.
var normal = beginnings[len(beginnings)-1]
