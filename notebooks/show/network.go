package show

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// What the notebook of the derivation runs: one small plain network and its inputs, as a differential equation and as
// cells of the library that have its weights.

// Units and Inputs are the sizes of a Network.
const Units, Inputs = 16, 2

// A Network is the weights of W(2), row-major as the library has them: [I, H], [H], [H, H].
type Network struct{ Wx, B, Wh []float64 }

// NewNetwork has the weights that the library gives to cell.RNN, of the recurrent ones the symmetric part. Its
// eigenvectors are directions of the state that only the tanh couples: some remember for dozens of steps, others change
// sign at every step.
func NewNetwork() Network {
	draws := cell.Draws{Seed: 1, Scope: "derivation", WeightInit: cell.Orthogonal{}}
	w := draws.All(cell.RNN{Hidden: Units}.Weights(Inputs)) // by name
	symmetric := make([]float64, Units*Units)
	for i := range Units {
		for j := range Units {
			symmetric[i*Units+j] = 0.97 * (w["recurrent"][i*Units+j] + w["recurrent"][j*Units+i]) / 2
		}
	}
	return Network{w["input"], w["bias"], symmetric}
}

// Data is the network's two inputs, as functions of continuous time.
func Data(t float64) []float64 {
	return []float64{0.4*math.Sin(t/6) + 0.3*math.Sin(t/14+1), 0.6 * math.Cos(t/8) * math.Sin(t/31)}
}

// Candidate is tanh(Wx·x + Wh·h + b).
func (n Network) Candidate(x, h []float64) []float64 {
	out := make([]float64, Units)
	for u := range out {
		sum := n.B[u]
		for i := range x {
			sum += x[i] * n.Wx[i*Units+u]
		}
		for k := range h {
			sum += h[k] * n.Wh[k*Units+u]
		}
		out[u] = math.Tanh(sum)
	}
	return out
}

// Slope is dh/dt at speed g: g·tanh(Wx·x + Wh·h + b) − g·h.
func (n Network) Slope(g float64, x, h []float64) []float64 {
	out := n.Candidate(x, h)
	for u := range out {
		out[u] = g * (out[u] - h[u])
	}
	return out
}

// Warped is the right-hand side of W(6), on data that is warped by c. Of a rescaling it is W(4); of speed 1, W(3).
func (n Network) Warped(c Warping) func(t float64, h []float64) []float64 {
	return func(t float64, h []float64) []float64 {
		return n.Slope(c.Speed(t), Data(c.C(t)), h)
	}
}

// Rest is the state at which the network stands still while its input stays at that of time 0. Compared runs begin
// there.
func (n Network) Rest() []float64 {
	still := func(t float64, h []float64) []float64 { return n.Slope(1, Data(0), h) }
	return Integrate(still, make([]float64, Units), 0, 500, 5000)
}

// Run runs a cell of the library with these weights over the sequence xs [T][I] from the state h0, or from zeros if it
// is nil, and returns all states, [T+1][H].
func Run(c cell.Cell, weights, xs [][]float64, h0 []float64) [][]float64 {
	store := model.NewStore()
	T, features := len(xs), len(xs[0])
	for i, w := range c.Weights(features) { // [R, …], here with R = 1 trial
		value := tensors.FromFlatDataAndDimensions(weights[i], append([]int{1}, w.Dims...)...)
		store.RootScope().VariableWithValue(w.Name, value)
	}
	forward := func(scope *model.Scope, xs *graph.Node) *graph.Node {
		sequence := graph.Reshape(xs, T, 1, 1, features) // one trial, one sequence in the batch
		run := cell.New(scope, c, sequence)
		if h0 != nil {
			run.From(graph.Reshape(graph.Const(xs.Graph(), h0), 1, 1, -1))
		}
		ys, _ := run.Done()
		return graph.Reshape(ys[0], T, -1)
	}
	states := model.MustCallOnce(Engine(), store, forward, xs).Value().([][]float64)
	if h0 == nil {
		h0 = make([]float64, len(states[0]))
	}
	return append([][]float64{h0}, states...)
}

