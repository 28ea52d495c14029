package cell_test

import (
	"math"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// Joint matrices of all shapes have orthonormal rows, or columns where these are fewer. A square one's trace has the
// mean 0 and the variance 1 of the whole orthogonal group, and a corner of a wide or tall one is centred, too.
func TestJointOrthogonal(t *testing.T) {
	rng := chrono.RNG(1)
	for _, dims := range [][2]int{{5, 20}, {20, 5}, {27, 32}, {7, 7}, {1, 4}, {4, 1}, {1, 1}} {
		rows, columns := dims[0], dims[1]
		q := cell.JointOrthogonal{}.Joint(rng, rows, columns)
		at := func(i, j int) float64 { return q[i*columns+j] }
		short, long := rows, columns
		if rows > columns {
			at = func(i, j int) float64 { return q[j*columns+i] }
			short, long = columns, rows
		}
		for a := range short {
			for b := range short {
				sum, want := 0.0, 0.0
				for u := range long {
					sum += at(a, u) * at(b, u)
				}
				if a == b {
					want = 1
				}
				if math.Abs(sum-want) > 1e-12 {
					t.Fatalf("%v: rows or columns %d and %d have product %g, want %g", dims, a, b, sum, want)
				}
			}
		}
	}
	const draws = 2000
	var mean, square, wide, tall float64
	for range draws {
		wide += cell.JointOrthogonal{}.Joint(rng, 2, 3)[0] / draws
		tall += cell.JointOrthogonal{}.Joint(rng, 3, 2)[0] / draws
		q := cell.JointOrthogonal{}.Recurrent(rng, 3)
		trace := q[0] + q[4] + q[8]
		mean, square = mean+trace/draws, square+trace*trace/draws
	}
	// Standard deviations of 0.022, as a trace's fourth moment is 3 at most 0.032, and 0.013 each.
	if math.Abs(mean) > 0.1 || math.Abs(square-1) > 0.15 {
		t.Errorf("traces have mean %g and mean square %g, want 0 and 1", mean, square)
	}
	if math.Abs(wide) > 0.06 || math.Abs(tall) > 0.06 {
		t.Errorf("corners have means %g and %g, want 0", wide, tall)
	}
}

// With JointOrthogonal the blocks of a cell's matrix are orthonormal together, in every cell of several.
func TestJointBlocks(t *testing.T) {
	const inputs, hidden, seed = 2, 3, 9
	init := cell.JointOrthogonal{}
	d := cell.Draws{Seed: seed, WeightInit: init, GateInit: chrono.Standard{Forget: 1}}
	for _, test := range []struct {
		cell   cell.Cell
		name   string
		rows   int
		blocks int
	}{
		{cell.LSTM{Hidden: hidden}, "input", inputs, 4},
		{cell.LSTM{Hidden: hidden}, "recurrent", hidden, 4},
		{cell.BNLSTM{Hidden: hidden}, "input", inputs, 4},
		{cell.BNLSTM{Hidden: hidden}, "recurrent", hidden, 4},
		{cell.GRU{Hidden: hidden}, "gate recurrent", hidden, 2},
		{cell.RHN{Hidden: hidden, Depth: 2}, "recurrent 2", hidden, 2},
	} {
		want := init.Joint(chrono.RNG(seed, "", test.name), test.rows, test.blocks*hidden)
		compare(t, test.name, d.All(test.cell.Weights(inputs))[test.name], want, 0)
	}
}
