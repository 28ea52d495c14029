package cell_test

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

type panicking struct{ cell.RNN }

func (panicking) Prepare([]*Node, map[string]*Node) (stepXs, stepWeights []*Node) {
	panic("not yet written")
}

// A cell that panics with a string ends with an error; GoMLX would wait for ever.
func TestPanicsAreErrors(t *testing.T) {
	_, err := model.CallOnce(goBackend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
		ys, _ := cell.New(s, panicking{cell.RNN{Hidden: 2}}, x).Done()
		return ys[0]
	}, [][][][]float32{{{{1}}}})
	if err == nil || !strings.Contains(err.Error(), "it panicked with not yet written") {
		t.Errorf("got %v, want an error with the cell's words", err)
	}
}
