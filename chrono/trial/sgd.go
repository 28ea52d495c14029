package trial

import "github.com/gomlx/gomlx/core/graph"

// SGD is gradient descent, without momentum:
//
//	θ ← θ − rate·g
type SGD struct{}

// Moments implements Method: none.
func (SGD) Moments() []string { return nil }

// Step implements Method.
func (SGD) Step(g *graph.Node, _ []*graph.Node, _ *graph.Node) (*graph.Node, []*graph.Node) {
	return g, nil
}

// Validate implements Method: it returns nil.
func (SGD) Validate() error { return nil }
