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

// carrying runs a cell over batches one after the other: continues has one value for each.
func carrying(t *testing.T, c cell.Cell, training bool, batches []*tensors.Tensor, continues []any) (
	out [][]*tensors.Tensor) {
	t.Helper()
	run := model.MustNewExec(goBackend, model.NewStore(), func(s *model.Scope, x, continues *Node) []*Node {
		s.Store().SetTraining(x.Graph(), training)
		b := cell.New(s, c, x).Seeds(1, 2).InitialState(cell.Constant{Values: []float64{0.5}})
		ys, final := b.Carry(continues).Done()
		return append(ys, final...)
	})
	for i, batch := range batches {
		out = append(out, run.MustCall(batch, continues[i]))
	}
	return out
}

// With carried states the batches of a stream are one long sequence, while training as in evaluations; a 0 starts over
// from the initial state, and a NaN of the sequence before does not come along.
func TestCarry(t *testing.T) {
	const steps, trials, batch = 3, 2, 2
	c := cell.LSTM{Hidden: 3}
	rng := rand.New(rand.NewPCG(71, 71))
	var batches []*tensors.Tensor
	for range 3 {
		batches = append(batches, random(rng, steps, trials, batch, 2))
	}
	for _, training := range []bool{false, true} {
		pieces := carrying(t, c, training, batches, []any{float32(0), float32(1), int8(1)})
		whole := tensors.FromFlatDataAndDimensions(
			slices.Concat(flat(t, batches[0]), flat(t, batches[1]), flat(t, batches[2])), 3*steps, trials, batch, 2)
		want := carrying(t, c, training, []*tensors.Tensor{whole}, []any{float32(0)})[0]
		for i, piece := range pieces {
			size := piece[0].Size()
			compare(t, fmt.Sprintf("outputs of batch %d", i), flat(t, piece[0]), flat(t, want[0])[i*size:(i+1)*size],
				1e-15)
		}
		for state := range cell.StateDims(c) {
			compare(t, "last state", flat(t, pieces[2][1+state]), flat(t, want[1+state]), 1e-15)
		}
	}

	broken := tensors.FromFlatDataAndDimensions(slices.Repeat([]float64{math.NaN()}, batches[0].Size()),
		steps, trials, batch, 2)
	anew := carrying(t, c, true, batches[:1], []any{float32(0)})[0]
	after := carrying(t, c, true, []*tensors.Tensor{broken, batches[0]}, []any{float32(0), float32(0)})[1]
	compare(t, "after NaN", flat(t, after[0]), flat(t, anew[0]), 0)

	each := [][]float32{{1, 0}, {0, 1}} // [R, B]
	mixed := carrying(t, c, true, batches[:2], []any{float32(0), each})[1]
	goesOn := carrying(t, c, true, batches[:2], []any{float32(0), float32(1)})[1]
	begins := carrying(t, c, true, batches[1:2], []any{float32(0)})[0]
	for r := range trials {
		for b := range batch {
			want := begins
			if each[r][b] == 1 {
				want = goesOn
			}
			compare(t, fmt.Sprintf("trial %d, sequence %d", r, b), slices.Concat(sequence(mixed[0], r, b)...),
				slices.Concat(sequence(want[0], r, b)...), 0)
		}
	}
}

// What training and evaluations carry does not mix.
func TestCarryApart(t *testing.T) {
	x := random(rand.New(rand.NewPCG(72, 72)), 3, 1, 1, 2)
	store, training := model.NewStore(), true
	run := func() []float64 {
		return flat(t, model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
			s.Store().SetTraining(x.Graph(), training)
			_, final := cell.New(s, cell.RNN{Hidden: 3}, x).Carry(Const(x.Graph(), true)).Done()
			return final[0]
		}, x))
	}
	first, second := run(), run()
	if slices.Equal(first, second) {
		t.Error("the second batch begins where the first one did")
	}
	training = false
	compare(t, "the first evaluation", run(), first, 0)
}
