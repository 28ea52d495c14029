package cell_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// The papers' equations in plain Go.

// A row is what one sequence has at one step, or a weight, whose matrices lie row after row.
type row = []float64

// A step takes the input, the states and one trial's weights by name. It returns the outputs, h first, and behind them
// the gates; and the next states. The rows of a cell whose sequences depend on each other hold a whole batch.
type step func(x row, s []row, w map[string]row) (ys, next []row)

func both(f func(dst, s []float64), a row, more []row) row {
	out := slices.Clone(a)
	for _, b := range more {
		f(out, b)
	}
	return out
}

func add(a row, more ...row) row { return both(floats.Add, a, more) }
func mul(a row, more ...row) row { return both(floats.Mul, a, more) }
func tanh(v row) row             { return xslices.Map(v, math.Tanh) }
func sigmoid(v row) row {
	return xslices.Map(v, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })
}
func softplus(v row) row {
	return xslices.Map(v, func(x float64) float64 { return math.Log1p(math.Exp(x)) })
}
func relu(v row) row            { return xslices.Map(v, func(x float64) float64 { return max(x, 0) }) }
func blocks(v row, n int) []row { return slices.Collect(slices.Chunk(v, len(v)/n)) }

// blend is g·a + (1 − g)·h.
func blend(g, a, h row) row {
	return add(mul(g, a), mul(xslices.Map(g, func(g float64) float64 { return 1 - g }), h))
}

// times is v·M.
func times(v, matrix row) row {
	out := make(row, len(matrix)/len(v))
	for i, columns := range blocks(matrix, len(v)) {
		floats.AddScaled(out, v[i], columns)
	}
	return out
}

// standardized has the mean 0 and the variance 1.
func standardized(v row, epsilon float64) row {
	mean, variance := stat.PopMeanVariance(v, nil)
	return xslices.Map(v, func(x float64) float64 { return (x - mean) / math.Sqrt(variance+epsilon) })
}

// affine is x·input + h·recurrent + bias, without a term that is nil. Terms that have a gain are normalized.
func affine(w map[string]row, prefix string, x, h row) row {
	z := w[prefix+"bias"]
	for i, name := range []string{"input", "recurrent"} {
		if v := [][]float64{x, h}[i]; v != nil {
			z = add(z, normed(times(v, w[prefix+name]), w[prefix+name+" gain"]))
		}
	}
	return z
}

// normed is normalized if there is a gain.
func normed(v, gain row) row {
	if gain == nil {
		return v
	}
	return mul(gain, standardized(v, 1e-5))
}

func lstmStep(x row, s []row, w map[string]row) (ys, next []row) {
	z := blocks(affine(w, "", x, s[0]), 4)
	i, f := sigmoid(z[0]), sigmoid(z[1])
	c := add(mul(f, s[1]), mul(i, tanh(z[2])))
	read := normed(c, w["cell gain"])
	if shift := w["cell shift"]; shift != nil {
		read = add(read, shift)
	}
	h := mul(sigmoid(z[3]), tanh(read))
	return []row{h, i, f}, []row{h, c}
}

func tiedStep(x row, s []row, w map[string]row) (ys, next []row) {
	z := blocks(affine(w, "", x, s[0]), 3)
	i := sigmoid(z[0])
	c := blend(i, tanh(z[1]), s[1])
	h := mul(sigmoid(z[2]), tanh(c))
	return []row{h, i}, []row{h, c}
}

// oneGate is h ← g·tanh(z) + (1 − g)·h, where one g may be that of all units.
func oneGate(gate, z func(x, h row, w map[string]row) row) step {
	return func(x row, s []row, w map[string]row) (ys, next []row) {
		g := gate(x, s[0], w)
		g = slices.Repeat(g, len(s[0])/len(g))
		h := blend(g, tanh(z(x, s[0], w)), s[0])
		return []row{h, g}, []row{h}
	}
}

func plain(x, h row, w map[string]row) row { return affine(w, "", x, h) }

