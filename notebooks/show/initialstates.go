package show

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// InitialStatesOver is a test, to be added to a task's. It keeps in the record, for InitialStates, the states in which
// the networks begin each sequence of the first batch of data.
func InitialStatesOver(data trial.Data) experiment.Test {
	return experiment.Test{
		Data: data, Batches: 1, Measures: []experiment.Measure{{Name: initialStatesResult, Of: initialStatesOver{}}},
	}
}

// initialStatesResult is what a record calls the results of InitialStatesOver.
const initialStatesResult = "initial states"

// initialStatesOver is all initial states of a batch.
type initialStatesOver struct{}

// Measure implements experiment.Measurement: [R, B·n], for each sequence the n numbers of all its states.
func (initialStatesOver) Measure(_, _ []*graph.Node, output experiment.Output) *graph.Node {
	all := contextual.SideBySide(output.InitialStates)
	return graph.Reshape(all, all.Shape().Dimensions[0], -1)
}

// InitialStates is what InitialStatesOver kept of a trial: for each of its sequences, the numbers of all its
// states, in the order of the cell's.
func InitialStates(r *record.Record, trial, sequences int) [][]float64 {
	all := r.End.Vectors[initialStatesResult][trial]
	return slices.Collect(slices.Chunk([]float64(all), len(all)/sequences))
}

// Principal are the first two principal components of some states: the two directions in which they differ most. It
// returns where each state is along both, from their mean, and which share of the variance each direction has. The
// last state is on the positive side of both. There must be three states or more.
func Principal(states [][]float64) (along [2][]float64, share [2]float64) {
	all := mat.NewDense(len(states), len(states[0]), slices.Concat(states...))
	var components stat.PC
	Assert(components.PrincipalComponents(all, nil), "no principal components of %d states", len(states))
	variances := components.VarsTo(nil)
	var directions mat.Dense
	components.VectorsTo(&directions)
	mean := make([]float64, len(states[0]))
	for i := range mean {
		mean[i] = stat.Mean(mat.Col(nil, i, all), nil)
	}
	for k := range along {
		share[k] = variances[k] / floats.Sum(variances)
		for _, state := range states {
			at := 0.0
			for i, v := range state {
				at += (v - mean[i]) * directions.At(i, k)
			}
			along[k] = append(along[k], at)
		}
		if along[k][len(states)-1] < 0 {
			floats.Scale(-1, along[k])
		}
	}
	return along, share
}

// NewMap returns a chart of numbers as colours: one column for each state, its numbers upwards in the given order.
// Columns go from low to high on the horizontal axis, each centred on its value. White is 0, red positive and blue
// negative, and beyond ±most all are of one colour; Maps shows the scale.
func NewMap(title, x, y string, states [][]float64, order []int, low, high, most float64) *Chart {
	half := 0.0
	if len(states) > 1 {
		half = (high - low) / float64(len(states)-1) / 2
	}
	chart := NewHeat(title, x, y, low-half, high+half, len(states), len(order), func(column, row int) color.Color {
		return signed(states[column][order[row]] / most)
	})
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, s := range states {
		for _, i := range order {
			least, greatest = min(least, s[i]), max(greatest, s[i])
		}
	}
	chart.Words = fmt.Sprintf("%s: %d numbers (%s) for each of %d values of %s, from %.2g to %.2g.", title,
		len(order), y, len(states), x, least, greatest)
	return chart
}

// Maps displays maps of the same ±most side by side, with the scale of their colours.
func Maps(most float64, maps ...*Chart) {
	key := newKey("value", -most, most, false, func(v float64) color.Color { return signed(v / most) })
	withKey([][]*Chart{maps}, 2.4*vg.Inch, key).display("")
}

// signedShades is the number of shades of each sign: few enough for a palette; see smaller.
const signedShades = 24

// signed is the colour of a number from −1 to 1: white is 0, and the shades of both signs are as dark as each other.
func signed(v float64) color.Color {
	v = math.Round(min(max(v, -1), 1)*signedShades) / signedShades
	to := color.RGBA{0xb2, 0x18, 0x2b, 0xff}
	if v < 0 {
		to, v = color.RGBA{0x21, 0x4f, 0x93, 0xff}, -v
	}
	fade := func(c uint8) uint8 { return uint8(255 - v*(255-float64(c)) + 0.5) }
	return color.RGBA{fade(to.R), fade(to.G), fade(to.B), 0xff}
}
