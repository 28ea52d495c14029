package cell

import . "github.com/gomlx/gomlx/core/graph"

// Activation is the function that a layer's units apply to their input: [Linear], [ReLU] or [TanH].
type Activation interface {
	// Of is applied to each element of x, also within a loop.
	Of(x *Node) *Node
}

// Linear is f(x) = x.
type Linear struct{}

func (Linear) Of(x *Node) *Node { return x }

// ReLU is f(x) = max(x, 0), whose derivative at 0 is taken as 0. It is NaN where x is.
type ReLU struct{}

func (ReLU) Of(x *Node) *Node {
	zero := ZerosLike(x)                        // the gradient of graph.Max costs three times as much, and is 1 at 0
	return Where(LessOrEqual(x, zero), zero, x) // the other way round, a NaN would become 0
}

// TanH is f(x) = tanh x.
type TanH struct{}

func (TanH) Of(x *Node) *Node { return Tanh(x) }
