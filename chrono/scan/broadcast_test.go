package scan_test

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono/scan"
)

// What the package's documentation says of GoMLX's Go backend. Where this fails, the backend has been mended, and what
// is said here, in package backend and in the README can go, and so can notOn in package conformance.
func TestGoCannotBroadcastInALoop(t *testing.T) {
	for name, next := range map[string]func(h *Node) *Node{
		"broadcast": func(h *Node) *Node {
			return Add(h, BroadcastToShape(SliceAxis(h, 0, AxisRange(0, 1)), h.Shape()))
		},
		"gradient of sum": func(h *Node) *Node { return Add(h, ReduceAndKeep(h, ReduceSum, 0)) },
	} {
		for i, b := range backends {
			_, err := ExecOnceN(b, func(h, x *Node) []*Node {
				step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
					return []*Node{Add(next(carry[0]), x[0])}, nil
				}
				_, final := scan.New(step).Unroll(1).Done([]*Node{h}, []*Node{x}, nil)
				return Gradient(ReduceAllSum(final[0]), h)
			}, [][]float64{{1, 2}, {3, 4}}, [][][]float64{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
			if isGo := i == 0; isGo != (err != nil && strings.Contains(err.Error(), "not computed yet")) {
				t.Errorf("%s on %s: error %v", name, b.Name(), err)
			}
		}
	}
}
