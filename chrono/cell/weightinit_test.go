package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// marked are biases by which their places are known again.
type marked struct{}

func (marked) Draw(_ *rand.Rand, units int) (b chrono.Biases) {
	for u := range units {
		b.Forget, b.Input = append(b.Forget, float64(10+u)), append(b.Input, -float64(20+u))
	}
	return b
}

func (marked) Validate() error { return nil }

// The initial biases of every gate that the papers initialize are those of the initialization; all others are zero.
func TestGateBiases(t *testing.T) {
	const hidden, inputs = 4, 2
	zero, input, forget := []float64{0, 0, 0, 0}, []float64{-20, -21, -22, -23}, []float64{10, 11, 12, 13}
	transform := []float64{-10, -11, -12, -13}
	for _, test := range []struct {
		cell   cell.Cell
		weight string
		want   []float64
	}{
		{cell.LSTM{Hidden: hidden}, "bias", slices.Concat(input, forget, zero, zero)},
		{cell.RNN{Hidden: hidden}, "bias", zero},
		{cell.Leaky{Hidden: hidden}, "bias", zero},
		{cell.Leaky{Hidden: hidden}, "leak", input},
		{cell.Gated{Hidden: hidden}, "bias", slices.Concat(zero, input)},
		{cell.GlobalGated{Hidden: hidden}, "bias", zero},
		{cell.GlobalGated{Hidden: hidden}, "gate bias", input[:1]},
		{cell.NetworkGated{Hidden: hidden, Network: 3}, "bias", zero},
		{cell.NetworkGated{Hidden: hidden, Network: 3}, "network bias", zero[:3]},
		{cell.NetworkGated{Hidden: hidden, Network: 3}, "gate bias", input},
		{cell.GRU{Hidden: hidden}, "gate bias", slices.Concat(zero, input)},
		{cell.GRU{Hidden: hidden}, "bias", zero},
		{cell.RHN{Hidden: hidden, Depth: 2}, "bias", slices.Concat(zero, transform)},
		{cell.RHN{Hidden: hidden, Depth: 2}, "bias 2", slices.Concat(zero, transform)},
		{cell.BNLSTM{Hidden: hidden}, "recurrent shift", slices.Concat(input, forget, zero, zero)},
		{cell.BNLSTM{Hidden: hidden}, "cell shift", zero},
	} {
		d := cell.Draws{Seed: 1, WeightInit: cell.Orthogonal{}, GateInit: marked{}}
		if got := d.All(test.cell.Weights(inputs))[test.weight]; !slices.Equal(got, test.want) {
			t.Errorf("%T: %s is %v at first, want %v", test.cell, test.weight, got, test.want)
		}
	}
}

// Two trials of equal seeds that differ in their gates' initialization have the same initial bits everywhere else:
// cell, initial state and read-out, in both precisions.
func TestArmsShareAllOtherInitialValues(t *testing.T) {
	for i := range 2 * len(cells) {
		test, dtype := cells[i/2], []dtypes.DType{dtypes.Float32, dtypes.Float64}[i%2]
		t.Run(fmt.Sprintf("%s/%s", test.name, dtype), func(t *testing.T) {
			x := random(rand.New(rand.NewPCG(1, 1)), 1, 2, 2, test.inputs)
			store := stored(goBackend, x, func(s *model.Scope, x *Node) []*Node {
				b := cell.New(s.In("cell"), test.cell, ConvertDType(x, dtype)).Seeds(7, 7).InitialState(cell.Learned{})
				if test.gates != nil {
					b.GateInit(marked{}, chrono.Range{Min: 2, Max: 50})
				}
				ys, _ := b.Done()
				return []*Node{cell.Dense(s.In("read-out"), ys[0], 3, cell.Orthogonal{}, 7, 7)}
			})
			gates := 0
			for v := range store.IterVariables() {
				both := initial(v)
				for i, b := range trialOf(both, 2, 0) {
					gate := math.Abs(b) >= 10 // one of marked's, for all others are smaller
					same := math.Float64bits(b) == math.Float64bits(trialOf(both, 2, 1)[i])
					if same == gate {
						t.Errorf("%s, element %d: gate's bias: %v, same in both trials: %v", v.Path(), i, gate, same)
					}
					if gate {
						gates++
					}
				}
			}
			if (gates > 0) != (test.gates != nil) {
				t.Errorf("%d gates' biases found, gates %q", gates, test.gates)
			}
		})
	}
}

// initial are the values of a variable, float32 or float64.
func initial(v *model.Variable) []float64 {
	if v.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](v.MustValue())
	}
	var out []float64
	for _, x := range tensors.MustCopyFlatData[float32](v.MustValue()) {
		out = append(out, float64(x))
	}
	return out
}

