package contextual

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// inOrder has ten series of each period.
var inOrder = Sorted{
	Of:     trial.Sampled[task.Series]{Tasks: []task.Series{trainedDecay}, Split: "train", Batch: 8, Sequences: 50},
	Buffer: 3,
}

// contexts returns the contexts (x_0, T) of a batch, of each trial.
func contexts(t *testing.T, batches trial.Batches, n, trials int) [][][2]float32 {
	t.Helper()
	inputs, _, err := batches.Batch(n)
	check.OK(t, err)
	flat := tensors.MustCopyFlatData[float32](inputs[1])
	all := make([][][2]float32, trials)
	for i := range len(flat) / 2 {
		r := i * trials * 2 / len(flat)
		all[r] = append(all[r], [2]float32{flat[2*i], flat[2*i+1]})
	}
	return all
}

// A pass has the series of the set that it is made of, and no other: seven batches of one or two periods, of which the
// last has six series again.
func TestSortedIsTheSameSet(t *testing.T) {
	seeds := []uint64{1, 2}
	open := func(d trial.Data) trial.Batches {
		return check.Got(d.Open(seeds))(t)
	}
	sorted, whole := open(inOrder), inOrder.Of
	whole.Batch = whole.Sequences
	want := contexts(t, open(whole), 0, len(seeds))
	for pass := range 2 {
		for r := range seeds {
			count := map[[2]float32]int{}
			for n := range 7 {
				periods := map[float32]bool{}
				for _, c := range contexts(t, sorted, 7*pass+n, len(seeds))[r] {
					count[c]++
					periods[c[1]] = true
				}
				check.That(t, len(periods) <= 2, "pass %d, trial %d, batch %d has %d periods", pass, r, n, len(periods))
			}
			twice := 0
			for _, c := range want[r] {
				check.That(t, count[c] != 0, "pass %d, trial %d lacks the series of %v", pass, r, c)
				twice += count[c] - 1
			}
			check.That(t, len(count) == whole.Sequences && twice == 7*8-50,
				"pass %d, trial %d: %d series, %d of them again", pass, r, len(count), twice)
		}
	}
}

// Every order is one that a buffer of three can give, and they are not all the same.
func TestSortedOrder(t *testing.T) {
	s := sortedBatches{Sorted: inOrder}
	orders := map[string]bool{}
	for pass := range 20 {
		order := s.order(1, pass, 7)
		again := s.order(1, pass, 7)
		check.Must(t, slices.Equal(order, again), "pass %d: %v, and asked again %v", pass, order, again)
		for place, batch := range order {
			check.That(t, batch <= place+inOrder.Buffer-1,
				"pass %d: batch %d has place %d in %v", pass, batch, place, order)
		}
		all := slices.Sorted(slices.Values(order))
		check.That(t, slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6}), "pass %d: %v", pass, order)
		orders[fmt.Sprint(order)] = true
	}
	check.That(t, len(orders) >= 10, "20 passes have %d orders", len(orders))
}
