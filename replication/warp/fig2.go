package warp

import (
	"slices"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/figures"
)

// Fig2 is W Figure 2: the task of pure warping, for which nothing is trained. The last panel, padding, is ours.
var Fig2 = figures.Figure{
	Paper: paper, Name: "fig2",
	Title: "The task of pure warping",
	Caption: "The task of pure warping on the paper's example: output the previous character. Every step of time is " +
		"a cell, and all steps of one character have one colour; four colours take turns. Input and output are " +
		"warped alike, so the output always has the colour that the input had one character before. The dot is the " +
		"dummy: the target until the first character has ended, and what fills padding. The last panel is not in the " +
		"paper's picture: padding, where dummies follow each character, is the other task of Figure 1.",
	Layout: figures.Layout{Columns: 1, Height: 0.72 * figures.Inch},
	Charts: []figures.Chart{
		onExample("unwarped", task.WarpText, slices.Repeat([]int{1}, len(example))),
		onExample("uniform warping, 4 steps each", task.WarpText, slices.Repeat([]int{4}, 9)),
		onExample("variable warping, 1 to 4 steps each", task.WarpText,
			[]int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4}),
		onExample("variable padding, 1 to 4 dummies after each", task.PadText,
			[]int{2, 4, 1, 3, 1, 2, 4, 1, 2, 3, 4}),
	},
}

// The paper's example.
const (
	example      = "All human beings are born free and equal"
	exampleDummy = '·'
)

// onExample shows the input and the target of a task on the beginning of the example, with an entry of steps for each
// character.
func onExample(title string, of func(text string, steps []int, dummy rune) (in, out string),
	steps []int) figures.Chart {
	var numbers []rune // of the characters, which the task takes as it does the characters; 0 is the dummy
	for i := range steps {
		numbers = append(numbers, rune(i+1))
	}
	row := func(name, letters, numbers string) figures.Row {
		r := figures.Row{Name: name, Letters: []rune(letters)}
		for _, n := range numbers {
			r.Shades = append(r.Shades, int(n)-1)
		}
		return r
	}
	in, out := of(example[:len(steps)], steps, exampleDummy)
	numberIn, numberOut := of(string(numbers), steps, 0)
	return figures.Chart{Drawing: figures.Texts{Title: title, Cells: len(example), Rows: []figures.Row{
		row("input", in, numberIn), row("output", out, numberOut),
	}}}
}
