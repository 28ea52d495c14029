package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// The two published orders, one with everything else, too, the other way round.
var (
	finalFast = cell.FastWeights{
		Hidden: 4, Decay: 0.95, Rate: 0.5, Inner: 1, Activation: cell.ReLU{},
		Norm: cell.LayerNorm{Epsilon: 1e-5, Learned: true},
	}
	preliminaryFast = cell.FastWeights{
		Hidden: 3, Decay: 0.8, Rate: 0.3, Inner: 2, Preliminary: true, Activation: cell.TanH{},
		Norm: cell.LayerNorm{Epsilon: 0.1}, // large, so that it matters
	}
)

// attention is a network of fast weights without a matrix: it remembers the states and attends to them. With τ over
// the states that A has learned from until it is read in step t,
//
//	A·v = λⁿ·A0·v + η·Σ_τ λ^(steps since τ)·h(τ)·(h(τ)·v)
type attention struct {
	cell.FastWeights
	first   []float64   // A0, row-major
	learned [][]float64 // h(τ)
}

// recall is A·v.
func (a *attention) recall(v []float64) []float64 {
	out := make([]float64, a.Hidden)
	n := len(a.learned)
	for i := range out {
		for j := range v {
			out[i] += math.Pow(a.Decay, float64(n)) * a.first[i*a.Hidden+j] * v[j]
		}
	}
	for tau, h := range a.learned {
		attends := 0.0
		for j := range v {
			attends += h[j] * v[j]
		}
		for i := range out {
			out[i] += a.Rate * math.Pow(a.Decay, float64(n-1-tau)) * h[i] * attends
		}
	}
	return out
}

// run gives the outputs h [T][H] for one sequence.
func (a *attention) run(x, w, first [][]float64) (out [][]float64) {
	f := func(v float64) float64 { return max(v, 0) }
	if a.Activation == (cell.TanH{}) {
		f = math.Tanh
	}
	h := first[0]
	a.first, a.learned = first[1], nil
	for _, row := range x {
		z, next := make([]float64, a.Hidden), make([]float64, a.Hidden)
		for u := range z {
			z[u] = affine(row, h, w[0], w[1], w[2], a.Hidden, u)
			next[u] = f(z[u])
		}
		if a.Preliminary {
			a.learned = append(a.learned, next)
		}
		for range a.Inner {
			sum, mean, variance := a.recall(next), 0.0, 0.0
			next = make([]float64, a.Hidden)
			for u := range sum {
				sum[u] += z[u]
				mean += sum[u] / float64(a.Hidden)
			}
			for _, v := range sum {
				variance += (v - mean) * (v - mean) / float64(a.Hidden)
			}
			for u, v := range sum {
				v = (v - mean) / math.Sqrt(variance+a.Norm.Epsilon)
				if a.Norm.Learned {
					v = w[3][u]*v + w[4][u]
				}
				next[u] = f(v)
			}
		}
		if !a.Preliminary {
			a.learned = append(a.learned, next)
		}
		h = next
		out = append(out, h)
	}
	return out
}

func fastReference(f cell.FastWeights) reference {
	return func(_ int, x, w, first [][]float64) ([][]float64, [][][]float64) {
		a := attention{FastWeights: f}
		return a.run(x, w, first), nil
	}
}

// Fast weights are attention to the past, to 1e-9 over 40 steps, in both orders and with one and three inner steps; and
// the last A is what was learned, decayed.
func TestFastWeightsAreAttention(t *testing.T) {
	const steps, trials, batch, inputs = 40, 2, 2, 3
	for i := range 8 {
		f := cell.FastWeights{
			Hidden: 6, Decay: 0.95, Rate: 0.5, Inner: 1 + i/4*2, Preliminary: i%2 == 1, Activation: cell.ReLU{},
			Norm: cell.LayerNorm{Epsilon: 1e-5, Learned: i/2%2 == 1},
		}
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			run := func(s *model.Scope, nodes []*Node) []*Node {
				h, fast := Squeeze(nodes[1], 0), Reshape(nodes[2], trials, batch, f.Hidden, f.Hidden)
				ys, final := cell.New(s, f, nodes[0]).From(h, fast).Done()
				return []*Node{ys[0], Reshape(final[1], 1, trials, batch, -1)}
			}
			for _, backend := range backends {
				rng := rand.New(rand.NewPCG(21, 21))
				args := []any{random(rng, steps, trials, batch, inputs), random(rng, 1, trials, batch, f.Hidden),
					random(rng, 1, trials, batch, f.Hidden*f.Hidden)}
				store := model.NewStore()
				model.MustCallOnceN(backend, store, run, args...)
				shuffled(t, rng, store)
				out := model.MustCallOnceN(backend, store, run, args...)
				for i := range trials * batch {
					r, b := i/batch, i%batch
					a := attention{FastWeights: f}
					first := [][]float64{sequence(args[1].(*tensors.Tensor), r, b)[0],
						sequence(args[2].(*tensors.Tensor), r, b)[0]}
					want := a.run(sequence(args[0].(*tensors.Tensor), r, b), weightsOf(f, inputs, store, r), first)
					for step, h := range sequence(out[0], r, b) {
						compare(t, fmt.Sprintf("h, trial %d, sequence %d, step %d", r, b, step), h, want[step], 1e-9)
					}
					// Column j of A is A times the unit vector j.
					fast := sequence(out[1], r, b)[0]
					for j := range f.Hidden {
						unit, column := make([]float64, f.Hidden), make([]float64, f.Hidden)
						unit[j] = 1
						for i := range column {
							column[i] = fast[i*f.Hidden+j]
						}
						compare(t, fmt.Sprintf("column %d of A", j), column, a.recall(unit), 1e-9)
					}
				}
			}
		})
	}
}
