package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
)

// ε is large, so that it matters, and that differences of a batch of two are smooth enough for finite ones.
var bnLSTM = cell.BNLSTM{Hidden: 4, Gain: 0.1, Epsilon: 0.1}

// givenBNLSTM is a BNLSTM that is always given the same statistics, those of bnStatistics, so that it can stand among
// cells of one input, and among those whose sequences know nothing of each other.
type givenBNLSTM struct{ cell.BNLSTM }

// bnStatistics are means, and then variances, 9H each; the means of all but c are zero, as where a network is at rest.
func bnStatistics(hidden int) []float64 {
	out := make([]float64, 18*hidden)
	for i := 8 * hidden; i < len(out); i++ {
		out[i] = 1.5 + math.Sin(float64(i))
	}
	return out
}

func (g givenBNLSTM) withStatistics(xs []*Node) []*Node {
	dims := xs[0].Shape().Dimensions
	values := ConstAsDType(xs[0].Graph(), xs[0].DType(), bnStatistics(g.Hidden))
	return []*Node{xs[0], BroadcastToDims(Reshape(values, 1, 1, 2, 9*g.Hidden), dims[0], dims[1], 2, 9*g.Hidden)}
}

func (g givenBNLSTM) Layer(inputs int) (cell.Layer, error) {
	return with(g.withStatistics, g.BNLSTM, inputs)
}

// bnRun is a batch that runs through Cooijmans et al. (6) to (8) in plain Go.
type bnRun struct {
	cell.BNLSTM
	w     map[string][]float64
	h, c  [][]float64   // [B][H]
	given [][]float64   // [T][18H], or nil for the batch's own
	used  [][]float64   // [T][18H]
	gates [][][]float64 // two, [B·T][H] with the sequences one after the other's step
}

// normalize is (5) for v [B][n], whose statistics begin at the given place of the step's.
func (r *bnRun) normalize(v [][]float64, gain, shift []float64, step, place int) {
	half := 9 * r.Hidden
	for u := range v[0] {
		mean, variance := 0.0, 0.0
		for _, row := range v {
			mean += row[u] / float64(len(v))
		}
		for _, row := range v {
			variance += (row[u] - mean) * (row[u] - mean) / float64(len(v))
		}
		if r.given != nil {
			mean, variance = r.given[step][place+u], r.given[step][half+place+u]
		}
		r.used[step][place+u], r.used[step][half+place+u] = mean, variance
		for _, row := range v {
			row[u] = gain[u]*(row[u]-mean)/math.Sqrt(variance+r.Epsilon) + shift[u]
		}
	}
}

// run takes x [T][B][I] and returns h [T][B][H].
func (r *bnRun) run(x [][][]float64) (out [][][]float64) {
	hidden, zero := r.Hidden, make([]float64, 4*r.Hidden)
	r.gates = make([][][]float64, 2)
	times := func(x, weights []float64) []float64 {
		z := make([]float64, 4*hidden)
		for u := range z {
			z[u] = affine(x, nil, map[string][]float64{"input": weights, "bias": zero}, "", 4*hidden, u)
		}
		return z
	}
	for step, rows := range x {
		r.used = append(r.used, make([]float64, 18*hidden))
		var fromState, fromInput, read [][]float64
		for b, row := range rows {
			fromState = append(fromState, times(r.h[b], r.w["recurrent"]))
			fromInput = append(fromInput, times(row, r.w["input"]))
		}
		r.normalize(fromState, r.w["recurrent gain"], r.w["recurrent shift"], step, 0)
		r.normalize(fromInput, r.w["input gain"], zero, step, 4*hidden)
		for b := range rows {
			in, forget := make([]float64, hidden), make([]float64, hidden)
			for u := range hidden {
				z := func(gate int) float64 { return fromState[b][gate*hidden+u] + fromInput[b][gate*hidden+u] }
				in[u], forget[u] = sigmoid(z(0)), sigmoid(z(1))
				r.c[b][u] = forget[u]*r.c[b][u] + in[u]*math.Tanh(z(2))
			}
			r.gates[0], r.gates[1] = append(r.gates[0], in), append(r.gates[1], forget)
			read = append(read, slices.Clone(r.c[b]))
		}
		r.normalize(read, r.w["cell gain"], r.w["cell shift"], step, 8*hidden)
		next := make([][]float64, len(rows))
		for b := range rows {
			next[b] = make([]float64, hidden)
			for u := range hidden {
				o := sigmoid(fromState[b][3*hidden+u] + fromInput[b][3*hidden+u])
				next[b][u] = o * math.Tanh(read[b][u])
			}
		}
		r.h = next
		out = append(out, next)
	}
	return out
}

