package experiment

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// Convolved is a recurrent network with the layers of Mamba before its cell: an affine one, a causal
// convolution over the last Width steps, and SiLU.
type Convolved struct {
	Features int
	Width    int
	Then     Recurrent
}

// Validate refuses layers without units or steps.
func (n Convolved) Validate() error {
	if n.Features < 1 || n.Width < 1 {
		return fmt.Errorf("a convolution over %d steps of %d features: want 1 or more of both", n.Width, n.Features)
	}
	return n.Then.Validate()
}

// Build implements Network. The prediction is the read-out's.
func (n Convolved) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) Output {
	x := graph.StopGradient(n.Then.Inputs.Features(inputs[0]))
	x = cell.Dense(scope.In("before"), x, n.Features, n.Then.WeightInit, seeds...)
	x = activation.Swish(cell.Convolution(scope.In("convolution"), x, n.Width, seeds...))
	return n.Then.of(scope, seeds, x)
}

func (n Convolved) Units() int { return n.Then.Units() }

// Recent has the features of the last Steps steps side by side, and zeros before the first step.
type Recent struct {
	Steps int
	Of    Inputs
}

func (r Recent) Features(x *graph.Node) *graph.Node {
	now := r.Of.Features(x)
	all := []*graph.Node{now}
	steps := now.Shape().Dim(0)
	for k := 1; k < min(r.Steps, steps); k++ {
		first := now.Shape().Clone()
		first.Dimensions[0] = k
		late := graph.SliceAxis(now, 0, graph.AxisRange(0, steps-k))
		all = append(all, graph.Concatenate([]*graph.Node{graph.Zeros(now.Graph(), first), late}, 0))
	}
	return graph.Concatenate(all, -1)
}
