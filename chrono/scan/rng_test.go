package scan_test

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/scan"
)

// Random numbers of a state that the step was not given are refused when the graph is built, in the same words on
// every engine.
func TestRandomNumbersAreRefused(t *testing.T) {
	for name, draw := range map[string]func(s *model.Scope, captured, h *Node) *Node{
		"GoMLX's state, through a layer": func(s *model.Scope, _, h *Node) *Node {
			return layers.DropoutStatic(s, h, 0.5)
		},
		"GoMLX's state": func(s *model.Scope, _, h *Node) *Node {
			return Add(h, s.RandomBernoulli(Scalar(h.Graph(), h.DType(), 0.5), h.Shape()))
		},
		"a captured state": func(_ *model.Scope, captured, h *Node) *Node {
			_, u := RandomUniform(captured, h.Shape())
			return Add(h, u)
		},
		"a constant state": func(_ *model.Scope, _, h *Node) *Node {
			_, u := RandomUniform(RNGStateFromSeedForGraph(h.Graph(), 1), h.Shape())
			return Add(h, u)
		},
	} {
		for _, backend := range backends {
			_, err := model.CallOnce(backend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
				s.Store().SetTraining(x.Graph(), true)
				captured := RNGStateFromSeedForGraph(x.Graph(), 2)
				captured, _ = RNGStateSplit(captured)
				step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
					return []*Node{draw(s, captured, Add(carry[0], x[0]))}, nil
				}
				h := Zeros(x.Graph(), shapes.Make(x.DType(), 3))
				_, final := scan.New(step).Done([]*Node{h}, []*Node{x}, nil)
				return final[0]
			}, [][]float64{{1, 2, 3}, {4, 5, 6}})
			if err == nil || !strings.Contains(err.Error(), "make the state part of the carry") {
				t.Errorf("%s on %s: got %v, want that it is refused", name, backend, err)
			}
		}
	}
}
