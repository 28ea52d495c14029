package cell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/internal/check"
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

// The initial biases of every gate that the papers initialize are those of the initialization; all others are zero, and
// gains are as the cell says.
func TestGateBiases(t *testing.T) {
	const hidden, inputs = 4, 2
	zero, input, forget := []float64{0, 0, 0, 0}, []float64{-20, -21, -22, -23}, []float64{10, 11, 12, 13}
	transform := []float64{0, 0, 0, 0, -10, -11, -12, -13}
	for c, biases := range map[cell.Cell]map[string][]float64{
		cell.RNN{Hidden: hidden}: {}, cell.Leaky{Hidden: hidden}: {"leak": input},
		cell.LSTM{Hidden: hidden}:                     {"bias": slices.Concat(input, forget, zero, zero)},
		cell.TiedLSTM{Hidden: hidden}:                 {"bias": slices.Concat(input, zero, zero)},
		cell.Gated{Hidden: hidden}:                    {"bias": slices.Concat(zero, input)},
		cell.GlobalGated{Hidden: hidden}:              {"gate bias": input[:1]},
		cell.NetworkGated{Hidden: hidden, Network: 3}: {"gate bias": input},
		cell.GRU{Hidden: hidden}:                      {"gate bias": slices.Concat(zero, input)},
		cell.RHN{Hidden: hidden, Depth: 2}:            {"bias": transform, "bias 2": transform},
		bnLSTM:                                        {"recurrent shift": slices.Concat(input, forget, zero, zero)},
	} {
		d := cell.Draws{Seed: 1, WeightInit: cell.Orthogonal{}, GateInit: marked{}}
		for name, got := range d.All(layerOf(c, inputs).Weights) {
			want := make([]float64, len(got))
			switch given := biases[name]; {
			case given != nil:
				want = given
			case strings.HasSuffix(name, "gain"):
				want = slices.Repeat([]float64{bnLSTM.Gain}, len(got))
			case !isBias(name):
				continue
			}
			check.Equal(t, got, want, "%T: %s at first", c, name)
		}
	}
}

// The candidates' biases of an RHN start where Spread says, each layer's otherwise; without it they are zero, as
// TestGateBiases tests.
func TestRHNSpread(t *testing.T) {
	const hidden, spread = 500, 0.04
	d := cell.Draws{Seed: 3, Scope: "/", WeightInit: cell.Orthogonal{}, GateInit: chrono.Standard{Forget: 2}}
	drawn := d.All(layerOf(cell.RHN{Hidden: hidden, Depth: 2, Spread: spread}, 3).Weights)
	for _, name := range []string{"bias", "bias 2"} {
		least, most := slices.Min(drawn[name][:hidden]), slices.Max(drawn[name][:hidden])
		check.Near(t, []float64{least, most}, []float64{-0.99 * spread, 0.99 * spread}, 0.01*spread, "%s", name)
		check.Near(t, drawn[name][hidden:], slices.Repeat([]float64{-2}, hidden), 0, "transform gates")
	}
	check.That(t, !slices.Equal(drawn["bias"], drawn["bias 2"]), "both layers have the same biases")
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
		layer + "/weights":     u.Draw(chrono.RNG(seed, layer, "weights"), cell.Output, inputs, 6),
		state + "/weights":     u.Draw(chrono.RNG(seed, state, "weights"), cell.Output, 6, hidden),
		"/cell/input":          u.Draw(chrono.RNG(seed, "/cell", "input"), cell.Input, inputs, hidden),
		"/cell/recurrent":      u.Draw(chrono.RNG(seed, "/cell", "recurrent"), cell.Recurrent, hidden, hidden),
		"/cell/gate input":     u.Draw(chrono.RNG(seed, "/cell", "gate input"), cell.Output, inputs, 1),
		"/cell/gate bias":      init.Draw(chrono.RNG(seed, "/cell", "gates", "biases"), 1).Input,
		"/cell/gate recurrent": u.Draw(chrono.RNG(seed, "/cell", "gate recurrent"), cell.Output, hidden, 1),
		"/out/weights":         u.Draw(chrono.RNG(seed, "/out", "weights"), cell.Output, hidden, units),
	} {
		check.Equal(t, numeric.Of(store.GetVariable(path).MustValue()), want, "%s at first", path)
	}
}

// The blocks of a cell's matrices are drawn as its WeightInit says: side by side, each with its own numbers, or
// together with JointOrthogonal. The builder's default is Orthogonal.
func TestBlocks(t *testing.T) {
	const inputs, hidden, seed, blocks = 2, 3, 9, 4
	x := random(rand.New(rand.NewPCG(1, 1)), 1, 1, 2, inputs)
	joint := &cell.JointOrthogonal{}
	for _, init := range []cell.WeightInit{cell.Orthogonal{}, cell.Uniform{}, *joint, joint} {
		store := stored(goBackend, x, func(s *model.Scope, x *Node) []*Node {
			b := cell.New(s, cell.LSTM{Hidden: hidden}, x).Seeds(seed)
			if init != (cell.Orthogonal{}) {
				b.WeightInit(init)
			}
			return []*Node{b.Outputs()}
		})
		for role, name := range map[cell.Role]string{cell.Input: "input", cell.Recurrent: "recurrent"} {
			rng, drawn := chrono.RNG(seed, "/", name), flat(t, store.RootScope().GetVariable(name).MustValue())
			rows := len(drawn) / (blocks * hidden)
			if init == *joint || init == joint {
				check.Near(t, drawn, init.Draw(rng, role, rows, blocks*hidden), 0, "%s", name)
				continue
			}
			for block := range blocks {
				var columns []float64
				for begin := block * hidden; begin < len(drawn); begin += blocks * hidden {
					columns = append(columns, drawn[begin:begin+hidden]...)
				}
				check.Near(t, columns, init.Draw(rng, role, rows, hidden), 0, "%s", name)
			}
		}
	}
}

