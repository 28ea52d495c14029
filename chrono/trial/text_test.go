package trial

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/internal/check"
)

// counting is a text in which each symbol is its place; its splits are of different lengths.
type counting map[string]int

func (c counting) Alphabet() int { return 1000 }

func (c counting) Symbols(split string) ([]int32, error) {
	if c[split] == 0 {
		return nil, errors.New("no such split")
	}
	symbols := make([]int32, c[split])
	for i := range symbols {
		symbols[i] = int32(i)
	}
	return symbols, nil
}

// fixed is a text of an alphabet of four symbols.
type fixed []int32

func (fixed) Alphabet() int { return 4 }

func (f fixed) Symbols(string) ([]int32, error) { return f, nil }

// sequences takes a batch of text apart: what trial r reads in place b, [r][b][t]. It checks that each label is the
// symbol after.
func sequences(t *testing.T, batches Batches, n, trials, batch, steps int) [][][]int32 {
	t.Helper()
	inputs, labels, err := batches.Batch(n)
	check.OK(t, err)
	if got := inputs[0].Shape().Dimensions; !slices.Equal(got, []int{steps, trials, batch}) {
		t.Fatalf("x is %v", got)
	}
	x, y := tensors.MustCopyFlatData[int32](inputs[0]), tensors.MustCopyFlatData[int32](labels[0])
	all := make([][][]int32, trials)
	for r := range all {
		all[r] = make([][]int32, batch)
		for b := range batch {
			for step := range steps {
				at := (step*trials+r)*batch + b
				all[r][b] = append(all[r][b], x[at])
				check.Equal(t, y[at], x[at]+1, "batch %d: what follows %d", n, x[at])
			}
		}
	}
	return all
}

// A shuffled pass has every window but for one once, from an offset that changes from pass to pass; the offset and the
// order belong to a trial's seed.
func TestShuffledWindows(t *testing.T) {
	const length, batch = 7, 5 // 141 symbols hold 20 windows: a pass has 19, so that passes end within batches
	w := Windows{Of: counting{"train": 141}, Split: "train", Length: length, Batch: batch, Shuffled: true}
	if b, steps := w.Shape(); b != batch || steps != length-1 {
		t.Errorf("Shape is %d, %d", b, steps)
	}
	seeds := []uint64{3, 4}
	batches := open(t, w, seeds...)
	starts := make([][]int, len(seeds))
	for n := range 19 {
		for r, places := range sequences(t, batches, n, len(seeds), batch, length-1) {
			for _, window := range places {
				starts[r] = append(starts[r], int(window[0]))
				if window[length-2]-window[0] != length-2 {
					t.Errorf("window %v is not of one piece", window)
				}
			}
		}
	}
	offsets := map[int]bool{}
	for r := range seeds {
		for pass := range 5 {
			of := slices.Clone(starts[r][19*pass : 19*(pass+1)])
			if slices.IsSorted(of) {
				t.Errorf("trial %d, pass %d is in order", r, pass)
			}
			slices.Sort(of)
			if of[0] >= length {
				t.Errorf("trial %d, pass %d begins at %d", r, pass, of[0])
			}
			offsets[of[0]] = true
			for i := range of {
				if of[i] != of[0]+i*length {
					t.Errorf("trial %d, pass %d has windows at %v", r, pass, of)
					break
				}
			}
		}
	}
	if len(offsets) < 3 {
		t.Errorf("ten passes begin at only %d offsets", len(offsets))
	}
	if slices.Equal(starts[0], starts[1]) {
		t.Error("two seeds have one order")
	}
	// Begun anywhere, alone: the same.
	for _, n := range []int{17, 3, 4} {
		alone := sequences(t, open(t, w, 4), n, 1, batch, length-1)[0]
		for b := range alone {
			if int(alone[b][0]) != starts[1][n*batch+b] {
				t.Errorf("batch %d, place %d: %v alone, %d among others", n, b, alone[b], starts[1][n*batch+b])
			}
		}
	}
}

func TestWindowsInOrder(t *testing.T) {
	w := Windows{Of: counting{"valid": 30}, Split: "valid", Length: 7, Batch: 3}
	batches := open(t, w, 1, 2)
	for n, want := range [][]int32{{0, 7, 14}, {21, 0, 7}} {
		for r, places := range sequences(t, batches, n, 2, 3, 6) {
			for b := range places {
				check.Equal(t, places[b][0], want[b], "batch %d, trial %d, place %d begins at", n, r, b)
			}
		}
	}
}

