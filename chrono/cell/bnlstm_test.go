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
