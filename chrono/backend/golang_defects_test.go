package backend

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// The defect is still there, and got round. Where this fails, GoMLX's Go backend has been mended, and newGo can be
// gobackend.New.
func TestGoBroadcastsInALoop(t *testing.T) {
	plain, err := gobackend.New(sequential)
	check.OK(t, err)
	ours, err := newGo(sequential)
	check.OK(t, err)
	for name, c := range map[string]struct {
		next func(h *Node) *Node
		want [][]float64 // the gradient of the sum of h(2) with respect to h(0)
	}{
		"broadcast": {func(h *Node) *Node {
			return Add(h, BroadcastToShape(SliceAxis(h, 0, AxisRange(0, 1)), h.Shape()))
		}, [][]float64{{7, 7}, {1, 1}}},
		"gradient of sum": {func(h *Node) *Node { return Add(h, ReduceAndKeep(h, ReduceSum, 0)) },
			[][]float64{{9, 9}, {9, 9}}},
	} {
		run := func(b compute.Backend) ([][]float64, error) {
			out, err := ExecOnce(b, func(h, x *Node) *Node {
				step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
					return []*Node{Add(c.next(carry[0]), x[0])}, nil
				}
				_, final := scan.New(step).Unroll(1).Done([]*Node{h}, []*Node{x}, nil)
				return Gradient(ReduceAllSum(final[0]), h)[0]
			}, [][]float64{{1, 2}, {3, 4}}, [][][]float64{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
			if err != nil {
				return nil, err
			}
			return out.Value().([][]float64), nil
		}
		if _, err := run(plain); err == nil || !strings.Contains(err.Error(), "not computed yet") {
			t.Errorf("%s on GoMLX's own: error %v, want that an input is not computed yet", name, err)
		}
		got, err := run(ours)
		check.That(t, err == nil && reflect.DeepEqual(got, c.want), "%s: %v, %v, want %v", name, got, err, c.want)
	}
}

// The defect is still there, and got round. Where this fails, GoMLX's Go backend has been mended, and Return can go.
func TestGoReturnsAValueTwice(t *testing.T) {
	plain, err := gobackend.New(sequential)
	check.OK(t, err)
	ours, err := newGo(sequential)
	check.OK(t, err)
	run := func(b compute.Backend) (values []any, err error) {
		out, err := ExecOnceN(b, func(x, y *Node) []*Node {
			step := func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
				return []*Node{Add(carry[0], carry[1]), Add(carry[0], carry[1])}, nil
			}
			_, final := scan.New(step).Unroll(1).Length(3).Done([]*Node{x, y}, nil, nil)
			return append(final, Gradient(final[0], x, y)...)
		}, 3., 4.)
		for _, tensor := range out {
			values = append(values, tensor.Value())
		}
		return values, err
	}
	if _, err := run(plain); err == nil || !strings.Contains(err.Error(), "not computed") {
		t.Errorf("error %v on GoMLX's own, want that an output is not computed", err)
	}
	// 7, 14, 28; each step after the first doubles both derivatives.
	got, err := run(ours)
	check.That(t, err == nil && reflect.DeepEqual(got, []any{28., 28., 4., 4.}), "%v, %v, want 28, 28, 4, 4", got, err)
}