// A stream goes on from batch to batch, and all of a part's symbols but for its rest are predicted once in a pass. The
// second input marks where a pass begins.
func TestStreams(t *testing.T) {
	s := Streams{Of: counting{"train": 62}, Split: "train", Batch: 3, Steps: 6} // parts of 20: 3 batches
	if b, steps := s.Shape(); b != 3 || steps != 6 {
		t.Errorf("Shape is %d, %d", b, steps)
	}
	check.Equal(t, s.Pass(62), 3, "batches of a pass")
	for _, c := range []struct{ symbols, want int }{{57, 3}, {56, 2}, {0, 0}} { // 57 = 3·(3·6+1)
		check.Equal(t, s.Pass(c.symbols), c.want, "batches of a pass over %d symbols", c.symbols)
	}
	batches := open(t, s, 1, 2)
	for n := range 7 {
		inputs, _, err := batches.Batch(n)
		check.OK(t, err)
		want := float32(1)
		if n%3 == 0 {
			want = 0
		}
		check.Equal(t, inputs[1].Value().(float32), want, "batch %d goes on", n)
		for r, places := range sequences(t, batches, n, 2, 3, 6) {
			for b := range places {
				if want := int32(20*b + n%3*6); places[b][0] != want || places[b][5] != want+5 {
					t.Errorf("batch %d, trial %d, place %d is %v", n, r, b, places[b])
				}
			}
		}
	}
}

// Masks are 0 in about the share that is asked for, and 1/(1−share) elsewhere; a symbol has one mask wherever it
// occurs in a sequence. They are a function of the seed and the batch, the same for a trial alone.
func TestDropout(t *testing.T) {
	const steps, batch, units = 10, 20, 50
	text := make(fixed, 4001)
	for i := range text {
		text[i] = int32(i * i % 3)
	}
	d := Masked{
		Of:    Streams{Of: text, Split: "train", Batch: batch, Steps: steps},
		Units: units, Symbols: 0.25, Inputs: 0.75, States: 0, Outputs: 0.5,
	}
	seeds := []uint64{1, 2}
	masked, plain := open(t, d, seeds...), open(t, d.Of, seeds...)
	seen := map[string]bool{}
	for n := range 3 {
		inputs, labels, err := masked.Batch(n)
		check.OK(t, err)
		bare, bareLabels, err := plain.Batch(n)
		check.OK(t, err)
		if len(inputs) != 6 || !inputs[0].Equal(bare[0]) || !inputs[1].Equal(bare[1]) ||
			!labels[0].Equal(bareLabels[0]) {
			t.Error("the streams are not what they are without masks")
		}
		x, symbols := tensors.MustCopyFlatData[int32](inputs[0]), tensors.MustCopyFlatData[float32](inputs[2])
		for row := range len(seeds) * batch {
			of := map[int32]float32{}
			for step := range steps {
				at := step*len(seeds)*batch + row
				if mask, ok := of[x[at]]; ok && mask != symbols[at] {
					t.Errorf("batch %d, row %d: symbol %d has masks %g and %g", n, row, x[at], mask, symbols[at])
				}
				of[x[at]] = symbols[at]
			}
		}
		for i, share := range []float64{0.25, 0.75, 0, 0.5} {
			mask := tensors.MustCopyFlatData[float32](inputs[2+i])
			dropped := 0
			for _, v := range mask {
				if v == 0 {
					dropped++
				} else if v != float32(1/(1-share)) {
					t.Fatalf("mask %d has a %g", i, v)
				}
			}
			// That of symbols has no more than 3·40 independent numbers, the others 2,000.
			if got := float64(dropped) / float64(len(mask)); math.Abs(got-share) > 0.15 || share == 0 && got != 0 ||
				i > 0 && math.Abs(got-share) > 0.05 {
				t.Errorf("batch %d: a share of %g of mask %d is dropped, want %g", n, got, i, share)
			}
		}
		if text := inputs[3].GoStr(); seen[text] {
			t.Errorf("batch %d has masks of another", n)
		} else {
			seen[text] = true
		}
		alone, _, err := open(t, d, 2).Batch(n)
		check.OK(t, err)
		both := tensors.MustCopyFlatData[float32](inputs[3])
		if !slices.Equal(tensors.MustCopyFlatData[float32](alone[3]), both[batch*units:]) {
			t.Errorf("batch %d: other masks alone than among others", n)
		}
	}
}
