package cell_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

const ownWords = "not yet written"

type panicking struct{ cell.RNN }

func (panicking) Prepare([]*Node, map[string]*Node) (stepXs, stepWeights []*Node) { panic(ownWords) }

type badSettings struct{ cell.RNN }

func (badSettings) Validate() error { panic(ownWords) }

type badWeights struct{}

func (badWeights) Draw(*rand.Rand, cell.Role, int, int) []float64 { panic(ownWords) }

type badGates struct{ chrono.Standard }

func (badGates) Validate() error { panic(ownWords) }

// What a user has written and panics with a string ends with an error; GoMLX would wait for ever.
func TestPanicsAreErrors(t *testing.T) {
	rnn := cell.RNN{Hidden: 2}
	for name, build := range map[string]func(s *model.Scope, x *Node){
		"a cell":               func(s *model.Scope, x *Node) { cell.New(s, panicking{rnn}, x).Done() },
		"a cell's settings":    func(s *model.Scope, x *Node) { cell.New(s, badSettings{rnn}, x) },
		"weights":              func(s *model.Scope, x *Node) { cell.New(s, rnn, x).WeightInit(badWeights{}).Done() },
		"a read-out's weights": func(s *model.Scope, x *Node) { cell.Dense(s, x, 2, badWeights{}) },
		"gates":                func(s *model.Scope, x *Node) { cell.New(s, rnn, x).GateInit(badGates{}) },
	} {
		_, err := model.CallOnce(goBackend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
			build(s, x)
			return x
		}, [][][][]float32{{{{1}}}})
		if err == nil || !strings.Contains(err.Error(), "it panicked with "+ownWords) {
			t.Errorf("%s: got %v, want an error with its words", name, err)
		}
	}
}
