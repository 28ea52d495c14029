package task

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// sample draws sequence number k of a task of symbols.
func sample(task Symbols, k int) (in, out []int32) {
	in = slices.Repeat([]int32{-1}, task.Steps()) // what was there before must not matter
	out = slices.Clone(in)
	task.Sample(chrono.RNG(1, "test", fmt.Sprintf("%#v", task), k), in, out)
	return in, out
}

// follows compares a sequence with the definition of its task, read off the input alone: what the input may look like,
// and the target that belongs to it, which is nil for another input.
func follows(task Symbols, in, out []int32) bool {
	var want []int32
	switch task := task.(type) {
	case Copy:
		want = copyTarget(in, task.T+20, task.T-1, task.T-1)
	case VariableCopy:
		least, most := 1, task.T
		if task.Between != 0 {
			least, most = task.Between, task.Between
		}
		want = copyTarget(in, task.T+21, least, most)
	case Warp:
		want = warpTarget(in, task)
	case UniformWarp: // a uniform warping by the first character's steps
		if steps := runs(in)[0].steps; warpTarget(in, Warp(task)) != nil {
			want = warpTarget(in, Warp{task.Length, steps, steps})
		}
	case Pad:
		want = padTarget(in, task)
	}
	return want != nil && slices.Equal(out, want)
}

// The tasks at sizes from the smallest on, and the paper's.
func everySymbols() []Symbols {
	tasks := []Symbols{
		Copy{500}, VariableCopy{500, 0}, VariableCopy{500, 1}, VariableCopy{500, 250}, VariableCopy{500, 500},
		Warp{500, 1, 50}, Warp{500, 30, 30}, Warp{500, 100, 200}, UniformWarp{500, 1, 50},
		UniformWarp{500, 100, 200}, Pad{500, 1, 50}, Pad{500, 30, 30},
	}
	for size := 1; size <= 12; size++ {
		tasks = append(tasks, Copy{size})
		for between := range size + 1 {
			tasks = append(tasks, VariableCopy{size, between})
		}
		for low := range 5 {
			for high := low; high < 5; high++ {
				tasks = append(tasks, Pad{size, low, high})
				if low > 0 {
					tasks = append(tasks, Warp{size, low, high}, UniformWarp{size, low, high})
				}
			}
		}
	}
	return tasks
}

// (A nil stream is rejected with one line, and not dereferenced.)
func TestSequencesFollowTheDefinitions(t *testing.T) {
	const wants = "stream is nil, want"
	for _, task := range everySymbols() {
		check.OK(t, task.Validate())
		check.That(t, task.Alphabet() == 10 && task.Classes() == 10,
			"%#v: alphabet of %d, %d classes, want 10 (W Section 3)", task, task.Alphabet(), task.Classes())
		for k := range 50 {
			in, out := sample(task, k)
			check.Must(t, follows(task, in, out), "%#v: input %v, target %v", task, in, out)
		}
		in := make([]int32, task.Steps())
		check.Panics(t, task, func() { task.Sample(nil, in, slices.Clone(in)) }, wants)
	}
	check.Panics(t, "Adding", func() { Adding{4}.Sample(nil, make([]float32, 8), make([]float32, 1)) }, wants)
	check.Panics(t, "Retrieval", func() { Retrieval{2}.Sample(nil, make([]int32, 7)) }, wants)
	check.Panics(t, "Decay", func() { lcd.Sample(nil, 0, nil, nil, nil) }, wants)
}