var (
	rnnStep         = oneGate(func(_, _ row, _ map[string]row) row { return row{1} }, plain)
	leakyStep       = oneGate(func(_, _ row, w map[string]row) row { return sigmoid(w["leak"]) }, plain)
	globalGatedStep = oneGate(func(x, h row, w map[string]row) row { return sigmoid(affine(w, "gate ", x, h)) }, plain)
	gatedStep       = oneGate(
		func(x, h row, w map[string]row) row { return sigmoid(blocks(plain(x, h, w), 2)[1]) },
		func(x, h row, w map[string]row) row { return blocks(plain(x, h, w), 2)[0] })
	gruStep = oneGate(updateGate, func(x, h row, w map[string]row) row {
		return affine(w, "", x, mul(h, sigmoid(blocks(affine(w, "gate ", x, h), 2)[0])))
	})
	// The GRU of PyTorch, in which r comes after the product.
	resetAfterStep = oneGate(updateGate, func(x, h row, w map[string]row) row {
		recurrent := map[string]row{"bias": w["recurrent bias"], "recurrent": w["recurrent"],
			"recurrent gain": w["recurrent gain"]}
		r := sigmoid(blocks(affine(w, "gate ", x, h), 2)[0])
		return add(affine(w, "", x, nil), mul(r, affine(recurrent, "", nil, h)))
	})
)

func updateGate(x, h row, w map[string]row) row {
	return sigmoid(blocks(affine(w, "gate ", x, h), 2)[1])
}

func networkGatedStep(x row, s []row, w map[string]row) (ys, next []row) {
	g := sigmoid(affine(w, "gate ", x, s[1]))
	h := blend(g, tanh(plain(x, s[0], w)), s[0])
	return []row{h}, []row{h, tanh(affine(w, "network ", x, s[1]))}
}

func rhnStep(depth int) step {
	return func(x row, s []row, w map[string]row) (ys, next []row) {
		h, z := s[0], affine(w, "", x, s[0])
		ys = make([]row, 1)
		for layer := 1; layer <= depth; layer++ {
			if layer > 1 {
				z = add(times(h, w[fmt.Sprint("recurrent ", layer)]), w[fmt.Sprint("bias ", layer)])
			}
			transform := sigmoid(blocks(z, 2)[1])
			h = blend(transform, tanh(blocks(z, 2)[0]), h)
			ys = append(ys, transform)
		}
		ys[0] = h
		return ys, []row{h}
	}
}

// The two published orders of fast weights, one with everything else, too, the other way round.
var (
	finalFast = cell.FastWeights{Hidden: 4, Decay: 0.95, Rate: 0.5, Inner: 1, Activation: cell.ReLU{},
		Norm: cell.Normalization{Epsilon: 1e-5, Learned: true}}
	preliminaryFast = cell.FastWeights{Hidden: 3, Decay: 0.8, Rate: 0.3, Inner: 2, Preliminary: true,
		Activation: cell.TanH{}, Norm: cell.Normalization{Epsilon: 0.1}} // large, so that it matters
)

func fastStep(f cell.FastWeights) step {
	return func(x row, s []row, w map[string]row) (ys, next []row) {
		act := tanh
		if f.Activation == (cell.ReLU{}) {
			act = relu
		}
		fast := blocks(slices.Clone(s[1]), f.Hidden)
		learn := func(h row) {
			for i := range fast {
				floats.Scale(f.Decay, fast[i])
				floats.AddScaled(fast[i], f.Rate*h[i], h)
			}
		}
		z := affine(w, "", x, s[0])
		h := act(z)
		if f.Preliminary {
			learn(h)
		}
		for range f.Inner {
			recalled := make(row, f.Hidden)
			for i := range recalled {
				recalled[i] = floats.Dot(fast[i], h)
			}
			v := standardized(add(z, recalled), f.Norm.Epsilon)
			if f.Norm.Learned {
				v = add(mul(w["gain"], v), w["shift"])
			}
			h = act(v)
		}
		if !f.Preliminary {
			learn(h)
		}
		return []row{h}, []row{h, slices.Concat(fast...)}
	}
}

