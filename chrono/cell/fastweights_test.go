package cell_test

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
)

// The two published orders, one with everything else, too, the other way round.
var (
	finalFast = cell.FastWeights{
		Hidden: 4, Decay: 0.95, Rate: 0.5, Inner: 1, Activation: cell.ReLU{},
		Norm: cell.Normalization{Epsilon: 1e-5, Learned: true},
	}
	preliminaryFast = cell.FastWeights{
		Hidden: 3, Decay: 0.8, Rate: 0.3, Inner: 2, Preliminary: true, Activation: cell.TanH{},
		Norm: cell.Normalization{Epsilon: 0.1}, // large, so that it matters
	}
)

// attending is a network of fast weights without a matrix: it remembers the states and attends to them. With τ over
// the states that A has learned from until it is read in step t,
//
//	A·v = λⁿ·A0·v + η·Σ_τ λ^(steps since τ)·h(τ)·(h(τ)·v)
type attending struct {
	cell.FastWeights
	first   []float64   // A0, row-major
	learned [][]float64 // h(τ)
}

// recall is A·v.
func (a *attending) recall(v []float64) []float64 {
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
func (a *attending) run(x [][]float64, w map[string][]float64, first [][]float64) (out [][]float64) {
	f := func(v float64) float64 { return max(v, 0) }
	if a.Activation == (cell.TanH{}) {
		f = math.Tanh
	}
	h := first[0]
	a.first, a.learned = first[1], nil
	for _, row := range x {
		z, next := make([]float64, a.Hidden), make([]float64, a.Hidden)
		for u := range z {
			z[u] = affine(row, h, w, "", a.Hidden, u)
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
					v = w["gain"][u]*v + w["shift"][u]
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
	return func(_ int, x [][]float64, w map[string][]float64, first [][]float64) ([][]float64, [][][]float64) {
		a := attending{FastWeights: f}
		return a.run(x, w, first), nil
	}
}
