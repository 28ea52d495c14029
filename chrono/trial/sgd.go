package trial

import "github.com/gomlx/gomlx/core/graph"

// SGD is gradient descent, without momentum:
//
//	θ ← θ − rate·g
type SGD struct{}

func (SGD) Moments() ([]string, error) { return nil, nil }

func (SGD) Step(g *graph.Node, _ []*graph.Node, _ *graph.Node) (*graph.Node, []*graph.Node) {
	return g, nil
}