func TestImpossibleSizesAreRejected(t *testing.T) {
	decay := func(change func(*Decay)) Decay {
		d := lcd
		change(&d)
		return d
	}
	for _, task := range []Task{
		Copy{}, Copy{-1}, Copy{MaxSteps + 1}, VariableCopy{}, VariableCopy{-500, 0},
		VariableCopy{math.MaxInt, 0}, VariableCopy{5, -1}, VariableCopy{5, 6},
		Adding{}, Adding{1}, Adding{-2}, Adding{MaxSteps + 1},
		Warp{}, Warp{0, 1, 1}, Warp{500, 0, 1}, Warp{500, 3, 2}, Warp{500, 1, math.MaxInt}, Warp{MaxSteps + 1, 1, 1},
		UniformWarp{}, UniformWarp{0, 1, 1}, UniformWarp{500, 0, 1}, UniformWarp{500, 3, 2},
		Pad{0, 1, 1}, Pad{500, -1, 1}, Pad{500, 3, 2}, Pad{500, 0, MaxSteps + 1},
		Retrieval{-1}, Retrieval{0}, Retrieval{27},
		decay(func(d *Decay) { d.Final = 0 }), decay(func(d *Decay) { d.Alpha = -0.1 }),
		decay(func(d *Decay) { d.Beta = -0.1 }), decay(func(d *Decay) { d.Beta = math.NaN() }),
		decay(func(d *Decay) { d.Low, d.High = 4, 2 }), decay(func(d *Decay) { d.Low = 0 }),
		decay(func(d *Decay) { d.High = math.Inf(1) }), decay(func(d *Decay) { d.Trained = nil }),
		decay(func(d *Decay) { d.Trained = []float64{2, 2} }), decay(func(d *Decay) { d.Drawn = nil }),
		decay(func(d *Decay) { d.Trained = []float64{2, math.Inf(1)} }),
		decay(func(d *Decay) { d.Final, d.Alpha, d.Trained = 1, 1e17, []float64{1, 2} }), // without changes
	} {
		check.Rejected(t, task, task.Validate(), "task ")
	}
	for _, task := range []Task{
		Copy{1}, VariableCopy{MaxSteps, 0}, VariableCopy{5, 5}, Adding{2}, Warp{1, 1, 1},
		UniformWarp{1, 1, 1}, Pad{1, 0, 0},
		Retrieval{1}, Retrieval{26},
	} {
		check.OK(t, task.Validate())
	}
	check.Panics(t, "warp", func() { WarpText("abc", []int{1, -2, 3}, '0') }, "-2 steps for character 1")
	check.Panics(t, "pad", func() { PadText("abc", []int{1, -2, 3}, '0') }, "-2 steps for character 1")
}

// copyTarget is the definition of both copy tasks: ten letters out of the first eight symbols, dummies, one signal with
// least … most dummies between it and the last letter, dummies; after the signal, the letters in order, and dummies
// everywhere else.
func copyTarget(in []int32, steps, least, most int) []int32 {
	letters, rest := in[:10], slices.Clone(in[10:])
	between := slices.Index(rest, CopySignal)
	if len(in) != steps || slices.Min(letters) < 0 || slices.Max(letters) > 7 || between < least || between > most {
		return nil
	}
	if rest[between] = CopyDummy; slices.Min(rest) != CopyDummy || slices.Max(rest) != CopyDummy {
		return nil
	}
	want := slices.Repeat([]int32{CopyDummy}, len(in))
	copy(want[10+between+1:], letters)
	return want
}

// run is a character that lasts for some steps.
type run struct {
	character int32
	steps     int
}

// runs takes a sequence apart into what stands between two changes.
func runs(in []int32) []run {
	var found []run
	for t, symbol := range in {
		if t == 0 || symbol != in[t-1] {
			found = append(found, run{symbol, 0})
		}
		found[len(found)-1].steps++
	}
	return found
}

// warpTarget is the definition of the warping task: runs of the characters 1 … 9, each of Min … Max steps, the last
// perhaps cut off; during each, the target is the character of the run before, and during the first the dummy.
func warpTarget(in []int32, task Warp) (want []int32) {
	previous := int32(WarpDummy)
	all := runs(in)
	for i, r := range all {
		// A run longer than Max would also be what two equal neighbours look like.
		if r.character < 1 || r.character > 9 || r.steps > task.Max || r.steps < task.Min && i < len(all)-1 {
			return nil
		}
		want = append(want, slices.Repeat([]int32{previous}, r.steps)...)
		previous = r.character
	}
	if len(in) != task.Length {
		return nil
	}
	return want
}

// padTarget is the definition of the padding task: a character 1 … 9, then Min … Max zeros, and again, neighbours
// different, the last perhaps cut off; the target is the character before where the input is one, the dummy at the
// first, and zero where the input is zero.
func padTarget(in []int32, task Pad) []int32 {
	want := make([]int32, len(in))
	last := -1 // the step of the last character
	for t, symbol := range in {
		zeros := t - last - 1 // since that character
		switch {
		case symbol < 0, symbol > 9, t == 0 && symbol == WarpDummy, len(in) != task.Length:
			return nil
		case symbol == WarpDummy:
			if zeros+1 > task.Max {
				return nil
			}
		case last >= 0 && (zeros < task.Min || in[last] == symbol):
			return nil
		default:
			if last >= 0 {
				want[t] = in[last]
			}
			last = t
		}
	}
	return want
}