// givenReference is one sequence with given statistics.
func givenReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
	out [][]float64, gates [][][]float64) {
	r := bnRun{BNLSTM: cell.BNLSTM{Hidden: hidden, Epsilon: bnLSTM.Epsilon}, w: w, h: [][]float64{first[0]},
		c: [][]float64{slices.Clone(first[1])}, given: slices.Repeat([][]float64{bnStatistics(hidden)}, len(x))}
	var batches [][][]float64
	for _, row := range x {
		batches = append(batches, [][]float64{row})
	}
	for _, h := range r.run(batches) {
		out = append(out, h[0])
	}
	return out, r.gates
}

// batch is trial r's part of values [T, R, B, n], [T][B][n].
func batch(values *tensors.Tensor, r int) (out [][][]float64) {
	for b := range values.Shape().Dimensions[2] {
		for step, row := range sequence(values, r, b) {
			if b == 0 {
				out = append(out, nil)
			}
			out[step] = append(out[step], row)
		}
	}
	return out
}

func joined(values [][][]float64) []float64 { return slices.Concat(slices.Concat(values...)...) }

// Outputs, last states, gates and statistics of batches are those of plain Go, with a batch's own statistics and with
// those of another batch at every step, in both directions.
func TestBNLSTM(t *testing.T) {
	const steps, trials, sequences, inputs = 6, 2, 3, 2
	for i := range 4 {
		given, reverse := i%2 == 1, i/2 == 1
		t.Run(fmt.Sprintf("given=%v/reverse=%v", given, reverse), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(41, 41))
			x := random(rng, steps, trials, sequences, inputs)
			statistics := random(rng, steps, trials, 2, 9*bnLSTM.Hidden)
			tensors.MustMutableFlatData(statistics, func(flat []float64) {
				for i, v := range flat {
					flat[i] = math.Abs(v) // none of the variances is negative
				}
			})
			first := []*tensors.Tensor{random(rng, trials, sequences, 4), random(rng, trials, sequences, 4)}
			run := func(s *model.Scope, nodes []*Node) []*Node {
				xs := nodes[:1]
				if given {
					xs = nodes[:2]
				}
				b := cell.New(s, bnLSTM, xs...).Seeds(1, 2).Unroll(4).From(nodes[2:]...)
				if reverse {
					b.Reverse()
				}
				ys, final := b.Done()
				gates := b.Gates(ys[0])
				return append(ys, final[1], gates[0].Values, gates[1].Values)
			}
			store, args := model.NewStore(), []any{x, statistics, first[0], first[1]}
			model.MustCallOnceN(goBackend, store, run, args...)
			shuffled(t, rng, store)
			out := model.MustCallOnceN(goBackend, store, run, args...)
			for r := range trials {
				want := bnRun{BNLSTM: bnLSTM, w: weightsOf(bnLSTM, inputs, store, r)}
				for i, state := range []*[][]float64{&want.h, &want.c} {
					for row := range slices.Chunk(slices.Clone(trialOf(flat(t, first[i]), trials, r)), 4) {
						*state = append(*state, row)
					}
				}
				xs, inOrder := batch(x, r), func(rows [][][]float64) [][][]float64 { return rows }
				if reverse {
					inOrder = func(rows [][][]float64) [][][]float64 {
						slices.Reverse(rows)
						return rows
					}
				}
				if given {
					for _, rows := range inOrder(batch(statistics, r)) {
						want.given = append(want.given, slices.Concat(rows...))
					}
				}
				h := want.run(inOrder(xs))
				what := fmt.Sprintf("trial %d: ", r)
				compare(t, what+"h", joined(inOrder(batch(out[0], r))), joined(h), 1e-12)
				compare(t, what+"statistics", joined(inOrder(batch(out[1], r))), slices.Concat(want.used...), 1e-12)
				compare(t, what+"c", trialOf(flat(t, out[2]), trials, r), slices.Concat(want.c...), 1e-12)
				for i, name := range []string{"input", "forget"} {
					compare(t, what+name, joined(inOrder(batch(out[3+i], r))), slices.Concat(want.gates[i]...), 1e-12)
				}
			}
		})
	}
}