func minGRUStep(x row, s []row, w map[string]row) (ys, next []row) {
	z := blocks(affine(w, "", x, nil), 2)
	g := sigmoid(z[1])
	h := blend(g, z[0], s[0])
	return []row{h, g}, []row{h}
}

func rglruStep(x row, s []row, w map[string]row) (ys, next []row) {
	z := blocks(affine(w, "", x, nil), 3)
	rate := mul(sigmoid(z[1]), softplus(w["decay"]))
	a := xslices.Map(rate, func(rate float64) float64 { return math.Exp(-8 * rate) })
	scale := xslices.Map(a, func(a float64) float64 { return math.Sqrt(1 - a*a) })
	h := add(mul(a, s[0]), mul(scale, sigmoid(z[2]), z[0]))
	return []row{h}, []row{h}
}

func selectiveStep(x row, s []row, w map[string]row) (ys, next []row) {
	z := blocks(affine(w, "", x, nil), 2)
	v, delta, in, out := z[0], softplus(z[1]), times(x, w["in"]), times(x, w["out"])
	y, h := mul(w["skip"], v), blocks(slices.Clone(s[0]), len(in))
	for n, decay := range blocks(w["decay"], len(in)) {
		for u := range v {
			h[n][u] = math.Exp(-delta[u]*math.Exp(decay[u]))*h[n][u] + delta[u]*in[n]*v[u]
			y[u] += h[n][u] * out[n]
		}
	}
	return []row{y}, []row{slices.Concat(h...)}
}

func lruStep(x row, s []row, w map[string]row) (ys, next []row) {
	in, re, im := blocks(times(x, w["input"]), 2), slices.Clone(s[0]), slices.Clone(s[1])
	for u := range re {
		lambda := cmplx.Exp(complex(-math.Exp(w["decay"][u]), math.Exp(w["angle"][u])))
		h := lambda*complex(re[u], im[u]) + complex(math.Exp(w["scale"][u]), 0)*complex(in[0][u], in[1][u])
		re[u], im[u] = real(h), imag(h)
	}
	return []row{slices.Concat(re, im)}, []row{re, im}
}

// ε is large, so that it matters, and that differences of a batch of two are smooth enough for finite ones.
var bnLSTM = cell.BNLSTM{Hidden: 4, Gain: 0.1, Epsilon: 0.1}

// bnStep is Cooijmans et al. (5) to (8) for a batch, with its own statistics or with those that are given for its
// inputs. The statistics are the second output.
func bnStep(l cell.BNLSTM, given func(hidden int, x row) row) step {
	return func(x row, s []row, w map[string]row) (ys, next []row) {
		batch, hidden, statistics := len(s[0])/l.Hidden, l.Hidden, make(row, 18*l.Hidden)
		if given != nil {
			statistics = given(hidden, x)
		}
		normalize := func(of []row, place int, gain, shift row) []row { // (5)
			out := blocks(make(row, batch*len(gain)), batch)
			for u := range gain {
				mean, variance := &statistics[place+u], &statistics[9*hidden+place+u]
				var column row
				for b := range of {
					column = append(column, of[b][u])
				}
				if given == nil {
					*mean, *variance = stat.PopMeanVariance(column, nil)
				}
				for b, v := range column {
					out[b][u] = gain[u]*(v-*mean)/math.Sqrt(*variance+l.Epsilon) + shift[u]
				}
			}
			return out
		}
		products := func(of row, weight string) []row {
			return xslices.Map(blocks(of, batch), func(v row) row { return times(v, w[weight]) })
		}
		z := normalize(products(s[0], "recurrent"), 0, w["recurrent gain"], w["recurrent shift"])
		fromInput := normalize(products(x, "input"), 4*hidden, w["input gain"], make(row, 4*hidden))
		var i, f, o, h row
		c := blocks(s[1], batch)
		for b := range z {
			gates := blocks(add(z[b], fromInput[b]), 4) // (6)
			in, forget := sigmoid(gates[0]), sigmoid(gates[1])
			c[b] = add(mul(forget, c[b]), mul(in, tanh(gates[2]))) // (7)
			i, f, o = append(i, in...), append(f, forget...), append(o, sigmoid(gates[3])...)
		}
		h = mul(o, tanh(slices.Concat(normalize(c, 8*hidden, w["cell gain"], w["cell shift"])...))) // (8)
		return []row{h, statistics, i, f}, []row{h, slices.Concat(c...)}
	}
}