// Plain is the network as W(2): a cell of the library, and its weights.
func (n Network) Plain() (cell.Cell, [][]float64) {
	return cell.RNN{Hidden: Units}, [][]float64{n.Wx, n.B, n.Wh}
}

// Leaky is the network as W(5), with that α in all units.
func (n Network) Leaky(alpha float64) (cell.Cell, [][]float64) {
	leak := slices.Repeat([]float64{Logit(alpha)}, Units)
	return cell.Leaky{Hidden: Units}, [][]float64{n.Wx, n.B, n.Wh, leak}
}

// Gated is the network as W(8). Its gate is the sigmoid of a third input, which only the gate sees.
func (n Network) Gated() (cell.Cell, [][]float64) {
	withThird := slices.Concat(n.Wx, make([]float64, Units))
	gate := []float64{0, 0, 1}
	return cell.GlobalGated{Hidden: Units}, [][]float64{withThird, n.B, n.Wh, gate, {0}, make([]float64, Units)}
}

// Logit is the inverse of the sigmoid.
func Logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Sampled is the warped data at the times 0, d, 2d, … below end. With gate, each step's third input tells the speed, so
// that g = d·dc/dt. A sigmoid comes no nearer to 1 than float64 can tell, and never exceeds it.
func Sampled(c Warping, end, d float64, gate bool) [][]float64 {
	var xs [][]float64
	for k := 0; float64(k)*d < end; k++ {
		t := float64(k) * d
		row := Data(c.C(t))
		if gate {
			row = append(row, Logit(min(d*c.Speed(t), 1-1e-16)))
		}
		xs = append(xs, row)
	}
	return xs
}

// RunPlain and RunGated run the network over warped data from its rest, without a gate and with g = dc/dt.
func (n Network) RunPlain(c Warping, steps int) [][]float64 {
	architecture, weights := n.Plain()
	return Run(architecture, weights, Sampled(c, float64(steps), 1, false), n.Rest())
}

func (n Network) RunGated(c Warping, steps int) [][]float64 {
	architecture, weights := n.Gated()
	return Run(architecture, weights, Sampled(c, float64(steps), 1, true), n.Rest())
}

// ByHand is W(8) in plain Go, for any g = dc/dt, also above 1.
func (n Network) ByHand(c Warping, steps int) [][]float64 {
	h := [][]float64{n.Rest()}
	for t := range steps {
		next := n.Warped(c)(float64(t), h[t])
		for u := range next {
			next[u] += h[t][u]
		}
		h = append(h, next)
	}
	return h
}

// Target is the state that the plain network has on the data as it is, read at the times c(0), c(1), … and so mostly
// between two of its steps: what a network on the warped data should do.
func (n Network) Target(c Warping) [][]float64 {
	h := n.RunPlain(Rescaling(1), Span+1)
	var out [][]float64
	for t := range c.Lasts() + 1 {
		at := c.C(float64(t))
		k := int(at)
		row := make([]float64, Units)
		for u := range row {
			row[u] = h[k][u] + (at-float64(k))*(h[k+1][u]-h[k][u])
		}
		out = append(out, row)
	}
	return out
}

// EulerErrors is how far a cell that takes 1, 2, 4, … 32 steps per unit of time gets from the solution of W(6), and
// the lengths of these steps: the gated one, or the leaky one on a rescaling.
func (n Network) EulerErrors(c Warping, gate bool) (lengths, errors []float64) {
	const end = 200
	exact := [][]float64{make([]float64, Units)}
	for t := 0.0; t < end; t++ {
		exact = append(exact, Integrate(n.Warped(c), exact[len(exact)-1], t, t+1, 40))
	}
	for inverse := 1; inverse <= 32; inverse *= 2 {
		d := 1 / float64(inverse)
		architecture, weights := n.Leaky(c.Speed(0) * d)
		if gate {
			architecture, weights = n.Gated()
		}
		h := Run(architecture, weights, Sampled(c, end, d, gate), make([]float64, Units))
		lengths = append(lengths, d)
		var atWholeTimes [][]float64
		for t := 0; t < len(h); t += inverse {
			atWholeTimes = append(atWholeTimes, h[t])
		}
		errors = append(errors, Farthest(exact, atWholeTimes))
	}
	return lengths, errors
}

