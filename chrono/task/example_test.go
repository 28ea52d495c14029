package task_test

import (
	"fmt"
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// Figure 2 of the paper: say the previous character, of a text as it stands, warped by 4, and warped variably. The
// dummy, here "·", comes first in the output; the figure leaves it out. Its text's "ll" are equal neighbours, which
// the task itself avoids.
func ExampleWarpText() {
	show := func(text string, steps []int) {
		in, out := task.WarpText(text, steps, '·')
		fmt.Printf("in  %s\nout %s\n", in, out)
	}
	all := "All human beings are born free and equal"
	show(all, slices.Repeat([]int{1}, len(all)))
	show("All human", slices.Repeat([]int{4}, 9))
	show("All human beings", []int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4})
	// Output:
	// in  All human beings are born free and equal
	// out ·All human beings are born free and equa
	// in  AAAAllllllll    hhhhuuuummmmaaaannnn
	// out ····AAAAllllllll    hhhhuuuummmmaaaa
	// in  Allllll  hhhummmaannn bbbbeeiiingssss
	// out ·AAllllll   huuummaaan    bbeeeingggg
}

// The same text padded, each character followed by 3 zeros, then by 1 to 3.
func ExamplePadText() {
	show := func(text string, zeros []int) {
		in, out := task.PadText(text, zeros, '0')
		fmt.Printf("in  %s\nout %s\n", in, out)
	}
	show("human", slices.Repeat([]int{3}, 5))
	show("human", []int{2, 1, 3, 3, 1})
	// Output:
	// in  h000u000m000a000n000
	// out 0000h000u000m000a000
	// in  h00u0m000a000n0
	// out 000h0u000m000a0
}

func ExampleCopy() {
	c := task.Copy{T: 5}
	in, out := make([]int32, c.Steps()), make([]int32, c.Steps())
	c.Sample(chrono.RNG(1, "example"), in, out)
	fmt.Println(in)
	fmt.Println(out)
	// Output:
	// [4 7 7 3 0 3 5 1 4 2 8 8 8 8 9 8 8 8 8 8 8 8 8 8 8]
	// [8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 4 7 7 3 0 3 5 1 4 2]
}

func ExampleVariableCopy() {
	c := task.VariableCopy{T: 5}
	in, out := make([]int32, c.Steps()), make([]int32, c.Steps())
	c.Sample(chrono.RNG(1, "example"), in, out)
	fmt.Println(in)
	fmt.Println(out)
	// Output:
	// [7 7 3 0 3 5 1 4 2 5 8 9 8 8 8 8 8 8 8 8 8 8 8 8 8 8]
	// [8 8 8 8 8 8 8 8 8 8 8 8 7 7 3 0 3 5 1 4 2 5 8 8 8 8]
}

func ExampleAdding() {
	a := task.Adding{T: 6}
	in, target := make([]float32, a.Steps()*a.Features()), make([]float32, 1)
	a.Sample(chrono.RNG(1, "example"), in, target)
	for t := range a.Steps() {
		fmt.Printf("%.2f %g\n", in[2*t], in[2*t+1])
	}
	fmt.Printf("target %.2f\n", target[0])
	// Output:
	// 0.38 0
	// 0.68 1
	// 0.37 0
	// 0.17 0
	// 0.83 0
	// 0.80 1
	// target 1.48
}

func ExampleWarp() {
	w := task.Warp{Length: 30, Min: 1, Max: 6}
	in, out := make([]int32, w.Steps()), make([]int32, w.Steps())
	w.Sample(chrono.RNG(1, "example"), in, out)
	fmt.Println(in)
	fmt.Println(out)
	// Output:
	// [1 9 9 9 9 9 1 1 7 7 7 7 7 3 3 3 9 9 9 9 1 1 4 4 4 4 1 9 9 9]
	// [0 1 1 1 1 1 9 9 1 1 1 1 1 7 7 7 3 3 3 3 9 9 1 1 1 1 4 1 1 1]
}

func ExamplePad() {
	p := task.Pad{Length: 30, Min: 1, Max: 6}
	in, out := make([]int32, p.Steps()), make([]int32, p.Steps())
	p.Sample(chrono.RNG(1, "example"), in, out)
	fmt.Println(in)
	fmt.Println(out)
	// Output:
	// [1 0 9 0 0 0 0 0 1 0 0 7 0 0 0 0 0 3 0 0 0 9 0 0 0 0 1 0 0 4]
	// [0 0 1 0 0 0 0 0 9 0 0 1 0 0 0 0 0 7 0 0 0 3 0 0 0 0 9 0 0 1]
}

// The kind of sequence that C gives as c9k8j3f1??k, where the answer is 8.
func ExampleRetrieval() {
	r := task.Retrieval{Pairs: 4}
	in := make([]int32, r.Steps())
	answer := r.Sample(chrono.RNG(1, "example"), in)
	fmt.Println(task.RetrievalText(in), answer)
	loss, accuracy := r.Unbound()
	fmt.Printf("without knowing which digit is whose: %.3f nats, %.2f %%\n", loss, 100*accuracy)
	// Output:
	// k4y1x9v1??x 9
	// without knowing which digit is whose: 1.187 nats, 38.35 %
}

// C's Figure 4 shows this series: four waves in a hundred steps, from 4.004 down to 0.004.
func ExampleDecay() {
	d := task.Decay{Final: 100, Alpha: 0, Beta: 0.001}
	for t := 0.; t <= 100; t += 25 {
		fmt.Printf("%.3f ", 4*d.At(4, t))
	}
	// Output: 4.004 3.004 2.004 1.004 0.004
}
