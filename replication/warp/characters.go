package warp

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// CharacterModel is the network of W Figure 7 (text8), that of Cooijmans et al. 2017: symbols [T, R, B] → one of
// Alphabet each → LSTM with recurrent batch normalization, its initial states learned → logits [T, R, B, Alphabet].
//
// How it normalizes depends on what data it is given: with the statistics of each batch, at each step; and if the data
// are [Populated], with averages of such statistics, which it keeps in a variable that is not trained: population
// statistics for each step of a window, the last step's beyond. Data that are [Gathered] make these averages.
type CharacterModel struct {
	Alphabet   int
	Cell       cell.BNLSTM
	GateInit   []chrono.GateInit // of the gates: [R], or one for all; they are part of β of the recurrent normalization
	WeightInit cell.WeightInit
}

func (c CharacterModel) Units() int { return c.Cell.Hidden }

func (c CharacterModel) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.StopGradient(graph.OneHot(inputs[0], c.Alphabet, dtypes.Float32))
	xs := []*graph.Node{x}
	gather := len(inputs) > 1 && inputs[1].Rank() == 0
	if len(inputs) > 1 && !gather {
		// [T, R, 2, 9H] at each step's own place
		xs = append(xs, graph.Gather(c.population(scope, x.Graph(), nil), graph.InsertAxes(inputs[1], -1)))
	}
	layer := cell.New(scope.In("cell"), c.Cell, xs...).Seeds(seeds...).GateInit(c.GateInit...).WeightInit(c.WeightInit).
		InitialState(cell.Learned{})
	ys, _ := layer.Done()
	if gather {
		c.population(scope, x.Graph(), &gathered{ys[1], inputs[1]})
	}
	return experiment.Output{
		Prediction: cell.Dense(scope.In("readout"), ys[0], c.Alphabet, c.WeightInit, seeds...),
		Gates:      layer.Gates(),
	}
}

// gathered are the statistics [T, R, 2, 9H] of one batch, and how many batches came before it.
type gathered struct{ statistics, before *graph.Node }

// population returns the variable's value, or adds a batch's statistics to the averages in it:
//
//	average ← average + (statistics − average)/(before + 1)
func (c CharacterModel) population(scope *model.Scope, g *graph.Graph, add *gathered) *graph.Node {
	scope = scope.In("population")
	variable := scope.GetVariable("statistics")
	if variable == nil {
		if add == nil {
			exceptions.Panicf("warp: no population statistics have been gathered yet")
		}
		variable = scope.VariableWithValue("statistics", tensors.FromShape(add.statistics.Shape())).SetTrainable(false)
	}
	average := variable.NodeValue(g)
	if add == nil {
		return average
	}
	first := graph.Equal(add.before, graph.ScalarZero(g, add.before.DType()))
	average = graph.Where(first, graph.ZerosLike(average), average) // whatever was there
	share := graph.ConvertDType(graph.OnePlus(add.before), average.DType())
	statistics := graph.StopGradient(add.statistics)
	variable.SetNodeValue(graph.Add(average, graph.Div(graph.Sub(statistics, average), share)))
	return average
}

// Gathered is windows by which a [CharacterModel] makes its population statistics: the averages over the batches that
// it is given, from the first on. A batch has one more input, its number, int32 and without axes.
type Gathered struct{ Of trial.Windows }

func (d Gathered) Shape() (batch, steps int, err error) { return d.Of.Shape() }

func (d Gathered) Open(seeds []uint64) (trial.Batches, error) {
	return experiment.Map(d.Of, seeds, func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		return append(inputs, tensors.FromScalar(int32(n))), labels
	})
}

// Populated is windows in which a [CharacterModel] is to use its population statistics, those of Steps steps. A batch
// has one more input, which says of which step for each step [T], int32: of the same one, or of the last.
type Populated struct {
	Of    trial.Windows
	Steps int // 1 or more
}

func (d Populated) Shape() (batch, steps int, err error) { return d.Of.Shape() }

func (d Populated) Open(seeds []uint64) (trial.Batches, error) {
	_, steps, _ := d.Shape()
	of := make([]int32, steps)
	for t := range of {
		of[t] = int32(min(t, d.Steps-1))
	}
	return experiment.Map(d.Of, seeds, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		return append(inputs, tensors.FromValue(of)), labels
	})
}

// Bits is the cross entropy in bits: of characters, bits per character. [R].
type Bits struct{}

func (Bits) Measure(_, labels []*graph.Node, output experiment.Output) *graph.Node {
	return graph.DivScalar(trial.CrossEntropy(labels[0], output.Prediction), math.Ln2)
}

// BitsByContext is the cross entropy in bits of those characters before which the window has From[i] characters or
// more, but less than From[i+1], for each i: [R, len(From)]. The first of a window that is predicted has 1 before it.
type BitsByContext struct {
	From []int // ascending, from 1 or more
}

func (b BitsByContext) Measure(_, labels []*graph.Node, output experiment.Output) *graph.Node {
	var parts []*graph.Node
	steps := labels[0].Shape().Dim(0)
	for i, from := range b.From {
		to := steps
		if i+1 < len(b.From) {
			to = b.From[i+1] - 1
		}
		of := graph.AxisRange(from-1, to)
		loss := trial.CrossEntropy(graph.Slice(labels[0], of), graph.Slice(output.Prediction, of))
		parts = append(parts, graph.InsertAxes(graph.DivScalar(loss, math.Ln2), -1))
	}
	return graph.Concatenate(parts, -1)
}

func (b BitsByContext) Numbers(int, int) int { return len(b.From) }
