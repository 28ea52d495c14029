package contextual

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/experiment"
)

// Retriever is the network of C Figure 1, that of Ba et al. 2016 with an initial state of one's choice: symbols
// [T, R, B] are embedded by ψ, a recurrent cell reads them, and two layers make the answer of its last state.
type Retriever struct {
	Symbols      int // of the alphabet
	Embedding    int // numbers of ψ
	Cell         cell.Cell
	InitialState cell.InitialState
	Context      experiment.Inputs // what the initial state is computed from, [R, B, E] of ψ; nil: nothing
	Head         int               // units of the hidden layer after the cell, ReLU
	Answers      int
	Psi          float64         // standard deviation of ψ's numbers at the start
	WeightInit   cell.WeightInit // of all other matrices
}

// Step is ψ of the symbol at one step. C's context is that of the first symbol: Step{At: 0}. Where the symbol is the
// same in every sequence, as "?" before the query, so is the context.
type Step struct{ At int }

func (s Step) Features(psi *graph.Node) *graph.Node {
	return graph.Squeeze(graph.Slice(psi, graph.AxisRange(s.At, s.At+1)), 0)
}

func (r Retriever) Units() int { return experiment.UnitsOf(r.Cell) }

// Build implements experiment.Network. The prediction is the answers' logits, [R, B, Answers].
func (r Retriever) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	symbols := graph.StopGradient(graph.OneHot(inputs[0], r.Symbols, dtypes.Float32))
	psi := r.embed(scope.At("embedding"), symbols, seeds)
	first := &recordedState{of: r.InitialState}
	var context []*graph.Node
	if r.Context != nil {
		context = append(context, r.Context.Features(psi))
	}
	_, last := cell.New(scope.At("cell"), r.Cell, psi).Seeds(seeds...).WeightInit(r.WeightInit).InitialState(first,
		context...).Done()
	head := cell.ReLU{}.Of(cell.Dense(scope.At("head"), last[0], r.Head, r.WeightInit, seeds...))
	return experiment.Output{
		Prediction:    cell.Dense(scope.At("readout"), head, r.Answers, r.WeightInit, seeds...),
		InitialStates: first.states,
	}
}

// embed is ψ, a vector for each symbol: x [T, R, B, Symbols] → [T, R, B, Embedding].
func (r Retriever) embed(scope *model.Scope, x *graph.Node, seeds []uint64) *graph.Node {
	list := []cell.Weight{{Name: "psi", Dims: []int{r.Symbols, r.Embedding}, Init: func(d cell.Draws) []float64 {
		rng, values := d.RNG(), make([]float64, r.Symbols*r.Embedding)
		for i := range values {
			values[i] = r.Psi * rng.NormFloat64()
		}
		return values
	}}}
	psi := cell.Variables(scope, x.Graph(), list, x.DType(), seeds)["psi"]
	out := graph.DotGeneral(x, []int{3}, []int{1}, psi, []int{1}, []int{0}) // [R, T, B, E]
	return graph.TransposeAllAxes(out, 1, 0, 2, 3)
}

// recordedState is an initial state that tells afterwards what it was, for measurements.
type recordedState struct {
	of     cell.InitialState
	states []*graph.Node // [R, B, …] each
}

func (r *recordedState) Build(scope *model.Scope, g *graph.Graph, want []shapes.Shape, seeds []uint64,
	context []*graph.Node) []*graph.Node {
	r.states = r.of.Build(scope, g, want, seeds, context)
	return r.states
}