// Halved is the network without weights between the two halves of its units, nor between a half and the other's input.
func (n Network) Halved() Network {
	h := Network{slices.Clone(n.Wx), n.B, slices.Clone(n.Wh)}
	for u := range Units {
		h.Wx[(1-u/(Units/2))*Units+u] = 0
		for k := range Units {
			if k/(Units/2) != u/(Units/2) {
				h.Wh[k*Units+u] = 0
			}
		}
	}
	return h
}

// RunHalves runs W(10) on two inputs, each warped by a c of its own. Two further inputs tell the gates of each half a
// speed.
func (n Network) RunHalves(c [2]Warping, speeds [2]func(t float64) float64, steps int) [][]float64 {
	var input, recurrent, xs [][]float64 // the weights row by row: candidate, then gate
	for i := range 2 {
		input = append(input, n.Wx[i*Units:(i+1)*Units], make([]float64, Units))
	}
	for i := range 2 {
		gate := make([]float64, Units)
		copy(gate[i*Units/2:], slices.Repeat([]float64{1}, Units/2))
		input = append(input, make([]float64, Units), gate)
	}
	for k := range Units {
		recurrent = append(recurrent, n.Wh[k*Units:(k+1)*Units], make([]float64, Units))
	}
	for t := range steps {
		t := float64(t)
		first, second := Data(c[0].C(t))[0], Data(c[1].C(t))[1]
		xs = append(xs, []float64{first, second, Logit(speeds[0](t)), Logit(speeds[1](t))})
	}
	bias := append(slices.Clone(n.B), make([]float64, Units)...)
	weights := [][]float64{slices.Concat(input...), bias, slices.Concat(recurrent...)}
	return Run(cell.Gated{Hidden: Units}, weights, xs, n.Rest())
}

// Joined puts matrices with a column for each unit side by side.
func Joined(matrices ...[]float64) (out []float64) {
	for begin := 0; begin < len(matrices[0]); begin += Units {
		for _, m := range matrices {
			out = append(out, m[begin:begin+Units]...)
		}
	}
	return out
}

// Scaled is each value times a factor.
func Scaled(factor float64, values []float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] *= factor
	}
	return out
}

// Forgotten is the time in steps, interpolated, until unit u of the free run h has fallen to 1/e of its value at step
// t0; NaN if it does not.
func Forgotten(h [][]float64, t0, u int) float64 {
	fall := func(t int) float64 { return math.Log(h[t0][u] / h[t][u]) }
	for t := t0 + 1; t < len(h); t++ {
		if after := fall(t); after >= 1 {
			before := fall(t - 1)
			return float64(t-1-t0) + (1-before)/(after-before)
		}
	}
	return math.NaN()
}

// FedBack is W(10) in plain Go from a state of zeros, with the candidate of n and the gate of another network's
// weights, where c is blended and h = tanh(c) is fed back: the states h, [T+1][H].
func FedBack(n, gate Network, xs [][]float64) [][]float64 {
	// A sigmoid is (1 + tanh(z/2))/2.
	half := Network{Scaled(0.5, gate.Wx), Scaled(0.5, gate.B), Scaled(0.5, gate.Wh)}
	c, h := make([]float64, Units), make([]float64, Units)
	states := [][]float64{h}
	for _, x := range xs {
		candidate, z := n.Candidate(x, h), half.Candidate(x, h)
		h = make([]float64, Units)
		for u := range c {
			g := (1 + z[u]) / 2
			c[u] = g*candidate[u] + (1-g)*c[u]
			h[u] = math.Tanh(c[u])
		}
		states = append(states, h)
	}
	return states
}