// Records name seeds: where a variable's numbers come from may never change. Each has the stream of its seed, scope and
// name, whatever else is drawn; a global gate's weights are those of a read-out.
func TestStreams(t *testing.T) {
	const inputs, hidden, units, seed = 3, 4, 2, 5
	u, init := cell.Uniform{}, chrono.Chrono{Tmax: 90}
	g := cell.Contextual{Hidden: []int{6}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: u}
	x := random(rand.New(rand.NewPCG(1, 1)), 1, 1, 1, inputs)
	store := stored(goBackend, x, func(s *model.Scope, x *Node) []*Node {
		c := cell.GlobalGated{Hidden: hidden}
		ys, _ := cell.New(s.In("cell"), c, x).Seeds(seed).GateInit(init).WeightInit(u).InitialState(g,
			Squeeze(x, 0)).Done()
		return []*Node{cell.Dense(s.In("out"), ys[0], units, u, seed)}
	})
	layer, state := "/cell/first state/layer 0", "/cell/first state/state 0"
	for path, want := range map[string][]float64{
		layer + "/weights":     u.Output(chrono.RNG(seed, layer, "weights"), inputs, 6),
		state + "/weights":     u.Output(chrono.RNG(seed, state, "weights"), 6, hidden),
		"/cell/input":          u.Input(chrono.RNG(seed, "/cell", "input"), inputs, hidden),
		"/cell/recurrent":      u.Recurrent(chrono.RNG(seed, "/cell", "recurrent"), hidden),
		"/cell/gate input":     u.Output(chrono.RNG(seed, "/cell", "gate input"), inputs, 1),
		"/cell/gate bias":      init.Draw(chrono.RNG(seed, "/cell", "gates", "biases"), 1).Input,
		"/cell/gate recurrent": u.Output(chrono.RNG(seed, "/cell", "gate recurrent"), hidden, 1),
		"/out/weights":         u.Output(chrono.RNG(seed, "/out", "weights"), hidden, units),
	} {
		if got := initial(store.GetVariable(path)); !slices.Equal(got, want) {
			t.Errorf("%s is %v at first, want %v", path, got, want)
		}
	}
}

// No number is drawn twice: within a cell, every matrix and every block of it has its own.
func TestNoNumberIsDrawnTwice(t *testing.T) {
	for _, test := range cells {
		seen := map[float64]string{}
		d := cell.Draws{Seed: 1, WeightInit: cell.Orthogonal{}, GateInit: marked{}}
		for name, values := range d.All(test.cell.Weights(test.inputs)) {
			for _, v := range values {
				drawn := 10*v != math.Round(10*v) // other than zeros, gains and marked's
				if other, found := seen[v]; found && drawn {
					t.Errorf("%s: %g is in %q and in %q", test.name, v, other, name)
				}
				seen[v] = name
			}
		}
	}
}

// Every block of a cell's matrices is drawn as its WeightInit says: side by side, each with its own numbers.
func TestBlocks(t *testing.T) {
	const inputs, hidden, blocks = 3, 6, 4
	o := cell.Orthogonal{}
	drawn := cell.Draws{Seed: 1, WeightInit: o, GateInit: marked{}}.All(cell.LSTM{Hidden: hidden}.Weights(inputs))
	forInput, forRecurrent := chrono.RNG(1, "", "input"), chrono.RNG(1, "", "recurrent")
	for block := range blocks {
		columns := func(matrix []float64) (out []float64) {
			for begin := block * hidden; begin < len(matrix); begin += blocks * hidden {
				out = append(out, matrix[begin:begin+hidden]...)
			}
			return out
		}
		compare(t, "input", columns(drawn["input"]), o.Input(forInput, inputs, hidden), 0)
		compare(t, "recurrent", columns(drawn["recurrent"]), o.Recurrent(forRecurrent, hidden), 0)
	}
}

