package cell

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/scan"
)

// LayerNorm puts layer normalization into an [LSTM] or a [GRU], as Ba, Kiros & Hinton 2016 do. With mean and variance
// over all units v has,
//
//	LN(v; γ) = γ·(v − mean)/√(variance + 1e-5)
//
// every Wx·x and Wh·h in the cell's equations becomes LN(Wx·x; γx) and LN(Wh·h; γh), those of gates that stand side by
// side together; and (15) becomes h ← o·tanh(LN(c; γc) + βc). Biases stay where they are, so that those of gates set
// time scales as without it. The weights γ are called "input gain", "recurrent gain", "gate input gain", "gate
// recurrent gain" and "cell gain", one at first, and βc "cell shift".
func (b *Builder) LayerNorm() *Builder {
	switch plain := b.cell.(type) { // and not a cell of your own that embeds one
	case LSTM:
		b.cell = normalizedLSTM{plain}
	case GRU:
		b.cell = normalizedGRU{plain}
	default:
		exceptions.Panicf("%#v: it has no LayerNorm, want a cell.LSTM or cell.GRU", b.cell)
	}
	return b
}

// layerNorm is LN over the last axis of v. The gain has as many axes, or one less after that of the trials.
func layerNorm(v, gain *Node) *Node {
	v = Sub(v, ReduceAndKeep(v, ReduceMean, -1))
	variance := ReduceAndKeep(Square(v), ReduceMean, -1)
	return Mul(Div(v, Sqrt(AddScalar(variance, 1e-5))), gain)
}

// gains lists the two gains of blocks of Wx·x and Wh·h.
func gains(prefix string, hidden, blocks int) []Weight {
	return []Weight{vector(prefix+"input gain", blocks*hidden, 1), vector(prefix+"recurrent gain", blocks*hidden, 1)}
}

// projectNormalized is LN(Wx·x; γx) + b for each block and all steps, and what the step needs for LN(Wh·h; γh): Wh and
// γh [R, 1, blocks·H].
func projectNormalized(x *Node, weights map[string]*Node, prefix string, blocks int) (stepXs, stepWeights []*Node) {
	gain, bias := InsertAxes(weights[prefix+"input gain"], 0, 1), InsertAxes(weights[prefix+"bias"], 0, 1)
	all := Add(layerNorm(project(x, weights[prefix+"input"]), gain), bias)
	recurrent, recurrentGain := weights[prefix+"recurrent"], InsertAxes(weights[prefix+"recurrent gain"], 1)
	return Split(all, -1, blocks), []*Node{recurrent, recurrentGain}
}

// affineNormalized adds LN(Wh·h; γh) to each block of x.
func affineNormalized(s *scan.Ctx, x []*Node, h, weight, gain *Node) []*Node {
	z := Split(layerNorm(s.Dot(h, weight, 1)[0], gain), -1, len(x))
	for block := range z {
		z[block] = Add(x[block], z[block])
	}
	return z
}

// gatesNormalized is what gatesOf is, for that many blocks.
func gatesNormalized(prefix string, blocks int, names ...string) func([]*Node, *Node, map[string]*Node) []Gate {
	return func(xs []*Node, before *Node, weights map[string]*Node) []Gate {
		hidden := before.Shape().Dim(-1)
		x, recurrent := projectNormalized(xs[0], weights, prefix, blocks)
		h := layerNorm(project(recalled(before, xs[1:]), recurrent[0]), InsertAxes(recurrent[1], 0))
		return named(names, weights[prefix+"bias"], hidden, func(block int) *Node {
			return Add(x[block], column(h, block, hidden))
		})
	}
}

type normalizedLSTM struct{ LSTM }

func (l normalizedLSTM) Layer(inputs int) (Layer, error) {
	layer, err := l.LSTM.Layer(inputs)
	layer.Weights = slices.Concat(layer.Weights, gains("", l.Hidden, lstmGates),
		[]Weight{vector("cell gain", l.Hidden, 1), vector("cell shift", l.Hidden, 0)})
	layer.Prepare, layer.Step, layer.Gates = l.prepare, l.step, gatesNormalized("", lstmGates, "input", "forget")
	return layer, err
}

func (l normalizedLSTM) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, stepWeights = projectNormalized(xs[0], weights, "", lstmGates)
	stepWeights = append(stepWeights, InsertAxes(weights["cell gain"], 1), InsertAxes(weights["cell shift"], 1))
	return stepXs, append(stepWeights, maskOf(l, xs, l.Hidden)...)
}

func (l normalizedLSTM) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, c := recalled(carry[0], weights[4:]), carry[1]
	z := affineNormalized(s, x, h, weights[0], weights[1])
	i, f := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	c = Add(Mul(f, c), Mul(i, s.Tanh(z[2])))
	h = Mul(s.Sigmoid(z[3]), Tanh(Add(layerNorm(c, weights[2]), weights[3])))
	return []*Node{h, c}, []*Node{h}
}

type normalizedGRU struct{ GRU }

func (n normalizedGRU) Layer(inputs int) (Layer, error) {
	layer, err := n.GRU.Layer(inputs)
	layer.Weights = slices.Concat(layer.Weights, gains("gate ", n.Hidden, 2), gains("", n.Hidden, 1))
	layer.Prepare, layer.Step, layer.Gates = n.prepare, n.step, gatesNormalized("gate ", 2, "", "update")
	return layer, err
}

func (n normalizedGRU) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	gates, gateWeights := projectNormalized(xs[0], weights, "gate ", 2)
	candidate, weight := projectNormalized(xs[0], weights, "", 1)
	stepWeights = append(gateWeights, weight...)
	if n.ResetAfter {
		stepWeights = append(stepWeights, InsertAxes(weights["recurrent bias"], 1))
	}
	return append(gates, candidate...), append(stepWeights, maskOf(n, xs, n.Hidden)...)
}

func (n normalizedGRU) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	rest := weights[4:]
	if n.ResetAfter {
		rest = rest[1:]
	}
	h := recalled(carry[0], rest)
	z := affineNormalized(s, x[:2], h, weights[0], weights[1])
	r, g := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	var candidate *Node
	if n.ResetAfter {
		recurrent := Add(layerNorm(s.Dot(h, weights[2], 1)[0], weights[3]), weights[4])
		candidate = Add(x[2], Mul(r, recurrent))
	} else {
		candidate = affineNormalized(s, x[2:], Mul(r, h), weights[2], weights[3])[0]
	}
	h = blend(g, s.Tanh(candidate), carry[0])
	return []*Node{h}, []*Node{h}
}
