package warp

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/figures"
)

// Fig2 is W Figure 2: the task of pure warping, for which nothing is trained.
var Fig2 = figures.Figure{
	Paper: paper, Name: "fig2",
	Title: "The task of pure warping",
	Caption: "The task of pure warping on the paper's example: output the previous character. Every step of time is " +
		"a cell, and steps that show the same character of the text have the same shade. Input and output are warped " +
		"alike, so the output always has the shade that the input had one character before. The dot is the dummy, " +
		"as long as no character has ended.",
	Layout: figures.Layout{Columns: 1, Height: 0.72 * vg.Inch},
	Charts: []figures.Chart{
		warpedText("unwarped", slices.Repeat([]int{1}, len(example))),
		warpedText("uniform warping, 4 steps each", slices.Repeat([]int{4}, 9)),
		warpedText("variable warping, 1 to 4 steps each", []int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4}),
	},
}

// The paper's example.
const (
	example      = "All human beings are born free and equal"
	exampleDummy = '·'
)

// warpedText shows the input and the target of the warping task on the beginning of the example, whose characters last
// for those numbers of steps.
func warpedText(title string, steps []int) figures.Chart {
	in, out := task.WarpText(example[:len(steps)], steps, exampleDummy)
	var shades, shadesBefore []int // a character's, and at each step that of the character before
	for i, n := range steps {
		shades = append(shades, slices.Repeat([]int{i}, n)...)
		shadesBefore = append(shadesBefore, slices.Repeat([]int{i - 1}, n)...)
	}
	return figures.Chart{Drawing: figures.Texts{Title: title, Cells: len(example), Rows: []figures.Row{
		{Name: "input", Letters: []rune(in), Shades: shades},
		{Name: "output", Letters: []rune(out), Shades: shadesBefore},
	}}}
}