// Uniform numbers reach their bound and have the variance of their distribution, a²/3; He's have the mean 0 and the
// variance 2/rows.
func TestWeightInits(t *testing.T) {
	const rows, columns = 100, 30
	rng := chrono.RNG(1)
	root := func(x float64) float64 { return math.Sqrt(x) }
	for _, c := range []struct {
		init  cell.WeightInit
		role  cell.Role
		bound float64 // 0 if it has He's variance
	}{
		{cell.Orthogonal{}, cell.Input, root(6. / (rows + columns))},
		{cell.Orthogonal{}, cell.Output, root(6. / (rows + columns))},
		{cell.Uniform{}, cell.Input, 1 / root(columns)}, {cell.Uniform{}, cell.Recurrent, 1 / root(columns)},
		{cell.Uniform{}, cell.Output, 1 / root(rows)},
		{cell.He{}, cell.Input, 0}, {cell.ScaledIdentity{Scale: 3}, cell.Output, 0},
	} {
		values := c.init.Draw(rng, c.role, rows, columns)
		var mean, variance float64
		for _, v := range values {
			mean, variance = mean+v/(rows*columns), variance+v*v/(rows*columns)
		}
		want := 2. / rows
		if low, high := slices.Min(values), slices.Max(values); c.bound > 0 {
			want = c.bound * c.bound / 3
			// Of 3,000 numbers the extremes are within 1 % of the bound, but for a chance of e⁻¹⁵.
			check.That(t, low >= -c.bound && high <= c.bound && low <= -0.99*c.bound && high >= 0.99*c.bound,
				"%#v, role %d: values in [%g, %g], want ±%g", c.init, c.role, low, high, c.bound)
		}
		// The mean's standard deviation is σ/55, the mean square's at most 0.026·σ².
		check.That(t, len(values) == rows*columns && math.Abs(mean) <= 5*root(want)/55 &&
			math.Abs(variance/want-1) <= 0.13,
			"%#v, role %d: mean %g, variance %g, want 0 and %g", c.init, c.role, mean, variance, want)
	}
	diagonal := cell.ScaledIdentity{Scale: 0.05}
	check.Near(t, diagonal.Draw(rng, cell.Input, 2, 3), []float64{0.05, 0, 0, 0, 0.05, 0}, 0, "wide")
	check.Near(t, diagonal.Draw(rng, cell.Input, 3, 2), []float64{0.05, 0, 0, 0.05, 0, 0}, 0, "tall")
}

// Orthogonal matrices of all shapes have orthonormal rows, or columns where these are fewer. A square one's trace has
// the mean 0 and the variance 1 of the whole orthogonal group, and a corner of a wide or tall one is centred, too.
func TestOrthogonal(t *testing.T) {
	rng := chrono.RNG(1)
	joint := cell.JointOrthogonal{}
	orthonormal := func(init cell.WeightInit, rows, columns int) {
		q := mat.NewDense(rows, columns, init.Draw(rng, cell.Recurrent, rows, columns))
		short, product := min(rows, columns), new(mat.Dense)
		if rows > columns {
			product.Mul(q.T(), q)
		} else {
			product.Mul(q, q.T())
		}
		identity := mat.NewDense(short, short, cell.ScaledIdentity{Scale: 1}.Draw(rng, cell.Recurrent, short, short))
		check.That(t, mat.EqualApprox(product, identity, 1e-12), "%#v [%d, %d]: rows or columns have the products\n%v",
			init, rows, columns, mat.Formatted(product))
	}
	orthonormal(cell.Orthogonal{}, 20, 20)
	for _, dims := range [][2]int{{5, 20}, {20, 5}, {27, 32}, {7, 7}, {1, 4}, {4, 1}, {1, 1}} {
		orthonormal(joint, dims[0], dims[1])
	}
	const draws = 2000
	for _, init := range []cell.WeightInit{cell.Orthogonal{}, joint} {
		var mean, square, wide, tall float64
		for range draws {
			wide += joint.Draw(rng, cell.Input, 2, 3)[0] / draws
			tall += joint.Draw(rng, cell.Input, 3, 2)[0] / draws
			q := init.Draw(rng, cell.Recurrent, 3, 3)
			trace := q[0] + q[4] + q[8]
			mean, square = mean+trace/draws, square+trace*trace/draws
		}
		// Standard deviations of 0.022, as a trace's fourth moment is 3 at most 0.032, and 0.013 each.
		check.That(t, math.Abs(mean) <= 0.1 && math.Abs(square-1) <= 0.15 && math.Abs(wide) <= 0.06 &&
			math.Abs(tall) <= 0.06,
			"%#v: traces have mean %g and mean square %g, want 0 and 1; corners %g and %g, want 0", init, mean,
			square, wide, tall)
	}
}