// With the statistics that a batch has by itself, given, nothing changes; and then a sequence of it is alone what it is
// among the others, also after the end with the last step's statistics.
func TestBNLSTMGivenItsOwn(t *testing.T) {
	const steps, trials, sequences, inputs = 5, 2, 3, 5
	x := random(rand.New(rand.NewPCG(43, 43)), steps, trials, sequences, inputs)
	out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
		own, _ := cell.New(s.In("cell"), bnLSTM, x).Seeds(1, 2).Done()
		given, _ := cell.New(s.Shared("cell"), bnLSTM, x, own[1]).Done()
		first := SliceAxis(x, 2, AxisRange(0, 1))
		last := SliceAxis(own[1], 0, AxisRange(steps-1, steps))
		longer := Concatenate([]*Node{first, SliceAxis(first, 0, AxisRange(0, 2))}, 0)
		statistics := Concatenate([]*Node{own[1], last, last}, 0)
		alone, _ := cell.New(s.Shared("cell"), bnLSTM, longer, statistics).Done()
		return []*Node{own[0], given[0], own[1], given[1], SliceAxis(own[0], 2, AxisRange(0, 1)),
			SliceAxis(alone[0], 0, AxisRange(0, steps))}
	}, x)
	compare(t, "h", flat(t, out[1]), flat(t, out[0]), 1e-14)
	compare(t, "statistics", flat(t, out[3]), flat(t, out[2]), 0)
	compare(t, "one sequence", flat(t, out[5]), flat(t, out[4]), 1e-14)
}

// The initial gates' biases are the shift of the recurrent term, all gains are Gain, and the gates lie near σ of their
// biases whatever the weights: within what three standard deviations of two terms of ±0.1 do.
func TestBNLSTMInitialValues(t *testing.T) {
	const hidden, steps, sequences, inputs = 50, 20, 40, 3
	l := cell.BNLSTM{Hidden: hidden, Gain: 0.1, Epsilon: 1e-5}
	init := chrono.Chrono{Tmax: 8}
	d := cell.Draws{Seed: 5, Scope: "/", WeightInit: cell.Orthogonal{}, GateInit: init}
	drawn, plain := d.All(layerOf(l, inputs).Weights), d.All(layerOf(cell.LSTM{Hidden: hidden}, inputs).Weights)
	gain := slices.Repeat([]float64{l.Gain}, 4*hidden)
	for name, want := range map[string][]float64{
		"input": plain["input"], "recurrent": plain["recurrent"], "recurrent shift": plain["bias"],
		"recurrent gain": gain, "input gain": gain, "cell gain": gain[:hidden], "cell shift": make([]float64, hidden),
	} {
		compare(t, name, drawn[name], want, 0)
	}

	x := random(rand.New(rand.NewPCG(44, 44)), steps, 1, sequences, inputs)
	out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
		b := cell.New(s, l, x).Seeds(5).GateInit(init)
		ys, _ := b.Done()
		var off []*Node
		for _, gate := range b.Gates(ys[0]) {
			at := Sigmoid(InsertAxes(gate.Bias, 0, 1))
			off = append(off, ReduceAllMax(Abs(ReduceMean(Sub(gate.Values, at), 2))))
		}
		return off
	}, x)
	for i, name := range []string{"input", "forget"} {
		if off := flat(t, out[i])[0]; off > 0.01 {
			t.Errorf("a batch's mean of the %s gate is off by %g, want 0.01 at most", name, off)
		}
	}
}

// A learned initial h has no gradient, for it is the same in all sequences; a learned initial c has one.
func TestBNLSTMInitialState(t *testing.T) {
	x := random(rand.New(rand.NewPCG(45, 45)), 4, 1, 3, 2)
	run := func(s *model.Scope, x *Node) []*Node {
		ys, _ := cell.New(s, bnLSTM, x).InitialState(cell.Learned{}).Done()
		gradients := Gradient(conformance.Weighted(ys[:1]), s.GetVariable("first state 0").NodeValue(x.Graph()),
			s.GetVariable("first state 1").NodeValue(x.Graph()))
		return []*Node{ReduceAllMax(Abs(gradients[0])), ReduceAllMax(Abs(gradients[1]))}
	}
	store := stored(goBackend, x, run)
	shuffled(t, rand.New(rand.NewPCG(46, 46)), store)
	out := model.MustCallOnceN(goBackend, store, run, x)
	if h, c := flat(t, out[0])[0], flat(t, out[1])[0]; h > 1e-14 || c < 1e-3 {
		t.Errorf("gradients of the initial h and c are %g and %g at most, want 0 and more than that", h, c)
	}
}