// givenBNLSTM is a BNLSTM that is always given the statistics of bnStatistics, so that it can stand among cells of one
// input.
type givenBNLSTM struct{ cell.BNLSTM }

// bnStatistics are the statistics of a step that follow from its inputs, means and then variances, 9H each. The means
// are zero if the inputs are, as where a network is at rest.
func bnStatistics(hidden int, x row) row {
	sum, out := floats.Sum(x), make(row, 18*hidden)
	for i := range out {
		out[i] = sum * math.Sin(float64(i))
		if i >= 9*hidden {
			out[i] = 1.5 + math.Sin(float64(i)+sum)
		}
	}
	return out
}

func (g givenBNLSTM) Layer(inputs int) (cell.Layer, error) {
	return with(func(xs []*Node) []*Node {
		sum := ReduceAndKeep(xs[0], ReduceSum, 2, 3) // [T, R, 1, 1]
		places := IotaFull(sum.Graph(), shapes.Make(sum.DType(), 1, 1, 2, 9*g.Hidden))
		means := Mul(sum, Sin(SliceAxis(places, 2, AxisElem(0))))
		variances := AddScalar(Sin(Add(sum, SliceAxis(places, 2, AxisElem(1)))), 1.5)
		return []*Node{xs[0], Concatenate([]*Node{means, variances}, 2)}
	}, g.BNLSTM, inputs)
}

// assigning is an RNN whose step changes its slices.
var assigning = changed{cell.RNN{Hidden: 4}, func(l *cell.Layer) {
	step := l.Step
	l.Step = func(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
		nextCarry, _ = step(c, carry, append(x, nil), weights) // behind x, Lengths has the step's number
		carry[0], weights[0] = nextCarry[0], nil
		return carry, carry
	}
}}

// masked is a cell that is always given the same mask of h, so that it can stand among cells of one input.
type masked struct{ cell.Cell }

// recurrentMask is the mask of every trial and sequence: units that are hidden, halved and doubled.
var recurrentMask = []float64{0, 0.5, 2}

func (m masked) Layer(inputs int) (cell.Layer, error) {
	return with(func(xs []*Node) []*Node {
		dims, hidden := xs[0].Shape().Dimensions, len(recurrentMask)
		values := Reshape(ConstAsDType(xs[0].Graph(), xs[0].DType(), recurrentMask), 1, 1, hidden)
		return []*Node{xs[0], BroadcastToDims(values, dims[1], dims[2], hidden)}
	}, m.Cell, inputs)
}

// maskedStep is a step whose recurrent weights see h by the mask: their rows are multiplied by it.
func maskedStep(of step) step {
	return func(x row, s []row, w map[string]row) (ys, next []row) {
		seen := make(map[string]row)
		for name, values := range w {
			seen[name] = slices.Clone(values)
			if strings.Contains(name, "recurrent") && name != "recurrent bias" {
				for i := range values {
					seen[name][i] *= recurrentMask[i/(len(values)/len(recurrentMask))]
				}
			}
		}
		return of(x, s, seen)
	}
}

// with is a layer that always gets further inputs.
func with(further func(xs []*Node) []*Node, c cell.Cell, inputs int) (cell.Layer, error) {
	layer, err := c.Layer(inputs)
	own := layer
	layer.Prepare = func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
		return own.Prepare(further(xs), weights)
	}
	if own.Gates != nil {
		layer.Gates = func(xs []*Node, before *Node, weights map[string]*Node) []cell.Gate {
			return own.Gates(further(xs), before, weights)
		}
	}
	return layer, err
}
