package cell

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
	"github.com/warptime/warptime/chrono/scan"
)

// BNLSTM is the LSTM with the recurrent batch normalization of Cooijmans et al. 2017, whose numbers these are:
//
//	BN(v; γ, β) = γ·(v − mean)/√(variance + ε) + β                            (5)
//	(i, f, g, o) = BN(Wh·h; γh, βh) + BN(Wx·x; γx, 0)                         (6)
//	c ← σ(f)·c + σ(i)·tanh(g)                                                 (7)
//	h ← σ(o)·tanh(BN(c; γc, βc))                                              (8)
//
// As in their program, βh is the only bias of (6): its initial blocks of i and f come from the gates' initialization,
// the others are zero.
//
// Means and variances (with divisor B) are taken over the B sequences of one trial at one step. They are the second
// output of [Builder.Done]: statistics [2, T, 9H], or [T, R, 2, 9H] of trials, the means and then the variances of Wh·h
// [4H], Wx·x [4H] and c [H]. A second input of this shape replaces them, and is then also the second output. It can
// hold averages over the training set, so that the outputs of a sequence do not depend on the others of its batch; for
// sequences longer than those of the training set, repeat the statistics of the last step.
//
// A value that all h of a batch share cancels with the mean. So with a batch's own statistics the gradient of a learned
// initial h ([Learned]) is zero.
//
// States: h, c. Weights, the gates side by side in the order i, f, g, o: "input" [I, 4H], "recurrent" [H, 4H],
// "recurrent gain" γh [4H], "recurrent shift" βh [4H], "input gain" γx [4H], "cell gain" γc [H], "cell shift" βc [H],
// zero at first. Gates: "input", σ(i), and "forget", σ(f), which are σ of their biases where Wh·h and Wx·x are at their
// means.
type BNLSTM struct {
	Hidden  int     // H, 1 or more
	Gain    float64 // the initial value of all γ, 0.1 in Cooijmans et al.; finite, not 0
	Epsilon float64 // ε, 1e-5 in their program; above 0, finite
}

// normalized is how many blocks of H columns are normalized: four of Wh·h, four of Wx·x, and c.
const normalized = 2*lstmGates + 1

func (l BNLSTM) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: []Weight{
			matrix("input", Input, inputs, l.Hidden, lstmGates),
			matrix("recurrent", Recurrent, l.Hidden, l.Hidden, lstmGates),
			vector("recurrent gain", lstmGates*l.Hidden, l.Gain),
			biasVector("recurrent shift", l.Hidden, lstmBiases...),
			vector("input gain", lstmGates*l.Hidden, l.Gain),
			vector("cell gain", l.Hidden, l.Gain),
			vector("cell shift", l.Hidden, 0),
		},
		StateDims: [][]int{{l.Hidden}, {l.Hidden}}, Prepare: l.prepare, Step: l.step, Gates: l.gates,
		coupled: true,
	}, l.check()
}

func (l BNLSTM) check() error {
	return cmp.Or(
		given.Check(l.Gain != 0 && given.Finite(l.Gain), "%#v: want a finite Gain that is not 0", l),
		given.Check(l.Epsilon > 0 && given.Finite(l.Epsilon), "%#v: want a finite Epsilon above 0", l),
		checkHidden(l, l.Hidden))
}

// prepare is all of (6) that does not need h, and its statistics or the given ones; and for the loop Wh,
// the constants of means, γc [R, 1, H], βc [R, B, H] and γh [R, 1, H], one for each gate. It panics if given statistics
// have another shape or type, or if there are none and a batch has only one sequence.
func (l BNLSTM) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	g, shape, given := xs[0].Graph(), xs[0].Shape(), l.given(xs)
	trials, batch := shape.Dimensions[1], shape.Dimensions[2]
	require.That(given != nil || batch > 1, "%#v: a batch of 1 sequence, want 2 or more, or statistics as input 1", l)
	var statistics []*Node
	for block := range lstmGates {
		z, own := l.inputTerm(xs[0], weights, given, block)
		stepXs, statistics = append(stepXs, z), append(statistics, own)
	}
	if given != nil {
		statistics = []*Node{given}
	}
	stepXs = append(stepXs, Concatenate(statistics, -1))

	average := DivScalar(Ones(g, shapes.Make(shape.DType, trials, 1, batch)), batch)
	ones := Ones(g, shapes.Make(shape.DType, trials, batch, 1))
	shift := copies(weights["cell shift"], xs)
	stepWeights = []*Node{weights["recurrent"], average, ones, InsertAxes(weights["cell gain"], 1), shift}
	return stepXs, append(stepWeights, Split(InsertAxes(weights["recurrent gain"], 1), -1, lstmGates)...)
}

