package scan_test

import (
	"fmt"
	"log"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/scan"
)

// A linear recurrent unit (Orvieto et al. 2023), h ← λ·h + x with complex numbers, as pairs of reals: state and λ have
// a real and an imaginary part each. Here |λ| = 0.9, and its angle is a tenth of a turn: after a pulse, h turns and
// shrinks.
func Example_linearRecurrentUnit() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	turn := func(_ *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		re, im, cos, sin := carry[0], carry[1], weights[0], weights[1] // [B, H], [H]
		next = []*Node{
			Add(Sub(Mul(re, cos), Mul(im, sin)), x[0]), Add(Mul(re, sin), Mul(im, cos)),
		}
		return next, next
	}
	ys := MustExecOnceN(engine, func(x, size, angle *Node) []*Node { // x [T, B, H], real
		zero := Zeros(x.Graph(), shapes.Make(dtypes.Float64, 1, 1))
		cos, sin := Mul(size, Cos(angle)), Mul(size, Sin(angle))
		ys, _ := scan.New(turn).Done([]*Node{zero, zero}, []*Node{x}, []*Node{cos, sin})
		return ys
	}, [][][]float64{{{1}}, {{0}}, {{0}}, {{0}}, {{0}}}, [][]float64{{0.9}}, [][]float64{{math.Pi / 5}})
	for t := range 5 {
		fmt.Printf("%.2f%+.2fi ", ys[0].Value().([][][]float64)[t][0][0], ys[1].Value().([][][]float64)[t][0][0])
	}
	// Output: 1.00+0.00i 0.73+0.53i 0.25+0.77i -0.23+0.69i -0.53+0.39i
}

// A recurrence that is linear in h needs no loop. The results and gradients are those of the loop.
func ExampleAssociative() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	leak := func(_ *scan.Ctx, carry, x, _ []*Node) (next, y []*Node) {
		h := Add(Mul(x[0], carry[0]), x[1])
		return []*Node{h}, []*Node{h}
	}
	results := MustExecOnceN(engine, func(a, u *Node) []*Node {
		ys, _ := scan.New(leak).Done([]*Node{ScalarZero(a.Graph(), a.DType())}, []*Node{a, u}, nil)
		slope := func(h *Node) *Node { return Gradient(ReduceAllSum(h), a)[0] }
		h := scan.Associative(scan.Affine, a, u)[1]
		return []*Node{h, ys[0], slope(h), slope(ys[0])}
	}, []float64{0.5, 0.9, 0.1, 0.7, 0.2, 0.8, 0.6}, []float64{1, 2, 3, 4, 5, 6, 7})
	fmt.Println(results[0].InDelta(results[1], 1e-12), results[2].InDelta(results[3], 1e-12))
	// Output: true true
}
