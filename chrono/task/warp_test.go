package task

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

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
func warpTarget(in []int32, task Warp) ([]int32, error) {
	if len(in) != task.Length {
		return nil, fmt.Errorf("%d steps, want %d", len(in), task.Length)
	}
	var want []int32
	previous := int32(WarpDummy)
	all := runs(in)
	for i, r := range all {
		if r.character < 1 || r.character > 9 {
			return nil, fmt.Errorf("symbol %d, want a character, 1 … 9", r.character)
		}
		// A run longer than Max would also be what two equal neighbours look like.
		if r.steps > task.Max || (r.steps < task.Min && i < len(all)-1) {
			return nil, fmt.Errorf("character %d lasts %d steps, want %d to %d", i, r.steps, task.Min, task.Max)
		}
		want = append(want, slices.Repeat([]int32{previous}, r.steps)...)
		previous = r.character
	}
	return want, nil
}

func TestWarpCharactersAreUniform(t *testing.T) {
	first, steps := make([]int, WarpCharacters), make([]int, WarpCharacters-1)
	pairs := make([]int, WarpCharacters*(WarpCharacters-1))
	for k := range 2000 {
		in, _ := sample(Warp{20, 1, 1}, k)
		first[in[0]-1]++
		for i := 1; i < len(in); i++ {
			onward := (in[i] - in[i-1] + WarpCharacters) % WarpCharacters // 1 … 8, and 0 if neighbours were equal
			steps[onward-1]++
			pairs[(in[i-1]-1)*(WarpCharacters-1)+onward-1]++
		}
	}
	uniformly(t, "first character", first)
	uniformly(t, "next character, seen from the one before", steps)
	uniformly(t, "character and the one before, together", pairs)
}

func TestWarpStepsAreUniform(t *testing.T) {
	const low, high = 2, 9
	counts, second := make([]int, high-low+1), make([]int, high-low+1)
	for k := range 4000 {
		// Two characters always fit in the sequence, so that cutting off does not favour short ones.
		in, _ := sample(Warp{3 * high, low, high}, k)
		all := runs(in)
		counts[all[0].steps-low]++
		second[all[1].steps-low]++
	}
	uniformly(t, "steps of the first character", counts)
	uniformly(t, "steps of the second character", second)
}

func TestUniformWarpIsUniform(t *testing.T) {
	in, _ := sample(Warp{500, 7, 7}, 0)
	all := runs(in)
	for i, r := range all[:len(all)-1] {
		if r.steps != 7 {
			t.Errorf("character %d lasts %d steps, want 7", i, r.steps)
		}
	}
	if last := all[len(all)-1].steps; last != 500%7 {
		t.Errorf("the last character lasts %d steps, want the %d that are left of 500", last, 500%7)
	}
}

// A model that remembers one character and the one before it is always right: it reaches the best loss, 0, with
// certainty at every step.
func TestWarpCanBeSolved(t *testing.T) {
	for _, task := range everySymbols() {
		if _, ok := task.(Warp); !ok {
			continue
		}
		for k := range 50 {
			in, out := sample(task, k)
			current, previous := int32(WarpDummy), int32(WarpDummy)
			for step, symbol := range in {
				if symbol != current {
					current, previous = symbol, current
				}
				if previous != out[step] {
					t.Fatalf("%#v, step %d: the model says %d, the target is %d", task, step, previous, out[step])
				}
			}
		}
	}
}

// Figure 2 as it is printed. Of the variable warping it shows only the result, but input and output together leave
// one reading of how long each character lasts. The text we have of it has lost the number of spaces, so it is
// compared without them.
func TestFigure2(t *testing.T) {
	all := "All human beings are born free and equal"
	for _, c := range []struct {
		text    string
		steps   []int
		in, out string
	}{
		{all, slices.Repeat([]int{1}, len(all)), all, "All human beings are born free and equa"},
		{"All human", slices.Repeat([]int{4}, 9), "AAAAllllllll hhhhuuuummmmaaaannnn", "AAAAllllllll hhhhuuuummmmaaaa"},
		{
			"All human beings", []int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4},
			"Allllll hhhummmaannn bbbbeeiiingssss", "AAllllll huuummaaan bbeeeingggg",
		},
	} {
		in, out := WarpText(c.text, c.steps, '·')
		if utf8.RuneCountInString(out) != len(in) {
			t.Errorf("%q: the output has another length than the input, %q", out, in)
		}
		letters := strings.NewReplacer(" ", "", "·", "").Replace
		if letters(in) != letters(c.in) || letters(out) != letters(c.out) {
			t.Errorf("%q, %q, want %q, %q", in, out, c.in, c.out)
		}
	}
}

func TestTextsRefuseNegativeNumbers(t *testing.T) {
	for name, lay := range map[string]func(text string, numbers []int, symbol rune) (in, out string){
		"warp": WarpText, "pad": PadText,
	} {
		func() {
			defer func() {
				if got, want := recover(), "task: -2 steps for character 1, want 0 or more"; got != want {
					t.Errorf("%s: panics with %v, want %s", name, got, want)
				}
			}()
			lay("abc", []int{1, -2, 3}, '0')
		}()
	}
}
