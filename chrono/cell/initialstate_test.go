package cell_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// The sizes of most runs.
const trials, batch = 2, 3

var (
	oneLayer = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Orthogonal{}}
	deep     = cell.Contextual{Hidden: []int{5, 4}, Activation: cell.TanH{}, Output: cell.Linear{},
		WeightInit: cell.He{}}
	rectified = cell.Contextual{Hidden: []int{6}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}
)

// A place is one sequence of a trial: what the trial has learned, by path, the sequence's context and noise, and how
// many states it is to have, of which sizes.
type place struct {
	trial          int
	learned        func(path string) row
	context, noise row
	sizes          []int
}

// initialStates is every initial state, and what it is in plain Go.
var initialStates = []struct {
	name     string
	initial  cell.InitialState
	features []int // of its context, without the noise
	noisy    bool
	want     func(p place, state int) row
}{
	{"zero", cell.Zero{}, nil, false, func(p place, i int) row { return make(row, p.sizes[i]) }},
	{"contextual, one layer", oneLayer, []int{3}, false,
		func(p place, i int) row { return p.contextual("/first state/", oneLayer, i) }},
	{"contextual, of two nodes through two layers", deep, []int{2, 1}, false,
		func(p place, i int) row { return p.contextual("/first state/", deep, i) }},
	{"learned", cell.Learned{}, nil, false,
		func(p place, i int) row { return p.learned(fmt.Sprint("/first state ", i)) }},
	{"noisy copies", cell.Learned{Noise: 0.3}, nil, true,
		func(p place, i int) row { return p.noisy(p.learned(fmt.Sprint("/first state ", i)), row{0.3}, i) }},
	{"normal about a contextual", cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true,
		func(p place, i int) row { // C(4)
			sigma := softplus(p.learned(fmt.Sprint("/first deviation ", i)))
			return p.noisy(p.contextual("/first state/", rectified, i), sigma, i)
		}},
	{"noise for every state", parts{cell.Learned{Noise: 0.5},
		cell.NormalState{Mean: cell.Learned{}, Deviation: 0.25}}, nil, true,
		func(p place, i int) row {
			deviation := row{0.5}
			if i > 0 {
				deviation = softplus(p.learned(fmt.Sprintf("/part %d/first deviation 0", i)))
			}
			return p.noisy(p.learned(fmt.Sprintf("/part %d/first state 0", i)), deviation, i)
		}},
	{"noise for h, the others from context", parts{cell.NormalState{Mean: rectified, Deviation: 0.25}, rectified},
		[]int{2}, true, func(p place, i int) row {
			mean := p.contextual(fmt.Sprintf("/part %d/first state/", i), rectified, 0)
			if i > 0 {
				return mean
			}
			return p.noisy(mean, softplus(p.learned("/part 0/first deviation 0")), 0)
		}},
}

// placeOf is sequence n, counted through all trials.
func placeOf(t *testing.T, n int, c cell.Cell, store *model.Store, context []*tensors.Tensor, noisy bool) place {
	p := place{trial: n / batch, learned: func(path string) row {
		return trialOf(flat(t, store.GetVariable(path).MustValue()), trials, n/batch)
	}}
	for _, tensor := range context {
		p.context, p.noise = append(p.context, p.noise...), trialOf(flat(t, tensor), trials*batch, n)
	}
	if !noisy {
		p.context = append(p.context, p.noise...)
	}
	for _, dims := range layerOf(c, 1).StateDims {
		p.sizes = append(p.sizes, shapes.Make(dtypes.Float64, dims...).Size())
	}
	return p
}

// parts is cell.Parts for cells of any number of states: one part for h, and one for all others.
type parts struct{ first, others cell.InitialState }

func (p parts) Build(s *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	of := append([]cell.InitialState{p.first}, slices.Repeat([]cell.InitialState{p.others}, len(want)-1)...)
	return cell.Parts{Of: of}.Build(s, g, want, seeds, context)
}

// filled is an initial state of one's own, of one number everywhere.
type filled struct{ with float64 }

func (f filled) Build(_ *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, _ []*Node) []*Node {
	return xslices.Map(want, func(shape shapes.Shape) *Node { return MulScalar(Ones(g, shape), f.with) })
}

// noisy adds the noise of a state, times its deviation.
func (p place) noisy(mean, deviation row, state int) row {
	begin := 0
	for _, size := range p.sizes[:state] {
		begin += size
	}
	noise := p.noise[begin : begin+p.sizes[state]]
	return add(mean, mul(slices.Repeat(deviation, len(noise)/len(deviation)), noise))
}

// contextual is state i of a contextual initial state whose variables are under that scope.
func (p place) contextual(scope string, c cell.Contextual, i int) row {
	layer := func(path string, x row, a cell.Activation) row {
		z := add(times(x, p.learned(path+"/weights")), p.learned(path+"/bias"))
		switch a {
		case cell.TanH{}:
			return tanh(z)
		case cell.ReLU{}:
			return relu(z)
		}
		return z
	}
	x := p.context
	for k := range c.Hidden {
		x = layer(fmt.Sprint(scope, "layer ", k), x, c.Activation)
	}
	return layer(fmt.Sprint(scope, "state ", i), x, c.Output)
}

// contexts draws the context of an initial state for a cell: [R, B, F] each, the noise last.
func contexts(rng *rand.Rand, c cell.Cell, features []int, noisy bool) (context []*tensors.Tensor) {
	if noisy {
		features = append(slices.Clone(features), cell.StateSize(c))
	}
	for _, n := range features {
		context = append(context, random(rng, trials, batch, n))
	}
	return context
}

func anys(values []*tensors.Tensor) []any {
	return xslices.Map(values, func(tensor *tensors.Tensor) any { return tensor })
}

// The standard deviation is at first what is asked for, however small or large; and without noise h0 is its mean.
func TestNormalInitialDeviation(t *testing.T) {
	for _, deviation := range []float64{1e-12, 0.01, 0.25, 3, 900} {
		for _, epsilon := range []float64{1, 0} {
			state := flat(t, model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, noise *Node) *Node {
				normal := cell.NormalState{Mean: cell.Zero{}, Deviation: deviation}
				want := []shapes.Shape{shapes.Make(dtypes.Float64, 1, 1, 2)}
				return normal.Build(s, noise.Graph(), want, []uint64{1}, []*Node{noise})[0]
			}, [][][]float64{{{epsilon, epsilon}}}))
			want := epsilon * deviation
			check.Near(t, state, row{want, want}, 1e-12*deviation, "h0 with noise %v", epsilon)
		}
	}
}
