package cell_test

import (
	"fmt"
	"log"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// padded is a cell that stands still where a second input, the mask [T, R, B, 1], is 0. So the sequences of a batch may
// have lengths of their own: the last state is that of each one's last step.
type padded struct{ cell.Cell }

// Prepare adds the mask to what the cell's own steps take.
func (m padded) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, stepWeights = m.Cell.Prepare(xs[:1], weights)
	return append(stepXs, xs[1]), stepWeights
}

// Step keeps the state where the mask is 0.
func (m padded) Step(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	mask := x[len(x)-1] // [R, B, 1]
	nextCarry, y = m.Cell.Step(c, carry, x[:len(x)-1], weights)
	for i, next := range nextCarry {
		nextCarry[i] = Add(carry[i], Mul(mask, Sub(next, carry[i])))
	}
	return nextCarry, y
}

// Sequences of different lengths in one batch, here of 3 and of 5 steps: what stands behind the end of the shorter one
// does not matter to the last state. (The outputs ys go on there: they are what the cell's step makes of the last state
// and what stands behind the end. Mask them where they are used.)
func Example_lengths() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	last := func(scope *model.Scope, x, lengths *Node) *Node { // x [T, R, B, I], lengths [R, B]
		steps := Iota(x.Graph(), x.Shape(), 0) // [T, R, B, I]
		mask := LessThan(SliceAxis(steps, -1, AxisRange(0, 1)), ExpandAxes(lengths, 0, -1))
		_, final := cell.New(scope, padded{cell.GRU{Hidden: 4}}, x, ConvertDType(mask, x.DType())).Done()
		return final[0] // [R, B, H]
	}
	x := make([][][][]float32, 5) // [T, R, B, I], R = 1, B = 2, I = 1
	for t := range x {
		x[t] = [][][]float32{{{1}, {1}}}
	}
	store := model.NewStore()
	run := model.MustNewExec(engine, store, last)
	lengths := [][]float32{{3, 5}}
	before := run.MustCall(x, lengths)[0].Value().([][][]float32)[0]
	x[3][0][0][0], x[4][0][1][0] = 7, 7 // behind the end of the first, and the last of the second
	after := run.MustCall(x, lengths)[0].Value().([][][]float32)[0]
	fmt.Println("the first is the same: ", before[0][0] == after[0][0])
	fmt.Println("the second is the same:", before[1][0] == after[1][0])
	// Output:
	// the first is the same:  true
	// the second is the same: false
}