// Uniform numbers reach their bound and have the variance of their distribution, a²/3.
func TestWeightInits(t *testing.T) {
	const inputs, hidden, units = 30, 100, 20
	rng := chrono.RNG(1)
	root := func(x float64) float64 { return math.Sqrt(x) }
	for _, c := range []struct {
		name   string
		values []float64
		size   int
		bound  float64
	}{
		{"Glorot, input", cell.Orthogonal{}.Input(rng, inputs, hidden), inputs * hidden, root(6. / (inputs + hidden))},
		{"Glorot, output", cell.Orthogonal{}.Output(rng, hidden, units), hidden * units, root(6. / (hidden + units))},
		{"uniform, input", cell.Uniform{}.Input(rng, inputs, hidden), inputs * hidden, 1 / root(hidden)},
		{"uniform, recurrent", cell.Uniform{}.Recurrent(rng, hidden), hidden * hidden, 1 / root(hidden)},
		{"uniform, output", cell.Uniform{}.Output(rng, hidden, units), hidden * units, 1 / root(hidden)},
		{"within, input", cell.UniformWithin{Limit: 0.04}.Input(rng, inputs, hidden), inputs * hidden, 0.04},
		{"within, recurrent", cell.UniformWithin{Limit: 0.04}.Recurrent(rng, hidden), hidden * hidden, 0.04},
		{"within, output", cell.UniformWithin{Limit: 0.04}.Output(rng, hidden, units), hidden * units, 0.04},
	} {
		low, high, squares := 0.0, 0.0, 0.0
		for _, v := range c.values {
			low, high, squares = min(low, v), max(high, v), squares+v*v
		}
		// 2,000 numbers and more: the extremes are within 1 % of the bound, but for a chance of e⁻¹⁰; the mean
		// square has a standard deviation of 2 %.
		if variance := squares / float64(c.size); len(c.values) != c.size || low < -c.bound || high > c.bound ||
			low > -0.99*c.bound || high < 0.99*c.bound || math.Abs(variance/(c.bound*c.bound/3)-1) > 0.08 {
			t.Errorf("%s: %d values in [%g, %g] of variance %g, want %d from U(±%g)", c.name, len(c.values), low, high,
				variance, c.size, c.bound)
		}
	}
	// He's matrices have a variance of two over the number of rows, whatever they are for.
	he := cell.He{}
	for _, c := range []struct {
		name   string
		values []float64
		rows   float64
	}{
		{"input", he.Input(rng, inputs, hidden), inputs},
		{"recurrent", he.Recurrent(rng, hidden), hidden},
		{"output", he.Output(rng, hidden, units), hidden},
		{"output beside a diagonal", cell.ScaledIdentity{Scale: 3}.Output(rng, hidden, units), hidden},
	} {
		var mean, square float64
		for _, v := range c.values {
			mean, square = mean+v/float64(len(c.values)), square+v*v/float64(len(c.values))
		}
		// 2,000 numbers and more: the mean's standard deviation is σ/45, the mean square's 0.032·σ².
		if variance := 2 / c.rows; math.Abs(mean) > 5*root(variance)/45 || math.Abs(square/variance-1) > 0.16 {
			t.Errorf("He, %s: mean %g, mean square %g, want 0 and %g", c.name, mean, square, variance)
		}
	}
	diagonal := cell.ScaledIdentity{Scale: 0.05}
	compare(t, "diagonal, wide", diagonal.Input(rng, 2, 3), []float64{0.05, 0, 0, 0, 0.05, 0}, 0)
	compare(t, "diagonal, tall", diagonal.Input(rng, 3, 2), []float64{0.05, 0, 0, 0.05, 0, 0}, 0)
	compare(t, "diagonal, square", diagonal.Recurrent(rng, 2), []float64{0.05, 0, 0, 0.05}, 0)
	// An orthogonal matrix times its transpose is the identity.
	q := cell.Orthogonal{}.Recurrent(rng, units)
	for a := range units {
		for b := range units {
			var sum, want float64
			for u := range units {
				sum += q[a*units+u] * q[b*units+u]
			}
			if a == b {
				want = 1
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Fatalf("rows %d and %d have product %g, want %g", a, b, sum, want)
			}
		}
	}
}

// The builder draws a cell with the weight initialization that it is given, and by default with Orthogonal.
func TestWeightInitIsUsed(t *testing.T) {
	test := cells[0]
	x := random(rand.New(rand.NewPCG(1, 1)), 1, 1, 2, test.inputs)
	for _, given := range []cell.WeightInit{nil, cell.Orthogonal{}, cell.Uniform{}, cell.JointOrthogonal{}} {
		store := stored(goBackend, x, func(s *model.Scope, x *Node) []*Node {
			b := cell.New(s, test.cell, x).Seeds(3)
			if given != nil {
				b.WeightInit(given)
			}
			ys, _ := b.Done()
			return ys
		})
		d := cell.Draws{Seed: 3, Scope: "/", WeightInit: given, GateInit: chrono.Standard{Forget: 1}}
		if given == nil {
			d.WeightInit = cell.Orthogonal{}
		}
		for name, want := range d.All(test.cell.Weights(test.inputs)) {
			compare(t, name, initial(store.RootScope().GetVariable(name)), want, 0)
		}
	}
}
