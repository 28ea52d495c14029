package show

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// InitialStatesOver is a test, to be added to a task's. It keeps in the record, for InitialStates, the states in which
// the networks begin each sequence of the first batch of data.
func InitialStatesOver(data experiment.Data) experiment.Test {
	return experiment.Test{
		Data: data, Batches: 1, Measures: []experiment.Measure{{Name: initialStatesResult, Of: initialStatesOver{}}},
	}
}

// initialStatesResult is what a record calls the results of InitialStatesOver.
const initialStatesResult = "initial states"

// initialStatesOver is all initial states of a batch.
type initialStatesOver struct{}

var _ = experiment.Name("show.firstOver", initialStatesOver{})

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

// Contexts is a batch of series, one for each of some x(0) and each of some periods: all periods of the first x(0),
// then those of the second. It is the same for all trials.
type Contexts struct {
	Task            task.Decay // for the scales of all numbers
	Starts, Periods []float64  // x(0), and T
}

var _ = experiment.Name("show.Contexts", Contexts{})

// Shape is the number of series, and their steps.
func (c Contexts) Shape() (batch, steps int) { return len(c.Starts) * len(c.Periods), c.Task.Steps() }

// Validate refuses contexts without an x(0) or a T.
func (c Contexts) Validate() error {
	if len(c.Starts) == 0 || len(c.Periods) == 0 {
		return errors.New("contexts: want at least one x(0) and one T")
	}
	return c.Task.Validate()
}

// Open implements trial.Data. It is an error where Validate has one.
func (c Contexts) Open(seeds []uint64) (trial.Batches, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	batch, _ := c.Shape()
	return trial.Series{Tasks: []task.Series{each{c.Task, c}}, Split: "contexts", Batch: batch}.Open(seeds)
}

// each is the task whose series are those of contexts, one after the other, in place of drawn ones.
type each struct {
	task.Decay
	contexts Contexts
}

// Sample implements task.Series.
func (e each) Sample(_ *rand.Rand, k int, x, context, change []float32) {
	starts, periods := e.contexts.Starts, e.contexts.Periods
	e.Series(starts[k/len(periods)%len(starts)], periods[k%len(periods)], x, context, change)
}

// Principal are the first two principal components of some states: the two directions in which they differ most. It
// returns where each state is along both, from their mean, and which share of the variance each direction has. The
// last state is on the positive side of both. There must be three states or more.
func Principal(states [][]float64) (along [2][]float64, share [2]float64) {
	all := mat.NewDense(len(states), len(states[0]), slices.Concat(states...))
	var components stat.PC
	Assert(components.PrincipalComponents(all, nil), "no principal components of %d states", len(states))
	variances := components.VarsTo(nil)
	total := 0.0
	for _, v := range variances {
		total += v
	}
	var directions mat.Dense
	components.VectorsTo(&directions)
	mean := meanOf(states)
	for k := range along {
		share[k] = variances[k] / total
		for _, state := range states {
			at := 0.0
			for i, v := range state {
				at += (v - mean[i]) * directions.At(i, k)
			}
			along[k] = append(along[k], at)
		}
		if along[k][len(states)-1] < 0 {
			for i := range along[k] {
				along[k][i] = -along[k][i]
			}
		}
	}
	return along, share
}

// Due is the share of the states' variance that goes with their groups, as a sum over all numbers of a state: that of
// the groups' means. group says which one each state is in; all must have as many.
func Due(states [][]float64, group func(i int) int) float64 {
	groups := map[int][][]float64{}
	for i, s := range states {
		groups[group(i)] = append(groups[group(i)], s)
	}
	mean := meanOf(states)
	apart := func(states [][]float64) float64 {
		sum := 0.0
		for _, s := range states {
			for i, v := range s {
				sum += (v - mean[i]) * (v - mean[i])
			}
		}
		return sum / float64(len(states))
	}
	var means [][]float64
	for _, g := range groups {
		means = append(means, meanOf(g))
	}
	return apart(means) / apart(states)
}

// Shared is the part of the states' mean square that is that of their mean: 1 if all are alike.
func Shared(states [][]float64) float64 {
	mean, all := 0.0, 0.0
	for _, v := range meanOf(states) {
		mean += v * v
	}
	for _, s := range states {
		for _, v := range s {
			all += v * v / float64(len(states))
		}
	}
	return mean / all
}

func meanOf(states [][]float64) []float64 {
	mean := make([]float64, len(states[0]))
	for _, s := range states {
		for i, v := range s {
			mean[i] += v / float64(len(states))
		}
	}
	return mean
}

// NewMap returns a chart of numbers as colours: one column for each state, its numbers upwards in the given order.
// Columns go from low to high on the horizontal axis, each centred on its value. White is 0, red positive and blue
// negative, and beyond ±most all are of one colour; Maps shows the scale.
func NewMap(title, x, y string, states [][]float64, order []int, low, high, most float64) *Chart {
	chart := NewChart(title, x, y)
	half := 0.0
	if len(states) > 1 {
		half = (high - low) / float64(len(states)-1) / 2
	}
	chart.Add(plotter.NewImage(blocks(len(states), len(order), func(column, row int) color.Color {
		return signed(states[column][order[row]] / most)
	}), low-half, 0, high+half, float64(len(order))))
	chart.RangeX(low-half, high+half)
	chart.RangeY(0, float64(len(order)))
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, s := range states {
		for _, i := range order {
			least, greatest = min(least, s[i]), max(greatest, s[i])
		}
	}
	chart.words = fmt.Sprintf("%s: %d numbers (%s) for each of %d values of %s, from %.2g to %.2g.", title,
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
