package scan_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/scan"
)

// A sum that forgets, h ← a·h + x, over 100,000 ones, and its derivative with respect to a: the graph has the same size
// as for ten. In the end h = 1/(1−a), and its derivative is 1/(1−a)².
func Example() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	forget := func(_ *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		h := Add(Mul(weights[0], carry[0]), x[0])
		return []*Node{h}, nil // no outputs: only the last state is wanted
	}
	results := MustExecOnceN(engine, func(a *Node) []*Node {
		ones := StopGradient(Ones(a.Graph(), shapes.Make(dtypes.Float64, 100_000)))
		_, final := scan.New(forget).Done([]*Node{ScalarZero(a.Graph(), a.DType())}, []*Node{ones}, []*Node{a})
		return append(final, Gradient(final[0], a)...)
	}, 0.75)
	fmt.Printf("h = %.1f, dh/da = %.1f\n", results[0].Value(), results[1].Value())
	// Output: h = 4.0, dh/da = 16.0
}

// A plain recurrent network, h ← tanh(h·W + x), with 2 trials of 3 sequences and 4 units. Products with a weight go
// through Dot, so that the backward loop repeats none of them.
func ExampleCtx_Dot() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	step := func(c *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		h := Tanh(Add(c.Dot(carry[0], weights[0], 1)[0], x[0]))
		return []*Node{h}, []*Node{h}
	}
	const steps, trials, batch, hidden = 50, 2, 3, 4
	results := MustExecOnceN(engine, func(x, w *Node) []*Node {
		zero := Zeros(x.Graph(), shapes.Make(dtypes.Float64, trials, batch, hidden))
		ys, final := scan.New(step).Done([]*Node{zero}, []*Node{x}, []*Node{w})
		return append(Gradient(ReduceAllSum(final[0]), w), ys...)
	}, tensors.FromShape(shapes.Make(dtypes.Float64, steps, trials, batch, hidden)),
		tensors.FromShape(shapes.Make(dtypes.Float64, trials, hidden, hidden)))
	fmt.Println("gradient of w", results[0].Shape())
	fmt.Println("all h        ", results[1].Shape())
	// Output:
	// gradient of w (Float64)[2, 4, 4]
	// all h         (Float64)[50, 2, 3, 4]
}

// What is still to come at each step: a sum from the end. ys[t] belongs to xs[t], as it does forwards.
func ExampleBuilder_Reverse() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	add := func(_ *scan.Ctx, carry, x, _ []*Node) (next, y []*Node) {
		sum := Add(carry[0], x[0])
		return []*Node{sum}, []*Node{sum}
	}
	left := MustExecOnce(engine, func(x *Node) *Node {
		zero := ScalarZero(x.Graph(), x.DType())
		ys, _ := scan.New(add).Reverse().Done([]*Node{zero}, []*Node{x}, nil)
		return ys[0]
	}, []float64{1, 2, 3, 4})
	fmt.Println(left.Value())
	// Output: [10 9 7 4]
}
