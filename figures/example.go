package figures

import (
	"slices"

	"github.com/warptime/warptime/chrono/task"
)

// The paper's example of the warping task, in Figure 2.
const (
	example      = "All human beings are born free and equal"
	exampleDummy = '·'
)

// warpedText shows the input and the target of the warping task on the beginning of the example, whose characters last
// for those numbers of steps.
func warpedText(title string, steps []int) Chart {
	in, out := task.WarpText(example[:len(steps)], steps, exampleDummy)
	var shades, shadesBefore []int // a character's, and at each step that of the character before
	for i, n := range steps {
		shades = append(shades, slices.Repeat([]int{i}, n)...)
		shadesBefore = append(shadesBefore, slices.Repeat([]int{i - 1}, n)...)
	}
	return TextChart{Title: title, Cells: len(example), Rows: []TextRow{
		{"input", []rune(in), shades}, {"output", []rune(out), shadesBefore},
	}}
}