// given are the statistics among the inputs; nil if there are none.
func (l BNLSTM) given(xs []*Node) *Node {
	if len(xs) < 2 {
		return nil
	}
	want := xs[0].Shape().Clone()
	want.Dimensions[2], want.Dimensions[3] = 2, normalized*l.Hidden
	require.That(xs[1].Shape().Equal(want), "%#v: input 1, %s, is no statistics: want %s", l, xs[1].Shape(), want)
	return xs[1]
}

// inputTerm is one block of BN(Wx·x; γx, 0) + βh, [T, R, B, H], and its statistics [T, R, 2, H].
func (l BNLSTM) inputTerm(x *Node, weights map[string]*Node, given *Node, block int) (z, statistics *Node) {
	z = project(x, column(weights["input"], block, l.Hidden))
	gain := column(weights["input gain"], block, l.Hidden)
	z, statistics = l.normalize(outside, z, gain, l.part(given, lstmGates+block))
	shift := InsertAxes(column(weights["recurrent shift"], block, l.Hidden), 0, 1) // [1, R, 1, H]
	return Add(z, shift), statistics
}

// part is one block of given statistics, or nil if there are none.
func (l BNLSTM) part(given *Node, block int) *Node {
	if given == nil {
		return nil
	}
	return column(given, block, l.Hidden)
}

// normalize is (5) without β for v [T, R, B, H] outside of the loop or [R, B, H] in it, and gain [R, H] or [R, 1, H];
// with the given statistics [T, R, 2, H] or [R, 2, H], or if these are nil with v's own. It returns those that it used.
func (l BNLSTM) normalize(batch batchOps, v, gain, given *Node) (out, statistics *Node) {
	var mean, variance *Node
	if given == nil {
		mean = batch.mean(v)
	} else {
		mean, variance = SliceAxis(given, -2, AxisRange(0, 1)), SliceAxis(given, -2, AxisRange(1, 2))
	}
	v = Sub(v, batch.repeat(mean))
	if given == nil {
		variance = batch.mean(Square(v))
		given = Concatenate([]*Node{mean, variance}, -2)
	}
	if v.Rank() == 4 {
		gain = InsertAxes(gain, 0, 1) // [1, R, 1, H]
	}
	return Mul(v, batch.repeat(Div(gain, Sqrt(AddScalar(variance, l.Epsilon))))), given
}

// batchOps is what (5) does over the sequences of a batch.
type batchOps struct {
	mean   func(v *Node) *Node   // of [… R, B, H], [… R, 1, H]
	repeat func(row *Node) *Node // [… R, 1, H] for every sequence
}

// outside are the operations outside of a loop.
var outside = batchOps{
	mean:   func(v *Node) *Node { return ReduceAndKeep(v, ReduceMean, -2) },
	repeat: func(row *Node) *Node { return row }, // GoMLX broadcasts it
}

// within are the operations within a loop. Both are products, which trained records hold to the last bit: with average
// [R, 1, B], which is 1/B, and ones [R, B, 1].
func within(average, ones *Node) batchOps {
	product := func(constant, v *Node) *Node {
		return DotGeneral(constant, []int{2}, []int{0}, v, []int{1}, []int{0})
	}
	return batchOps{
		mean:   func(v *Node) *Node { return product(average, v) },
		repeat: func(row *Node) *Node { return product(ones, row) },
	}
}

func (l BNLSTM) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	var given *Node
	statistics := x[lstmGates]
	if statistics.Shape().Dimensions[2] == normalized*l.Hidden {
		given = statistics
	}
	recurrent, average, ones := weights[0], weights[1], weights[2]
	cellGain, cellShift, gains := weights[3], weights[4], weights[5:]
	batch := within(average, ones)
	var own []*Node
	normalize := func(v *Node, block int, gain *Node) *Node {
		out, used := l.normalize(batch, v, gain, l.part(given, block))
		own = append(own, used)
		return out
	}
	z := s.Dot(carry[0], recurrent, lstmGates)
	for block := range z {
		z[block] = Add(normalize(z[block], block, gains[block]), x[block]) // (6)
	}
	i, f := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	c := Add(Mul(f, carry[1]), Mul(i, s.Tanh(z[2])))             // (7)
	read := Add(normalize(c, normalized-1, cellGain), cellShift) // BN(c; γc, βc)
	h := Mul(s.Sigmoid(z[3]), Tanh(read))                        // (8)
	if given == nil {
		statistics = Concatenate(slices.Insert(own, lstmGates, statistics), -1) // those of Wx·x between the others
	}
	return []*Node{h, c}, []*Node{h, statistics}
}

func (l BNLSTM) gates(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	given := l.given(xs)
	return named([]string{"input", "forget"}, weights["recurrent shift"], l.Hidden, func(block int) *Node {
		z := project(before, column(weights["recurrent"], block, l.Hidden))
		z, _ = l.normalize(outside, z, column(weights["recurrent gain"], block, l.Hidden), l.part(given, block))
		fromInput, _ := l.inputTerm(xs[0], weights, given, block)
		return Add(z, fromInput)
	})
}
