package warp

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// Masks are drawn from a stream of their own for each sequence: one for a symbol wherever it occurs, then those of the
// units. Records name seeds, so that this may never change.
func TestMasks(t *testing.T) {
	const batch, steps, units = 4, 6, 5
	d := Masked{
		Of: trial.Streams{
			Of: Babble{Words: 4, Length: 400, Seed: 2}, Split: dataset.Train, Batch: batch, Steps: steps,
		},
		Units: units, Symbols: 0.25, Inputs: 0.75, Outputs: 0.5,
	}
	seeds := []uint64{5, 6}
	inputs, _, err := check.Got(d.Open(seeds))(t).Batch(2)
	check.OK(t, err)
	x := tensors.MustCopyFlatData[int32](inputs[symbolInput])
	var want [4][]float32
	want[0] = make([]float32, len(x))
	for row := range len(seeds) * batch {
		rng := chrono.RNG(seeds[row/batch], "dropout", dataset.Train, 2, row%batch)
		keep := func(share float64) float32 {
			if rng.Float64() < share {
				return 0
			}
			return float32(1 / (1 - share))
		}
		var seen []int32
		for step := range steps {
			at := step*len(seeds)*batch + row
			if before := slices.Index(seen, x[at]); before >= 0 {
				want[0][at] = want[0][before*len(seeds)*batch+row]
			} else {
				want[0][at] = keep(d.Symbols)
			}
			seen = append(seen, x[at])
		}
		for i, share := range []float64{d.Inputs, d.States, d.Outputs} {
			for range units {
				want[i+1] = append(want[i+1], keep(share))
			}
		}
	}
	for i, mask := range inputs[symbolMask:] {
		check.Equal(t, tensors.MustCopyFlatData[float32](mask), want[i], "masks %d", i)
	}
	for _, wrong := range []Masked{{Of: d.Of}, {Of: d.Of, Units: 1, States: 1}, {Of: d.Of, Units: 1, Outputs: -0.1}} {
		_, _, err := wrong.Shape()
		check.Rejected(t, wrong, err, "want")
	}
}
